"""Bytes as they come, in; whole requests as WSGI has them, out. Nothing here knows of a socket, a clock or a greenlet.

llhttp, by way of httptools, judges the fields of a head and the frames of chunks. What stands here is when to ask it,
what is bounded, and what it would let pass: docs/decisions/0003-http-in-c.md lists that. A head is taken whole before
it is parsed, so that one that drips is searched only once, and the bytes of a body never pass through the parser.
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
"""Bytes of a head, and of what stands in the place of one after chunks."""
LARGEST_KNOWN = 2 * 1024
"""Bytes of a head that is remembered for the requests that follow it."""
END = b"\r\n\r\n"
BARE = re.compile(rb"(?<!\r)\n")
"""A line that ends without a carriage return: nothing is read of what follows."""
FIRST_LINE = re.compile(rb"([A-Z][A-Z-]{2,19}) ([!-~]+) (HTTP/1\.[0-9])\r\n")
"""Method, target and version with one space between. llhttp takes several spaces, and bytes that are no ASCII."""
CODING = re.compile(rb"\r\ntransfer-encoding:[ \t]*([^\r\n]*)", re.IGNORECASE)
DIGITS = re.compile(rb"[0-9]{1,9}")
"""The length of a body as all clients give it; any other way is for the parser to judge."""
LENGTH = re.compile(rb"\r\ncontent-length: ?(%b)\r\n" % DIGITS.pattern, re.IGNORECASE)
EXTENDED = re.compile(rb"""[0-9A-Fa-f]+(;[!#-'*+.0-9A-Z^-z|~-]+(=([!#-'*+.0-9A-Z^-z|~-]+|"([^"\\]|\\.)*"))?)*\r\n""")
"""A chunk's size with extensions. llhttp takes some that have no name, or no value after `=`."""
NEVER_IN_TRAILERS = {b"HOST", b"AUTHORIZATION", b"TE", b"TRAILER", b"CONTENT-LENGTH", b"TRANSFER-ENCODING"}
"""Fields that say for whom, from whom or how long a request is: they come too late there (RFC 9110, 6.5.1)."""


class Limits(NamedTuple):
    """Bytes of the first line, of a field and of a body; how many fields."""

    line: int
    field: int
    fields: int
    body: int


class Refused(Exception):
    """A request that is answered in the application's stead. Where its connection goes on is not known any more."""

    def __init__(self, status: HTTPStatus, detail: Phrase) -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail


class Request(NamedTuple):
    """A whole request. `keeps`: the client wants to send another on this connection."""

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
    """What WSGI calls a header. None for one with `_`, which would pass for another with `-`."""
    if b"_" in name:
        return None
    key = name.decode("ascii").upper().replace("-", "_")
    return key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"


class Sized:
    """A body of a length that was announced. `feed` gives what follows it, None while it is not whole."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.content: bytes | bytearray = b""

    def feed(self, data: bytes) -> bytes | None:
        missing = self.length - len(self.content)
        if not self.content:
            self.content = data[:missing]
            if len(data) < missing:  # much may be to come: what grows is not copied for each piece
                self.content = bytearray(self.content)
        else:
            self.content += data[:missing]
        return data[missing:] if len(data) >= missing else None


class Chunks:
    """A body in chunks, and what follows them. llhttp judges each frame; its length says how much to show it."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.content = bytearray()
        self.begun = b""
        """What has come of a line."""
        self.left = 0
        """Bytes of a chunk and of its end that are still to come."""
        self.last = False
        """The chunk of no bytes has come: trailers follow."""
        self.trailers = self.fields = 0
        """How many bytes of them, and how many fields."""
        self.whole = False
        self.parser = HttpRequestParser(self)
        self.parser.feed_data(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")

    def feed(self, data: bytes) -> bytes | None:
        data = self.begun + data
        at = 0
        while not self.whole:
            if self.left:
                part = data[at : at + self.left]
            else:
                part = data[at : data.find(b"\n", at) + 1]
                self._bound(len(part) or len(data) - at)
            if not part:
                self.begun = data[at:]
                return None
            self._show(part)
            at += len(part)
        return data[at:]

    def _bound(self, line: int) -> None:
        """Refuse a line of so many bytes where that is too much, or too much with those before it."""
        if line > self.limits.field or self.trailers + line > MAX_HEAD or self.fields > self.limits.fields:
            raise Refused(*(LARGE_HEAD if self.last else UNREADABLE))

    def _show(self, part: bytes) -> None:
        """Let the parser judge a line, or a part of a chunk; it takes a size for one only if it has digits alone."""
        try:
            self.parser.feed_data(part)
        except HttpParserError:
            raise Refused(*UNREADABLE) from None
        if self.left:
            self.left -= len(part)
        elif self.last:
            self.trailers += len(part)
        else:
            if b";" in part and not EXTENDED.fullmatch(part):
                raise Refused(*UNREADABLE)
            size = int(part.partition(b";")[0], 16)
            if len(self.content) + size > self.limits.body:
                raise too_large(self.limits.body)
            self.last = not size
            self.left = size + len(b"\r\n") if size else 0

    # --- what the parser calls -------------------------------------------------

    def on_header(self, name: bytes, _: bytes) -> None:
        if self.last:
            self.fields += 1
            if name.upper() in NEVER_IN_TRAILERS:
                raise ValueError(name)  # to the caller of the parser that is an error like any other

    def on_body(self, part: bytes) -> None:
        self.content += part

    def on_message_complete(self) -> None:
        self.whole = True


@lru_cache(maxsize=512)
def asked_by(line: bytes) -> Mapping[str, str]:
    """What a first line says, as WSGI has it."""
    found = FIRST_LINE.fullmatch(line)
    if found is None:
        raise Refused(*UNREADABLE)
    method, target, version = (part.decode("ascii") for part in found.groups())
    path, query = _parts_of(method, target)
    return {
        "REQUEST_METHOD": method,
        "RAW_URI": target,
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_PROTOCOL": version,
    }


def _parts_of(method: str, target: str) -> tuple[str, str]:
    """Path and query of a target. It is a path, with OPTIONS also `*`, with CONNECT a place, else a whole address."""
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


class KnownHead(NamedTuple):
    """A head that was read. Another says the same if only the digits of its `Content-Length` differ, and but for them.

    `before`, `after`: what stands around those digits. Of a head without them the whole, and nothing.
    """

    before: bytes
    after: bytes
    environ: WSGIEnvironment

    def read(self, head: bytes) -> WSGIEnvironment | None:
        """The environment of such a head; None of any other."""
        if not (head.startswith(self.before) and head.endswith(self.after)):
            return None
        environ = self.environ.copy()
        if self.after:
            digits = head[len(self.before) : -len(self.after)]
            if DIGITS.fullmatch(digits) is None:
                return None
            environ["CONTENT_LENGTH"] = digits.decode()
        return environ


class Reader:
    """The requests of one connection, one after the other.

    `base`: what all of them have in their environment. `secure`: headers by which this peer may say that it was itself
    asked by `https`, each with the value that says so. `go_on`: tells a client that it may send its body.
    """

    def __init__(
        self, base: WSGIEnvironment, secure: Mapping[str, str], limits: Limits, go_on: Callable[[], object]
    ) -> None:
        self.base = base
        self.secure = secure
        self.limits = limits
        self.go_on = go_on
        self.environ = base
        """What is known of the request that is being read, or was read last."""
        self.rest = b""
        """What came behind it."""
        self.begun = bytearray()
        """What has come of a head, of which `searched` bytes hold no end."""
        self.searched = 0
        self.body: Sized | Chunks | None = None
        self.keeps = False
        self.repeated: dict[str, list[str]] = {}
        self.known: KnownHead | None = None
        """The last head that others may be like."""

    @property
    def waits(self) -> bool:
        """A request has begun and is not whole."""
        return bool(self.begun or self.body)

    def feed(self, data: bytes) -> Request | None:
        """The next request, once it is whole. Raises Refused."""
        if self.rest:
            data, self.rest = self.rest + data, b""
        if self.body is None:
            head, data = self._head(data)
            if not head:
                return None
            self.body = self._read_known(head) or self._read_head(head)
        rest = self.body.feed(data)
        if rest is None:
            return None
        self.rest = rest
        self.environ["wsgi.input"] = BytesIO(self.body.content)
        if isinstance(self.body, Chunks):
            self.environ["CONTENT_LENGTH"] = str(len(self.body.content))
        self.body = None
        return Request(self.environ, self.keeps)

    def _head(self, data: bytes) -> tuple[bytes, bytes]:
        """A head, once all of it is here, and what follows it."""
        if self.begun:
            self.begun += data
        begun = self.begun or data
        end = begun.find(END, self.searched) + len(END)
        if end < len(END):
            self._wait_for_more(bytearray(begun))
            return b"", b""
        if end > MAX_HEAD:
            raise self._too_long(begun)
        head, data = bytes(begun[:end]), bytes(begun[end:])
        self.begun, self.searched = bytearray(), 0
        return head.removeprefix(b"\r\n"), data  # RFC 9112, 2.2: one empty line before a request is no harm

    def _wait_for_more(self, begun: bytearray) -> None:
        if BARE.search(begun, self.searched):
            raise Refused(*UNREADABLE)
        if len(begun) > MAX_HEAD:
            raise self._too_long(begun)
        self.begun = begun
        self.searched = max(len(begun) - len(END) + 1, 0)

    def _too_long(self, head: bytes | bytearray) -> Refused:
        return Refused(*(LARGE_HEAD if 0 <= head.find(b"\r\n") <= self.limits.line else LONG_ADDRESS))

    def _read_known(self, head: bytes) -> Sized | Chunks | None:
        """As `_read_head`, of a head that is like the last one; None of any other."""
        environ = None if self.known is None else self.known.read(head)
        if environ is None:
            return None
        self.environ, self.keeps = environ, True
        return self._body(newer=True)

    def _read_head(self, head: bytes) -> Sized | Chunks:
        """Take a head into the environment; the body that is to follow it."""
        self.environ, self.repeated = self.base, {}
        line = head[: head.find(b"\r\n") + 2]
        if len(line) - 2 > self.limits.line:
            raise Refused(*LONG_ADDRESS)
        self.environ = environ = {**self.base, **asked_by(line)}
        if head.count(b"\r\n") - 2 > self.limits.fields:
            raise Refused(*LARGE_HEAD)
        if len(head) > self.limits.field and max(map(len, head.split(b"\r\n"))) + 2 > self.limits.field:
            raise Refused(*LARGE_HEAD)
        self._parse(head)
        for key, values in self.repeated.items():
            environ[key] = ",".join(values)
        newer = environ["SERVER_PROTOCOL"] != "HTTP/1.0"
        if "HTTP_HOST" not in environ and newer:
            raise Refused(*NO_HOST)
        self._take_scheme()
        self.keeps = self._keeps(newer)
        body = self._body(newer)
        if "HTTP_EXPECT" in environ:
            if environ["HTTP_EXPECT"].lower() != "100-continue":
                raise Refused(*OTHER_EXPECTATION)
            if newer and (isinstance(body, Chunks) or body.length):
                self.go_on()
        elif self.keeps and len(head) <= LARGEST_KNOWN and isinstance(body, Sized):
            self._know(head)
        return body

    def _know(self, head: bytes) -> None:
        """Keep what the head said that was just read: its client goes on, and will most likely say it again."""
        length = LENGTH.search(head)
        begin, end = length.span(1) if length else (len(head), len(head))
        self.known = KnownHead(head[:begin], head[end:], self.environ.copy())

    def _parse(self, head: bytes) -> None:
        parser = HttpRequestParser(self)
        parser.set_dangerous_leniencies(lenient_version=True)  # the first line says which; to us all of 1 are one
        try:
            parser.feed_data(head)
        except HttpParserUpgrade:
            pass  # we change to no other protocol
        except HttpParserInvalidMethodError:
            method = self.environ["REQUEST_METHOD"]
            raise Refused(HTTPStatus.NOT_IMPLEMENTED, phrase("no-such-method", method=method)) from None
        except HttpParserError:
            codings = b",".join(CODING.findall(head)).split(b",") if CODING.search(head) else []
            others = {each.strip(b" \t").lower() for each in codings} - {b"chunked"}
            raise Refused(*(OTHER_CODING if others else UNREADABLE)) from None
        if not {"HTTP_HOST", "CONTENT_TYPE"}.isdisjoint(self.repeated):
            raise Refused(*UNREADABLE)

    def _keeps(self, newer: bool) -> bool:
        if self.environ["REQUEST_METHOD"] == "CONNECT":  # its client takes what follows for another protocol
            return False
        said = self.environ.get("HTTP_CONNECTION")
        if said is None:
            return newer
        options = {each.strip(" \t") for each in said.lower().split(",")}
        return "close" not in options and (newer or "keep-alive" in options)

    def _take_scheme(self) -> None:
        for key, value in self.secure.items():
            if key in self.environ:
                said = {each == value for each in self.repeated.get(key, [self.environ[key]])}
                scheme = "https" if True in said else "http"
                if len(said) > 1 or self.environ.setdefault("wsgi.url_scheme", scheme) != scheme:
                    raise Refused(*UNREADABLE)
        self.environ.setdefault("wsgi.url_scheme", "http")

    def _body(self, newer: bool) -> Sized | Chunks:
        coding = self.environ.pop("HTTP_TRANSFER_ENCODING", None)
        if coding is not None:
            if coding.lower() != "chunked":
                raise Refused(*OTHER_CODING)
            if not newer:
                raise Refused(*UNREADABLE)
            return Chunks(self.limits)
        length = int(self.environ.get("CONTENT_LENGTH", 0))
        if length > self.limits.body:
            raise too_large(self.limits.body)
        return Sized(length)

    # --- what the parser calls -------------------------------------------------

    def on_header(self, name: bytes, value: bytes) -> None:
        key = key_of(name)
        if key is None:
            return
        text = value.rstrip(b" \t").decode("latin-1")
        if key in self.environ:
            self.repeated.setdefault(key, [self.environ[key]]).append(text)
        else:
            self.environ[key] = text
