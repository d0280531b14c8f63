"""What a worker holds is bounded, and what it cannot begin soon is refused: 503 before anything was done."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from socket import socket
from typing import Any, cast

import pytest
from gevent.lock import BoundedSemaphore

from service.serving import handler
from service.serving.connection import PIECE, Connection
from service.serving.handler import Handler
from service.serving.reading import Request
from service.serving.request_log import RequestLog
from tests.deploy.conftest import Answer, ask_anew, get, post, read_answer
from tests.server import Server, until

MOST = 400_000
BODY = json.dumps({"requests": [{"path": "/games/twins/deal", "body": {"seats": 4}}]}).encode().ljust(90_000)


@pytest.fixture(scope="module")
def small() -> Iterator[Server]:
    settings = {"REFEREE_WORKERS": "1", "REFEREE_BYTES_IN_FLIGHT": str(MOST), "REFEREE_RECEIVE_SECONDS": "60"}
    with Server(settings=settings) as started:
        yield started


def head(client: str) -> bytes:
    return post("/batch", BODY, f"X-Forwarded-For: {client}")[: -len(BODY)]


class Sender:
    """A client that has sent all of a body but its last byte, which the server has read."""

    def __init__(self, server: Server, connected: socket, address: str) -> None:
        self.socket = connected
        connected.sendall(head(address) + BODY[:-1])
        for _ in range(len(BODY) // PIECE + 2):  # between two answers the server reads a piece of every connection
            assert ask_anew(server, get("/livez")).status == 200

    def finish(self) -> Answer:
        self.socket.sendall(BODY[-1:])
        return read_answer(self.socket, "POST")


def is_overloaded(answer: Answer) -> bool:
    assert (answer.problem["type"], answer.headers["retry-after"]) == ("/problems/overloaded", "5")
    return answer.status == 503


def test_unfinished_bodies_of_one_client_take_a_quarter(small: Server) -> None:
    with ExitStack() as stack:
        first, second, third = (stack.enter_context(small.connect()) for _ in range(3))
        sender = Sender(small, first, "10.0.0.1")
        assert is_overloaded(ask_anew(small, head("10.0.0.1") + BODY))
        assert Sender(small, second, "10.0.0.2").finish().status == 200
        assert sender.finish().status == 200
        assert Sender(small, third, "10.0.0.1").finish().status == 200  # there is space again


def test_the_bodies_of_all_clients_are_bounded_together(small: Server) -> None:
    with ExitStack() as stack:
        senders = [Sender(small, stack.enter_context(small.connect()), f"10.0.1.{number}") for number in range(4)]
        assert is_overloaded(ask_anew(small, head("10.0.2.1") + BODY))
        assert ask_anew(small, get("/livez")).status == 200
        assert ask_anew(small, get("/readyz")).status == 200
        assert ask_anew(small, post("/games/twins/deal", b'{"seats": 4}')).status == 200
        assert {each.finish().status for each in senders} == {200}
    assert ask_anew(small, head("10.0.2.1") + BODY).status == 200


def test_what_a_client_that_left_had_sent_is_forgotten(small: Server) -> None:
    for _ in range(8):
        with small.connect() as client:
            Sender(small, client, "10.0.3.1")
    until(lambda: ask_anew(small, head("10.0.3.1") + BODY).status == 200)


class Sent:
    """A connection that keeps what is sent."""

    phase = stream = None
    last = False

    def __init__(self) -> None:
        self.bytes = b""

    def send(self, data: bytes) -> None:
        self.bytes += data


def test_a_request_that_waits_too_long_for_its_turn_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler, "PATIENCE", 0.01)
    tried = cast("Any", Handler.__new__(Handler))
    tried.turns, tried.log = {100: BoundedSemaphore(1)}, cast("RequestLog", type("Log", (), {"request": print})())
    tried.application = lambda environ, start: (start("200 OK", [("Content-Length", "0")]), [b""])[1]

    def answer(size: int) -> bytes:
        sent = Sent()
        environ = {"REQUEST_METHOD": "POST", "RAW_URI": "/batch", "CONTENT_LENGTH": str(size)}
        assert tried.answer(cast("Connection", sent), Request(environ, keeps=True))
        return sent.bytes

    assert b" 200 OK" in answer(101)
    with handler.turn(tried.turns[100]):
        refused = answer(101)
        assert b" 503 Service Unavailable" in refused
        assert b"Retry-After: 5" in refused
        assert b" 200 OK" in answer(100)
    assert b" 200 OK" in answer(101)
