"""A server starts with one line, replaces dead workers, and completes running requests before it stops."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_connection

import orjson
import pytest

import engines
from service.sessions.stores import open_store
from tests.deploy.conftest import (
    PATIENT,
    SUBJECT,
    ask,
    ask_anew,
    asking,
    get,
    post,
    read,
    read_answer,
    read_to_the_end,
    several,
    some_more,
)
from tests.deploy.worker_test_app import GATE
from tests.server import Server, until

AT_ONCE = 15  #: Seconds: enough on a busy machine, and less than the server would wait (REFEREE_STOP_SECONDS).
TWO = {"REFEREE_WORKERS": "2"}


@pytest.fixture
def fresh() -> Iterator[Server]:
    """A server that a test may stop."""
    with Server(SUBJECT, settings=PATIENT) as started:
        yield started


def stop(server: Server, sign: signal.Signals = signal.SIGTERM) -> float:
    """Send a signal, wait for the end, and return the seconds it took."""
    began = time.monotonic()
    server.process.send_signal(sign)
    assert server.process.wait(30) == 0
    return time.monotonic() - began


def listening(server: Server) -> int:
    """Count the workers that listen, each on a socket of its own. A replacement listens only once it is ready."""
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    return sum(state == "0A" and at.endswith(f":{server.port:04X}") for _, at, _, state, *_ in sockets)


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_the_start_prints_one_line_and_nothing_else_without_a_request_log(host: str, shown: str) -> None:
    with Server(SUBJECT, settings={"REFEREE_HOST": host, "REFEREE_REQUEST_LOG": "off"}) as server:
        with create_connection((host, server.port)) as client:
            ask(client, get("/livez"))
        stop(server)
        assert server.out.read_text("utf-8") == f"Rules Referee: http://{shown}:{server.port}/\n"
        assert server.err.read_text("utf-8") == ""


def test_the_first_requests_do_not_wait_for_one_time_work() -> None:
    with Server() as server, server.connect() as client:
        used = server.cpu()
        for game, engine in engines.registry().items():
            setup = orjson.dumps({"game": game, "seats": max(engine.seats), "seed": "0"})
            dealt = ask(client, post("/deal", setup))
            assert dealt.status == 200
            moves = orjson.dumps({"game": game, "state": orjson.loads(dealt.body)["state"], "moves": []})
            assert ask(client, post("/resolve", moves)).status == 200
        assert server.cpu() - used < 0.06


def test_expired_sessions_are_removed_without_requests(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/sessions.sqlite3"
    here = {"REFEREE_STORE_URL": url, "REFEREE_UNPLAYED_HOURS": "0.0005"}
    with Server("tests.deploy.short_sweeps:create_app()", settings=here) as started:
        assert ask_anew(started, post("/sessions", b'{"game": "gin-rummy", "seats": 2}')).status == 201
        store = open_store(url)
        until(lambda: store.count() == 0)
        store.close()
        assert started.errors() == []


def test_a_stop_leaves_all_sessions_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "sessions.sqlite3"
    with Server(settings=TWO | {"REFEREE_STORE_URL": f"sqlite:///{file}"}) as started:
        opening = post("/sessions", b'{"game": "gin-rummy", "seats": 2}')
        assert [ask_anew(started, opening).status for _ in range(20)] == [201] * 20
        assert stop(started) < AT_ONCE
        assert started.err.read_text("utf-8") == ""
    assert [each.name for each in tmp_path.iterdir()] == [file.name]
    copy = open_store(f"sqlite:///{shutil.copy(file, tmp_path / 'copy')}")
    assert copy.count() == 20
    copy.close()


def test_each_worker_has_a_core_of_its_own_which_its_replacement_takes() -> None:
    with Server(SUBJECT, settings=TWO | {"REFEREE_PIN": "1"}) as pinned:
        killed, other = until(lambda: len(pinned.workers()) == 2 and pinned.workers())
        until(lambda: len(os.sched_getaffinity(killed)) == len(os.sched_getaffinity(other)) == 1)
        core = os.sched_getaffinity(killed)
        assert len(core | os.sched_getaffinity(other)) == min(2, len(os.sched_getaffinity(0)))
        pinned.kill(killed)
        (replacement,) = until(lambda: set(pinned.workers()) - {killed, other})
        until(lambda: os.sched_getaffinity(replacement) == core)


def test_a_stop_answers_what_runs_ends_streams_and_closes_what_rests(fresh: Server) -> None:
    with several(fresh, 4) as (waits, streams, floods, rests):
        ask(rests, get("/livez"))
        floods.sendall(get("/flood"))
        streams.sendall(get("/stream/0.1"))
        read(streams, until=lambda received: b"beat" in received)
        waits.sendall(get("/wait/1.0"))
        ask(rests, get("/livez"))
        assert stop(fresh) < AT_ONCE
        answer = read_answer(waits)
        assert (answer.body, answer.headers["connection"]) == (b"waited", "close")
        assert read_to_the_end(streams).endswith(b"0\r\n\r\n")
        assert rests.recv(1) == b""


def test_what_has_reached_a_busy_worker_is_answered_before_the_end(fresh: Server) -> None:
    with fresh.connect() as first, several(fresh, 20) as known, several(fresh, 20) as new:
        for client in known:
            ask(client, get("/livez"))
        first.sendall(get("/busy/1.0"))
        with several(fresh, 20) as unknown:
            for client in (*known, *new, *unknown):
                client.sendall(get("/busy/0.02"))
            stop(fresh)
            answered = [read_answer(client).body for client in (*known, *new, *unknown)]
    assert answered == [b"done"] * 60


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
def test_a_client_that_goes_on_learns_from_an_answer_that_its_connection_is_being_closed(
    fresh: Server, sign: signal.Signals
) -> None:
    with fresh.connect() as client:
        answers = [ask(client, get("/livez"))]
        fresh.process.send_signal(sign)
        while answers[-1].headers["connection"] == "keep-alive":
            answers.append(ask(client, get("/livez")))
            time.sleep(0.05)
        assert client.recv(1) == b""
    assert len(answers) > 1
    assert {each.body for each in answers} == {b"alive"}


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A file. While it exists, no worker of the subject completes its start."""
    return tmp_path / "gate"


@pytest.fixture
def gated(gate: Path) -> Iterator[Server]:
    """A server whose two workers serve. No further worker can complete its start."""
    with Server(SUBJECT, settings=TWO | PATIENT | {GATE: str(gate)}) as started:
        until(lambda: listening(started) == 2)
        assert all_are_served(started)
        gate.touch()
        yield started


@contextmanager
def succeeded(server: Server) -> Iterator[int]:
    """Start a second server by SIGUSR2 beside the first; yield its process id. It is stopped after the block."""
    old = set(server.workers())
    server.process.send_signal(signal.SIGUSR2)
    (successor,) = until(lambda: set(server.workers()) - old)
    try:
        yield successor
    finally:
        os.kill(successor, signal.SIGTERM)


def both_serve(server: Server) -> bool:
    return server.out.read_text("utf-8").count("http://") == 2


def all_are_served(server: Server) -> bool:
    """Return whether 20 new clients are answered: enough for some to reach each worker."""
    return all(ask_anew(server, get("/livez")).body == b"alive" for _ in range(20))


def test_no_client_waits_for_workers_that_replace_others(gated: Server, gate: Path) -> None:
    old = set(gated.workers())
    with asking(gated.port) as found:
        gated.process.send_signal(signal.SIGHUP)
        until(lambda: len(gated.workers()) == 4)
        assert all_are_served(gated)
        assert old <= set(gated.workers())
        gate.unlink()
        until(lambda: not old & set(gated.workers()))
        assert all_are_served(gated)
    assert set(found) == {200}


def test_no_client_waits_for_a_worker_that_starts_beside_another(gated: Server, gate: Path) -> None:
    gated.kill(gated.workers()[0])
    assert all_are_served(gated)
    until(lambda: len(gated.workers()) == 2)
    assert all_are_served(gated)
    assert listening(gated) == 1
    gate.unlink()
    until(lambda: listening(gated) == 2)


def test_a_server_that_starts_refuses_clients_until_it_can_answer_and_keeps_its_port(gate: Path) -> None:
    gate.touch()
    with Server(SUBJECT, settings=TWO | {GATE: str(gate)}, patient=False) as started:
        until(lambda: len(started.workers()) == 2)
        with pytest.raises(ConnectionRefusedError):
            started.connect()
        with Server(SUBJECT, port=started.port) as second:
            assert second.process.wait(AT_ONCE) == 1
            assert second.err.read_text("utf-8").endswith("Address already in use\n")
        assert started.out.read_text("utf-8") == ""
        gate.unlink()
        until(lambda: "http://" in started.out.read_text("utf-8"))
        assert ask_anew(started, get("/livez")).body == b"alive"


def test_no_client_waits_for_a_server_that_starts_beside_another(gated: Server, gate: Path) -> None:
    with succeeded(gated) as successor:
        children = Path(f"/proc/{successor}/task/{successor}/children")
        until(lambda: len(children.read_text("ascii").split()) == 2)
        assert all_are_served(gated)
        gate.unlink()
        until(lambda: listening(gated) == 4)
        assert all_are_served(gated)


def test_a_stop_while_workers_are_being_replaced_does_not_wait_long(gated: Server) -> None:
    gated.process.send_signal(signal.SIGHUP)
    until(lambda: len(gated.workers()) == 4)
    assert stop(gated) < AT_ONCE


def test_an_upgrade_on_the_fly_fails_no_request_and_loses_no_count(tmp_path: Path) -> None:
    """SIGUSR2 starts a second server beside the first, which is then stopped."""
    folder = tmp_path / "counters"
    with Server(SUBJECT, settings=TWO | {"PROMETHEUS_MULTIPROC_DIR": str(folder)}) as server:
        with asking(server.port) as found, succeeded(server):
            until(lambda: both_serve(server))
            some_more(found)
            assert stop(server) < AT_ONCE
            some_more(found)
            until(lambda: len(list(folder.glob("counter_*.db"))) == 4)
        until(lambda: not folder.exists())
        assert server.err.read_text("utf-8") == ""
    assert set(found) == {200}


def test_an_upgrade_on_the_fly_leaves_no_counters_behind(tmp_path: Path) -> None:
    with Server(SUBJECT, settings={"TMPDIR": str(tmp_path)}) as server:
        with succeeded(server):
            until(lambda: both_serve(server))
            stop(server)
            assert len(list(tmp_path.glob("rules-referee-*"))) == 1
        until(lambda: not list(tmp_path.glob("rules-referee-*")))


def test_a_request_that_never_ends_does_not_delay_the_stop_for_ever() -> None:
    with Server(SUBJECT, settings={"REFEREE_STOP_SECONDS": "2"}) as server, server.connect() as client:
        client.sendall(get("/wait/60.0"))
        ask_anew(server, get("/livez"))
        assert stop(server) < AT_ONCE


def test_an_interrupt_stops_the_server_at_once(fresh: Server) -> None:
    with fresh.connect() as client:
        client.sendall(get("/wait/60.0"))
        ask_anew(fresh, get("/livez"))
        assert stop(fresh, signal.SIGINT) < AT_ONCE
    assert fresh.err.read_text("utf-8") == ""


@pytest.mark.parametrize(
    ("sign", "seconds"),
    [(signal.SIGTERM, 0), (signal.SIGINT, 0.2), (signal.SIGTERM, 0.5)],
    ids=lambda each: getattr(each, "name", str(each)),
)
def test_a_stop_during_the_start_does_not_wait(sign: signal.Signals, seconds: float) -> None:
    with Server(settings=TWO, patient=False) as server:
        until(server.workers)
        time.sleep(seconds)
        assert stop(server, sign) < AT_ONCE
        assert server.err.read_text("utf-8") == ""


@pytest.mark.parametrize(
    ("workers", "said"),
    [
        ("2", "Port {} of 127.0.0.1: Address already in use"),
        ("many", "REFEREE_WORKERS: 'many' is not a whole number from 1 to 1000"),
    ],
    ids=["a port that is taken", "a setting"],
)
def test_a_start_that_is_refused_prints_one_line_and_leaves_no_folder_behind(
    server: Server, tmp_path: Path, workers: str, said: str
) -> None:
    settings = {"TMPDIR": str(tmp_path), "REFEREE_WORKERS": workers}
    with Server(SUBJECT, settings=settings, port=server.port) as second:
        assert second.process.wait(AT_ONCE) == 1
        assert second.out.read_text("utf-8") == ""
        assert second.err.read_text("utf-8") == said.format(server.port) + "\n"
    assert list(tmp_path.iterdir()) == []


def test_only_the_counters_of_an_earlier_run_are_removed_from_a_shared_folder(tmp_path: Path) -> None:
    sessions = tmp_path / "there" / "sessions.db"
    settings = {"PROMETHEUS_MULTIPROC_DIR": str(sessions.parent)}
    sessions.parent.mkdir()
    for file in (sessions, counter := sessions.with_name("counter_1.db")):
        file.write_bytes(b"kept")
    with Server(SUBJECT, settings=settings) as server:
        assert not counter.exists()
        ask_anew(server, get("/livez"))
        assert len(list(sessions.parent.glob("*.db"))) > 2
        stop(server)
    assert [each.name for each in sessions.parent.iterdir()] == ["sessions.db"]
    sessions.unlink()
    with Server(SUBJECT, settings=settings) as server:
        stop(server)
    assert not sessions.parent.exists()
