"""Slow, silent and greedy clients cost the others nothing, and themselves the connection."""

from __future__ import annotations

import time
from socket import socket

from tests.deploy.conftest import IMPATIENT, SUBJECT, ask, chunked, get, read, read_answer, several
from tests.deploy.subject import LARGE
from tests.server import Server


def drip(client: socket, text: bytes, seconds: float) -> None:
    """A byte ten times a second, for as long as the other side listens."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        client.sendall(text)
        time.sleep(0.1)


def test_a_head_that_drips_is_answered_408_after_its_time(client: socket) -> None:
    client.sendall(b"GET /livez HTTP/1.1\r\nX-Slow: ")
    drip(client, b"x", 1.5)
    assert read_answer(client).problem == {
        "type": "about:blank",
        "title": "Request Timeout",
        "status": 408,
        "detail": "The request took too long to arrive.",
        "instance": "",
    }


def test_a_body_that_drips_is_answered_408_after_its_time(client: socket) -> None:
    client.sendall(b"POST /length HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n")
    drip(client, b"x", 1.5)
    assert (answer := read_answer(client)).status == 408
    assert answer.problem["instance"] == "/length"


def test_a_chunked_body_that_drips_is_answered_408_after_its_time(client: socket) -> None:
    client.sendall(chunked("/length", b"x").removesuffix(b"0\r\n\r\n"))
    drip(client, b"1\r\nx\r\n", 1.5)
    assert read_answer(client).status == 408


def test_a_connection_that_only_rests_is_closed_without_a_word(client: socket) -> None:
    ask(client, get("/livez"))
    assert client.recv(1) == b""


def test_a_connection_on_which_nothing_ever_came_is_closed_without_a_word(client: socket) -> None:
    assert client.recv(1) == b""


def test_an_answer_that_is_not_read_is_cut_off(client: socket) -> None:
    client.sendall(get("/large"))
    time.sleep(2)
    received = 0
    while data := client.recv(1_000_000):
        received += len(data)
    assert 0 < received < LARGE


def test_a_hundred_slow_clients_do_not_hold_up_another(server: Server) -> None:
    with several(server, 100) as slow, server.connect() as client:
        for one in slow:
            one.sendall(b"POST /length HTTP/1.1\r\nHost: slow\r\nContent-Length: 1000\r\n\r\n")
        began = time.monotonic()
        assert ask(client, get("/livez")).body == b"alive"
        assert time.monotonic() - began < 1
        assert [read_answer(one).status for one in slow] == [408] * 100


def test_five_hundred_streams_do_not_hold_up_another() -> None:
    patient = {"REFEREE_WORKERS": "2", "REFEREE_KEEPALIVE_SECONDS": "60"}
    with Server(SUBJECT, settings=patient) as server, several(server, 500) as streaming, server.connect() as client:
        for one in streaming:
            one.sendall(get("/stream/2.0"))
        assert all(b"data: beat" in read(one, until=lambda received: b"beat" in received) for one in streaming)
        assert ask(client, get("/livez")).body == b"alive"


def test_who_only_rests_makes_room_where_there_is_none() -> None:
    settings = IMPATIENT | {"REFEREE_CONNECTIONS": "3", "REFEREE_WORKERS": "1", "REFEREE_KEEPALIVE_SECONDS": "60"}
    with Server(SUBJECT, settings=settings) as server, several(server, 3) as resting, server.connect() as client:
        assert ask(client, get("/livez")).body == b"alive"
        assert [one.recv(1) for one in resting] == [b"", b"", b""]
