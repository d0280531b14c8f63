"""Reading a request: its whole body, up to a bound, and the status for one that cannot be read."""

from __future__ import annotations

import re
from http import HTTPStatus

from gunicorn.http import errors
from gunicorn.http.body import ChunkedReader, LengthReader
from gunicorn.http.message import Request
from gunicorn.http.parser import RequestParser

from service.config import Settings
from service.serving.connection import Connection, Phase
from service.web.phrases import phrase

MAX_BODY = Settings.from_environment().largest_body
MAX_HEAD = 32 * 1024
"""Bytes of a head, and of what stands in the place of one after chunks."""
MAX_LINE = 4096
END = b"\r\n\r\n"
BARE = re.compile(rb"(?<!\r)\n")
"""A line that ends without a carriage return: the parser reads nothing of what follows."""


class BodyTooLarge(errors.ParseException):
    """A request body of more than MAX_BODY bytes, announced or sent."""


class NoHost(errors.ParseException):
    """A request in HTTP/1.1 that does not say whom it is for."""


REFUSALS = {
    errors.LimitRequestLine: (HTTPStatus.REQUEST_URI_TOO_LONG, phrase("address-too-long")),
    errors.LimitRequestHeaders: (HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, phrase("headers-too-large")),
    errors.ExpectationFailed: (HTTPStatus.EXPECTATION_FAILED, phrase("expectation-failed")),
    errors.UnsupportedTransferCoding: (HTTPStatus.NOT_IMPLEMENTED, phrase("no-such-coding")),
    NoHost: (HTTPStatus.BAD_REQUEST, phrase("no-host")),
    BodyTooLarge: (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, phrase("largest-body", limit=MAX_BODY)),
}
"""What is said of a request that goes wrong before the application sees it."""
UNREADABLE = HTTPStatus.BAD_REQUEST, phrase("unreadable")
"""What is said of all others."""


def receive_head(parser: RequestParser) -> None:
    """Wait until a head is here, for the parser: it would search all of it again with every byte that comes."""
    unreader = parser.unreader
    head = bytearray(unreader.take_buffered())
    seen = 0
    while head.find(END, seen) < 0 and not BARE.search(head, seen):
        if len(head) > MAX_HEAD:
            if head.find(b"\r\n", 0, MAX_LINE) < 0:
                raise errors.LimitRequestLine(len(head), MAX_LINE)
            raise errors.LimitRequestHeaders("limit request head")
        seen = max(len(head) - len(END) + 1, 0)
        piece = unreader.chunk()
        if not piece:
            break
        head += piece
    unreader.unread(bytes(head))


def check_head(request: Request) -> None:
    """What RFC 9112 asks of a head beyond what gunicorn's parser does: its sections 3.2 and 6.1."""
    names = {name for name, _ in request.headers}
    if request.version >= (1, 1) and "HOST" not in names:
        raise NoHost
    codings = [value.lower() for name, value in request.headers if name == "TRANSFER-ENCODING"]
    if codings not in ([], ["chunked"]):
        raise errors.UnsupportedTransferCoding(", ".join(codings))


def receive_body(request: Request, connection: Connection) -> bytes:
    reader = request.body.reader
    length = reader.length if isinstance(reader, LengthReader) else None
    expected, request._expected_100_continue = request._expected_100_continue, False
    if isinstance(reader, ChunkedReader):
        reader.limit_trailer_section = MAX_HEAD
    if length == 0:
        return b""
    if length is not None and length > MAX_BODY:
        raise BodyTooLarge
    if expected:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.enter(Phase.RECEIVING)
    body: bytes = request.body.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise BodyTooLarge
    if length is not None and len(body) < length:
        raise errors.NoMoreData(body)
    return body
