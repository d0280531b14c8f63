"""Taking in a request: its whole body, within a bound, and what one that cannot be taken in is refused with."""

from __future__ import annotations

from http import HTTPStatus

from gunicorn.http import errors
from gunicorn.http.body import LengthReader
from gunicorn.http.message import Request

from service.config import Settings
from service.serving.connection import Connection, Phase

MAX_BODY = Settings.from_environment().largest_body


class BodyTooLarge(errors.ParseException):
    """A request body of more than MAX_BODY bytes, announced or sent."""

    def __str__(self) -> str:
        return f"A body may have at most {MAX_BODY} bytes."


REFUSALS = {
    errors.LimitRequestLine: HTTPStatus.REQUEST_URI_TOO_LONG,
    errors.LimitRequestHeaders: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    errors.ExpectationFailed: HTTPStatus.EXPECTATION_FAILED,
    errors.UnsupportedTransferCoding: HTTPStatus.NOT_IMPLEMENTED,
    BodyTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}
"""What a request is refused with that goes wrong before the application sees it; otherwise it is a bad request."""


def receive_body(request: Request, connection: Connection) -> bytes:
    reader = request.body.reader
    length = reader.length if isinstance(reader, LengthReader) else None
    expected, request._expected_100_continue = request._expected_100_continue, False
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
