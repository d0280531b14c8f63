"""A connection's phases, without the server around it."""

from collections.abc import Callable, Iterator
from http import HTTPStatus
from types import SimpleNamespace
from typing import TypeVar
from unittest.mock import Mock
from wsgiref.types import WSGIEnvironment

import pytest
from gevent import get_hub, monkey, sleep

from distributions.worker.tests.raw_http import get
from gunicorn_llhttp import connection
from gunicorn_llhttp.connection import (
    Closed,
    Connection,
    CutOff,
    Leaving,
    Phase,
    Queued,
    Receiving,
    Resting,
    Seconds,
    Sending,
    Streaming,
    Working,
)
from gunicorn_llhttp.greenlets import Greenlets
from gunicorn_llhttp.in_flight import Held, InFlight
from gunicorn_llhttp.reading import Heads, Limits, Reader
from gunicorn_llhttp.refusals import RefusedRequest

P = TypeVar("P", bound=Phase)

MORE_THAN_IS_BUFFERED = b"x" * (8 << 20)  #: More than a connection takes while nobody reads.


class Answers:
    """A handler that answers each request by the function for its path."""

    seconds = Seconds(60, 60, 60)

    def __init__(self, **paths: Callable[[Working], bool]) -> None:
        self.paths = paths
        self.in_flight = InFlight(1 << 30)

    def held(self) -> Held:
        """The bytes that a new connection holds: none yet."""
        return Held(self.in_flight, lambda environ: "")

    def reader(self, connection: Connection) -> Reader:
        heads = Heads(Limits(4094, 8190, 64, lambda method, path: 1000), {})
        return Reader({}, heads, connection.held.hold_body)

    def answer(self, working: Working, environ: WSGIEnvironment) -> bool:
        """Call the function for the path; return whether the connection can take another request."""
        return self.paths[environ["PATH_INFO"].strip("/")](working)

    def refuse(self, working: Working, refusal: RefusedRequest) -> None:
        self.paths["refused"](working)


def settle() -> None:
    """Let the hub look at its sockets a few times: on a busy machine one look may be too early."""
    for _ in range(5):
        sleep(0.005)


class Pair:
    """A connection, and its client's socket."""

    def __init__(self, handler: Answers) -> None:
        server, self.client = monkey.get_original("socket", "socketpair")()
        server.setblocking(False)
        self.client.setblocking(False)
        self.failures: list[str] = []
        self.closed: list[Connection] = []
        greenlets = Greenlets(lambda: self.failures.append("failed"))
        self.connection = Connection(server, ("test", 1), handler, greenlets, self.closed.append)

    def send(self, data: bytes) -> None:
        """Send data as the client, and let the connection work."""
        self.client.sendall(data)
        settle()

    def received(self) -> bytes:
        """Read as the client what has come, without waiting."""
        try:
            data: bytes = self.client.recv(1 << 16)
        except BlockingIOError:
            data = b""
        return data

    def phase(self, kind: type[P]) -> P:
        """Return the phase, which must be of this kind."""
        phase = self.connection.phase
        assert type(phase) is kind
        return phase


@pytest.fixture
def pair() -> Iterator[Callable[..., Pair]]:
    """Return a function that makes a pair, with a handler that answers by path, and `refused` for refusals."""
    pairs: list[Pair] = []

    def make(**paths: Callable[[Working], bool]) -> Pair:
        pairs.append(Pair(Answers(**paths)))
        return pairs[-1]

    yield make
    for each in pairs:
        each.client.close()
        settle()
        if not each.closed:
            Closed(each.connection)


def says(text: bytes, keeps: bool = True) -> Callable[[Working], bool]:
    """A function that answers with this text. `keeps`: whether the connection stays open."""

    def answer(working: Working) -> bool:
        working.send(text)
        return keeps

    return answer


def phase(pair: Pair) -> type:
    """The class of the connection's phase."""
    return type(pair.connection.phase)


def test_a_connection_rests_until_a_request_is_whole_and_rests_again(pair: Callable[..., Pair]) -> None:
    one = pair(a=says(b"a"))
    assert phase(one) is Resting
    one.send(get("/a")[:9])
    assert phase(one) is Receiving
    one.send(get("/a")[9:])
    assert (phase(one), one.received(), one.connection.requests) == (Resting, b"a", 1)


def test_the_deadline_of_a_request_runs_from_its_first_bytes(pair: Callable[..., Pair]) -> None:
    one = pair()
    one.send(b"GET")
    since = one.phase(Receiving).since
    one.send(b" /a")
    assert one.phase(Receiving).since == since


def test_the_deadline_of_a_body_runs_from_the_100_continue_that_its_client_expected(pair: Callable[..., Pair]) -> None:
    one = pair()
    one.send(b"POST /a HTTP/1.1\r\n")
    since = one.phase(Receiving).since
    one.send(b"Host: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    assert one.received() == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert one.phase(Receiving).since > since


def test_requests_that_come_together_are_answered_in_order_with_those_of_other_connections_between(
    pair: Callable[..., Pair],
) -> None:
    one, other = pair(a=says(b"a"), b=says(b"b"), c=says(b"c")), pair(d=says(b"d"))
    phases: list[type] = []

    def serve() -> None:  # as the hub does in one round, in which both sockets are readable
        one.phase(Resting).readable()
        phases.append(phase(one))
        other.phase(Resting).readable()
        phases.append(phase(one))
        one.client.sendall(get("/c")[9:])  # stays in the kernel while another request is queued

    one.client.sendall(get("/a") + get("/b") + get("/c")[:9])
    other.client.sendall(get("/d"))
    get_hub().loop.run_callback(serve)
    settle()
    assert (phases, other.received(), one.received()) == ([Queued, Queued], b"d", b"abc")
    assert (phase(one), one.failures) == (Resting, [])


def test_nothing_is_read_while_a_request_is_queued(pair: Callable[..., Pair], monkeypatch: pytest.MonkeyPatch) -> None:
    one = pair(a=says(b"a"), b=says(b"b"), c=says(b"c"))
    callbacks: list[Callable[[], None]] = []
    busy_loop = SimpleNamespace(run_callback=callbacks.append)  # the hub has more callbacks than it runs in a round
    monkeypatch.setattr(connection, "get_hub", lambda: SimpleNamespace(loop=busy_loop))
    one.send(get("/a") + get("/b"))
    one.send(get("/c"))
    assert (phase(one), one.received()) == (Queued, b"a")
    monkeypatch.undo()
    (go_on,) = callbacks
    get_hub().loop.run_callback(go_on)
    settle()
    assert (phase(one), one.received()) == (Resting, b"bc")


def test_the_next_request_is_not_read_while_one_is_answered(pair: Callable[..., Pair]) -> None:
    def wait(working: Working) -> bool:
        sleep(0.1)
        return says(b"a")(working)

    one = pair(a=wait, b=says(b"b"))
    one.send(get("/a"))
    one.send(get("/b"))
    assert (phase(one), one.received()) == (Working, b"")
    assert not one.connection.reader.has_begun
    sleep(0.2)
    settle()
    assert (phase(one), one.received()) == (Resting, b"ab")


def test_the_connection_closes_after_the_last_answer(pair: Callable[..., Pair]) -> None:
    one = pair(a=says(b"a", keeps=False))
    one.send(get("/a"))
    assert (phase(one), one.closed) == (Closed, [one.connection])


def test_a_client_that_leaves_closes_its_connection(pair: Callable[..., Pair]) -> None:
    one = pair()
    one.client.close()
    settle()
    assert (phase(one), one.closed) == (Closed, [one.connection])


def test_a_client_can_read_a_refusal_before_the_connection_closes(pair: Callable[..., Pair]) -> None:
    one = pair(refused=says(b"no"))
    one.send(b"bad\r\n\r\n")
    assert (phase(one), one.received()) == (Leaving, b"no")
    one.send(b"more")
    one.phase(Leaving).expire()
    assert phase(one) is Closed


def test_a_request_that_is_late_is_refused(pair: Callable[..., Pair]) -> None:
    one = pair(refused=says(b"late"))
    one.send(b"GET")
    one.phase(Receiving).expire()
    one.send(b" /a")
    assert (phase(one), one.received()) == (Leaving, b"late")


def test_a_connection_that_rests_is_not_closed_once_its_client_has_sent_something(pair: Callable[..., Pair]) -> None:
    one = pair(a=says(b"a"))
    one.client.sendall(get("/a"))
    assert one.phase(Resting).close() is False
    settle()
    assert one.received() == b"a"
    assert one.phase(Resting).close() is True
    assert phase(one) is Closed


@pytest.mark.parametrize("request_", [get("/a"), b"bad\r\n\r\n"], ids=["an answer", "a refusal"])
def test_a_connection_whose_client_does_not_read_its_answer_in_time_is_cut_off(
    pair: Callable[..., Pair], request_: bytes
) -> None:
    one = pair(a=says(MORE_THAN_IS_BUFFERED), refused=says(MORE_THAN_IS_BUFFERED))
    one.send(request_)
    in_flight = one.connection.held.in_flight
    assert in_flight.bytes > 0
    one.phase(Sending).expire()
    assert phase(one) is CutOff
    settle()
    assert (phase(one), one.failures, in_flight.bytes) == (Closed, [], 0)


def stream(pieces: list[bytes], ended: list[bool]) -> Callable[[Working], bool]:
    """A function that answers with a stream of these pieces, and adds to `ended` at its end."""

    def answer(working: Working) -> bool:
        streaming = working.stream()
        try:
            for piece in pieces:
                streaming.send(piece)
                sleep(0.1)
        finally:
            ended.append(True)
        return True

    return answer


def test_a_stream_ends_when_its_client_leaves(pair: Callable[..., Pair]) -> None:
    ended: list[bool] = []
    one = pair(a=stream([b"x"] * 100, ended))
    one.send(get("/a"))
    assert phase(one) is Streaming
    one.client.close()
    settle()
    assert (ended, phase(one)) == ([True], Closed)


def test_a_stream_that_waits_for_its_reader_can_be_ended(pair: Callable[..., Pair]) -> None:
    ended: list[bool] = []
    one = pair(a=stream([MORE_THAN_IS_BUFFERED], ended))
    one.send(get("/a"))
    streaming = one.phase(Sending).answering
    assert isinstance(streaming, Streaming)
    get_hub().loop.run_callback(streaming.end)
    settle()
    assert (ended, phase(one), one.failures) == ([True], Closed, [])


def test_a_stream_that_is_over_is_not_ended_again(pair: Callable[..., Pair]) -> None:
    streams: list[Streaming] = []

    def short(working: Working) -> bool:
        streams.append(working.stream())
        return True

    one = pair(a=short, b=says(b"b"))
    one.send(get("/a"))
    assert phase(one) is Resting
    get_hub().loop.run_callback(streams[0].end)
    settle()
    one.send(get("/b"))
    assert one.received() == b"b"


def test_bytes_that_a_slow_client_has_read_are_no_longer_counted_as_held(pair: Callable[..., Pair]) -> None:
    def answer(working: Working) -> bool:
        working.send(MORE_THAN_IS_BUFFERED)
        sleep(1)
        return True

    one = pair(a=answer)
    one.send(get("/a"))
    left = len(MORE_THAN_IS_BUFFERED)
    while left:
        left -= len(one.received())
        sleep(0)
    assert (phase(one), one.connection.held.bytes) == (Working, 0)


def test_a_handler_that_fails_closes_the_connection(pair: Callable[..., Pair]) -> None:
    one = pair(a=Mock(side_effect=RuntimeError), refused=says(str(HTTPStatus.BAD_REQUEST).encode()))
    one.send(get("/a"))
    assert (phase(one), one.failures) == (Closed, ["failed"])
