"""HTTP over raw sockets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from socket import socket
from threading import Event
from typing import Any

from distributions.worker.tests.servers import Gunicorn, meanwhile, until

END_OF_HEAD = b"\r\n\r\n"


@dataclass(frozen=True)
class Answer:
    """An answer as it was read from a socket."""

    status: int
    fields: list[tuple[str, str]]  #: Names in small letters, in the order in which they came.
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        return dict(self.fields)

    @property
    def problem(self) -> Any:
        """The body, which has to be a problem document."""
        assert self.headers["content-type"] == "application/problem+json"
        return json.loads(self.body)

    def repeated(self) -> set[str]:
        """Return the names of headers that it has twice."""
        names = [name for name, _ in self.fields]
        return {name for name in names if names.count(name) > 1}


def read_answer(client: socket, method: str = "GET") -> Answer:
    """Read the next answer on this connection, and not a byte of the one after it."""
    head = read(client, until=lambda received: received.endswith(END_OF_HEAD))
    first, *lines = head.removesuffix(END_OF_HEAD).decode("latin-1").split("\r\n")
    fields = [(name.lower(), value) for name, value in (line.split(": ", 1) for line in lines)]
    status = int(first.split()[1])
    length = 0 if method == "HEAD" or status in {204, 304} else int(dict(fields)["content-length"])
    return Answer(status, fields, _exactly(client, length))


def _exactly(client: socket, length: int) -> bytes:
    """Read so many bytes."""
    parts = []
    while length:
        parts.append(client.recv(min(length, 65_536)))
        assert parts[-1], f"the connection ended {length} bytes early"
        length -= len(parts[-1])
    return b"".join(parts)


def read(client: socket, until: Callable[[bytes], bool]) -> bytes:
    """Read byte by byte until `until` is true of all that came so far."""
    received = b""
    while not until(received):
        byte = client.recv(1)
        assert byte, f"the connection ended after {received!r}"
        received += byte
    return received


def read_to_the_end(client: socket) -> bytes:
    """Read until the other side closes the connection."""
    received = b""
    while data := client.recv(65_536):
        received += data
    return received


def ask(client: socket, request: bytes, method: str = "GET") -> Answer:
    """Send a request on this connection and return the answer. `method`: HEAD has an answer without a body."""
    client.sendall(request)
    return read_answer(client, method)


def ask_anew(server: Gunicorn, request: bytes) -> Answer:
    """Send a request on a new connection and return the answer."""
    with server.connect() as client:
        return ask(client, request)


@contextmanager
def several(server: Gunicorn, count: int) -> Iterator[list[socket]]:
    """Yield so many open connections to a server."""
    with ExitStack() as stack:
        yield [stack.enter_context(server.connect()) for _ in range(count)]


@contextmanager
def asking(port: int, clients: int = 1) -> Iterator[list[int]]:
    """Let clients send requests throughout the block, each on one connection. Yield the statuses they receive."""
    statuses: list[int] = []

    def ask_on(over: Event) -> None:
        with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
            while not over.wait(0.005):
                connection.request("GET", "/livez")
                answer = connection.getresponse()
                answer.read()
                statuses.append(answer.status)

    with meanwhile(*[ask_on] * clients):
        yield statuses


def wait_for_more(statuses: list[int]) -> None:
    """Wait until 40 more statuses have come."""
    enough = len(statuses) + 40
    until(lambda: len(statuses) >= enough)


def get(path: str, *headers: str) -> bytes:
    """The bytes of a GET."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: test", *headers, "\r\n"]).encode()


def post(path: str, body: bytes, *headers: str) -> bytes:
    """The bytes of a POST of JSON whose length is announced."""
    return head_of_post(path, f"Content-Length: {len(body)}", *headers) + body


def chunked(path: str, *chunks: bytes) -> bytes:
    """The bytes of a POST of JSON in chunks."""
    framed = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head_of_post(path, "Transfer-Encoding: chunked") + framed + b"0\r\n\r\n"


def head_of_post(path: str, *headers: str) -> bytes:
    """The bytes of the head of a POST of JSON."""
    return "\r\n".join(
        [f"POST {path} HTTP/1.1", "Host: test", "Content-Type: application/json", *headers, "\r\n"]
    ).encode()
