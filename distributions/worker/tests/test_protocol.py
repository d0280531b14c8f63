"""How the worker handles requests, good and bad, before and after the application."""

import struct
from socket import SO_LINGER, SOL_SOCKET, socket

import pytest

from distributions.worker.tests.raw_http import ask, ask_anew, chunked, get, post, read_answer, read_to_the_end
from distributions.worker.tests.servers import Subject, until

MALFORMED_REQUEST = b"GET / HTTP/1.1\r\nNo Header\r\n\r\n"


def test_a_malformed_request_is_refused_in_plain_text(client: socket) -> None:
    answer = ask(client, MALFORMED_REQUEST)
    assert (answer.status, answer.body) == (400, b"The request cannot be read as HTTP.\n")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"  # no browser guesses its type


def test_a_request_without_a_host_is_answered_in_http_1_0_and_refused_in_http_1_1(client: socket) -> None:
    client.sendall(b"GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    assert read_answer(client).body == b"alive"
    assert ask(client, b"GET /livez HTTP/1.1\r\n\r\n").body == b"This request needs the header Host.\n"


@pytest.mark.parametrize("version", [b"1.0", b"1.1", b"1.9"])
def test_every_answer_has_our_http_version(client: socket, version: bytes) -> None:
    client.sendall(get("/livez").replace(b"1.1", version))
    assert client.recv(12) == b"HTTP/1.1 200"


def test_the_connection_is_closed_after_a_refusal(client: socket) -> None:
    ask(client, MALFORMED_REQUEST)
    assert client.recv(1) == b""


def test_a_body_announced_too_large_is_refused_before_it_is_sent(client: socket) -> None:
    announced = b"POST /length HTTP/1.1\r\nHost: test\r\nContent-Length: 100001\r\nExpect: 100-continue\r\n\r\n"
    answer = ask(client, announced)
    assert (answer.status, answer.body) == (413, b"The body has more than 100000 bytes.\n")


def test_a_client_that_sends_a_large_body_anyway_can_read_the_refusal(client: socket) -> None:
    assert ask(client, post("/length", 5_000_000 * b"x")).status == 413


def test_a_client_that_expects_100_continue_gets_it(client: socket) -> None:
    head, body = post("/length", b"abc", "Expect: 100-continue").split(b"\r\n\r\n")
    client.sendall(head + b"\r\n\r\n")
    assert client.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert ask(client, body).body == b"3 announced, 3 read"


def test_a_header_does_not_set_the_script_name(client: socket) -> None:
    assert ask(client, get("/there/livez", "SCRIPT_NAME: /there")).status == 404
    assert ask(client, get("/livez", "SCRIPT_NAME: /there")).body == b"alive"


@pytest.mark.parametrize(("forwarded", "scheme"), [("https", b"https"), ("http", b"http")])
def test_a_trusted_proxy_says_by_which_scheme_the_client_came(client: socket, forwarded: str, scheme: bytes) -> None:
    assert ask(client, get("/scheme", f"X-Forwarded-Proto: {forwarded}")).body == scheme


def test_requests_sent_together_are_answered_in_their_order(client: socket) -> None:
    client.sendall(post("/length", b"a") + get("/livez") + chunked("/length", b"bc", b"def"))
    bodies = [read_answer(client).body for _ in range(3)]
    assert bodies == [b"1 announced, 1 read", b"alive", b"5 announced, 5 read"]


@pytest.mark.parametrize(
    "sent", [get("/wait/0.1?broken"), post("/length", b"").replace(b"h: 0", b"h: 9")], ids=["answer", "body"]
)
def test_a_client_that_breaks_the_connection_causes_no_logged_error(
    server: Subject, client: socket, sent: bytes
) -> None:
    def finished_waits() -> int:
        return sum("/wait/0.1" in line for line in server.logged())

    errors_before, waits_before = server.errors(), finished_waits()
    ask(client, get("/livez"))
    client.sendall(sent)
    client.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))  # closes by a reset instead of in order
    client.close()
    ask_anew(server, get("/livez"))
    until(lambda: b"wait" not in sent or finished_waits() > waits_before)
    assert server.errors() == errors_before


def test_the_answer_to_head_has_a_length_and_no_body(client: socket) -> None:
    answer = ask(client, get("/livez").replace(b"GET", b"HEAD"), "HEAD")
    assert (answer.headers["content-length"], answer.body) == ("5", b"")
    assert ask(client, get("/livez")).body == b"alive"


def test_the_answer_to_a_failure_of_the_application_reveals_nothing_internal(client: socket) -> None:
    answer = ask(client, get("/fails?query"))
    assert (answer.status, answer.body) == (500, b"The application failed.\n")


def test_a_failure_is_logged_with_its_traceback(server: Subject, client: socket) -> None:
    ask(client, get("/fails"))
    until(lambda: "Error handling GET /fails" in server.errors())
    until(lambda: "RuntimeError: a secret of ours" in server.errors())


def test_an_answer_that_fails_halfway_is_cut_off_and_not_followed_by_another(client: socket) -> None:
    client.sendall(get("/breaks-off"))
    assert read_to_the_end(client).endswith(b"\r\n\r\n5\r\nbegun\r\n")


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (get("/livez?a"), "GET /livez 200 5"),
        (b"\0\r\n\r\n", "- None 400 36"),
        (MALFORMED_REQUEST, "GET / 400 36"),
        (post("/length", 100_001 * b"x"), "POST /length 413 37"),
    ],
    ids=["answered", "unreadable", "malformed", "refused"],
)
def test_gunicorns_access_log_has_each_request(server: Subject, client: socket, request_: bytes, line: str) -> None:
    before = server.logged().count(line)
    ask(client, request_)
    until(lambda: server.logged().count(line) == before + 1)


@pytest.mark.parametrize("date", [None, "Sun, 06 Nov 1994 08:49:37 GMT"])
def test_an_answer_has_one_date_header_the_applications_if_it_sets_one(client: socket, date: str | None) -> None:
    answer = ask(client, get("/livez") if date is None else get("/livez", f"X-Date: {date}"))
    (value,) = [value for name, value in answer.fields if name == "date"]
    assert value.endswith(" GMT")
    assert date in {None, value}


def test_the_worker_serves_also_without_the_hooks_in_gunicorns_configuration() -> None:
    with Subject(hooks=False, settings={"workers": 2}) as plain:
        assert [ask_anew(plain, get("/livez")).body for _ in range(10)] == [b"alive"] * 10
        assert plain.errors() == ""
