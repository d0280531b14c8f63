"""The service answers HTTP alike on our worker and on gunicorn's own (REFEREE_WORKER=gevent)."""

import json
from collections.abc import Iterator
from socket import socket

import pytest

from distributions.worker.tests.raw_http import ask, ask_anew, chunked, get, post, read_answer
from tests.deploy.conftest import PATIENT
from tests.server import Server, until

SETUP = b'{"game": "twins", "seats": 3, "seed": "s"}'
LIMITS = {"REFEREE_BODY_LIMIT": "100000", "REFEREE_BATCH_LIMIT": "100000"}


@pytest.fixture(scope="module", params=["referee", "gevent"])
def service(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A running service, once on our worker and once on gunicorn's own."""
    with Server(settings=LIMITS | PATIENT | {"REFEREE_WORKER": request.param}) as started:
        yield started


@pytest.fixture
def connection(service: Server) -> Iterator[socket]:
    """A connection to the running service."""
    with service.connect() as connected:
        yield connected


def test_a_request_in_http_1_0_is_answered_without_a_host(connection: socket) -> None:
    connection.sendall(b"GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    assert read_answer(connection).status == 200
    assert ask(connection, get("/livez")).status == 200


def test_a_body_in_chunks_is_read(connection: socket) -> None:
    dealt = ask(connection, post("/deal", SETUP))
    assert json.loads(dealt.body)["seed"] == "s"
    assert ask(connection, chunked("/deal", SETUP[:9], SETUP[9:])).body == dealt.body


def test_a_client_that_expects_100_continue_gets_it(connection: socket) -> None:
    head, body = post("/deal", SETUP, "Expect: 100-continue").split(b"\r\n\r\n")
    connection.sendall(head + b"\r\n\r\n")
    assert connection.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert ask(connection, body).status == 200


def test_an_unknown_expectation_is_refused(connection: socket) -> None:
    assert ask(connection, post("/deal", SETUP, "Expect: wonders")).status == 417


def test_a_header_does_not_set_the_script_name(connection: socket) -> None:
    assert ask(connection, get("/there/livez", "SCRIPT_NAME: /there")).status == 404
    assert ask(connection, get("/livez", "SCRIPT_NAME: /there")).status == 200


def test_requests_sent_together_are_answered_in_their_order(connection: socket) -> None:
    connection.sendall(get("/games/twins") + get("/livez") + chunked("/deal", SETUP))
    bodies = [json.loads(read_answer(connection).body) for _ in range(3)]
    assert (bodies[0]["game"], bodies[1], bodies[2]["seed"]) == ("twins", {"status": "alive"}, "s")


def test_the_answer_to_head_has_a_length_and_no_body(connection: socket) -> None:
    length = ask(connection, get("/livez")).headers["content-length"]
    answer = ask(connection, get("/livez").replace(b"GET", b"HEAD"), "HEAD")
    assert (answer.headers["content-length"], answer.body) == (length, b"")
    assert ask(connection, get("/livez")).status == 200


def test_a_body_that_is_too_large_is_a_problem(connection: socket) -> None:
    problem = ask(connection, post("/resolve", 100_001 * b" ")).problem
    assert (problem["type"], problem["status"]) == ("/problems/payload-too-large", 413)


@pytest.mark.parametrize(
    ("target", "instance"),
    [("/x%22%3C|^`", "/x%22%3C%7C%5E%60"), ("//evil.example/a", "/%2Fevil.example/a"), ("/%C3%AC?q", "/%C3%AC")],
)
def test_the_instance_of_a_problem_is_a_valid_reference(connection: socket, target: str, instance: str) -> None:
    assert ask(connection, get(target)).problem["instance"] == instance


@pytest.mark.parametrize(
    "path",
    ["/livez", "/", "/games", "/games/twins/rulebook", "/openapi.yaml", "/docs", "/metrics", "/no-such", "/sessions/x"],
)
def test_no_answer_has_a_header_twice(connection: socket, path: str) -> None:
    answer = ask(connection, get(path, "Accept: */*"))
    assert (answer.repeated(), "date" in answer.headers) == (set(), True)
    if "etag" in answer.headers:
        unchanged = ask(connection, get(path, "Accept: */*", f"If-None-Match: {answer.headers['etag']}"))
        assert (unchanged.status, unchanged.repeated(), "date" in unchanged.headers) == (304, set(), True)


def test_the_clients_request_id_is_in_the_log(service: Server, connection: socket) -> None:
    ask(connection, get("/livez?ticket=secret", "X-Request-ID: its-name/1"))
    entry = until(lambda: [entry for entry in service.requests() if entry["request_id"] == "its-name/1"])[0]
    size = len(b'{"status":"alive"}')
    assert [entry[name] for name in ("method", "path", "status", "bytes")] == ["GET", "/livez", 200, size]
    assert 0 <= entry["duration_ms"] < 1_000


def test_the_answer_and_the_log_give_the_same_request_id(service: Server) -> None:
    name = ask_anew(service, get("/games")).headers["x-request-id"]
    assert until(lambda: [entry["path"] for entry in service.requests() if entry["request_id"] == name]) == ["/games"]
