"""Failures of the network, from real sockets: both Python clients raise one error, with the library's as its cause."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic, sleep

import pytest

from rules_referee_client import NetworkError, Referee, StoreUnavailable
from rules_referee_client.aio import Referee as AsyncReferee
from tests.clients.test_python import STORE_UNAVAILABLE
from tests.loops import run

HEAD = b"HTTP/1.1 %d OK\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
STREAM = b"text/event-stream"
RETRY_AFTER_30 = (
    HEAD.replace(b"\r\n\r\n", b"\r\nRetry-After: 30\r\n\r\n") % (503, b"application/json", len(STORE_UNAVAILABLE))
    + STORE_UNAVAILABLE
)


def reset(client: socket.socket) -> None:
    """Close the connection so that the other side gets a reset."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reset_in_the_answer(client: socket.socket) -> None:
    """Send half of an answer, then reset the connection."""
    client.sendall(HEAD % (200, b"application/json", 100) + b'{"games": ')
    reset(client)


def hang(client: socket.socket) -> None:
    """Send nothing until the client gives up."""
    client.recv(1)


def hang_in_the_answer(client: socket.socket) -> None:
    """Send half of an answer, and nothing more until the client gives up."""
    client.sendall(HEAD % (200, b"application/json", 100) + b'{"games": ')
    client.recv(1)


def trickle(client: socket.socket) -> None:
    """Send an answer byte by byte, each in good time, for as long as the client reads."""
    with suppress(OSError):
        client.sendall(HEAD % (200, b"application/json", 100))
        while True:
            client.sendall(b" ")
            sleep(0.05)


def send_and_close(answer: bytes) -> Callable[[socket.socket], None]:
    """A behaviour: send these bytes, then close the connection."""
    return lambda client: client.sendall(answer)


def send_page(text: bytes, kind: bytes = b"text/html") -> Callable[[socket.socket], None]:
    """A behaviour: send a whole answer of status 200, then close the connection."""
    return send_and_close(HEAD % (200, kind, len(text)) + text)


FAILURES = {
    "reset": (reset, 0),
    "reset in the answer": (reset_in_the_answer, 0),
    "hangs": (hang, 0),
    "closes early": (send_and_close(HEAD % (200, b"application/json", 100) + b'{"games": '), 0),
    "closes at once": (send_and_close(b""), 0),
    "garbage": (send_and_close(b"\x00\x01 no HTTP\r\n\r\n"), 0),
    "a page": (send_page(b"<html>Sign in</html>"), 200),
    "cut short": (send_page(b'{"games": ', b"application/json"), 200),
    "no UTF-8": (send_page(b'"\xff"', b"application/json"), 200),
}
FAILURES_OF_STREAMS = ("reset", "hangs", "closes at once", "garbage", "a page")
STREAMS = {
    "no JSON": send_page(b"id: 1\nevent: entry\ndata: {\n\n", STREAM),
    "no UTF-8": send_page(b"id: \xff\n\n", STREAM),
    "no data": send_page(b"id: 1\nevent: entry\n\n", STREAM),
}


StartServer = Callable[[Callable[[socket.socket], None]], str]


@contextmanager
def run_server(behave: Callable[[socket.socket], None]) -> Iterator[str]:
    """Run a server that reads each request and then does `behave` to its connection; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    client.settimeout(5)
                    client.recv(65_536)
                    behave(client)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.fixture
def start_server() -> Iterator[StartServer]:
    """Starts a server that does to each connection what `behave` does, until the test ends; returns its address."""
    with ExitStack() as stack:
        yield lambda behave: stack.enter_context(run_server(behave))


def call(url: str) -> None:
    """Make one call, without another try."""
    with Referee(url, retries=0, timeout=0.5) as referee:
        referee.games()


def follow(url: str, retries: int = 0) -> None:
    """Read the first event of a session."""
    with Referee(url, retries=retries) as referee:
        next(referee.twins.at("id").events())


def call_by_asyncio(url: str) -> None:
    """Make one call with the asynchronous client, without another try."""

    async def games() -> None:
        async with AsyncReferee(url, retries=0, timeout=0.5) as referee:
            await referee.games()

    run(games())


def follow_by_asyncio(url: str, retries: int = 0) -> None:
    """Read the first event of a session with the asynchronous client."""

    async def events() -> None:
        async with AsyncReferee(url, retries=retries) as referee:
            await anext(referee.twins.at("id").events())

    run(events())


Client = Callable[[str], None]
calls = pytest.mark.parametrize("client", [call, call_by_asyncio])


@calls
@pytest.mark.parametrize(("behave", "status"), FAILURES.values(), ids=FAILURES)
def test_a_failure_of_the_network_is_one_error_with_its_cause(
    start_server: StartServer, client: Client, behave: Callable[[socket.socket], None], status: int
) -> None:
    with pytest.raises(NetworkError) as raised:
        client(f"http://{start_server(behave)}")
    assert raised.value.status == status
    assert isinstance(raised.value.__cause__, Exception)


@calls
def test_a_refused_connection_and_a_server_without_tls_are_the_same_error(
    start_server: StartServer, client: Client
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = f"http://127.0.0.1:{server.getsockname()[1]}"
    for url in (closed, f"https://{start_server(send_and_close(b'no TLS'))}"):
        with pytest.raises(NetworkError) as raised:
            client(url)
        assert raised.value.__cause__


followers = pytest.mark.parametrize("client", [follow, follow_by_asyncio])


@followers
@pytest.mark.parametrize("behave", STREAMS.values(), ids=STREAMS)
def test_a_stream_that_holds_something_else_is_the_same_error(
    start_server: StartServer, client: Client, behave: Callable[[socket.socket], None]
) -> None:
    with pytest.raises(NetworkError) as raised:
        client(f"http://{start_server(behave)}")
    assert isinstance(raised.value.__cause__, ValueError | LookupError)


@followers
@pytest.mark.parametrize(
    ("behave", "status"), [FAILURES[each] for each in FAILURES_OF_STREAMS], ids=FAILURES_OF_STREAMS
)
def test_a_first_stream_that_fails_in_all_its_tries_is_the_same_error(
    start_server: StartServer,
    client: Client,
    behave: Callable[[socket.socket], None],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("connection", "aio.connection"):
        monkeypatch.setattr(f"rules_referee_client.{module}.SILENCE", 0.3)
    with pytest.raises(NetworkError) as raised:
        client(f"http://{start_server(behave)}")
    assert raised.value.status == status


@pytest.mark.parametrize("client", [follow, follow_by_asyncio])
def test_a_first_stream_is_tried_as_often_as_a_call(
    start_server: StartServer, client: Callable[[str, int], None]
) -> None:
    """Two retries make three tries."""
    tries: list[int] = []

    def refuse(connection: socket.socket) -> None:
        tries.append(1)
        connection.sendall(RETRY_AFTER_30.replace(b"Retry-After: 30", b"Retry-After: 0"))

    with pytest.raises(StoreUnavailable):
        client(f"http://{start_server(refuse)}", 2)
    assert len(tries) == 3


def call_within(url: str, seconds: float = 1, call_seconds: float | None = None) -> None:
    """Make a call with the deadline of a client, or with one of its own."""
    with Referee(url, deadline=seconds) as referee:
        referee.games(deadline=call_seconds)


def call_within_by_asyncio(url: str, seconds: float = 1, call_seconds: float | None = None) -> None:
    """Make a call with the deadline of a client of asyncio, or with one of its own."""

    async def games() -> None:
        async with AsyncReferee(url, deadline=seconds) as referee:
            await referee.games(deadline=call_seconds)

    run(games())


PAST_THE_DEADLINE = {
    "hangs": (hang, NetworkError, 0.9),
    "hangs in the answer": (hang_in_the_answer, NetworkError, 0.9),
    "trickles": (trickle, NetworkError, 0.9),
    "later": (send_and_close(RETRY_AFTER_30), StoreUnavailable, 0),
}


@pytest.mark.parametrize("client", [call_within, call_within_by_asyncio])
@pytest.mark.parametrize(("behave", "error", "least"), PAST_THE_DEADLINE.values(), ids=PAST_THE_DEADLINE)
def test_a_deadline_holds_over_all_tries(
    start_server: StartServer,
    client: Client,
    behave: Callable[[socket.socket], None],
    error: type[Exception],
    least: float,
) -> None:
    url = f"http://{start_server(behave)}"
    begin = monotonic()
    with pytest.raises(error):
        client(url)
    assert least <= monotonic() - begin <= 4  # the deadline is 1 s; without it a call would take 30 s


@calls
def test_a_timeout_holds_for_a_whole_try(start_server: StartServer, client: Client) -> None:
    begin = monotonic()
    with pytest.raises(NetworkError) as raised:
        client(f"http://{start_server(trickle)}")
    assert raised.value.status == 0
    assert monotonic() - begin <= 4  # the time-out is 0.5 s; the answer would take 5 s


@pytest.mark.parametrize("client", [call_within, call_within_by_asyncio])
def test_a_call_has_a_deadline_of_its_own(
    start_server: StartServer, client: Callable[[str, float, float], None]
) -> None:
    begin = monotonic()
    with pytest.raises(NetworkError):
        client(f"http://{start_server(hang)}", 60, 0.2)
    assert monotonic() - begin <= 4
