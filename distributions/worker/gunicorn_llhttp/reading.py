"""HTTP/1.1 requests read from bytes into WSGI environments, without sockets, clocks or greenlets.

llhttp, called through httptools, checks the fields of a head, and trailers. This module decides when to call it,
enforces the limits, and refuses some requests that llhttp would accept: docs/decisions/0002-http-in-c.md of the package
lists them. A head is parsed once all of it has arrived. A body never passes through the parser. Generators read from a
buffer, and yield where it has too little.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from http import HTTPStatus
from io import BytesIO
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit
from wsgiref.types import WSGIEnvironment

from httptools import HttpParserError, HttpParserInvalidMethodError, HttpParserUpgrade, HttpRequestParser

from gunicorn_llhttp.refusals import RefusedRequest

SMALL_BODY = 16 * 1024
"""Bytes of a body. One of at most so many is always taken, and not counted among the bytes in flight."""
MAX_HEAD = 32 * 1024  #: Bytes of a head, and of the trailers after chunks.
END = b"\r\n\r\n"
BARE_NEWLINE = re.compile(rb"(?<!\r)\n")
TOKEN = rb"[!#-'*+.0-9A-Z^-z|~-]+"
FIRST_LINE = re.compile(rb"([A-Z][A-Z-]{2,19}) ([!-~]+) (HTTP/1\.[0-9])\r\n")
"""Method, target and version with one space between. llhttp would accept several spaces, and bytes beyond ASCII."""
FIELD = re.compile(rb"\n(%b):[ \t]*([\t -~\x80-\xff]*?)[ \t]*\r?(?=\n)" % TOKEN)
"""A line that looks like a field, in a head that is refused or not whole."""
CODING = re.compile(rb"\r\ntransfer-encoding:[ \t]*([^\r\n]*)", re.IGNORECASE)
QUOTED = rb'"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"'
CHUNK_SIZE = rb"([0-9A-Fa-f]{1,16})(?:;%b(?:=(?:%b|%b))?)*\r\n" % (TOKEN, TOKEN, QUOTED)
FIRST_SIZE, NEXT_SIZE = re.compile(CHUNK_SIZE), re.compile(rb"\r\n" + CHUNK_SIZE)  #: A chunk's size with extensions.
FEW_CHUNKS, SMALL_CHUNK = 1_000, 64  #: More chunks than these have at least so many bytes on average.
NEVER_IN_TRAILERS = re.compile(rb"(?i)\n(?:host|authorization|te|trailer|content-length|transfer-encoding)[ \t]*:")
"""Fields of routing, authentication and framing (RFC 9110, 6.5.1)."""


class Interim(Enum):
    """An answer that is sent before the one to the request."""

    CONTINUE = "100-continue"


class Limits(NamedTuple):
    """Bytes of the first line and of a field; the number of fields; bytes of a body, by method and path."""

    line: int
    field: int
    fields: int
    body: Callable[[str, str], int]


UNREADABLE = HTTPStatus.BAD_REQUEST, "unreadable"
NO_HOST = HTTPStatus.BAD_REQUEST, "no-host"
LONG_ADDRESS = HTTPStatus.REQUEST_URI_TOO_LONG, "address-too-long"
LARGE_HEAD = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "headers-too-large"
OTHER_EXPECTATION = HTTPStatus.EXPECTATION_FAILED, "expectation-failed"
OVERLOADED = HTTPStatus.SERVICE_UNAVAILABLE, "overloaded"
OTHER_CODING = HTTPStatus.NOT_IMPLEMENTED, "no-such-coding"


def small_chunks() -> RefusedRequest:
    """The refusal of a body in too many small chunks."""
    return RefusedRequest(HTTPStatus.BAD_REQUEST, "small-chunks", chunks=FEW_CHUNKS, bytes=SMALL_CHUNK)


def too_large(limit: int) -> RefusedRequest:
    """The refusal of a body of more than `limit` bytes."""
    return RefusedRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "largest-body", limit=limit)


@lru_cache(maxsize=1024)
def key_of(name: bytes) -> str | None:
    """The WSGI key of a header; None for a name with `_`, whose key would be that of the name with `-`."""
    if b"_" in name:
        return None
    key = name.decode("ascii").upper().replace("-", "_")
    return key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"


def parse_first_line(line: bytes) -> dict[str, str]:
    """The members of the environment that a request's first line gives."""
    match = FIRST_LINE.fullmatch(line)
    if match is None:
        raise RefusedRequest(*UNREADABLE)
    method, target, version = (part.decode("ascii") for part in match.groups())
    path, query = _split_target(method, target)
    return {
        "REQUEST_METHOD": method,
        "RAW_URI": target,
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_PROTOCOL": version,
    }


def _split_target(method: str, target: str) -> tuple[str, str]:
    """Path and query of a target: a path, a whole address, `*` with OPTIONS, or host and port with CONNECT."""
    if target.startswith("/"):
        path, _, query = target.partition("#")[0].partition("?")
        return path, query
    if method != "CONNECT" and "://" not in target and (method, target) != ("OPTIONS", "*"):
        raise RefusedRequest(*UNREADABLE)
    try:
        parts = urlsplit(target)
    except ValueError:
        raise RefusedRequest(*UNREADABLE) from None
    return parts.path, parts.query


def parse_leniently(head: bytes, limits: Limits) -> WSGIEnvironment:
    """What can be read of a head that is refused or not whole. It is good for an answer to it, and for nothing else."""
    environ: WSGIEnvironment = {}
    line = head[: head.find(b"\r\n") + 2]
    if len(line) - 2 <= limits.line:
        with suppress(RefusedRequest):
            environ |= parse_first_line(line)
    for name, value in FIELD.findall(head):
        key, text = key_of(name), value.decode("latin-1")
        if key is not None:
            environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ


class Fields(defaultdict[str, list[str]]):
    """The fields of a head, by WSGI key: all values of each. llhttp calls `on_header`."""

    def __init__(self) -> None:
        super().__init__(list)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a field; a name with `_` is dropped."""
        key = key_of(name)
        if key is not None:
            self[key].append(value.rstrip(b" \t").decode("latin-1"))


def parse_fields(head: bytes, limits: Limits) -> Fields:
    """The fields of a whole head."""
    lines = head.split(b"\r\n")
    if len(lines) - 3 > limits.fields or max(map(len, lines)) + 2 > limits.field:
        raise RefusedRequest(*LARGE_HEAD)
    fields = Fields()
    parser = HttpRequestParser(fields)
    parser.set_dangerous_leniencies(lenient_version=True)  # FIRST_LINE checks the version: any HTTP/1
    try:
        parser.feed_data(head)
    except HttpParserUpgrade:
        pass  # we change to no other protocol
    except HttpParserInvalidMethodError:
        method = head.partition(b" ")[0].decode()
        raise RefusedRequest(HTTPStatus.NOT_IMPLEMENTED, "no-such-method", method=method) from None
    except HttpParserError:
        codings = b",".join(CODING.findall(head)).split(b",") if CODING.search(head) else []
        others = {each.strip(b" \t").lower() for each in codings} - {b"chunked"}
        raise RefusedRequest(*(OTHER_CODING if others else UNREADABLE)) from None
    if any(len(fields.get(key, ())) > 1 for key in ("HTTP_HOST", "CONTENT_TYPE")):
        raise RefusedRequest(*UNREADABLE)
    return fields


class Head(NamedTuple):
    """What a head says."""

    environ: Mapping[str, str]  #: The members of the environment that it gives.
    keeps: bool  #: Whether the client may send another request on this connection.
    length: int | None  #: Bytes of the body that is to follow, None for chunks.


class Heads:
    """Parses the heads of requests. `parse` is cached, because clients repeat their heads (saves 6 µs of a request).

    `secure`: the headers by which a trusted proxy says that the client came by https, each with the value that says
    so; empty for other peers.
    """

    def __init__(self, limits: Limits, secure: Mapping[str, str]) -> None:
        self.limits = limits
        self.secure = secure
        self.parse = lru_cache(maxsize=128)(self._parse)

    def _parse(self, head: bytes) -> Head:
        """What a whole head says. Raises RefusedRequest."""
        line = head[: head.find(b"\r\n") + 2]
        if len(line) - 2 > self.limits.line:
            raise RefusedRequest(*LONG_ADDRESS)
        environ = parse_first_line(line)
        fields = parse_fields(head, self.limits)
        environ |= {key: ",".join(values) for key, values in fields.items()}
        newer = environ["SERVER_PROTOCOL"] != "HTTP/1.0"
        if "HTTP_HOST" not in environ and newer:
            raise RefusedRequest(*NO_HOST)
        environ["wsgi.url_scheme"] = self._scheme(fields)
        length: int | None = int(environ.get("CONTENT_LENGTH", 0))
        if "HTTP_TRANSFER_ENCODING" in environ:
            if environ.pop("HTTP_TRANSFER_ENCODING").lower() != "chunked":
                raise RefusedRequest(*OTHER_CODING)
            if not newer:
                raise RefusedRequest(*UNREADABLE)
            length = None
        return Head(environ, _keeps(environ, newer), length)

    def _scheme(self, fields: Fields) -> str:
        """`https` if a trusted proxy says that the client came by it, else `http`."""
        says = {each == value for key, value in self.secure.items() for each in fields.get(key, ())}
        if len(says) > 1:
            raise RefusedRequest(*UNREADABLE)
        return "https" if True in says else "http"


def _keeps(environ: Mapping[str, str], newer: bool) -> bool:
    """Whether the client may send another request on this connection. `newer`: it speaks HTTP/1.1."""
    if environ["REQUEST_METHOD"] == "CONNECT":  # its client takes what follows for another protocol
        return False
    if "HTTP_CONNECTION" not in environ:
        return newer
    options = {each.strip(" \t") for each in environ["HTTP_CONNECTION"].lower().split(",")}
    return "close" not in options and (newer or "keep-alive" in options)


class Reader:
    """The requests of one connection, one after the other.

    `base`: the part of the environment that all of them share. `hold`: returns whether a body of so many bytes may be
    held, given the environment of the request while its body is not whole.
    """

    def __init__(
        self,
        base: WSGIEnvironment,
        heads: Heads,
        hold: Callable[[int, WSGIEnvironment | None], bool],
    ) -> None:
        self.base = base
        self.parse_head = heads.parse
        self.limits = heads.limits
        self.hold = hold
        self.environ = base  #: The environment of the request whose body is being read, or of the last one.
        self.unread = bytearray()  #: What has come and is not read yet.
        self.body = bytearray()  #: What has come of the body that is being read.
        self.in_body = False
        self.keeps = False  #: Whether the client may send another request on this connection.
        self.requests = self._requests()

    @property
    def has_begun(self) -> bool:
        """Whether something of the next request is here."""
        return bool(self.unread) or self.in_body

    def feed(self, data: bytes) -> WSGIEnvironment | Interim | None:
        """The environment of the next request, once it is whole; `CONTINUE` where the client waits for that.

        Raises RefusedRequest, after which nothing is read.
        """
        self.unread += data
        return next(self.requests)

    def environ_so_far(self) -> WSGIEnvironment:
        """The environment of the request that is being read, as far as it can be read."""
        if self.in_body:
            return dict(self.environ)
        head, end, _ = bytes(self.unread[:MAX_HEAD]).removeprefix(b"\r\n").partition(END)
        return self.base | parse_leniently(head + end, self.limits)

    def forget(self) -> None:
        """Drop the body of the request that was read last."""
        self.body.clear()
        self.environ.pop("wsgi.input", None)

    def _requests(self) -> Iterator[WSGIEnvironment | Interim | None]:
        """The environment of each request. None, here and in what this calls, waits until more has come."""
        while True:
            size = yield from self._find_end()
            head = bytes(self.unread[:size])
            length = self._read_head(head.removeprefix(b"\r\n"))  # RFC 9112, 2.2: one empty line before it is allowed
            del self.unread[:size]
            self.in_body = True
            if "HTTP_EXPECT" in self.environ and self._expects_continue(length):
                yield Interim.CONTINUE
            if length is None:
                yield from self._take_chunks()
                self.environ["CONTENT_LENGTH"] = str(len(self.body))
            elif length:
                yield from self._take(length)
            self._hold(unfinished=None)
            self.environ["wsgi.input"] = BytesIO(self.body)
            self.body.clear()
            self.in_body = False
            yield self.environ

    def _wait(self) -> Iterator[None]:
        """Wait until more of the request has come, and hold what is here of its body."""
        self._hold(unfinished=self.environ)
        yield

    def _hold(self, unfinished: WSGIEnvironment | None) -> None:
        """Hold what is here of the body, or refuse the request. `unfinished`: its environment while more is to come."""
        if len(self.body) > SMALL_BODY and not self.hold(len(self.body), unfinished):
            raise RefusedRequest(*OVERLOADED)

    def _find_end(self) -> Generator[None, None, int]:
        """Find the end of a head; return its length."""
        searched = 0  # its end does not begin in so many bytes
        while True:
            end = self.unread.find(END, searched)
            if end < 0 and BARE_NEWLINE.search(self.unread, searched):
                raise RefusedRequest(*UNREADABLE)
            size = len(self.unread) if end < 0 else end + len(END)
            if size > MAX_HEAD:
                is_line_long = not 0 <= self.unread.find(b"\r\n") <= self.limits.line
                raise RefusedRequest(*(LONG_ADDRESS if is_line_long else LARGE_HEAD))
            if end >= 0:
                return size
            searched = max(size - len(END) + 1, 0)
            yield from self._wait()

    def _take(self, size: int) -> Iterator[None]:
        """Move so many bytes into the body."""
        end = len(self.body) + size
        while True:
            missing = end - len(self.body)
            self.body += self.unread[:missing]
            del self.unread[:missing]
            if len(self.body) == end:
                return
            yield from self._wait()

    def _take_chunks(self) -> Iterator[None]:
        """Move all chunks into the body. The trailers after them are read as the fields of a head, and dropped."""
        most, chunks, announced = self._most(), 0, 0
        size = yield from self._take_size(FIRST_SIZE)
        while size:
            chunks += 1
            announced += size
            if announced > most:
                raise too_large(most)
            if chunks > FEW_CHUNKS and announced < chunks * SMALL_CHUNK:
                raise small_chunks()
            yield from self._take(size)
            size = yield from self._take_size(NEXT_SIZE)
        self.unread[:0] = b"GET / HTTP/1.1\r\n"
        size = yield from self._find_end()
        trailers = bytes(self.unread[:size])
        del self.unread[:size]
        if NEVER_IN_TRAILERS.search(trailers):
            raise RefusedRequest(*UNREADABLE)
        parse_fields(trailers, self.limits)

    def _take_size(self, line: re.Pattern[bytes]) -> Generator[None, None, int]:
        """Take the line before a chunk; return the chunk's size."""
        while not (match := line.match(self.unread)):
            begun = self.unread if line is FIRST_SIZE else self.unread[2:]
            if b"\n" in begun or len(begun) > self.limits.field:
                raise RefusedRequest(*UNREADABLE)
            yield from self._wait()
        size, end = int(match[1], 16), match.end()
        if end > self.limits.field:
            raise RefusedRequest(*UNREADABLE)
        del self.unread[:end]
        return size

    def _read_head(self, head: bytes) -> int | None:
        """Read a head into the environment; return the length of the body that is to follow, None for chunks."""
        parsed, self.keeps, length = self.parse_head(head)
        self.environ = {**self.base, **parsed}
        if length and length > SMALL_BODY and length > (most := self._most()):
            raise too_large(most)
        return length

    def _expects_continue(self, length: int | None) -> bool:
        """Whether the client waits for `100 Continue` before it sends a body of this length."""
        expectations = {each.strip(" \t") for each in self.environ["HTTP_EXPECT"].lower().split(",")} - {""}
        if expectations - {"100-continue"}:
            raise RefusedRequest(*OTHER_EXPECTATION)
        return bool(expectations) and self.environ["SERVER_PROTOCOL"] != "HTTP/1.0" and length != 0

    def _most(self) -> int:
        """Bytes of the largest body that this request may have."""
        return self.limits.body(self.environ["REQUEST_METHOD"], self.environ["PATH_INFO"])
