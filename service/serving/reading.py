"""HTTP/1.1 requests read from bytes into WSGI environments, without sockets, clocks or greenlets.

llhttp, called through httptools, checks the fields of a head and the framing of chunks. This module decides when to
call it, enforces the limits, and refuses some requests that llhttp would accept (docs/decisions/0003-http-in-c.md lists
them). A head is parsed once all of it has arrived. A body with a length never passes through the parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from http import HTTPStatus
from io import BytesIO
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit
from wsgiref.types import WSGIEnvironment

from httptools import HttpParserError, HttpParserInvalidMethodError, HttpParserUpgrade, HttpRequestParser

from service.web.phrases import Phrase, phrase

MAX_HEAD = 32 * 1024
"""Bytes of a head, and of the trailers after chunks."""
END = b"\r\n\r\n"
BARE_NEWLINE = re.compile(rb"(?<!\r)\n")
FIRST_LINE = re.compile(rb"([A-Z][A-Z-]{2,19}) ([!-~]+) (HTTP/1\.[0-9])\r\n")
"""Method, target and version with one space between. llhttp would accept several spaces, and bytes beyond ASCII."""
CODING = re.compile(rb"\r\ntransfer-encoding:[ \t]*([^\r\n]*)", re.IGNORECASE)
CHUNK_SIZE = re.compile(rb"""[0-9A-Fa-f]+(;[!#-'*+.0-9A-Z^-z|~-]+(=([!#-'*+.0-9A-Z^-z|~-]+|"([^"\\]|\\.)*"))?)*\r\n""")
"""A chunk's size with extensions. llhttp would accept some without a name, or without a value after `=`."""
NEVER_IN_TRAILERS = {b"HOST", b"AUTHORIZATION", b"TE", b"TRAILER", b"CONTENT-LENGTH", b"TRANSFER-ENCODING"}
"""Fields of routing, authentication and framing (RFC 9110, 6.5.1)."""


class Limits(NamedTuple):
    """Bytes of the first line, of a field and of a body; the number of fields."""

    line: int
    field: int
    fields: int
    body: int


class Refused(Exception):
    """A request that is answered without the application. Where the next one begins is then unknown."""

    def __init__(self, status: HTTPStatus, detail: Phrase) -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail


class Request(NamedTuple):
    """A whole request. `keeps`: the client may send another on this connection."""

    environ: WSGIEnvironment
    keeps: bool


UNREADABLE = HTTPStatus.BAD_REQUEST, phrase("unreadable")
NO_HOST = HTTPStatus.BAD_REQUEST, phrase("no-host")
LONG_ADDRESS = HTTPStatus.REQUEST_URI_TOO_LONG, phrase("address-too-long")
LARGE_HEAD = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, phrase("headers-too-large")
OTHER_EXPECTATION = HTTPStatus.EXPECTATION_FAILED, phrase("expectation-failed")
OTHER_CODING = HTTPStatus.NOT_IMPLEMENTED, phrase("no-such-coding")


def too_large(limit: int) -> Refused:
    return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, phrase("largest-body", limit=limit))


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
        raise Refused(*UNREADABLE)
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
        raise Refused(*UNREADABLE)
    try:
        parts = urlsplit(target)
    except ValueError:
        raise Refused(*UNREADABLE) from None
    return parts.path, parts.query


class Fields:
    """The fields of a head by WSGI key, and all values of those that are repeated. llhttp calls `on_header`."""

    def __init__(self) -> None:
        self.environ: dict[str, str] = {}
        self.repeated: dict[str, list[str]] = {}

    def on_header(self, name: bytes, value: bytes) -> None:
        key = key_of(name)
        if key is None:
            return
        text = value.rstrip(b" \t").decode("latin-1")
        if key in self.environ:
            self.repeated.setdefault(key, [self.environ[key]]).append(text)
        else:
            self.environ[key] = text


@lru_cache(maxsize=128)
def parse_fields(head: bytes, limits: Limits) -> Fields:
    """The fields of a whole head. Cached, because clients repeat their heads (saves 4 to 6 µs a request)."""
    lines = head.split(b"\r\n")
    if len(lines) - 3 > limits.fields or max(map(len, lines)) + 2 > limits.field:
        raise Refused(*LARGE_HEAD)
    fields = Fields()
    parser = HttpRequestParser(fields)
    parser.set_dangerous_leniencies(lenient_version=True)  # FIRST_LINE checks the version: any HTTP/1
    try:
        parser.feed_data(head)
    except HttpParserUpgrade:
        pass  # we change to no other protocol
    except HttpParserInvalidMethodError:
        method = head.partition(b" ")[0].decode()
        raise Refused(HTTPStatus.NOT_IMPLEMENTED, phrase("no-such-method", method=method)) from None
    except HttpParserError:
        codings = b",".join(CODING.findall(head)).split(b",") if CODING.search(head) else []
        others = {each.strip(b" \t").lower() for each in codings} - {b"chunked"}
        raise Refused(*(OTHER_CODING if others else UNREADABLE)) from None
    if not {"HTTP_HOST", "CONTENT_TYPE"}.isdisjoint(fields.repeated):
        raise Refused(*UNREADABLE)
    fields.environ |= {key: ",".join(values) for key, values in fields.repeated.items()}
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
    """A body in chunks, and the trailers after them. llhttp gets one line or one part of a chunk at a time."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.content = bytearray()
        self.line = b""
        """The beginning of a line that is not whole."""
        self.missing = 0
        """Bytes of the chunk and its line end that are still to come."""
        self.in_trailers = False
        self.trailer_bytes = self.trailers = 0
        self.whole = False
        self.parser = HttpRequestParser(self)
        self.parser.feed_data(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")

    def feed(self, data: bytes) -> bytes | None:
        data = self.line + data
        at = 0
        while not self.whole:
            if self.missing:
                part = data[at : at + self.missing]
            else:
                part = data[at : data.find(b"\n", at) + 1]
                self._check_bounds(len(part) or len(data) - at)
            if not part:
                self.line = data[at:]
                return None
            self._parse(part)
            at += len(part)
        return data[at:]

    def _check_bounds(self, line: int) -> None:
        """Refuse a line of so many bytes if it is too long, or if the trailers are too many or too large with it."""
        too_many = self.trailers > self.limits.fields or self.trailer_bytes + line > MAX_HEAD
        if too_many or line > self.limits.field:
            raise Refused(*(LARGE_HEAD if self.in_trailers else UNREADABLE))

    def _parse(self, part: bytes) -> None:
        """Let llhttp judge a line, or a part of a chunk."""
        try:
            self.parser.feed_data(part)
        except HttpParserError:
            raise Refused(*UNREADABLE) from None
        if self.missing:
            self.missing -= len(part)
        elif self.in_trailers:
            self.trailer_bytes += len(part)
        else:
            self._start_chunk(part)

    def _start_chunk(self, line: bytes) -> None:
        if not CHUNK_SIZE.fullmatch(line):
            raise Refused(*UNREADABLE)
        size = int(line.partition(b";")[0], 16)
        if len(self.content) + size > self.limits.body:
            raise too_large(self.limits.body)
        self.in_trailers = not size
        self.missing = size + len(b"\r\n") if size else 0

    # --- what the parser calls -------------------------------------------------

    def on_header(self, name: bytes, _: bytes) -> None:
        if self.in_trailers:
            self.trailers += 1
            if name.upper() in NEVER_IN_TRAILERS:
                raise ValueError(name)  # the parser raises HttpParserError from it

    def on_body(self, part: bytes) -> None:
        self.content += part

    def on_message_complete(self) -> None:
        self.whole = True


class Reader:
    """The requests of one connection, one after the other.

    `base`: the part of the environment that all of them share. `secure`: the headers by which this peer may say that
    the client came by https, each with the value that says so. `go_on`: answers `Expect: 100-continue`.
    """

    def __init__(
        self, base: WSGIEnvironment, secure: Mapping[str, str], limits: Limits, go_on: Callable[[], object]
    ) -> None:
        self.base = base
        self.secure = secure
        self.limits = limits
        self.go_on = go_on
        self.environ = base
        """The environment of the request that is being read, as far as it is known, or of the last one."""
        self.unread = bytearray()
        """The beginning of a head, whose end does not begin in the first `searched` bytes."""
        self.searched = 0
        self.body: SizedBody | ChunkedBody | None = None
        self.keeps = False

    @property
    def has_begun(self) -> bool:
        """Whether something of the next request is here."""
        return bool(self.unread) or self.body is not None

    def feed(self, data: bytes) -> Request | None:
        """The next request, once it is whole. Raises Refused."""
        if self.body is None:
            head, data = self._take_head(data)
            if not head:
                return None
            self.body = self._read_head(head)
        rest = self.body.feed(data)
        if rest is None:
            return None
        self.unread += rest
        self.environ["wsgi.input"] = BytesIO(self.body.content)
        if isinstance(self.body, ChunkedBody):
            self.environ["CONTENT_LENGTH"] = str(len(self.body.content))
        self.body = None
        return Request(self.environ, self.keeps)

    def _take_head(self, data: bytes) -> tuple[bytes, bytes]:
        """A head, and the bytes after it; both are empty while the head is not whole."""
        self.unread += data
        end = self.unread.find(END, self.searched) + len(END)
        whole = end >= len(END)
        if not whole and BARE_NEWLINE.search(self.unread, self.searched):
            raise Refused(*UNREADABLE)
        if (end if whole else len(self.unread)) > MAX_HEAD:
            raise Refused(*(LARGE_HEAD if 0 <= self.unread.find(b"\r\n") <= self.limits.line else LONG_ADDRESS))
        if not whole:
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
            raise Refused(*LONG_ADDRESS)
        self.environ = environ = {**self.base, **parse_first_line(line)}
        fields = parse_fields(head, self.limits)
        environ |= fields.environ
        newer = environ["SERVER_PROTOCOL"] != "HTTP/1.0"
        if "HTTP_HOST" not in environ and newer:
            raise Refused(*NO_HOST)
        self._set_scheme(fields.repeated)
        self.keeps = self._keeps(newer)
        body = self._body(newer)
        if "HTTP_EXPECT" in environ:
            if environ["HTTP_EXPECT"].lower() != "100-continue":
                raise Refused(*OTHER_EXPECTATION)
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

    def _set_scheme(self, repeated: Mapping[str, list[str]]) -> None:
        for key, value in self.secure.items():
            if key in self.environ:
                secure = {each == value for each in repeated.get(key, [self.environ[key]])}
                scheme = "https" if True in secure else "http"
                if len(secure) > 1 or self.environ.setdefault("wsgi.url_scheme", scheme) != scheme:
                    raise Refused(*UNREADABLE)
        self.environ.setdefault("wsgi.url_scheme", "http")

    def _body(self, newer: bool) -> SizedBody | ChunkedBody:
        coding = self.environ.pop("HTTP_TRANSFER_ENCODING", None)
        if coding is not None:
            if coding.lower() != "chunked":
                raise Refused(*OTHER_CODING)
            if not newer:
                raise Refused(*UNREADABLE)
            return ChunkedBody(self.limits)
        length = int(self.environ.get("CONTENT_LENGTH", 0))
        if length > self.limits.body:
            raise too_large(self.limits.body)
        return SizedBody(length)
