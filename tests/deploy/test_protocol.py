"""How the server handles requests, good and bad, before and after the application."""

import struct
from importlib.metadata import version
from socket import SO_LINGER, SOL_SOCKET, socket

import pytest

from tests.deploy.conftest import ask, ask_anew, chunked, get, post, read_answer, read_to_the_end
from tests.server import Server, until


def test_a_malformed_request_gets_the_error_that_the_contract_describes(client: socket) -> None:
    problem = ask(client, b"GET / HTTP/1.1\r\nNo Header\r\n\r\n").problem
    assert problem["type"] == "/problems/invalid-request"
    assert problem["errors"] == [{"pointer": "", "detail": "The request cannot be read as HTTP."}]


def test_only_http_1_1_needs_a_host(client: socket) -> None:
    client.sendall(b"GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    assert read_answer(client).body == b"alive"
    problem = ask(client, b"GET /livez HTTP/1.1\r\n\r\n").problem
    assert problem["detail"] == "This request needs the header Host, which says whom it is for."


@pytest.mark.parametrize("version", [b"1.0", b"1.1", b"1.9"])
def test_every_answer_has_our_http_version(client: socket, version: bytes) -> None:
    client.sendall(get("/livez").replace(b"1.1", version))
    assert client.recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize("asked", [get("/fails"), b"GET /\r\n\r\n"], ids=["a failure", "a refusal"])
def test_the_servers_own_answers_have_the_headers_that_every_answer_has(client: socket, asked: bytes) -> None:
    headers = ask(client, asked).headers
    assert headers["x-content-type-options"] == "nosniff"  # no browser guesses their type
    assert headers["referee-version"] == version("rules-referee")


def test_a_refused_connection_is_closed(client: socket) -> None:
    ask(client, b"GET / HTTP/1.1\r\nNo Header\r\n\r\n")
    assert client.recv(1) == b""


def test_a_body_announced_too_large_is_refused_before_it_is_sent(client: socket) -> None:
    answer = ask(
        client, b"POST /length HTTP/1.1\r\nHost: test\r\nContent-Length: 100001\r\nExpect: 100-continue\r\n\r\n"
    )
    assert answer.problem["type"] == "/problems/payload-too-large"


def test_a_client_that_sends_a_large_body_anyway_can_read_the_refusal(client: socket) -> None:
    assert ask(client, post("/length", 5_000_000 * b"x")).problem["status"] == 413


@pytest.mark.parametrize(
    ("target", "instance"),
    [
        ('/x"<>{}|^`', "/x%22%3C%3E%7B%7D%7C%5E%60"),
        ("//evil.example/a", "/%2Fevil.example/a"),
        ("/%C3%AC?q", "/%C3%AC"),
    ],
)
def test_the_instance_of_a_problem_of_the_server_is_a_valid_reference(
    client: socket, target: str, instance: str
) -> None:
    announced = f"POST {target} HTTP/1.1\r\nHost: test\r\nContent-Length: 99999999\r\n\r\n"
    assert ask(client, announced.encode()).problem["instance"] == instance


def test_a_client_that_expects_100_continue_gets_it(client: socket) -> None:
    head, body = post("/length", b"abc", "Expect: 100-continue").split(b"\r\n\r\n")
    client.sendall(head + b"\r\n\r\n")
    assert client.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert ask(client, body).body == b"3 announced, 3 read"


def test_a_header_does_not_set_the_script_name(client: socket) -> None:
    assert ask(client, get("/there/livez", "SCRIPT_NAME: /there")).status == 404
    assert ask(client, get("/livez", "SCRIPT_NAME: /there")).body == b"alive"


def test_requests_sent_together_are_answered_in_their_order(client: socket) -> None:
    client.sendall(post("/length", b"a") + get("/livez") + chunked("/length", b"bc", b"def"))
    bodies = [read_answer(client).body for _ in range(3)]
    assert bodies == [b"1 announced, 1 read", b"alive", b"5 announced, 5 read"]


@pytest.mark.parametrize(
    "sent", [get("/wait/0.1?broken"), post("/length", b"").replace(b"h: 0", b"h: 9")], ids=["answer", "body"]
)
def test_a_client_that_breaks_the_connection_causes_no_logged_error(
    server: Server, client: socket, sent: bytes
) -> None:
    def waited() -> int:
        return [entry["path"] for entry in server.requests()].count("/wait/0.1")

    before, waited_before = len(server.errors()), waited()
    ask(client, get("/livez"))
    client.sendall(sent)
    client.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    ask_anew(server, get("/livez"))
    until(lambda: b"wait" not in sent or waited() > waited_before)
    assert len(server.errors()) == before


def test_the_answer_to_head_has_a_length_and_no_body(client: socket) -> None:
    answer = ask(client, get("/livez").replace(b"GET", b"HEAD"), "HEAD")
    assert (answer.headers["content-length"], answer.body) == ("5", b"")
    assert ask(client, get("/livez")).body == b"alive"


def test_a_failure_is_a_problem_that_reveals_nothing_internal(client: socket) -> None:
    problem = ask(client, get("/fails?query")).problem
    assert problem == {
        "type": "/problems/internal-error",
        "title": "Internal Server Error",
        "status": 500,
        "detail": "The referee failed on this request. Please report the header X-Request-ID of this answer.",
        "instance": "/fails",
    }


def test_a_failure_is_logged_with_its_traceback(server: Server, client: socket) -> None:
    ask(client, get("/fails"))
    entry = until(lambda: [entry for entry in server.errors() if "GET /fails" in entry["message"]])[0]
    assert entry["level"] == "error"
    assert "RuntimeError: a secret of ours" in entry["traceback"]


def test_an_answer_that_fails_halfway_is_cut_off_and_not_followed_by_another(client: socket) -> None:
    client.sendall(get("/breaks-off"))
    assert read_to_the_end(client).endswith(b"\r\n\r\n5\r\nbegun\r\n")


def test_the_clients_request_id_is_in_the_log(server: Server, client: socket) -> None:
    ask(client, get("/livez?ticket=secret", "X-Request-ID: its-name/1"))
    entry = until(lambda: [entry for entry in server.requests() if entry["request_id"] == "its-name/1"])[0]
    assert [entry[name] for name in ("method", "path", "status", "bytes")] == ["GET", "/livez", 200, 5]
    assert 0 <= entry["duration_ms"] < 1_000


def test_a_refused_request_is_logged_under_the_request_id_of_its_answer(server: Server, client: socket) -> None:
    name = ask(client, post("/length", 100_001 * b"x", 'X-Request-ID: "unsafe"')).headers["x-request-id"]
    entry = until(lambda: [entry for entry in server.requests() if entry["request_id"] == name])[0]
    assert (entry["method"], entry["path"], entry["status"]) == ("POST", "/length", 413)
