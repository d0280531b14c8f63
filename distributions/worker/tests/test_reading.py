"""A request is read the same however its bytes are split."""

import random
from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest

from distributions.worker.tests.corpus import CASES, CHUNKED, NEXT_REQUEST, POST, Case
from gunicorn_llhttp.reading import MAX_HEAD, Heads, Interim, Limits, Reader
from gunicorn_llhttp.refusals import RefusedRequest

BODY_LIMIT = 20_000
LIMITS = Limits(line=4094, field=8190, fields=64, body=lambda method, path: BODY_LIMIT)
SECURE_HEADERS = {"HTTP_X_FORWARDED_PROTO": "https", "HTTP_X_FORWARDED_SSL": "on"}


def read_all(pieces: Iterable[bytes], secure: dict[str, str] | None = None, most: int = BODY_LIMIT) -> list[Any]:
    """Feed pieces to a new reader, until one is refused or the connection is not to be kept.

    Return one item a request, its environment and whether the connection is kept; then the status of a refusal, if
    there is one; then the number of 100 Continue answers.
    """
    continues = 0
    heads = Heads(LIMITS._replace(body=lambda method, path: most), secure or {})
    reader = Reader({}, heads, lambda size, unfinished: True)
    requests: list[Any] = []
    try:
        for piece in pieces:
            environ = reader.feed(piece)
            while environ is not None:
                if environ is Interim.CONTINUE:
                    continues += 1
                else:
                    body = environ["wsgi.input"].read()
                    requests.append((environ | {"wsgi.input": body}, reader.keeps))
                    if not reader.keeps:
                        return [*requests, continues]
                environ = reader.feed(b"")
    except RefusedRequest as refusal:
        requests.append(int(refusal.status))
    return [*requests, continues]


def environ_of(sent: bytes, **options: Any) -> dict[str, Any]:
    """Return the environment of the first request in these bytes."""
    environ, _ = read_all([sent], **options)[0]
    assert isinstance(environ, dict)
    return environ


def cut(sent: bytes, at: Iterable[int]) -> list[bytes]:
    """Cut bytes into pieces at these places."""
    places = [0, *sorted(at), len(sent)]
    return [sent[begin:end] for begin, end in pairwise(places)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_is_read_alike_wherever_its_bytes_are_cut(case: Case) -> None:
    dice, everywhere = random.Random(7), range(1, len(case.sent))
    whole = read_all([case.sent])
    cuts: list[Any] = [[place] for place in everywhere] + [everywhere]
    if len(case.sent) >= 1_000:
        cuts = [dice.sample(everywhere, 3) for _ in range(50)]
    assert [each for each in cuts if read_all(cut(case.sent, each)) != whole] == []


COMPLETE_REQUESTS = [each for each in CASES if len(each.sent) < 1_000 and each.ours and set(each.ours) == {200}]
"""Complete requests. After each of them the connection waits for another one, unless the client closes it."""


@pytest.mark.parametrize("before", COMPLETE_REQUESTS, ids=str)
def test_a_case_is_read_alike_after_any_earlier_request(before: Case) -> None:
    """The reader caches heads, which must not show."""
    *requests, continues = read_all([before.sent])
    _, keeps = requests[-1]
    if keeps:
        for case in CASES:
            *more, more_continues = read_all([case.sent])
            assert read_all([before.sent, case.sent]) == [*requests, *more, continues + more_continues], case.name


def test_a_member_that_is_added_to_an_environment_is_not_in_the_next() -> None:
    reader = Reader({}, Heads(LIMITS, {}), lambda size, unfinished: True)
    for _ in range(3):
        read = reader.feed(NEXT_REQUEST)
        assert isinstance(read, dict)
        assert "ours" not in read
        read["ours"] = 1


def test_a_client_that_expects_100_continue_with_each_request_gets_it_each_time() -> None:
    sent = POST + b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\nhi"
    assert read_all([sent, sent, sent])[-1] == 3


def test_an_environment_holds_the_whole_request() -> None:
    sent = b"POST /a%20b?c=d%20e#f HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nX-A:  1 \r\nX-A: 2\r\nX_B: 3\r\n\r\nhi"
    assert environ_of(sent) == {
        "REQUEST_METHOD": "POST",
        "RAW_URI": "/a%20b?c=d%20e#f",
        "PATH_INFO": "/a b",
        "QUERY_STRING": "c=d%20e",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "x",
        "CONTENT_LENGTH": "2",
        "HTTP_X_A": "1,2",
        "wsgi.url_scheme": "http",
        "wsgi.input": b"hi",
    }


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [("http://x/a?b", "/a", "b"), ("//a//b", "//a//b", ""), ("/?", "/", ""), ("/a?b?c", "/a", "b?c")],
)
def test_a_target_has_a_path_and_a_query(target: str, path: str, query: str) -> None:
    environ = environ_of(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert (environ["PATH_INFO"], environ["QUERY_STRING"]) == (path, query)


@pytest.mark.parametrize(
    ("fields", "scheme"),
    [
        ("X-Forwarded-Proto: https\r\n", "https"),
        ("X-Forwarded-Proto: http\r\n", "http"),
        ("X-Forwarded-Proto: https\r\nX-Forwarded-Ssl: on\r\n", "https"),
        ("", "http"),
    ],
)
def test_a_trusted_proxy_says_which_scheme_the_client_used(fields: str, scheme: str) -> None:
    sent = f"GET / HTTP/1.1\r\nHost: x\r\n{fields}\r\n".encode()
    assert environ_of(sent, secure=SECURE_HEADERS)["wsgi.url_scheme"] == scheme
    assert environ_of(sent)["wsgi.url_scheme"] == "http"


@pytest.mark.parametrize("second", ["X-Forwarded-Proto: http\r\n", "X-Forwarded-Ssl: off\r\n"])
def test_a_proxy_that_contradicts_itself_is_refused(second: str) -> None:
    sent = f"GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-Proto: https\r\n{second}\r\n".encode()
    assert read_all([sent], SECURE_HEADERS) == [400, 0]


def test_a_head_is_read_up_to_its_limit_and_no_further() -> None:
    def head(size: int) -> bytes:
        """A head of so many bytes."""
        begun = b"GET / HTTP/1.1\r\nHost: x\r\n" + b"".join(b"X-%d: %b\r\n" % (n, 8_000 * b"x") for n in range(4))
        return begun + b"Y: " + (size - len(begun) - 7) * b"y" + b"\r\n\r\n"

    assert len(read_all([head(MAX_HEAD)])) == 2
    assert read_all([head(MAX_HEAD + 1)]) == [431, 0]


def test_a_body_is_read_up_to_its_limit_and_no_further() -> None:
    def post(size: int) -> bytes:
        return b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size + size * b"x"

    assert len(environ_of(post(BODY_LIMIT))["wsgi.input"]) == BODY_LIMIT
    assert read_all([post(BODY_LIMIT + 1)[:80]]) == [413, 0]


@pytest.mark.parametrize(
    ("chunks", "status"),
    [([1] * 1000, 200), ([1] * 1001, 400), ([6] * 1000 + [100], 400), ([64] * 2000, 200), ([64] * 1999 + [63], 400)],
)
def test_more_than_a_thousand_chunks_are_refused_if_they_are_small_on_average(chunks: list[int], status: int) -> None:
    sent = CHUNKED
    for size in [*chunks, 0]:
        sent += b"%x\r\n%b\r\n" % (size, b" " * size)
    outcome, _ = read_all([sent], most=1 << 20)
    assert status == (outcome if isinstance(outcome, int) else 200)


def test_a_client_that_expects_100_continue_gets_it_once_its_head_has_arrived() -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    assert read_all([head]) == [1]
    assert read_all([head.replace(b"1.1", b"1.0")]) == [0]
    assert read_all([head.replace(b": 2", b": 0")])[-1] == 0


def known(sent: bytes, *names: str) -> list[Any]:
    """Read a request that is refused or not whole, after another one. Return its environment's values of these names.

    `Reader.environ_so_far` gives such an environment, for the log and for the answer.
    """
    reader = Reader({"base": 1}, Heads(LIMITS, {}), lambda size, unfinished: True)
    reader.feed(b"GET /before HTTP/1.1\r\nHost: x\r\nX-Before: y\r\n\r\n")
    reader.forget()
    with suppress(RefusedRequest):
        reader.feed(sent)
    environ = reader.environ_so_far()
    assert environ["base"] == 1
    assert "HTTP_X_BEFORE" not in environ
    return [environ.get(name) for name in names]


@pytest.mark.parametrize(
    "rest",
    [
        b"Bad Field: y\r\n\r\n",
        b"X: a\x00b\r\n\r\n",
        b"X: half",
        b"Content-Length: 99999999\r\n\r\n",
        b"Expect: wonders\r\n\r\n",
        b"Content-Length: 5\r\n\r\nabc",
        b"Transfer-Encoding: chunked\r\n\r\nno size\r\n",
        70 * b"X: y\r\n" + b"\r\n",
    ],
)
def test_the_environment_of_a_refused_or_unfinished_request_has_what_came_before(rest: bytes) -> None:
    fields = b"POST /there?a HTTP/1.1\r\nHost: x\r\nOrigin:  https://a.example \r\nX-A: 1\r\nX-A: 2\r\n"
    names = "REQUEST_METHOD", "RAW_URI", "PATH_INFO", "HTTP_ORIGIN", "HTTP_X_A", "HTTP_X"
    *before, field_of_rest = known(fields + rest, *names)
    assert before == ["POST", "/there?a", "/there", "https://a.example", "1,2"]
    assert field_of_rest is None or field_of_rest.startswith("y,y,y")


def test_fields_are_known_of_a_request_whose_first_line_is_too_long_or_wrong() -> None:
    for line in (b"GET /" + 5_000 * b"x" + b" HTTP/1.1\r\n", b"GET  / HTTP/1.1\r\n", b"GET / HTTP/1.1\n"):
        assert known(line + b"Origin: https://a.example\r\n\r\n", "RAW_URI", "HTTP_ORIGIN") == [
            None,
            "https://a.example",
        ]


def test_a_field_in_a_body_is_not_known() -> None:
    sent = b"GET / HTTP/1.1\r\nHost: x\r\nBad Field: y\r\n\r\nOrigin: https://a.example\r\n\r\n"
    assert known(sent, "HTTP_HOST", "HTTP_ORIGIN") == ["x", None]
