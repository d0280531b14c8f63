"""Until somebody opens a session, the service stores nothing: with SQLite there is no file."""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from distributions.worker.tests.raw_http import Answer, ask_anew, get, post, read_answer
from service.sessions.stores.protocol import Change, StoredSession, WriteResult
from service.sessions.stores.sqlite import PRAGMAS, SqliteStore
from tests.long import long
from tests.server import Server, until

UNKNOWN_SESSION = f"/sessions/{'0' * 32}"
FORGED_TOKEN = f"Authorization: Bearer host.0123456789abcdef.0123456789ab.{'x' * 32}"
KEY = "Idempotency-Key: the-first-session"
OPENING = post("/sessions", b'{"game": "gin-rummy", "seats": 2}')
NO_OPENING = b'{"game": "gin-rummy", "seats": 7}'
DEAL = post("/deal", b'{"game": "gin-rummy", "seats": 2}')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder without anything in it, for the store."""
    store = tmp_path / "store"
    store.mkdir()
    return store


def server_storing_in(folder: Path) -> Server:
    """A server, not yet started, of two workers that look for expired sessions all the time."""
    settings = {"REFEREE_STORE_URL": f"sqlite:///{folder}/sessions.sqlite3", "REFEREE_WORKERS": "2"}
    return Server("tests.deploy.short_sweeps:create_app()", settings=settings)


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    """A running server whose store is in the folder."""
    with server_storing_in(folder) as started:
        yield started


@pytest.fixture(scope="module")
def without_sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """A server at which no test opens a session, and the folder of its store."""
    folder = tmp_path_factory.mktemp("store")
    with server_storing_in(folder) as started:
        yield started, folder


def read_status(server: Server, opening: Answer) -> int:
    """The status of the answer to a read of a session by its host. `opening`: the answer to its opening."""
    session = json.loads(opening.body)
    request = get(f"/sessions/{session['id']}", f"Authorization: Bearer {session['tokens']['host']}")
    return ask_anew(server, request).status


def test_a_start_and_a_hundred_stateless_calls_leave_the_folder_empty(without_sessions: tuple[Server, Path]) -> None:
    server, folder = without_sessions
    assert [ask_anew(server, DEAL).status for _ in range(100)] == [200] * 100
    ready = ask_anew(server, get("/readyz"))
    assert (ready.status, json.loads(ready.body)["checks"]) == (200, {"sessions": "ready", "token_keys": "ready"})
    assert b"\nreferee_sessions 0.0\n" in ask_anew(server, get("/metrics")).body
    assert [*folder.iterdir()] == []
    assert server.errors() == []


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (get(UNKNOWN_SESSION), 401),
        (get(UNKNOWN_SESSION, FORGED_TOKEN), 401),
        (get(f"{UNKNOWN_SESSION}/events?ticket=no", "Accept: text/event-stream"), 401),
        (post(f"{UNKNOWN_SESSION}/moves", b'{"moves": []}', FORGED_TOKEN), 401),
        (post(f"{UNKNOWN_SESSION}/seats/0", b'{"invite": "no"}'), 401),
        (get(UNKNOWN_SESSION, FORGED_TOKEN).replace(b"GET", b"DELETE"), 401),
        (post("/sessions", NO_OPENING), 400),
        (post("/sessions", NO_OPENING, KEY), 400),
    ],
    ids=["read", "read with a token", "stream", "move", "seat", "delete", "opening", "opening with a key"],
)
def test_a_refused_request_for_a_session_leaves_the_folder_empty(
    without_sessions: tuple[Server, Path], request_: bytes, status: int
) -> None:
    server, folder = without_sessions
    assert [ask_anew(server, request_).status for _ in range(4)] == [status] * 4
    assert [*folder.iterdir()] == []
    assert server.errors() == []


def test_a_token_of_another_store_with_the_same_key_leaves_the_folder_empty(folder: Path, tmp_path: Path) -> None:
    key = {"REFEREE_TOKEN_KEYS": "k" * 32}
    with Server(settings=key) as elsewhere:
        opening = ask_anew(elsewhere, OPENING)
    with Server(settings=key | {"REFEREE_STORE_URL": f"sqlite:///{folder}/sessions.sqlite3"}) as server:
        assert read_status(server, opening) == 404
        assert [*folder.iterdir()] == []


def test_the_first_session_makes_a_file_that_only_its_owner_reads(server: Server, folder: Path) -> None:
    opening = ask_anew(server, OPENING)
    assert opening.status == 201
    assert oct((folder / "sessions.sqlite3").stat().st_mode) == "0o100600"
    assert [read_status(server, opening) for _ in range(8)] == [200] * 8  # by either worker


def test_workers_that_open_the_first_session_at_once_share_one_store(server: Server, folder: Path) -> None:
    together = threading.Barrier(8)

    def open_one(number: int) -> Answer:
        with server.connect() as client:
            together.wait()
            client.sendall(
                post("/sessions", b'{"game": "twins", "seats": 3}', f"Idempotency-Key: opening-number-{number}")
            )
            return read_answer(client)

    with ThreadPoolExecutor(8) as pool:
        openings = [*pool.map(open_one, range(8))]
    assert [each.status for each in openings] == [201] * 8
    assert [read_status(server, each) for each in openings for _ in range(4)] == [200] * 32
    with closing(sqlite3.connect(folder / "sessions.sqlite3")) as db:
        assert db.execute("SELECT count(*) FROM secrets").fetchone() == (1,)
    assert server.errors() == []


@pytest.mark.parametrize("milliseconds", [5, *long(0, 20)])
def test_a_worker_that_is_killed_during_the_first_opening_leaves_a_store_that_works(
    server: Server, folder: Path, milliseconds: int
) -> None:
    clients = [server.connect() for _ in range(4)]
    for client in clients:
        client.sendall(OPENING)
    time.sleep(milliseconds / 1000)
    for worker in server.workers():
        server.kill(worker)
    for client in clients:
        with client, suppress(ConnectionError):
            client.recv(1)
    opening = until(lambda: _open_session(server))
    assert until(lambda: len(server.workers()) == 2)
    assert [read_status(server, opening) for _ in range(4)] == [200] * 4
    with closing(sqlite3.connect(folder / "sessions.sqlite3")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _open_session(server: Server) -> Answer | None:
    """Return the answer to an opening; None if there is none yet, or a refusal."""
    with suppress(ConnectionError, AssertionError):  # a worker that starts refuses connections
        answer = ask_anew(server, OPENING)
        return answer if answer.status == 201 else None
    return None


@pytest.mark.parametrize("statements", [(), PRAGMAS], ids=["without a byte", "without tables"])
def test_a_file_without_tables_is_made_a_store(folder: Path, statements: tuple[str, ...]) -> None:
    file = folder / "sessions.sqlite3"
    file.touch()
    with closing(sqlite3.connect(file)) as db:
        for statement in statements:
            db.execute(f"PRAGMA {statement}")
    store = SqliteStore(str(file))
    assert store.read("one") is None
    assert store.write("one", Change(-1, b"record"), 60) is WriteResult.WRITTEN
    assert store.read("one") == StoredSession(0, b"record")
    store.close()
