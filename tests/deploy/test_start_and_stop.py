"""A server starts with one line, survives its workers, and stops without breaking off what it has begun."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest

import engines
from service.sessions.stores import open_store
from tests.deploy.conftest import IMPATIENT, SUBJECT, ask, ask_on, get, post, read_answer, several, some_more
from tests.deploy.subject import STARTS
from tests.server import Server, until

AT_ONCE = 15
"""Seconds: much for a busy machine, and less than the server would wait (REFEREE_STOP_SECONDS)."""


@pytest.fixture
def fresh() -> Iterator[Server]:
    """A server that nobody has asked, and that may be stopped."""
    with Server(SUBJECT, settings=IMPATIENT) as started:
        until(lambda: len(started.workers()) == 2)
        yield started


def stop(server: Server) -> float:
    """Sends SIGTERM, waits for the end; the seconds it took."""
    began = time.monotonic()
    server.process.terminate()
    assert server.process.wait(30) == 0
    return time.monotonic() - began


def listening(server: Server) -> int:
    """How many workers listen: each has a socket of its own; who starts beside others opens it when it is ready."""
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    return sum(state == "0A" and at.endswith(f":{server.port:04X}") for _, at, _, state, *_ in sockets)


def test_the_start_is_told_in_one_line(fresh: Server) -> None:
    assert fresh.out.read_text("utf-8") == f"Rules Referee: http://127.0.0.1:{fresh.port}/\n"
    assert fresh.err.read_text("utf-8") == ""


def test_the_request_log_can_be_turned_off() -> None:
    with Server(SUBJECT, settings=IMPATIENT | {"REFEREE_REQUEST_LOG": "off"}) as server:
        with server.connect() as client:
            ask(client, get("/livez"))
        stop(server)
        assert server.requests() == []


def test_the_first_requests_do_not_wait_for_what_is_made_once() -> None:
    with Server(settings=IMPATIENT | {"REFEREE_WORKERS": "1"}) as server, server.connect() as client:
        used = server.cpu()
        for game, engine in engines.registry().items():
            setup = orjson.dumps({"game": game, "seats": max(engine.seats), "seed": "0"})
            dealt = ask(client, post("/deal", setup))
            assert dealt.status == 200
            moves = orjson.dumps({"game": game, "state": orjson.loads(dealt.body)["state"], "moves": []})
            assert ask(client, post("/resolve", moves)).status == 200
        assert server.cpu() - used < 0.06


def test_a_port_that_is_taken_is_told_in_one_line(server: Server) -> None:
    with Server(SUBJECT, port=server.port) as second:
        assert second.process.wait(AT_ONCE) == 1
        assert second.err.read_text("utf-8") == f"Port {server.port} of 127.0.0.1: Address already in use\n"


def test_the_url_of_an_ipv6_address_has_it_in_brackets() -> None:
    with Server(SUBJECT, settings=IMPATIENT | {"REFEREE_HOST": "::1"}) as server:
        assert server.out.read_text("utf-8") == f"Rules Referee: http://[::1]:{server.port}/\n"


def test_what_has_expired_is_cleared_away_though_nobody_asks(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/sessions.sqlite3"
    here = {"REFEREE_STORE_URL": url, "REFEREE_UNPLAYED_HOURS": "0.0005", "REFEREE_WORKERS": "1"}
    with Server("tests.deploy.tidying:create_app()", settings=here) as started:
        with started.connect() as client:
            assert ask(client, post("/sessions", b'{"game": "gin-rummy", "seats": 2}')).status == 201
        store = open_store(url)
        until(lambda: store.count() == 0)
        store.close()
        assert started.errors() == []


@pytest.fixture(scope="module")
def pinned() -> Iterator[Server]:
    with Server(SUBJECT, settings=IMPATIENT | {"REFEREE_PIN": "1"}) as started:
        until(lambda: len(started.workers()) == 2)
        yield started


def test_each_worker_has_a_core_of_its_own(pinned: Server) -> None:
    cores = [os.sched_getaffinity(pid) for pid in until(lambda: len(pinned.workers()) == 2 and pinned.workers())]
    assert [len(core) for core in cores] == [1, 1]
    assert len(set.union(*cores)) == min(2, len(os.sched_getaffinity(0)))


def test_a_killed_worker_is_replaced_on_the_same_core(pinned: Server) -> None:
    killed, other = until(lambda: len(pinned.workers()) == 2 and pinned.workers())
    core = os.sched_getaffinity(killed)
    pinned.kill(killed)
    (replacement,) = until(lambda: set(pinned.workers()) - {killed, other})
    assert until(lambda: os.sched_getaffinity(replacement) == core)


def test_while_a_worker_is_down_others_are_served(pinned: Server) -> None:
    until(lambda: listening(pinned) == 2)
    pinned.kill(pinned.workers()[0])
    for _ in range(20):
        with pinned.connect() as client:
            assert ask(client, get("/livez")).body == b"alive"


def test_a_request_that_runs_is_answered_before_the_end(fresh: Server) -> None:
    with fresh.connect() as client:
        ask(client, get("/livez"))  # the worker of this connection is up
        client.sendall(get("/wait/1.0"))
        time.sleep(0.2)
        seconds = stop(fresh)
        answer = read_answer(client)
    assert (answer.body, answer.headers["connection"]) == (b"waited", "close")
    assert 0.7 < seconds < AT_ONCE


def test_what_has_reached_a_busy_worker_is_answered_before_the_end() -> None:
    with (
        Server(SUBJECT, settings=IMPATIENT | {"REFEREE_WORKERS": "1"}) as server,
        server.connect() as first,
        several(server, 20) as known,
        several(server, 20) as at_the_door,
    ):
        for client in known:
            ask(client, get("/livez"))
        first.sendall(get("/busy/1.0"))
        time.sleep(0.2)
        with several(server, 20) as unknown:
            for client in (*known, *at_the_door, *unknown):
                client.sendall(get("/busy/0.02"))
            stop(server)
            answered = [read_answer(client).body for client in (*known, *at_the_door, *unknown)]
    assert answered == [b"done"] * 60


def test_a_stream_is_ended_in_order(fresh: Server) -> None:
    with fresh.connect() as client:
        client.sendall(get("/stream/0.1"))
        until(lambda: b"beat" in client.recv(4096))
        assert stop(fresh) < AT_ONCE
        rest = b""
        while data := client.recv(4096):
            rest += data
    assert rest.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
def test_who_goes_on_using_a_connection_is_told_before_it_is_closed(fresh: Server, sign: signal.Signals) -> None:
    with fresh.connect() as client:
        answers = [ask(client, get("/livez"))]
        fresh.process.send_signal(sign)
        while answers[-1].headers["connection"] == "keep-alive":
            answers.append(ask(client, get("/livez")))
            time.sleep(0.05)
        assert client.recv(1) == b""
    assert len(answers) > 1
    assert {each.body for each in answers} == {b"alive"}


SLOW = 4.0
"""Seconds that a worker takes to start."""
BETWEEN = 0.02
"""Seconds between two new clients: they come all the time, and take no core from those who start."""


@contextmanager
def slowly_started() -> Iterator[Server]:
    """A server whose workers take long to start, and have started."""
    with Server(SUBJECT, settings=IMPATIENT | {STARTS: str(SLOW)}) as started:
        until(lambda: listening(started) == 2)
        until(lambda: max(asked_anew(started) for _ in range(8)) < SLOW)
        yield started


@pytest.fixture(scope="module")
def slow() -> Iterator[Server]:
    """One for those who leave it with two workers."""
    with slowly_started() as started:
        yield started


def asked_anew(server: Server) -> float:
    """Seconds until a new client has its answer."""
    began = time.monotonic()
    with server.connect() as client:
        assert ask(client, get("/livez")).body == b"alive"
    return time.monotonic() - began


def test_nobody_waits_for_workers_that_start_in_the_place_of_others(slow: Server) -> None:
    until(lambda: listening(slow) == 2)
    old, waited = set(slow.workers()), []
    slow.process.send_signal(signal.SIGHUP)
    while set(slow.workers()) & old:
        waited.append(asked_anew(slow))
        time.sleep(BETWEEN)
    assert max(waited) < SLOW * 0.75
    assert asked_anew(slow) < SLOW * 0.75


def test_nobody_waits_for_a_worker_that_starts_beside_another(slow: Server) -> None:
    until(lambda: listening(slow) == 2)
    slow.kill(slow.workers()[0])
    new = until(lambda: len(slow.workers()) == 2 and slow.workers()[-1])
    began, waited = time.monotonic(), []
    while time.monotonic() < began + SLOW * 0.75:
        waited.append(asked_anew(slow))
        time.sleep(BETWEEN)
    assert max(waited) < SLOW * 0.75
    assert new in slow.workers()


def test_who_stops_a_server_whose_workers_are_being_exchanged_does_not_wait_long() -> None:
    with slowly_started() as server:
        server.process.send_signal(signal.SIGHUP)
        until(lambda: len(server.workers()) == 4)
        assert stop(server) < AT_ONCE


@contextmanager
def succeeded(server: Server) -> Iterator[None]:
    """In the block a second server, started by SIGUSR2, serves beside the first; behind it it is being stopped."""
    old = set(server.workers())
    server.process.send_signal(signal.SIGUSR2)
    (successor,) = until(lambda: set(server.workers()) - old)
    try:
        until(lambda: server.out.read_text("utf-8").count("http://") == 2)
        yield
    finally:
        os.kill(successor, signal.SIGTERM)


def test_an_upgrade_on_the_fly_fails_no_request_and_loses_no_count(tmp_path: Path) -> None:
    """SIGUSR2 starts a second server beside the first, which is then stopped."""
    found: list[int] = []
    over = threading.Event()
    folder = tmp_path / "counters"
    with Server(SUBJECT, settings=IMPATIENT | {"PROMETHEUS_MULTIPROC_DIR": str(folder)}) as server:
        asking = threading.Thread(target=ask_on, args=(server.port, over, found))
        asking.start()
        with succeeded(server):
            try:
                some_more(found)
                assert stop(server) < AT_ONCE
                some_more(found)
                assert len(list(folder.glob("counter_*.db"))) >= 4
            finally:
                over.set()
                asking.join()
        until(lambda: not folder.exists())
        assert server.err.read_text("utf-8") == ""
    assert set(found) == {200}


def test_an_upgrade_on_the_fly_leaves_no_counters_behind(tmp_path: Path) -> None:
    with Server(SUBJECT, settings=IMPATIENT | {"TMPDIR": str(tmp_path)}) as server:
        with succeeded(server):
            stop(server)
            assert len(list(tmp_path.glob("rules-referee-*"))) == 1
        until(lambda: not list(tmp_path.glob("rules-referee-*")))


def test_connections_that_rest_do_not_delay_the_end(fresh: Server) -> None:
    with fresh.connect() as client:
        ask(client, get("/livez"))
        assert stop(fresh) < AT_ONCE
        assert client.recv(1) == b""


def test_a_stream_that_nobody_reads_does_not_delay_the_end(fresh: Server) -> None:
    with fresh.connect() as client:
        client.sendall(get("/flood"))
        time.sleep(0.5)
        assert stop(fresh) < AT_ONCE


def test_a_request_that_never_ends_does_not_delay_the_end_for_ever() -> None:
    with Server(SUBJECT, settings=IMPATIENT | {"REFEREE_STOP_SECONDS": "3"}) as server, server.connect() as client:
        client.sendall(get("/wait/60.0"))
        time.sleep(0.2)
        assert stop(server) < AT_ONCE


def test_after_an_interrupt_the_end_is_at_once(fresh: Server) -> None:
    with fresh.connect() as client:
        client.sendall(get("/wait/60.0"))
        time.sleep(0.2)
        began = time.monotonic()
        fresh.process.send_signal(signal.SIGINT)
        assert fresh.process.wait(AT_ONCE) == 0
    assert time.monotonic() - began < AT_ONCE
    assert fresh.err.read_text("utf-8") == ""


@pytest.mark.parametrize(
    ("signal_", "seconds"),
    [(signal.SIGTERM, 0), (signal.SIGINT, 0.05), (signal.SIGTERM, 0.2), (signal.SIGINT, 0.3), (signal.SIGTERM, 0.5)],
    ids=lambda each: getattr(each, "name", str(each)),
)
def test_who_stops_a_server_that_is_only_starting_does_not_wait(signal_: signal.Signals, seconds: float) -> None:
    with Server(settings={"REFEREE_WORKERS": "2"}, patient=False) as server:
        until(server.workers)
        time.sleep(seconds)
        server.process.send_signal(signal_)
        assert server.process.wait(AT_ONCE) == 0
        assert server.err.read_text("utf-8") == ""


def test_the_folder_of_the_counters_is_there_while_the_server_is(tmp_path: Path) -> None:
    with Server(SUBJECT, settings=IMPATIENT | {"TMPDIR": str(tmp_path)}) as server:
        assert [each.name.startswith("rules-referee-") for each in tmp_path.iterdir()] == [True]
        stop(server)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("refused", ["a port that is taken", "a setting"])
def test_a_start_that_is_refused_leaves_no_folder_behind(server: Server, tmp_path: Path, refused: str) -> None:
    workers = "2" if refused == "a port that is taken" else "no number"
    settings = {"TMPDIR": str(tmp_path), "REFEREE_WORKERS": workers}
    with Server(SUBJECT, settings=settings, port=server.port) as second:
        assert second.process.wait(AT_ONCE) == 1
    assert list(tmp_path.iterdir()) == []


def test_counters_of_an_earlier_run_are_not_counted(tmp_path: Path) -> None:
    counters = tmp_path / "counters"
    counters.mkdir()
    (counters / "counter_1.db").write_bytes(b"earlier")
    with Server(SUBJECT, settings=IMPATIENT | {"PROMETHEUS_MULTIPROC_DIR": str(counters)}) as server:
        assert not (counters / "counter_1.db").exists()
        stop(server)
    assert not counters.exists()


def test_of_a_folder_that_holds_more_than_counters_nothing_else_is_removed(tmp_path: Path) -> None:
    dear = tmp_path / "there" / "sessions.db"
    settings = {"REFEREE_WORKERS": "1", "PROMETHEUS_MULTIPROC_DIR": str(dear.parent)}
    with Server(settings=settings) as server:  # the folder is made where there is none
        stop(server)
    (dear.parent / "counter_1.db").mkdir(parents=True)
    dear.write_bytes(b"dear")
    with Server(settings=settings) as server:
        with server.connect() as client:
            ask(client, get("/livez"))
        assert len(list(dear.parent.glob("*.db"))) > 2
        stop(server)
    assert {each.name for each in dear.parent.iterdir()} == {"counter_1.db", "sessions.db"}
