"""HTTP/1.1 requests read from bytes into WSGI environments, without sockets, clocks or greenlets.

llhttp, called through httptools, checks the fields of a head, and trailers. This module decides when to call it,
enforces the limits, and refuses some requests that llhttp would accept (docs/decisions/0003-http-in-c.md lists them). A
head is parsed once all of it has arrived. A body never passes through the parser.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache
from http import HTTPStatus
from io import BytesIO
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit
from wsgiref.types import WSGIEnvironment

from httptools import HttpParserError, HttpParserInvalidMethodError, HttpParserUpgrade, HttpRequestParser

from service.bounds import NO_BODY
from service.web.phrases import Phrase, phrase

MAX_HEAD = 32 * 1024
"""Bytes of a head, and of the trailers after chunks."""
END = b"\r\n\r\n"
BARE_NEWLINE = re.compile(rb"(?<!\r)\n")
FIRST_LINE = re.compile(rb"([A-Z][A-Z-]{2,19}) ([!-~]+) (HTTP/1\.[0-9])\r\n")
"""Method, target and version with one space between. llhttp would accept several spaces, and bytes beyond ASCII."""
CODING = re.compile(rb"\r\ntransfer-encoding:[ \t]*([^\r\n]*)", re.IGNORECASE)
TOKEN = rb"[!#-'*+.0-9A-Z^-z|~-]+"
CHUNK_SIZE = rb'([0-9A-Fa-f]{1,16})(?:;%b(?:=(?:%b|"(?:[^"\\\r\n]|\\[^\r\n])*"))?)*\r\n' % (TOKEN, TOKEN)
FIRST_SIZE, NEXT_SIZE = re.compile(CHUNK_SIZE), re.compile(rb"\r\n" + CHUNK_SIZE)
"""A chunk's size with extensions."""
FEW_CHUNKS, SMALL_CHUNK = 1_000, 64
"""More chunks than these have at least so many bytes on average."""
NEVER_IN_TRAILERS = re.compile(rb"(?i)\n(?:host|authorization|te|trailer|content-length|transfer-encoding)[ \t]*:")
"""Fields of routing, authentication and framing (RFC 9110, 6.5.1)."""


class Limits(NamedTuple):
    """Bytes of the first line and of a field; the number of fields; bytes of a body, by method and path."""

    line: int
    field: int
    fields: int
    body: Callable[[str, str], int]


class RefusedRequest(Exception):
    """A request that is answered without the application. Where the next one begins is then unknown."""

    def __init__(self, status: HTTPStatus, detail: Phrase) -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail


UNREADABLE = HTTPStatus.BAD_REQUEST, phrase("unreadable")
NO_HOST = HTTPStatus.BAD_REQUEST, phrase("no-host")
LONG_ADDRESS = HTTPStatus.REQUEST_URI_TOO_LONG, phrase("address-too-long")
LARGE_HEAD = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, phrase("headers-too-large")
OTHER_EXPECTATION = HTTPStatus.EXPECTATION_FAILED, phrase("expectation-failed")
SMALL_CHUNKS = HTTPStatus.BAD_REQUEST, phrase("small-chunks", chunks=FEW_CHUNKS, bytes=SMALL_CHUNK)
OVERLOADED = HTTPStatus.SERVICE_UNAVAILABLE, phrase("overloaded")
OTHER_CODING = HTTPStatus.NOT_IMPLEMENTED, phrase("no-such-coding")


def too_large(limit: int) -> RefusedRequest:
    return RefusedRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, phrase("largest-body", limit=limit))


@lru_cache(maxsize=1024)
def key_of(name: bytes) -> str | None:
    """The WSGI key of a header; None for a name with `_`, whose key would be that of the name with `-`."""
    if b"_" in name:
        return None
    key = name.decode("ascii").upper().replace("-", "_")
    return key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"


@lru_cache(maxsize=512)
def parse_first_line(line: bytes) -> Mapping[str, str]:
    """The members of the environment that a request's first line gives."""
    found = FIRST_LINE.fullmatch(line)
    if found is None:
        raise RefusedRequest(*UNREADABLE)
    method, target, version = (part.decode("ascii") for part in found.groups())
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


def end_of_head(data: bytes | bytearray, searched: int = 0) -> int:
    """Where a head ends; 0 while it is not whole. Its end does not begin in the first `searched` bytes."""
    end = data.find(END, searched)
    if end < 0 and BARE_NEWLINE.search(data, searched):
        raise RefusedRequest(*UNREADABLE)
    return end + len(END) if end >= 0 else 0


class Fields:
    """The fields of a head by WSGI key: `values` has all values of each. llhttp calls `on_header`."""

    def __init__(self) -> None:
        self.values = defaultdict[str, list[str]](list)
        self.environ: dict[str, str] = {}

    def on_header(self, name: bytes, value: bytes) -> None:
        key = key_of(name)
        if key is not None:
            self.values[key].append(value.rstrip(b" \t").decode("latin-1"))


@lru_cache(maxsize=128)
def parse_fields(head: bytes, limits: Limits) -> Fields:
    """The fields of a whole head. Cached, because clients repeat their heads (saves 4 to 6 µs a request)."""
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
        raise RefusedRequest(HTTPStatus.NOT_IMPLEMENTED, phrase("no-such-method", method=method)) from None
    except HttpParserError:
        codings = b",".join(CODING.findall(head)).split(b",") if CODING.search(head) else []
        others = {each.strip(b" \t").lower() for each in codings} - {b"chunked"}
        raise RefusedRequest(*(OTHER_CODING if others else UNREADABLE)) from None
    if any(len(fields.values.get(key, ())) > 1 for key in ("HTTP_HOST", "CONTENT_TYPE")):
        raise RefusedRequest(*UNREADABLE)
    fields.environ = {key: ",".join(values) for key, values in fields.values.items()}
    return fields


class SizedBody:
    """A body whose length is known. `feed` returns the bytes after it, or None while it is not whole."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.content = bytearray()

    def feed(self, data: bytes) -> bytes | None:
        missing = self.length - len(self.content)
        self.content += data[:missing]
        return data[missing:] if len(data) >= missing else None


class ChunkedBody:
    """A body in chunks, and the trailers after them. Trailers are checked and dropped."""

    def __init__(self, limits: Limits, most: int) -> None:
        self.limits = limits
        self.most = most
        self.content = bytearray()
        self.unread = b""
        """The beginning of a size line, or the trailers after the last one, while they are not whole."""
        self.missing = 0
        """Bytes of the chunk that are still to come."""
        self.size_line = FIRST_SIZE
        self.total = self.chunks = 0
        """What all chunks so far are said to hold, and their number."""
        self.in_trailers = False

    def feed(self, data: bytes) -> bytes | None:
        data, at = self.unread + data, 0
        while not self.in_trailers:
            self.content += data[at : at + self.missing]
            at += self.missing
            found = self.size_line.match(data, at)
            if found is None:
                self._wait(data, at)
                return None
            size, end = int(found[1], 16), found.end()
            if end - at > self.limits.field:
                raise RefusedRequest(*UNREADABLE)
            self.missing, self.in_trailers, at = size, not size, end
            self.size_line = NEXT_SIZE
            self.total += size
            self.chunks += 1
            if self.total > self.most:
                raise too_large(self.most)
            if self.chunks > FEW_CHUNKS and size and self.total < self.chunks * SMALL_CHUNK:
                raise RefusedRequest(*SMALL_CHUNKS)
        return self._take_trailers(data[at:])

    def _wait(self, data: bytes, at: int) -> None:
        """Keep the beginning of a size line. Refuse one that is whole, or too long already."""
        self.unread, self.missing = data[at:], max(at - len(data), 0)
        line = self.unread if self.size_line is FIRST_SIZE else self.unread[2:]
        if b"\n" in line or len(line) > self.limits.field:
            raise RefusedRequest(*UNREADABLE)

    def _take_trailers(self, data: bytes) -> bytes | None:
        """Check the trailers; return the bytes after them, or None while they are not whole."""
        block = b"GET / HTTP/1.1\r\n" + data
        end = end_of_head(block)
        if (end or len(block)) > MAX_HEAD:
            raise RefusedRequest(*LARGE_HEAD)
        if not end:
            self.unread = data
            return None
        if NEVER_IN_TRAILERS.search(block, 0, end):
            raise RefusedRequest(*UNREADABLE)
        parse_fields(block[:end], self.limits)
        return block[end:]


class Reader:
    """The requests of one connection, one after the other.

    `base`: the part of the environment that all of them share. `secure`: the headers by which this peer may say that
    the client came by https, each with the value that says so. `go_on`: answers `Expect: 100-continue`. `hold`: returns
    whether a body of so many bytes, whole or not, may be held.
    """

    def __init__(
        self,
        base: WSGIEnvironment,
        secure: Mapping[str, str],
        limits: Limits,
        go_on: Callable[[], object],
        hold: Callable[[int, bool], bool],
    ) -> None:
        self.base = base
        self.secure = secure
        self.limits = limits
        self.go_on = go_on
        self.hold = hold
        self.environ = base
        """The environment of the request that is being read, as far as it is known, or of the last one."""
        self.unread = bytearray()
        """The beginning of a head, whose end does not begin in the first `searched` bytes."""
        self.searched = 0
        self.body: SizedBody | ChunkedBody | None = None
        self.keeps = False
        """Whether the client may send another request on this connection."""

    @property
    def has_begun(self) -> bool:
        """Whether something of the next request is here."""
        return bool(self.unread) or self.body is not None

    def feed(self, data: bytes) -> WSGIEnvironment | None:
        """The environment of the next request, once it is whole. Raises RefusedRequest."""
        if self.body is None:
            head, data = self._take_head(data)
            if not head:
                return None
            self.body = self._read_head(head)
        rest = self.body.feed(data)
        size = len(self.body.content)
        if size > NO_BODY and not self.hold(size, rest is not None):
            raise RefusedRequest(*OVERLOADED)
        if rest is None:
            return None
        self.unread += rest
        self.environ["wsgi.input"] = BytesIO(self.body.content)
        if isinstance(self.body, ChunkedBody):
            self.environ["CONTENT_LENGTH"] = str(len(self.body.content))
        self.body = None
        return self.environ

    def _take_head(self, data: bytes) -> tuple[bytes, bytes]:
        """A head, and the bytes after it; both are empty while the head is not whole."""
        self.unread += data
        end = end_of_head(self.unread, self.searched)
        if (end or len(self.unread)) > MAX_HEAD:
            raise RefusedRequest(*(LARGE_HEAD if 0 <= self.unread.find(b"\r\n") <= self.limits.line else LONG_ADDRESS))
        if not end:
            self.searched = max(len(self.unread) - len(END) + 1, 0)
            return b"", b""
        head, data = bytes(self.unread[:end]), bytes(self.unread[end:])
        self.unread, self.searched = bytearray(), 0
        return head.removeprefix(b"\r\n"), data  # RFC 9112, 2.2: one empty line before a request is allowed

    def _read_head(self, head: bytes) -> SizedBody | ChunkedBody:
        """Read a head into the environment; return the body that is to follow."""
        self.environ = self.base
        line = head[: head.find(b"\r\n") + 2]
        if len(line) - 2 > self.limits.line:
            raise RefusedRequest(*LONG_ADDRESS)
        self.environ = environ = {**self.base, **parse_first_line(line)}
        fields = parse_fields(head, self.limits)
        environ |= fields.environ
        newer = environ["SERVER_PROTOCOL"] != "HTTP/1.0"
        if "HTTP_HOST" not in environ and newer:
            raise RefusedRequest(*NO_HOST)
        self._set_scheme(fields.values)
        self.keeps = self._keeps(newer)
        body = self._body(newer)
        if "HTTP_EXPECT" in environ:
            if environ["HTTP_EXPECT"].lower() != "100-continue":
                raise RefusedRequest(*OTHER_EXPECTATION)
            if newer and (isinstance(body, ChunkedBody) or body.length):
                self.go_on()
        return body

    def _keeps(self, newer: bool) -> bool:
        if self.environ["REQUEST_METHOD"] == "CONNECT":  # its client takes what follows for another protocol
            return False
        if "HTTP_CONNECTION" not in self.environ:
            return newer
        options = {each.strip(" \t") for each in self.environ["HTTP_CONNECTION"].lower().split(",")}
        return "close" not in options and (newer or "keep-alive" in options)

    def _set_scheme(self, values: Mapping[str, list[str]]) -> None:
        said = {each == value for key, value in self.secure.items() for each in values.get(key, ())}
        if len(said) > 1:
            raise RefusedRequest(*UNREADABLE)
        self.environ["wsgi.url_scheme"] = "https" if True in said else "http"

    def _body(self, newer: bool) -> SizedBody | ChunkedBody:
        coding = self.environ.pop("HTTP_TRANSFER_ENCODING", None)
        if coding is not None:
            if coding.lower() != "chunked":
                raise RefusedRequest(*OTHER_CODING)
            if not newer:
                raise RefusedRequest(*UNREADABLE)
            return ChunkedBody(self.limits, self._most())
        length = int(self.environ.get("CONTENT_LENGTH", 0))
        if length > NO_BODY and length > (most := self._most()):
            raise too_large(most)
        return SizedBody(length)

    def _most(self) -> int:
        return self.limits.body(self.environ["REQUEST_METHOD"], self.environ["PATH_INFO"])
