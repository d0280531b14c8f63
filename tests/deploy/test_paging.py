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
from tests.deploy.alerting import Scrape, assert_fires, failed_scrape, scrape
from tests.server import ROOT, Server, until

UNTIL_FIGURES_ARE_NEW = 1.1  #: Seconds after which a worker collects its figures anew.
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
    """The body of the answer that opened a session of gin rummy."""
    session = json.loads(open_session(server).body)
    yield session
    delete_session(server, session)


def open_session(server: Server) -> Answer:
    """Return the answer to a request that opens a session."""
    return ask_anew(server, post("/sessions", b'{"game": "gin-rummy", "seats": 2}'))


def delete_session(server: Server, session: dict[str, Any]) -> None:
    """Delete a session with the token of its host."""
    request = get(f"/sessions/{session['id']}", f"Authorization: Bearer {session['tokens']['host']}")
    assert ask_anew(server, request.replace(b"GET", b"DELETE", 1)).status == 204


def status_of_move(server: Server, session: dict[str, Any], move: dict[str, Any]) -> int:
    """Make a move as the host; return the status of the answer."""
    body = json.dumps({"moves": [move]}).encode()
    bearer = f"Authorization: Bearer {session['tokens']['host']}"
    return ask_anew(server, post(f"/sessions/{session['id']}/moves", body, bearer)).status


def fresh_scrape(server: Server) -> Scrape:
    """Wait until the workers have collected their figures anew, then scrape."""
    time.sleep(UNTIL_FIGURES_ARE_NEW)
    return scrape(server)


def value_of(scrape: Scrape, name: str, labels: str) -> float:
    """The value of the one series of this name with these labels."""
    (figure,) = (value for series, value in scrape.items() if series.startswith(f"{name}{{") and labels in series)
    return figure


def test_an_alert_fires_where_no_session_can_be_opened(server: Server) -> None:
    """The server takes three open sessions."""
    before = scrape(server)
    openings = [open_session(server) for _ in range(4)]
    assert [each.status for each in openings] == [201, 201, 201, 503]
    during = fresh_scrape(server)
    for each in openings[:3]:
        delete_session(server, json.loads(each.body))
    assert [value_of(each, "referee_check", 'check="room"') for each in (before, during)] == [1, 0]
    assert_fires("RefereeNobodyOpens", before, during)


def test_an_alert_fires_where_no_move_can_be_made(server: Server, session: dict[str, Any], folder: Path) -> None:
    assert status_of_move(server, session, PASSES[0]) == 201
    before = fresh_scrape(server)
    (folder / "sessions.sqlite3").rename(folder / "away")
    assert status_of_move(server, session, PASSES[1]) == 503
    during = fresh_scrape(server)
    (folder / "away").rename(folder / "sessions.sqlite3")
    until(lambda: status_of_move(server, session, PASSES[1]) == 201)
    assert value_of(during, "referee_check", 'check="sessions"') == 0
    assert_fires("RefereeNobodyMoves", before, during)
    assert_fires("RefereeStoreAway", before, during)


def test_an_alert_fires_for_a_server_with_another_key_than_the_rest(server: Server, session: dict[str, Any]) -> None:
    before = scrape(server)
    with Server(settings={**server.settings, "REFEREE_TOKEN_KEYS": "o" * 32}) as other:
        assert open_session(other).status == 503
        during = {name.replace(str(other.port), str(server.port)): figure for name, figure in scrape(other).items()}
    assert [value_of(each, "referee_ready", 'check="token_keys"') for each in (before, during)] == [1, 0]
    assert_fires("RefereeKeysDiffer", before, during)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler, so no disk can be made slow")
def test_an_alert_fires_for_slow_writes(server: Server, session: dict[str, Any], folder: Path) -> None:
    """Each write to the log of SQLite takes 100 ms more while the file `slow` says so (slow_disk.c)."""
    before = fresh_scrape(server)
    (folder / "slow").write_text("100", "ascii")
    assert status_of_move(server, session, PASSES[0]) == 201
    (folder / "slow").unlink()
    during = fresh_scrape(server)
    writes, quick_writes = (
        value_of(during, name, labels) - value_of(before, name, labels)
        for name, labels in (
            ("referee_store_seconds_count", 'call="write"'),
            ("referee_store_seconds_bucket", 'call="write",le="0.25"'),
        )
    )
    assert (writes, quick_writes) == (1, 0)
    assert_fires("RefereeWritesSlow", before, during)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler, so no disk can be made slow")
def test_an_alert_fires_for_a_disk_that_is_slow_to_sync_and_requests_are_answered_meanwhile(
    server: Server, session: dict[str, Any], folder: Path
) -> None:
    """Each sync of a file takes 2 s more while the file `slow-sync` says so (slow_disk.c)."""
    before = fresh_scrape(server)
    (folder / "slow-sync").write_text("2000", "ascii")
    delete_session(
        server, json.loads(open_session(server).body)
    )  # what was deleted is scrubbed from the log within a second
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
    during = fresh_scrape(server)
    assert statuses == {200}
    assert max(waited) < 1.9  # some milliseconds on a machine that is not busy; beside one sync on the loop, 2 s
    assert value_of(during, "referee_check", 'check="writes"') == 0
    assert_fires("RefereeWritesSlow", before, during)


def test_an_alert_fires_for_a_frozen_server_which_gives_no_scrape(server: Server) -> None:
    before = scrape(server)
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
    assert_fires("RefereeDown", before, failed_scrape(before))
