"""Servers that tests share, and HTTP over raw sockets."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from socket import socket
from typing import Any

import pytest

from tests.server import Server, meanwhile, until

SUBJECT = "tests.deploy.worker_test_app:create_app()"
END_OF_HEAD = b"\r\n\r\n"
SMALL_BODIES = {"REFEREE_BODY_LIMIT": "100000", "REFEREE_BATCH_LIMIT": "100000"}
PATIENT = {"REFEREE_KEEPALIVE_SECONDS": "60", "REFEREE_RECEIVE_SECONDS": "60"}
"""Deadlines that no test reaches, however busy the machine is."""


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server for all tests that do not change it."""
    with Server(SUBJECT, settings=SMALL_BODIES | PATIENT) as started:
        yield started


@pytest.fixture
def client(server: Server) -> Iterator[socket]:
    with server.connect() as connected:
        yield connected


@contextmanager
def several(server: Server, count: int) -> Iterator[list[socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(server.connect()) for _ in range(count)]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> Any:
        assert self.headers["content-type"] == "application/problem+json"
        return json.loads(self.body)


def read_answer(client: socket, method: str = "GET") -> Answer:
    """Read the next answer on this connection, and not a byte of the one after it."""
    head = read(client, until=lambda received: received.endswith(END_OF_HEAD))
    first, *lines = head.removesuffix(END_OF_HEAD).decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    status = int(first.split()[1])
    length = 0 if method == "HEAD" or status == 204 else int(headers["content-length"])
    return Answer(status, headers, _exactly(client, length))


def _exactly(client: socket, length: int) -> bytes:
    parts = []
    while length:
        parts.append(client.recv(min(length, 65_536)))
        assert parts[-1], f"the connection ended {length} bytes early"
        length -= len(parts[-1])
    return b"".join(parts)


def read(client: socket, until: Callable[[bytes], bool]) -> bytes:
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
    client.sendall(request)
    return read_answer(client, method)


def ask_anew(server: Server, request: bytes) -> Answer:
    """Send a request on a new connection and return the answer."""
    with server.connect() as client:
        return ask(client, request)


@contextmanager
def asking(port: int, clients: int = 1) -> Iterator[list[int]]:
    """Let clients send requests throughout the block, each on one connection. Yield the statuses they receive."""
    found: list[int] = []

    def ask_on(over: threading.Event) -> None:
        with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
            while not over.wait(0.005):
                connection.request("GET", "/livez")
                answer = connection.getresponse()
                answer.read()
                found.append(answer.status)

    with meanwhile(*[ask_on] * clients):
        yield found


def some_more(found: list[int]) -> None:
    """Wait for 40 more answers."""
    enough = len(found) + 40
    until(lambda: len(found) >= enough)


def get(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: test", *headers, "\r\n"]).encode()


def post(path: str, body: bytes, *headers: str) -> bytes:
    return head_of_post(path, f"Content-Length: {len(body)}", *headers) + body


def chunked(path: str, *chunks: bytes) -> bytes:
    framed = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head_of_post(path, "Transfer-Encoding: chunked") + framed + b"0\r\n\r\n"


def head_of_post(path: str, *headers: str) -> bytes:
    return "\r\n".join(
        [f"POST {path} HTTP/1.1", "Host: test", "Content-Type: application/json", *headers, "\r\n"]
    ).encode()
