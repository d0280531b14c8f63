"""One answer as bytes."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import formatdate
from functools import lru_cache
from time import time
from typing import TYPE_CHECKING
from wsgiref.types import WSGIEnvironment

from gunicorn import SERVER

if TYPE_CHECKING:
    from _typeshed import OptExcInfo


class Response:
    """One answer as bytes, with WSGI's `start_response` and `write`.

    `send` takes its bytes; `keeps` says, when the head is made, whether the connection stays open.
    """

    def __init__(self, environ: WSGIEnvironment, send: Callable[[bytes], object], keeps: Callable[[], bool]) -> None:
        self.send = send
        self.keeps = keeps
        self.no_body = environ.get("REQUEST_METHOD") == "HEAD"
        self.can_chunk = environ.get("SERVER_PROTOCOL") != "HTTP/1.0"
        self.status = 0
        self.head = b""  #: Sent with the first part of the body, in one packet.
        self.begun = False
        self.length: int | None = None  #: The body's length, if the application gives it.
        self.chunked = False
        self.streams = False
        self.closes = False  #: Whether the connection closes after this answer.
        self.sent = 0  #: Bytes of the body.

    def start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: OptExcInfo | None = None, /
    ) -> Callable[[bytes], object]:
        """Make the head, as WSGI has it; the first part of the body goes with it."""
        if self.begun and exc_info is not None and exc_info[1] is not None:
            raise exc_info[1]
        assert not self.head or exc_info, "an answer has one head"
        self.status = int(status[:3])
        values = {name.lower(): value for name, value in headers}
        if "content-length" in values:
            self.length = int(values["content-length"])
        self.streams = values.get("content-type", "").startswith("text/event-stream")
        self.no_body = self.no_body or self.status in {204, 304}
        is_open_ended = self.length is None and not self.no_body
        self.chunked = is_open_ended and self.can_chunk
        self.closes = (is_open_ended and not self.can_chunk) or not self.keeps()
        lines = [f"{name}: {value}\r\n" for name, value in headers]
        if self.chunked:
            lines.append("Transfer-Encoding: chunked\r\n")
        text = "".join(lines)
        if text.count("\r") != len(lines) or text.count("\n") != len(lines):
            raise ValueError("a header of an answer has more than one line")
        second = None if "date" in values else int(time())
        self.head = f"{_first_lines(status, self.closes, second)}{text}\r\n".encode("latin-1")
        return self.write

    def write(self, data: bytes) -> None:
        """Send a part of the body; what is beyond its length is dropped."""
        if self.no_body:
            return
        if self.length is not None:
            data = data[: self.length - self.sent]
        self.sent += len(data)
        if self.chunked and data:
            data = b"%X\r\n%b\r\n" % (len(data), data)
        self._flush(data)

    def close(self) -> None:
        """End the answer."""
        self._flush(b"0\r\n\r\n" if self.chunked else b"")
        if self.length is not None and self.sent < self.length and not self.no_body:
            self.closes = True  # the client waits for more than it gets

    def _flush(self, data: bytes) -> None:
        """Send these bytes, after the head if that has not been sent."""
        head, self.head = self.head, b""
        if head or data:
            self.begun = True
            self.send(head + data)


@lru_cache(maxsize=64)
def _first_lines(status: str, closes: bool, second: int | None) -> str:
    """The first lines, cached for a second. The version is 1.1, whatever the client's is.

    `second`: the time; None where the application gives a date.
    """
    date = "" if second is None else f"Date: {formatdate(second, usegmt=True)}\r\n"
    connection = "close" if closes else "keep-alive"
    return f"HTTP/1.1 {status}\r\nServer: {SERVER}\r\n{date}Connection: {connection}\r\n"
