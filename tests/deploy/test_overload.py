"""What a worker holds is bounded, and what it cannot begin soon is refused: 503 before anything was done."""

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from socket import socket
from time import monotonic
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest
from flask import Flask
from gevent import get_hub
from gevent.lock import BoundedSemaphore

from service import fair_scheduling
from service.fair_scheduling import yield_now
from service.serving import handler
from service.serving.connection import PIECE, Connection
from service.serving.handler import Handler
from service.serving.request_log import RequestLog
from tests.deploy.conftest import Answer, ask_anew, get, post, read_answer
from tests.server import Server, resident, until

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


def test_a_connection_that_is_kept_holds_no_body_that_was_answered(small: Server) -> None:
    (worker,) = small.workers()
    body = b"[" + BODY
    with ExitStack() as stack:
        clients = [stack.enter_context(small.connect()) for _ in range(200)]
        before = resident(worker)
        for client in clients:
            client.sendall(post("/batch", body))
            assert read_answer(client, "POST").status == 400
        assert resident(worker) - before < len(clients) * len(body) // 2


class Sent:
    """A connection that keeps what is sent."""

    phase = stream = None
    last = False
    reader = SimpleNamespace(keeps=True)

    def __init__(self) -> None:
        self.bytes = b""

    def send(self, data: bytes) -> None:
        self.bytes += data


def told(size: int, path: str, application: Any, turns: Any = None, **began: float) -> bytes:
    """Return what a handler with this application sends to a client that posts a body of this size."""
    tried = cast("Any", Handler.__new__(Handler))
    vars(tried).update({"round": 0.0, "round_began": 0.0, "few": turns, "application": application} | began)
    tried.log = cast("RequestLog", type("Log", (), {"request": print})())
    sent = Sent()
    environ = {"REQUEST_METHOD": "POST", "RAW_URI": path, "PATH_INFO": path, "CONTENT_LENGTH": str(size)}
    assert tried.answer(cast("Connection", sent), environ)
    return sent.bytes


def fine(environ: object, start: Any) -> list[bytes]:
    start("200 OK", [("Content-Length", "0")])
    return [b""]


def long(environ: object, start: Any) -> list[bytes]:
    yield_now()
    return fine(environ, start)


def is_refused(answer: bytes) -> bool:
    assert (b" 200 OK" in answer) is not (b" 503 Service Unavailable" in answer and b"Retry-After: 5" in answer)
    return b" 200 OK" not in answer


def test_a_request_that_waits_too_long_for_its_turn_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler, "PATIENCE", 0.01)
    turns, larger = BoundedSemaphore(1), handler.FEW_AT_ONCE + 1
    assert not is_refused(told(larger, "/batch", fine, turns))
    with turns:
        assert is_refused(told(larger, "/batch", fine, turns))
        assert not is_refused(told(handler.FEW_AT_ONCE, "/batch", fine, turns))
    assert not is_refused(told(larger, "/batch", fine, turns))


def test_a_long_request_that_waits_too_long_for_a_place_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_scheduling, "PATIENCE", 0.01)
    monkeypatch.setattr(fair_scheduling, "_places", places := threading.BoundedSemaphore(1))
    for _ in range(3):  # each gives its place back
        assert not is_refused(told(0, "/resolve", long))
    with places:
        assert is_refused(told(0, "/resolve", long))
        assert not is_refused(told(0, "/resolve", fine))
    assert not is_refused(told(0, "/resolve", long))
    assert not fair_scheduling._has_place


@pytest.mark.parametrize(
    ("path", "seconds", "refused"),
    [("/resolve", 6, True), ("/resolve", 4, False), ("/livez", 6, False), ("/readyz", 6, False)],
)
def test_a_request_that_waited_too_long_in_a_round_is_refused_unless_it_is_a_probe(
    path: str, seconds: float, refused: bool
) -> None:
    began = {"round": get_hub().loop.now(), "round_began": monotonic() - seconds}
    assert is_refused(told(0, path, fine, **began)) is refused


def test_the_first_request_of_a_round_has_not_waited() -> None:
    assert not is_refused(told(0, "/resolve", fine, round=get_hub().loop.now() - 1, round_began=0.0))


def test_a_place_that_is_not_free_is_a_problem_of_the_whole_batch(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    crowded = Mock(side_effect=fair_scheduling.Overloaded)
    monkeypatch.setattr("service.judging.calls.yield_if_due", crowded)
    monkeypatch.setattr(fair_scheduling, "yield_if_due", crowded)
    deal = {"path": "/games/twins/deal", "body": {"seats": 4}}
    answer = app.test_client().post("/batch", json={"requests": [deal] * 10})
    assert (answer.status_code, answer.get_json()["type"]) == (503, "/problems/overloaded")
    assert answer.headers["Retry-After"] == "5"
