"""A connection, without the server around it."""

import socket
from collections.abc import Iterator
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from gevent import monkey, sleep

from gunicorn_llhttp.connection import NEVER, SENDING, Connection, InFlight, Phase
from gunicorn_llhttp.greenlets import Greenlets
from gunicorn_llhttp.refusals import RefusedRequest


class Refuses:
    """A handler that refuses what comes, in more words than a connection takes while nobody reads."""

    in_flight = InFlight(1 << 30)
    seconds = dict.fromkeys(Phase, NEVER)

    def reader(self, _: Connection) -> Any:
        feed = Mock(side_effect=RefusedRequest(HTTPStatus.BAD_REQUEST, "unreadable"))
        return SimpleNamespace(feed=feed, has_begun=False, body=bytearray(), environ={})

    def refuse(self, connection: Connection, _: RefusedRequest) -> None:
        connection.send(b"x" * (8 << 20))


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The sockets of a server and of its client."""
    server, client = monkey.get_original("socket", "socketpair")()
    server.setblocking(False)
    with server, client:
        yield server, client


def test_a_refusal_that_is_not_read_is_cut_off_like_an_answer(pair: tuple[socket.socket, socket.socket]) -> None:
    server, client = pair
    handler, closed, failures = Refuses(), list[Connection](), list[str]()
    greenlets = Greenlets(lambda: failures.append("failed"))
    connection = Connection(server, ("test", 1), handler, greenlets, closed.append)  # type: ignore[arg-type]
    client.sendall(b"bad")
    while connection.phase is not SENDING:
        sleep(0.01)
    connection.expire()
    sleep(0.05)
    assert (closed, failures, handler.in_flight.bytes) == ([connection], [], 0)
