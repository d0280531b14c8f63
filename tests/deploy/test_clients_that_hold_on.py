"""Slow, silent and greedy clients cost the others nothing, and themselves the connection."""

from __future__ import annotations

import resource
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from socket import socket

import pytest

from service.serving import descriptors
from service.serving.pulse import SILENCE, Pulse
from tests.deploy.conftest import IMPATIENT, SUBJECT, ask, chunked, get, post, read, read_answer, several
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


@pytest.fixture(scope="module")
def small() -> Iterator[Server]:
    """A server that holds three connections."""
    settings = IMPATIENT | {"REFEREE_CONNECTIONS": "3", "REFEREE_WORKERS": "1", "REFEREE_KEEPALIVE_SECONDS": "60"}
    with Server(SUBJECT, settings=settings) as started:
        yield started


def test_who_only_rests_makes_room_where_there_is_none(small: Server) -> None:
    with several(small, 3) as (known, silent, other):
        ask(known, get("/livez"))
        time.sleep(1.1)
        with small.connect() as client:
            assert ask(client, get("/livez")).body == b"alive"
            assert silent.recv(1) == b""
            assert ask(known, get("/livez")).body == ask(other, get("/livez")).body == b"alive"


def test_who_has_just_come_is_not_let_go_for_those_who_rest(small: Server) -> None:
    with several(small, 3) as known:
        for one in known:
            ask(one, get("/livez"))
        with small.connect() as client:
            time.sleep(0.3)
            assert ask(client, get("/livez")).body == b"alive"
            assert known[0].recv(1) == b""


@pytest.mark.parametrize("end", [b"", b"0\r\n"], ids=["a head", "what follows the chunks"])
def test_a_head_that_never_ends_is_refused_at_its_bound(client: socket, end: bytes) -> None:
    begun = b"GET /livez HTTP/1.1\r\n" if not end else chunked("/length").removesuffix(b"0\r\n\r\n") + end
    client.sendall(begun + b"X: " + 8_000 * b"x" + b"\r\n")
    for _ in range(5):
        time.sleep(0.02)
        client.sendall(b"X: " + 8_000 * b"x" + b"\r\n")
    assert read_answer(client).problem["status"] == 431


def test_a_first_line_that_never_ends_is_refused_at_the_same_bound(client: socket) -> None:
    client.sendall(b"GET /" + 40_000 * b"x")
    assert read_answer(client).problem["status"] == 414


def test_a_head_that_comes_in_pieces_is_read_whole(client: socket) -> None:
    for piece in (
        b"GET /li",
        b"vez HTTP/1.1\r",
        b"\nHost: test\r\n",
        b"\r",
        b"\nGET /livez HTTP/1.1\r\nHost:",
        b" x\r\n\r\n",
    ):
        client.sendall(piece)
        time.sleep(0.02)
    assert [read_answer(client).body for _ in range(2)] == [b"alive", b"alive"]


def test_a_line_that_ends_wrong_is_refused_without_waiting_for_the_rest(client: socket) -> None:
    client.sendall(b"GET /livez HTTP/1.1\nHost: test\n")
    assert read_answer(client).problem["status"] == 400


def test_the_soft_limit_of_descriptors_is_raised_to_the_hard_one() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        try:
            server = stack.enter_context(Server(SUBJECT, settings={"REFEREE_WORKERS": "1"}))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        silent = stack.enter_context(several(server, 400))
        assert all(ask(one, get("/livez")).body == b"alive" for one in silent)
        assert server.err.read_text("utf-8") == ""


@pytest.mark.parametrize(("limit", "asked", "held"), [(20_000, 2_000, 2_000), (1_024, 2_000, 512), (256, 2_000, 85)])
def test_connections_keep_within_the_limit_of_descriptors(limit: int, asked: int, held: int) -> None:
    assert descriptors.within(limit, asked) == held


@pytest.mark.skipif(not shutil.which("prlimit"), reason="there is no prlimit here")
def test_with_256_descriptors_everything_goes_on_and_one_line_says_for_how_many() -> None:
    limited = ("prlimit", "--nofile=256:256")
    with Server(settings={"REFEREE_WORKERS": "1"}, before=limited) as server, several(server, 70) as silent:
        with server.connect() as client:
            opening = ask(client, post("/sessions", b'{"game": "gin-rummy", "seats": 2}'))
        assert opening.status == 201
        assert all(ask(one, get("/livez")).status == 200 for one in silent)
        told = "REFEREE_CONNECTIONS: a worker holds 85, for it may have 256 descriptors (ulimit -Hn)\n"
        assert server.err.read_text("utf-8") == told


def test_without_descriptors_clients_wait_and_nothing_is_printed_raw() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Server(SUBJECT, settings=IMPATIENT | {"REFEREE_WORKERS": "1"}) as server:
        (worker,) = server.workers()
        used = len(list(Path(f"/proc/{worker}/fd").iterdir()))
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (used + 20, hard))
        with several(server, 60), server.connect() as client:
            assert ask(client, get("/livez")).body == b"alive"
        assert {entry["message"] for entry in server.errors()} == {
            "No connection can be taken for now: Too many open files"
        }
        assert "Traceback" not in server.err.read_text("utf-8")


def test_a_long_computation_is_not_taken_for_a_dead_worker() -> None:
    with Server(SUBJECT, options=("--timeout", "2"), settings={"REFEREE_WORKERS": "1"}) as server:
        (worker,) = server.workers()
        with server.connect() as client:
            assert ask(client, get("/busy/3.5")).body == b"done"
        assert server.workers() == [worker]


def test_a_worker_that_looks_after_nobody_has_no_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    pulse = Pulse(lambda: None)
    assert pulse.lives()
    monkeypatch.setattr("service.serving.pulse.monotonic", lambda: time.monotonic() + SILENCE)
    assert not pulse.lives()
    pulse.look()
    assert pulse.lives()
