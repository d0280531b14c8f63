"""Real faults, and the alerts that page somebody: what a server's /metrics says before and during each makes it fire.

A frozen worker is in test_frozen_worker.py, because it takes 15 seconds.
"""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from distributions.worker.tests.raw_http import Answer, ask_anew, get, post
from tests.deploy.alerting import Scrape, assert_fires, scrape_once, scrape_without_answer
from tests.server import ROOT, Server, until

FRESH = 1.1  #: Seconds after which a worker collects its figures anew.
PASSES = [{"type": "pass", "seat": 0}, {"type": "pass", "seat": 1}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the sessions are, and the files `slow` and `slow-sync`: how long a write to the -wal, or a sync, waits."""
    folder: Path = tmp_path_factory.mktemp("paging")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    """A server that may have three sessions. Each test undoes its fault."""
    settings = {
        "REFEREE_OPEN_SESSIONS": "3",
        "REFEREE_CLIENT_OPENINGS": "100",
        "REFEREE_TOKEN_KEYS": "k" * 32,
        "REFEREE_STORE_URL": f"sqlite:///{folder}/sessions.sqlite3",
    }
    if compiler := shutil.which("cc"):
        library = folder / "slow_disk.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, ROOT / "tests/deploy/slow_disk.c"], check=True)
        settings |= {"LD_PRELOAD": str(library), "SLOW_DISK": str(folder / "slow")}
        settings["SLOW_SYNC"] = str(folder / "slow-sync")
    with Server(settings=settings) as started:
        yield started


@pytest.fixture
def session(server: Server) -> Iterator[dict[str, Any]]:
    """A session of gin rummy, as its opening was answered."""
    session = json.loads(open_session(server).body)
    yield session
    delete(server, session)


def open_session(server: Server) -> Answer:
    """The answer to an opening."""
    return ask_anew(server, post("/sessions", b'{"game": "gin-rummy", "seats": 2}'))


def delete(server: Server, session: dict[str, Any]) -> None:
    """Delete a session, by its host."""
    request = get(f"/sessions/{session['id']}", f"Authorization: Bearer {session['tokens']['host']}")
    assert ask_anew(server, request.replace(b"GET", b"DELETE", 1)).status == 204


def status_of_move(server: Server, session: dict[str, Any], move: dict[str, Any]) -> int:
    """The status of the answer to the host's move."""
    body = json.dumps({"moves": [move]}).encode()
    bearer = f"Authorization: Bearer {session['tokens']['host']}"
    return ask_anew(server, post(f"/sessions/{session['id']}/moves", body, bearer)).status


def next_scrape(server: Server) -> Scrape:
    """A scrape whose figures are not those of the last one."""
    time.sleep(FRESH)
    return scrape_once(server)


def value(scrape: Scrape, name: str, labels: str) -> float:
    """The value of the one series of this name with these labels."""
    (found,) = (value for series, value in scrape.items() if series.startswith(f"{name}{{") and labels in series)
    return found


def test_where_no_session_can_be_opened_somebody_is_called(server: Server) -> None:
    before = scrape_once(server)
    openings = [open_session(server) for _ in range(4)]
    assert [each.status for each in openings] == [201, 201, 201, 503]
    during = next_scrape(server)
    for each in openings[:3]:
        delete(server, json.loads(each.body))
    assert [value(each, "referee_check", 'check="room"') for each in (before, during)] == [1, 0]
    assert_fires("RefereeNobodyOpens", before, during)


def test_where_no_move_can_be_made_somebody_is_called(server: Server, session: dict[str, Any], folder: Path) -> None:
    assert status_of_move(server, session, PASSES[0]) == 201
    before = next_scrape(server)
    (folder / "sessions.sqlite3").rename(folder / "away")
    assert status_of_move(server, session, PASSES[1]) == 503
    during = next_scrape(server)
    (folder / "away").rename(folder / "sessions.sqlite3")
    until(lambda: status_of_move(server, session, PASSES[1]) == 201)
    assert value(during, "referee_check", 'check="sessions"') == 0
    assert_fires("RefereeNobodyMoves", before, during)
    assert_fires("RefereeStoreAway", before, during)


def test_a_server_with_another_key_than_the_rest_calls_somebody(server: Server, session: dict[str, Any]) -> None:
    before = scrape_once(server)
    with Server(settings={**server.settings, "REFEREE_TOKEN_KEYS": "o" * 32}) as other:
        assert open_session(other).status == 503
        during = {name.replace(str(other.port), str(server.port)): at for name, at in scrape_once(other).items()}
    assert [value(each, "referee_ready", 'check="token_keys"') for each in (before, during)] == [1, 0]
    assert_fires("RefereeKeysDiffer", before, during)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler, so no disk can be made slow")
def test_slow_writes_call_somebody(server: Server, session: dict[str, Any], folder: Path) -> None:
    before = next_scrape(server)
    (folder / "slow").write_text("100", "ascii")
    assert status_of_move(server, session, PASSES[0]) == 201
    (folder / "slow").unlink()
    during = next_scrape(server)
    written, quick = (
        value(during, name, labels) - value(before, name, labels)
        for name, labels in (
            ("referee_store_seconds_count", 'call="write"'),
            ("referee_store_seconds_bucket", 'call="write",le="0.25"'),
        )
    )
    assert (written, quick) == (1, 0)
    assert_fires("RefereeWritesSlow", before, during)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler, so no disk can be made slow")
def test_a_disk_that_is_slow_to_sync_calls_somebody_and_holds_up_nothing_else(
    server: Server, session: dict[str, Any], folder: Path
) -> None:
    before = next_scrape(server)
    (folder / "slow-sync").write_text("2000", "ascii")
    delete(server, json.loads(open_session(server).body))  # what was deleted is scrubbed from the log within a second
    waited, statuses = [], set()

    def is_reported() -> bool:
        began = time.monotonic()
        assert ask_anew(server, get("/livez")).status == 200
        waited.append(time.monotonic() - began)
        ready = ask_anew(server, get("/readyz"))
        statuses.add(ready.status)
        return bool(json.loads(ready.body)["checks"].get("writes") == "slow")

    until(is_reported, 20)
    (folder / "slow-sync").unlink()
    during = next_scrape(server)
    assert statuses == {200}
    assert max(waited) < 1.9  # some milliseconds on a machine that is not busy; beside one sync on the loop, 2 s
    assert value(during, "referee_check", 'check="writes"') == 0
    assert_fires("RefereeWritesSlow", before, during)


def test_a_server_that_is_frozen_is_not_scraped_and_calls_somebody(server: Server) -> None:
    before = scrape_once(server)
    processes = [server.process.pid, *server.workers()]
    for each in processes:
        os.kill(each, signal.SIGSTOP)
    try:
        with server.connect() as client:
            client.settimeout(1)
            client.sendall(get("/metrics"))
            with pytest.raises(TimeoutError):
                client.recv(1)
    finally:
        for each in processes:
            os.kill(each, signal.SIGCONT)
    assert_fires("RefereeDown", before, scrape_without_answer(before))
