"""gunicorn's own worker (REFEREE_WORKER=gevent) gives the same answers as ours."""

from collections.abc import Iterator
from pathlib import Path
from select import select

import pytest

from distributions.worker.tests.raw_http import ask, get, read
from service.cli import main
from tests.faults.clients import Client, open_table
from tests.games import OURS
from tests.server import Server


@pytest.fixture(scope="module")
def gevent_server() -> Iterator[Server]:
    """A service on gunicorn's own worker."""
    with Server(settings={"REFEREE_WORKER": "gevent"}) as started:
        yield started


def test_the_worker_is_gunicorns_own(gevent_server: Server) -> None:
    """Our worker has loaded the library `httptools`."""
    (worker,) = gevent_server.workers()
    assert "httptools" not in Path(f"/proc/{worker}/maps").read_text("utf-8")


def test_an_idle_connection_is_kept_for_the_seconds_of_the_setting() -> None:
    settings = {"REFEREE_WORKER": "gevent", "REFEREE_KEEPALIVE_SECONDS": "3.5"}
    with Server(settings=settings) as started, started.connect() as client:
        ask(client, get("/livez"))
        assert not select([client], [], [], 3.0)[0]  # gunicorn's default is 2 s
        assert client.recv(1) == b""


@pytest.mark.parametrize("game", OURS)
def test_every_vector_has_its_answer_on_gunicorns_worker(gevent_server: Server, game: str) -> None:
    assert main(["test", f"http://127.0.0.1:{gevent_server.port}", "--only", game]) == 0


def test_a_session_is_opened_followed_and_played(gevent_server: Server) -> None:
    table = open_table(gevent_server.port)
    with Client(gevent_server.port) as client, gevent_server.connect() as listener:
        listener.sendall(table.stream_request())
        read(listener, until=lambda received: b"retry:" in received)
        moves = {"moves": [{"type": "pass", "seat": 0}]}
        assert client.ask("POST", f"{table.path}/moves", moves, table.headers).status == 201
        read(listener, until=lambda received: b'"pass"' in received)
