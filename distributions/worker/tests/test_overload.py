"""What a worker holds is bounded, and what it cannot begin soon is refused: 503 before anything was done."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from socket import socket
from time import monotonic
from types import SimpleNamespace
from typing import Any, cast

import pytest
from gevent import get_hub
from gevent.lock import BoundedSemaphore

from distributions.worker.tests.raw_http import Answer, ask_anew, get, post, read_answer
from distributions.worker.tests.servers import Subject, resident, until
from gunicorn_llhttp import fair_scheduling, handler
from gunicorn_llhttp.connection import PIECE, Working
from gunicorn_llhttp.fair_scheduling import yield_now
from gunicorn_llhttp.handler import WSGIHandler
from gunicorn_llhttp.options import Options

MOST_BYTES_IN_FLIGHT = 400_000
BODY = bytes(90_000)


@pytest.fixture(scope="module")
def small() -> Iterator[Subject]:
    """A server that holds few bytes of unfinished bodies."""
    with Subject(options={"bytes_in_flight": MOST_BYTES_IN_FLIGHT, "receive_seconds": 60.0}) as started:
        yield started


def head(client: str) -> bytes:
    """The head of a POST of `BODY` from a client's address."""
    return post("/length", BODY, f"X-Forwarded-For: {client}")[: -len(BODY)]


class Sender:
    """A client that has sent all of a body but its last byte, which the server has read."""

    def __init__(self, server: Subject, connected: socket, address: str) -> None:
        self.socket = connected
        connected.sendall(head(address) + BODY[:-1])
        for _ in range(len(BODY) // PIECE + 2):  # between two answers the server reads a piece of every connection
            assert ask_anew(server, get("/livez")).status == 200

    def finish(self) -> Answer:
        """Send the last byte of the body; return the answer."""
        self.socket.sendall(BODY[-1:])
        return read_answer(self.socket, "POST")


def assert_overloaded(answer: Answer) -> None:
    """The answer is the plain refusal of a worker that has no room."""
    assert (answer.status, answer.body) == (503, b"The server is too busy.\n")
    assert answer.headers["retry-after"] == "5"


def test_unfinished_bodies_of_one_client_may_take_a_quarter_of_the_bytes(small: Subject) -> None:
    with ExitStack() as stack:
        first, second, third = (stack.enter_context(small.connect()) for _ in range(3))
        sender = Sender(small, first, "10.0.0.1")
        assert_overloaded(ask_anew(small, head("10.0.0.1") + BODY))
        assert Sender(small, second, "10.0.0.2").finish().status == 200
        assert sender.finish().status == 200
        assert Sender(small, third, "10.0.0.1").finish().status == 200  # there is space again


def test_the_bodies_of_all_clients_are_bounded_together(small: Subject) -> None:
    with ExitStack() as stack:
        senders = [Sender(small, stack.enter_context(small.connect()), f"10.0.1.{number}") for number in range(4)]
        assert_overloaded(ask_anew(small, head("10.0.2.1") + BODY))
        assert ask_anew(small, get("/livez")).status == 200
        assert ask_anew(small, post("/length", b"small")).status == 200
        assert {each.finish().status for each in senders} == {200}
    assert ask_anew(small, head("10.0.2.1") + BODY).status == 200


def test_the_unfinished_body_of_a_client_that_left_is_freed(small: Subject) -> None:
    for _ in range(8):
        with small.connect() as client:
            Sender(small, client, "10.0.3.1")
    until(lambda: ask_anew(small, head("10.0.3.1") + BODY).status == 200)


def test_an_idle_connection_holds_no_memory_for_the_body_that_was_answered(small: Subject) -> None:
    (worker,) = small.workers()
    with ExitStack() as stack:
        clients = [stack.enter_context(small.connect()) for _ in range(200)]
        before = resident(worker)
        for client in clients:
            client.sendall(post("/length", BODY))
            assert read_answer(client, "POST").status == 200
        assert resident(worker) - before < len(clients) * len(BODY) // 2


def test_a_short_request_is_answered_before_a_long_one_that_came_first(server: Subject) -> None:
    with server.connect() as heavy, server.connect() as light:
        used = server.cpu()
        heavy.sendall(get("/long/1.0"))
        until(lambda: server.cpu() > used + 0.02)  # the worker has begun with it
        light.sendall(get("/livez"))
        assert read_answer(light).body == b"alive"
        heavy.setblocking(False)
        with pytest.raises(BlockingIOError):
            heavy.recv(1)
        heavy.setblocking(True)
        assert read_answer(heavy).body == b"done"


class Sent:
    """Stands for a connection that works on a request: it stores what is sent."""

    connection = SimpleNamespace(reader=SimpleNamespace(keeps=True))

    def __init__(self) -> None:
        self.bytes = b""

    def send(self, data: bytes) -> None:
        self.bytes += data


def answer_of(size: int, path: str, application: Any, turns: Any = None, **began: float) -> bytes:
    """Return what a handler with this application sends to a client that posts a body of this size.

    `turns`: for how many larger requests there is room at once; `began`: the round of the hub, and when it began.
    """
    tried = cast("Any", WSGIHandler.__new__(WSGIHandler))
    own = {"round": 0.0, "round_began": 0.0, "few": turns, "application": application, "ending": False}
    vars(tried).update(own | began)
    tried.options, tried.log_request = Options(probes={"/livez"}), print
    sent = Sent()
    environ = {"REQUEST_METHOD": "POST", "RAW_URI": path, "PATH_INFO": path, "CONTENT_LENGTH": str(size)}
    assert tried.answer(cast("Working", sent), environ)
    return sent.bytes


def short(environ: object, start: Any) -> list[bytes]:
    """An application that answers at once."""
    start("200 OK", [("Content-Length", "0")])
    return [b""]


def long(environ: object, start: Any) -> list[bytes]:
    """An application that yields to other requests before it answers."""
    yield_now()
    return short(environ, start)


def is_refused(answer: bytes) -> bool:
    """Whether an answer is a refusal as overload. If it is not, it has to be 200."""
    assert (b" 200 OK" in answer) is not (b" 503 Service Unavailable" in answer and b"Retry-After: 5" in answer)
    return b" 200 OK" not in answer


def test_a_request_that_waits_too_long_for_its_turn_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler, "PATIENCE", 0.01)
    turns, larger = BoundedSemaphore(1), handler.FEW_AT_ONCE + 1
    assert not is_refused(answer_of(larger, "/", short, turns))
    with turns:
        assert is_refused(answer_of(larger, "/", short, turns))
        assert not is_refused(answer_of(handler.FEW_AT_ONCE, "/", short, turns))
    assert not is_refused(answer_of(larger, "/", short, turns))


def test_a_long_request_that_waits_too_long_for_one_of_the_places_of_long_ones_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fair_scheduling, "PATIENCE", 0.01)
    monkeypatch.setattr(fair_scheduling, "_places", places := threading.BoundedSemaphore(1))
    for _ in range(3):  # each gives its place back
        assert not is_refused(answer_of(0, "/", long))
    with places:
        assert is_refused(answer_of(0, "/", long))
        assert not is_refused(answer_of(0, "/", short))
    assert not is_refused(answer_of(0, "/", long))
    assert not fair_scheduling._has_place


@pytest.mark.parametrize(("path", "seconds", "refused"), [("/", 6, True), ("/", 4, False), ("/livez", 6, False)])
def test_a_request_that_waited_too_long_in_a_round_is_refused_unless_it_is_a_probe(
    path: str, seconds: float, refused: bool
) -> None:
    """A round of the hub looks at all readable sockets, one after another. The limit is 5 seconds."""
    began = {"round": get_hub().loop.now(), "round_began": monotonic() - seconds}
    assert is_refused(answer_of(0, path, short, **began)) is refused


def test_the_first_request_of_a_round_has_not_waited() -> None:
    assert not is_refused(answer_of(0, "/", short, round=get_hub().loop.now() - 1, round_began=0.0))
