"""Slow, silent and greedy clients do not hold up others, and lose their connection in the end."""

import resource
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from select import select
from socket import socket

import pytest

from distributions.worker.tests.applications import LARGE
from distributions.worker.tests.conftest import PATIENT
from distributions.worker.tests.raw_http import ask, ask_anew, chunked, get, read_answer, several
from distributions.worker.tests.servers import Subject

YOUNG = 1.1  #: Seconds after which a connection without a request is no longer new (gunicorn_llhttp/worker.py).


@pytest.fixture(scope="module")
def impatient() -> Iterator[Subject]:
    """A server that soon closes slow and idle connections."""
    seconds = {"keepalive_seconds": 1.5, "receive_seconds": 0.7, "send_seconds": 0.7}
    with Subject(options=seconds) as started:
        yield started


@pytest.mark.parametrize(
    ("begun", "piece"),
    [
        (b"GET /livez HTTP/1.1\r\nX-Slow: ", b"x"),
        (b"POST /length HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n", b"x"),
        (chunked("/length", b"x").removesuffix(b"0\r\n\r\n"), b"1\r\nx\r\n"),
    ],
    ids=["head", "body", "chunks"],
)
def test_a_request_that_arrives_too_slowly_is_answered_408(impatient: Subject, begun: bytes, piece: bytes) -> None:
    with impatient.connect() as client:
        client.sendall(begun)
        while not select([client], [], [], 0.1)[0]:
            client.sendall(piece)
        answer = read_answer(client)
        assert (answer.status, answer.body) == (408, b"The request took too long to arrive.\n")


@pytest.mark.parametrize("asks_first", [True, False])
def test_an_idle_connection_is_closed_without_an_answer(impatient: Subject, asks_first: bool) -> None:
    with impatient.connect() as client:
        if asks_first:
            ask(client, get("/livez"))
        assert client.recv(1) == b""


def test_without_an_option_a_connection_rests_as_long_as_gunicorns_setting_says() -> None:
    with Subject(settings={"keepalive": 1}) as started, started.connect() as client:
        ask(client, get("/livez"))
        began = time.monotonic()
        assert client.recv(1) == b""
        assert 0.9 < time.monotonic() - began < 10


def test_an_answer_that_is_not_read_is_cut_off(impatient: Subject) -> None:
    with impatient.connect() as client:
        client.sendall(get("/large"))
        time.sleep(1.5)  # longer than a client may go without reading
        received = 0
        while data := client.recv(1_000_000):
            received += len(data)
    assert 0 < received < LARGE


def test_a_hundred_slow_clients_do_not_hold_up_another(server: Subject) -> None:
    with several(server, 100) as slow, server.connect() as client:
        for one in slow:
            one.sendall(b"POST /length HTTP/1.1\r\nHost: slow\r\nContent-Length: 2\r\n\r\nx")
        assert ask(client, get("/livez")).body == b"alive"
        assert select(slow, [], [], 0)[0] == []
        for one in slow:
            one.sendall(b"x")
        assert {read_answer(one).body for one in slow} == {b"2 announced, 2 read"}


@pytest.fixture(scope="module")
def small() -> Iterator[Subject]:
    """A server with room for three connections."""
    with Subject(options=PATIENT, settings={"worker_connections": 3}) as started:
        yield started


def test_an_idle_connection_is_closed_for_a_new_one_when_there_is_no_room(small: Subject) -> None:
    with several(small, 3) as (has_asked, silent, later):
        ask(has_asked, get("/livez"))
        time.sleep(YOUNG)
        assert ask_anew(small, get("/livez")).body == b"alive"
        assert silent.recv(1) == b""
        assert ask(has_asked, get("/livez")).body == ask(later, get("/livez")).body == b"alive"


def test_a_connection_whose_first_request_is_slow_is_closed_for_a_new_one_before_an_idle_one(small: Subject) -> None:
    with several(small, 3) as (known, slow, other):
        ask(known, get("/livez"))
        slow.sendall(b"GET /livez HT")
        ask(other, get("/livez"))
        time.sleep(YOUNG)
        assert ask_anew(small, get("/livez")).body == b"alive"
        assert slow.recv(1) == b""
        assert ask(known, get("/livez")).body == ask(other, get("/livez")).body == b"alive"


def test_a_new_connection_is_not_closed_in_favour_of_idle_ones(small: Subject) -> None:
    with several(small, 3) as known:
        for one in known:
            ask(one, get("/livez"))
        with small.connect() as client:
            assert known[0].recv(1) == b""
            assert ask(client, get("/livez")).body == b"alive"


def test_neither_a_connection_with_a_request_nor_the_new_one_is_closed_for_the_other(small: Subject) -> None:
    with several(small, 3) as busy:
        for one in busy:
            one.sendall(get("/wait/1.5"))
        time.sleep(YOUNG)
        with small.connect() as client:
            time.sleep(0.1)  # the new one is accepted before it asks, and is not closed either
            assert ask(client, get("/livez")).body == b"alive"
        assert [read_answer(one).body for one in busy] == [b"waited"] * 3


FIELDS = 6 * (b"X: " + 8_000 * b"x" + b"\r\n")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /livez HTTP/1.1\r\n" + FIELDS, 431),
        (chunked("/length").removesuffix(b"\r\n") + FIELDS, 431),
        (b"GET /" + 40_000 * b"x", 414),
        (b"GET /livez HTTP/1.1\nHost: test\n", 400),
    ],
    ids=["a long head", "long trailers", "a long first line", "a malformed line"],
)
def test_a_head_is_refused_without_waiting_for_its_end(client: socket, sent: bytes, status: int) -> None:
    client.sendall(sent)
    assert read_answer(client).status == status


def test_without_free_descriptors_clients_wait_and_the_log_says_so_without_a_traceback() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Subject(options={"keepalive_seconds": 1.5}) as server:
        (worker,) = server.workers()
        used = len(list(Path(f"/proc/{worker}/fd").iterdir()))
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (used + 20, hard))
        with ExitStack() as stack:
            stack.enter_context(several(server, 60))
            assert ask(stack.enter_context(server.connect()), get("/livez")).body == b"alive"
        assert "No connection can be taken for now: Too many open files" in server.errors()
        assert "Traceback" not in server.errors()
