"""Slow, silent and greedy clients do not hold up others, and lose their connection in the end."""

import resource
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from select import select
from socket import socket

import pytest

from tests.deploy.conftest import PATIENT, SUBJECT, ask, ask_anew, chunked, get, post, read_answer, several
from tests.deploy.worker_test_app import LARGE
from tests.server import Server

YOUNG = 1.1  #: Seconds after which a connection without a request is no longer new (service/serving/worker.py).


@pytest.fixture(scope="module")
def impatient() -> Iterator[Server]:
    seconds = {"KEEPALIVE": "1.5", "RECEIVE": "0.7", "SEND": "0.7"}
    with Server(SUBJECT, settings={f"REFEREE_{phase}_SECONDS": limit for phase, limit in seconds.items()}) as started:
        yield started


@pytest.mark.parametrize(
    ("begun", "piece", "instance"),
    [
        (b"GET /livez HTTP/1.1\r\nX-Slow: ", b"x", ""),
        (b"POST /length HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n", b"x", "/length"),
        (chunked("/length", b"x").removesuffix(b"0\r\n\r\n"), b"1\r\nx\r\n", "/length"),
    ],
    ids=["head", "body", "chunks"],
)
def test_a_request_that_arrives_too_slowly_is_answered_408(
    impatient: Server, begun: bytes, piece: bytes, instance: str
) -> None:
    with impatient.connect() as client:
        client.sendall(begun)
        while not select([client], [], [], 0.1)[0]:
            client.sendall(piece)
        assert read_answer(client).problem == {
            "type": "about:blank",
            "title": "Request Timeout",
            "status": 408,
            "detail": "The request took too long to arrive.",
            "instance": instance,
        }


@pytest.mark.parametrize("asks_first", [True, False])
def test_an_idle_connection_is_closed_without_an_answer(impatient: Server, asks_first: bool) -> None:
    with impatient.connect() as client:
        if asks_first:
            ask(client, get("/livez"))
        assert client.recv(1) == b""


def test_an_answer_that_is_not_read_is_cut_off(impatient: Server) -> None:
    with impatient.connect() as client:
        client.sendall(get("/large"))
        time.sleep(1.5)  # longer than a client may go without reading
        received = 0
        while data := client.recv(1_000_000):
            received += len(data)
    assert 0 < received < LARGE


def test_a_hundred_slow_clients_do_not_hold_up_another(server: Server) -> None:
    with several(server, 100) as slow, server.connect() as client:
        for one in slow:
            one.sendall(b"POST /length HTTP/1.1\r\nHost: slow\r\nContent-Length: 2\r\n\r\nx")
        assert ask(client, get("/livez")).body == b"alive"
        assert select(slow, [], [], 0)[0] == []
        for one in slow:
            one.sendall(b"x")
        assert {read_answer(one).body for one in slow} == {b"2 announced, 2 read"}


@pytest.fixture(scope="module")
def small() -> Iterator[Server]:
    """A server with room for three connections."""
    with Server(SUBJECT, settings=PATIENT | {"REFEREE_CONNECTIONS": "3"}) as started:
        yield started


def test_an_idle_connection_is_closed_for_a_new_one_when_there_is_no_room(small: Server) -> None:
    with several(small, 3) as (known, silent, other):
        ask(known, get("/livez"))
        time.sleep(YOUNG)
        assert ask_anew(small, get("/livez")).body == b"alive"
        assert silent.recv(1) == b""
        assert ask(known, get("/livez")).body == ask(other, get("/livez")).body == b"alive"


def test_a_new_connection_is_not_closed_in_favour_of_idle_ones(small: Server) -> None:
    with several(small, 3) as known:
        for one in known:
            ask(one, get("/livez"))
        with small.connect() as client:
            assert known[0].recv(1) == b""
            assert ask(client, get("/livez")).body == b"alive"


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
    assert read_answer(client).problem["status"] == status


def test_the_soft_limit_of_descriptors_is_raised_to_the_hard_one() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        try:
            server = stack.enter_context(Server(SUBJECT))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        silent = stack.enter_context(several(server, 400))
        assert all(ask(one, get("/livez")).body == b"alive" for one in silent)
        assert server.err.read_text("utf-8") == ""


@pytest.mark.skipif(not shutil.which("prlimit"), reason="there is no prlimit here")
def test_with_256_descriptors_the_server_works_and_one_line_states_its_connections() -> None:
    with Server(before=("prlimit", "--nofile=256:256")) as server, several(server, 70) as silent:
        assert ask_anew(server, post("/sessions", b'{"game": "gin-rummy", "seats": 2}')).status == 201
        assert all(ask(one, get("/livez")).status == 200 for one in silent)
        printed = "REFEREE_CONNECTIONS: a worker holds 85, for it may have 256 descriptors (ulimit -Hn)\n"
        assert server.err.read_text("utf-8") == printed


def test_without_descriptors_clients_wait_and_nothing_is_printed_raw() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Server(SUBJECT, settings={"REFEREE_KEEPALIVE_SECONDS": "1.5"}) as server:
        (worker,) = server.workers()
        used = len(list(Path(f"/proc/{worker}/fd").iterdir()))
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (used + 20, hard))
        with several(server, 60), server.connect() as client:
            assert ask(client, get("/livez")).body == b"alive"
        assert {entry["message"] for entry in server.errors()} == {
            "No connection can be taken for now: Too many open files"
        }
        assert "Traceback" not in server.err.read_text("utf-8")
