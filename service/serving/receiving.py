"""Reading a request: its whole body, up to a bound, and the status for one that cannot be read."""

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
"""The status for a request that goes wrong before the application sees it; 400 for all others."""


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
