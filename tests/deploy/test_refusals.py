"""What the worker refuses is answered as the contract describes, like what a view refuses."""

from collections.abc import Iterator
from http import HTTPStatus
from importlib.metadata import version
from select import select
from socket import socket

import pytest
from flask import Flask

from distributions.worker.tests.raw_http import ask, ask_anew, get, post, read_answer
from service.words.phrases import phrase
from tests.long import long
from tests.server import Server, until

MALFORMED_REQUEST = b"GET / HTTP/1.1\r\nNo Header\r\n\r\n"


def test_a_malformed_request_gets_the_error_that_the_contract_describes(client: socket) -> None:
    problem = ask(client, MALFORMED_REQUEST).problem
    assert problem["type"] == "/problems/invalid-request"
    assert problem["errors"] == [{"pointer": "", "detail": "The request cannot be read as HTTP."}]


def test_a_request_without_a_host_gets_a_sentence_that_says_so(client: socket) -> None:
    problem = ask(client, b"GET /livez HTTP/1.1\r\n\r\n").problem
    assert problem["detail"] == "This request needs the header Host, which says whom it is for."


def test_refusals_have_the_headers_that_every_answer_has(client: socket) -> None:
    headers = ask(client, MALFORMED_REQUEST).headers
    assert headers["x-content-type-options"] == "nosniff"  # no browser guesses their type
    assert headers["referee-version"] == version("rules-referee")


def test_a_body_announced_too_large_is_refused_before_it_is_sent(client: socket) -> None:
    announced = b"POST /resolve HTTP/1.1\r\nHost: test\r\nContent-Length: 100001\r\nExpect: 100-continue\r\n\r\n"
    problem = ask(client, announced).problem
    assert (problem["type"], problem["detail"]) == (
        "/problems/payload-too-large",
        "A body may have at most 100000 bytes.",
    )


@pytest.mark.parametrize(
    ("target", "instance"), [('/x"<>{}|^`', "/x%22%3C%3E%7B%7D%7C%5E%60"), ("//evil.example/a", "/%2Fevil.example/a")]
)
def test_the_instance_of_a_refusal_is_a_valid_reference(client: socket, target: str, instance: str) -> None:
    announced = f"POST {target} HTTP/1.1\r\nHost: test\r\nContent-Length: 99999999\r\n\r\n"
    assert ask(client, announced.encode()).problem["instance"] == instance


def test_a_refused_request_is_logged_under_the_request_id_of_its_answer(server: Server, client: socket) -> None:
    name = ask(client, post("/resolve", 100_001 * b"x", 'X-Request-ID: "unsafe"')).headers["x-request-id"]
    entry = until(lambda: [entry for entry in server.requests() if entry["request_id"] == name])[0]
    assert (entry["method"], entry["path"], entry["status"]) == ("POST", "/resolve", 413)


def test_a_refusal_is_counted(server: Server) -> None:
    def count() -> int:
        lines = ask_anew(server, get("/metrics")).body.decode().splitlines()
        name = 'referee_requests_total{route="none",status="417"}'
        return sum(int(float(line.split()[1])) for line in lines if line.startswith(name))

    before = count()
    assert ask_anew(server, post("/resolve", b"{}", "Expect: wonders")).status == 417
    until(lambda: count() == before + 1)


@pytest.fixture(scope="module")
def impatient_server() -> Iterator[Server]:
    """A server that soon closes slow and idle connections."""
    with Server(settings={"REFEREE_RECEIVE_SECONDS": "0.7", "REFEREE_KEEPALIVE_SECONDS": "1.5"}) as started:
        yield started


def test_a_request_that_arrives_too_slowly_is_answered_408(impatient_server: Server) -> None:
    with impatient_server.connect() as client:
        client.sendall(b"POST /resolve HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n")
        while not select([client], [], [], 0.1)[0]:
            client.sendall(b"x")
        assert read_answer(client).problem == {
            "type": "about:blank",
            "title": "Request Timeout",
            "status": 408,
            "detail": "The request took too long to arrive.",
            "instance": "/resolve",
        }


def test_an_idle_connection_is_kept_for_the_seconds_of_the_setting(impatient_server: Server) -> None:
    with impatient_server.connect() as client:
        ask(client, get("/livez"))
        assert not select([client], [], [], 1.0)[0]
        assert client.recv(1) == b""


ORIGIN = "https://page.example"
COMMON_HEADERS = f"Host: test\r\nOrigin: {ORIGIN}\r\nAccept-Language: it\r\nX-Request-ID: of-the-page\r\n"
ANY_LENGTH = "POST /batch HTTP/1.1\r\n{lines}Content-Length: {length}\r\n\r\n"
REFUSED_REQUESTS = {
    400: "GET / HTTP/1.1\r\n{lines}No Header\r\n\r\n",
    408: "GET / HTTP/1.1\r\n{lines}",
    413: ANY_LENGTH.replace("{length}", "99999999"),
    414: f"GET /{5_000 * 'x'} HTTP/1.1\r\n{{lines}}\r\n",
    417: "GET / HTTP/1.1\r\n{lines}Expect: wonders\r\n\r\n",
    431: f"GET / HTTP/1.1\r\n{70 * f'X: y{chr(13)}{chr(10)}'}{{lines}}\r\n",
    501: "BREW / HTTP/1.1\r\n{lines}\r\n",
    503: ANY_LENGTH.replace("{length}", "120000") + 110_000 * "x",
}
"""Requests by the statuses of their answers."""


@pytest.fixture(scope="module", params=[f"https://other.example,{ORIGIN}", *long(ORIGIN, "*")])
def server_with_cors(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server that pages of other origins may call, and that soon refuses."""
    settings = {"RECEIVE_SECONDS": "0.7", "BYTES_IN_FLIGHT": "400000", "CORS_ORIGINS": request.param}
    with Server(settings={f"REFEREE_{name}": value for name, value in settings.items()}) as started:
        yield started


@pytest.mark.parametrize("status", REFUSED_REQUESTS)
def test_a_page_can_read_every_refusal_in_its_language(server_with_cors: Server, status: int) -> None:
    answer = ask_anew(server_with_cors, REFUSED_REQUESTS[status].format(lines=COMMON_HEADERS).encode())
    assert (answer.status, answer.repeated()) == (status, set())
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert "X-Request-ID" in answer.headers["access-control-expose-headers"]
    assert answer.headers["vary"] == "Accept-Language, Origin"
    assert (answer.headers["content-language"], answer.headers["x-request-id"]) == ("it", "of-the-page")


def test_a_page_of_another_origin_can_read_no_refusal() -> None:
    with Server(settings={"REFEREE_CORS_ORIGINS": "https://a.example,https://b.example"}) as started:
        answer = ask_anew(started, REFUSED_REQUESTS[400].format(lines=COMMON_HEADERS).encode())
    assert ("access-control-allow-origin" in answer.headers, answer.headers["vary"]) == (
        False,
        "Accept-Language, Origin",
    )


@pytest.mark.parametrize(
    ("allowed", "expected"), [("*", "*"), (ORIGIN, ORIGIN), (f"{ORIGIN},https://other.example", None)]
)
def test_a_refusal_before_the_origin_header_allows_the_only_configured_origin_and_none_of_several(
    allowed: str, expected: str | None
) -> None:
    """The first line is too long, so that the worker refuses before it has read any header."""
    with Server(settings={"REFEREE_CORS_ORIGINS": allowed}) as started:
        answer = ask_anew(started, b"GET /" + 40_000 * b"x")
    assert (answer.status, answer.headers.get("access-control-allow-origin")) == (414, expected)


def test_a_body_larger_than_a_clients_share_of_the_bytes_in_flight_is_refused_as_overload() -> None:
    most, body = 400_000, bytes(120_000)  # the share of one client is a quarter
    with Server(settings={"REFEREE_BYTES_IN_FLIGHT": str(most)}) as small, small.connect() as client:
        client.sendall(post("/batch", body)[:-1])
        answer = read_answer(client)
        assert (answer.status, answer.problem["type"]) == (503, "/problems/overloaded")
        assert answer.headers["retry-after"] == "5"


def test_a_failure_of_the_application_is_a_problem_that_reveals_nothing_internal(app: Flask) -> None:
    answer = app.extensions["refusals"].answer(
        {"PATH_INFO": "/fails"}, HTTPStatus.INTERNAL_SERVER_ERROR, phrase("failed")
    )
    problem = app.json.loads(answer.body)
    assert (problem["type"], problem["instance"]) == ("/problems/internal-error", "/fails")
    assert "X-Request-ID" in dict(answer.headers)
