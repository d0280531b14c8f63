"""A server starts with one line, hands over to new workers, and leaves nothing behind when it stops."""

import os
import shutil
import signal
import time
from pathlib import Path
from socket import create_connection

import orjson
import pytest

import engines
from distributions.worker.tests.raw_http import ask, ask_anew, asking, get, post, wait_for_more
from distributions.worker.tests.servers import succeeded
from service.sessions.stores import open_store
from tests.deploy.conftest import PATIENT, SUBJECT
from tests.deploy.gated_app import GATE
from tests.server import Server, until

AT_ONCE = 15  #: Seconds: enough on a busy machine, and less than the server would wait (REFEREE_STOP_SECONDS).
TWO_WORKERS = {"REFEREE_WORKERS": "2"}


@pytest.mark.parametrize(("host", "host_of_url"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_the_start_prints_one_line_and_nothing_else_without_a_request_log(host: str, host_of_url: str) -> None:
    with Server(SUBJECT, settings={"REFEREE_HOST": host, "REFEREE_REQUEST_LOG": "off"}) as server:
        with create_connection((host, server.port)) as client:
            ask(client, get("/livez"))
        server.stop()
        assert server.out.read_text("utf-8") == f"Rules Referee: http://{host_of_url}:{server.port}/\n"
        assert server.err.read_text("utf-8") == ""


def test_the_first_requests_of_each_game_use_little_time_because_a_start_prepares_them() -> None:
    with Server() as server, server.connect() as client:
        used = server.cpu()
        for game, engine in engines.registry().items():
            setup = orjson.dumps({"game": game, "seats": max(engine.seats), "seed": "0"})
            dealt = ask(client, post("/deal", setup))
            assert dealt.status == 200
            moves = orjson.dumps({"game": game, "state": orjson.loads(dealt.body)["state"], "moves": []})
            assert ask(client, post("/resolve", moves)).status == 200
        assert server.cpu() - used < 0.15  # some 0.03; without the preparation 0.3


def test_expired_sessions_are_removed_without_requests(tmp_path: Path) -> None:
    """An unplayed session lives for 1.8 s here, and `short_sweeps` sweeps every 20 ms."""
    url = f"sqlite:///{tmp_path}/sessions.sqlite3"
    settings = {"REFEREE_STORE_URL": url, "REFEREE_UNPLAYED_HOURS": "0.0005"}
    with Server("tests.deploy.short_sweeps:create_app()", settings=settings) as started:
        assert ask_anew(started, post("/sessions", b'{"game": "gin-rummy", "seats": 2}')).status == 201
        store = open_store(url)
        until(lambda: store.count() == 0)
        store.close()
        assert started.errors() == []


def test_a_stop_leaves_all_sessions_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "sessions.sqlite3"
    with Server(settings=TWO_WORKERS | {"REFEREE_STORE_URL": f"sqlite:///{file}"}) as started:
        opening = post("/sessions", b'{"game": "gin-rummy", "seats": 2}')
        assert [ask_anew(started, opening).status for _ in range(20)] == [201] * 20
        assert started.stop() < AT_ONCE
        assert started.err.read_text("utf-8") == ""
    reserve = f"{file.name}-reserve"  # room alone, no session
    assert {each.name for each in tmp_path.iterdir()} - {reserve} == {file.name}
    copy = open_store(f"sqlite:///{shutil.copy(file, tmp_path / 'copy')}")
    assert copy.count() == 20
    copy.close()


def test_each_worker_has_a_core_of_its_own_which_its_replacement_takes() -> None:
    with Server(SUBJECT, settings=TWO_WORKERS | {"REFEREE_PIN": "1"}) as pinned:
        killed, other = until(lambda: len(pinned.workers()) == 2 and pinned.workers())
        until(lambda: len(os.sched_getaffinity(killed)) == len(os.sched_getaffinity(other)) == 1)
        core = os.sched_getaffinity(killed)
        assert len(core | os.sched_getaffinity(other)) == min(2, len(os.sched_getaffinity(0)))
        pinned.kill(killed)
        (replacement,) = until(lambda: set(pinned.workers()) - {killed, other})
        until(lambda: os.sched_getaffinity(replacement) == core)


def test_a_reload_replaces_workers_only_once_their_successors_serve(tmp_path: Path) -> None:
    """The worker's own tests try more of this. This one tries that the service's configuration has its hooks."""
    gate = tmp_path / "gate"  # while this file exists, no worker completes its start
    with Server(SUBJECT, settings=TWO_WORKERS | PATIENT | {GATE: str(gate)}) as server, asking(server.port) as statuses:
        until(lambda: server.listening() == 2)
        old = set(server.workers())
        gate.touch()
        server.process.send_signal(signal.SIGHUP)
        until(lambda: len(server.workers()) == 4)
        wait_for_more(statuses)
        assert old <= set(server.workers())
        gate.unlink()
        until(lambda: not old & set(server.workers()))
        wait_for_more(statuses)
    assert set(statuses) == {200}


def both_serve(server: Server) -> bool:
    """Return whether the server and its successor have printed their address."""
    return server.out.read_text("utf-8").count("http://") == 2


def test_an_upgrade_on_the_fly_fails_no_request_and_loses_no_count(tmp_path: Path) -> None:
    """SIGUSR2 starts a second server beside the first. Then the first is stopped."""
    folder = tmp_path / "counters"
    with Server(SUBJECT, settings=TWO_WORKERS | {"PROMETHEUS_MULTIPROC_DIR": str(folder)}) as server:
        with asking(server.port) as statuses, succeeded(server):
            until(lambda: both_serve(server))
            wait_for_more(statuses)
            assert server.stop() < AT_ONCE
            wait_for_more(statuses)
            until(lambda: len(list(folder.glob("counter_*.db"))) == 4)
        until(lambda: not folder.exists())
        assert server.err.read_text("utf-8") == ""
    assert set(statuses) == {200}


def test_an_upgrade_on_the_fly_leaves_no_counters_behind(tmp_path: Path) -> None:
    with Server(SUBJECT, settings={"TMPDIR": str(tmp_path)}) as server:
        with succeeded(server):
            until(lambda: both_serve(server))
            server.stop()
            assert len(list(tmp_path.glob("rules-referee-*"))) == 1
        until(lambda: not list(tmp_path.glob("rules-referee-*")))


def test_a_start_removes_the_counters_of_a_master_that_was_killed_and_of_no_other(tmp_path: Path) -> None:
    """Of two servers one is killed, then a third one starts. Each has one folder."""
    variables = {"TMPDIR": str(tmp_path)}
    with Server(SUBJECT, settings=variables) as killed, Server(SUBJECT, settings=variables):
        before = set(tmp_path.glob("rules-referee-counters-*"))
        workers = killed.workers()
        killed.process.kill()
        killed.process.wait()
        until(lambda: not any(Path(f"/proc/{each}").exists() for each in workers))
        with Server(SUBJECT, settings=variables):
            after = set(tmp_path.glob("rules-referee-counters-*"))
    assert (len(before), len(after), len(after & before)) == (2, 2, 1)


@pytest.mark.parametrize(
    ("sign", "seconds"),
    [(signal.SIGTERM, 0), (signal.SIGINT, 0.2), (signal.SIGTERM, 0.5)],
    ids=lambda each: getattr(each, "name", str(each)),
)
def test_a_stop_during_the_start_ends_the_server_at_once_and_silently(sign: signal.Signals, seconds: float) -> None:
    commit = {"REFEREE_COMMIT": "0123abc"}  # else the start asks git, a child that is no worker
    with Server(settings=TWO_WORKERS | commit, patient=False) as server:
        until(server.workers)
        time.sleep(seconds)
        assert server.stop(sign) < AT_ONCE
        assert server.err.read_text("utf-8") == ""


@pytest.mark.parametrize(
    ("workers", "message"),
    [
        ("2", "Port {} of 127.0.0.1: Address already in use"),
        ("many", "REFEREE_WORKERS: 'many' is not a whole number from 1 to 1000"),
    ],
    ids=["a port that is taken", "a setting"],
)
def test_a_start_that_is_refused_prints_one_line_and_leaves_no_folder_behind(
    server: Server, tmp_path: Path, workers: str, message: str
) -> None:
    settings = {"TMPDIR": str(tmp_path), "REFEREE_WORKERS": workers}
    with Server(SUBJECT, settings=settings, port=server.port) as second:
        assert second.process.wait(AT_ONCE) == 1
        assert second.out.read_text("utf-8") == ""
        assert second.err.read_text("utf-8") == message.format(server.port) + "\n"
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
        server.stop()
    assert [each.name for each in sessions.parent.iterdir()] == ["sessions.db"]
    sessions.unlink()
    with Server(SUBJECT, settings=settings) as server:
        server.stop()
    assert not sessions.parent.exists()
