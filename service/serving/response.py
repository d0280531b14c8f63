"""Answers as bytes: what WSGI calls `start_response` and `write`, and the problems told in the application's stead."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from time import time
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes
from wsgiref.types import WSGIEnvironment

import orjson
from gunicorn import SERVER

from service.web.languages import language_for, messages
from service.web.middleware import NOSNIFF
from service.web.phrases import Phrase
from service.web.problems import BY_STATUS, MEDIA_TYPE, Problem, reference
from service.web.strict_json import Json

if TYPE_CHECKING:
    from _typeshed import OptExcInfo

OURS = {"connection", "date", "keep-alive", "server", "te", "trailer", "transfer-encoding", "upgrade"}
"""Headers that are the server's alone, whatever the application says: they are about this connection or this moment."""
NOTED = OURS | {"content-length", "content-type"}
"""Those that mean something to the server."""


class Response:
    """One answer. `send` takes its bytes; `keeps` says, when the head is made, whether the connection stays open."""

    def __init__(self, environ: WSGIEnvironment, send: Callable[[bytes], object], keeps: Callable[[], bool]) -> None:
        self.send = send
        self.keeps = keeps
        self.no_body = environ.get("REQUEST_METHOD") == "HEAD"
        self.can_chunk = environ.get("SERVER_PROTOCOL") != "HTTP/1.0"
        self.status = 0
        self.head = b""
        """What is to be sent before the first part of the body, in one packet with it."""
        self.begun = False
        self.length: int | None = None
        """How long the body is, where the application says so."""
        self.chunked = False
        self.streams = False
        self.closes = False
        """The connection ends with this answer."""
        self.sent = 0
        """Bytes of the body."""

    def start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: OptExcInfo | None = None, /
    ) -> Callable[[bytes], object]:
        if self.begun and exc_info is not None and exc_info[1] is not None:
            raise exc_info[1]
        assert not self.head or exc_info, "an answer has one head"
        self.status = int(status[:3])
        lines = [
            f"{name}: {value}\r\n"
            for name, value in headers
            if name.lower() not in NOTED or self._note(name.lower(), value)
        ]
        if self.no_body or self.status in {204, 304}:
            self.no_body, self.chunked = True, False
        else:
            self.chunked = self.length is None and self.can_chunk
            self.closes = self.length is None and not self.can_chunk
        self.closes = self.closes or not self.keeps()
        if self.chunked:
            lines.append("Transfer-Encoding: chunked\r\n")
        text = "".join(lines)
        if not text.count("\r") == text.count("\n") == len(lines):
            raise ValueError("a header of an answer has more than one line")
        self.head = f"{_opening(status, self.closes, int(time()))}{text}\r\n".encode("latin-1")
        return self.write

    def _note(self, name: str, value: str) -> bool:
        """Whether a header of the application's is sent."""
        if name == "content-length":
            self.length = int(value)
            return self.status != 204
        if name == "content-type":
            self.streams = value.startswith("text/event-stream")
        return name not in OURS

    def write(self, data: bytes) -> None:
        if self.no_body:
            return
        if self.length is not None:
            data = data[: self.length - self.sent]
        self.sent += len(data)
        if self.chunked and data:
            data = b"%X\r\n%b\r\n" % (len(data), data)
        self._flush(data)

    def close(self) -> None:
        """All of it has been written."""
        self._flush(b"0\r\n\r\n" if self.chunked else b"")
        if self.length is not None and self.sent < self.length and not self.no_body:
            self.closes = True  # the client waits for more than it gets

    def _flush(self, data: bytes) -> None:
        head, self.head = self.head, b""
        if head or data:
            self.begun = True
            self.send(head + data)


@lru_cache(maxsize=64)
def _opening(status: str, closes: bool, second: int) -> str:
    """The lines that differ by nothing else, made once a second. The version is ours, whichever the client's was."""
    return (
        f"HTTP/1.1 {status}\r\n"
        f"Server: {SERVER}\r\n"
        f"Date: {formatdate(second, usegmt=True)}\r\n"
        f"Connection: {'close' if closes else 'keep-alive'}\r\n"
    )


def address(target: str) -> str:
    """The path that was asked for, as the `instance` of a problem."""
    return reference(unquote_to_bytes(target.partition("?")[0].encode("latin-1")))


def document(status: HTTPStatus, detail: Phrase, instance: str, language: str) -> Json:
    """The problem document; where the service has no page for it, it is what its status says (RFC 9457)."""
    if status in BY_STATUS:
        return Problem(BY_STATUS[status], detail).document(instance, language)
    title = messages(language)["statuses"][status.value]
    said = detail.said(language)
    return {"type": "about:blank", "title": title, "status": status, "detail": said, "instance": instance}


def answer_problem(response: Response, environ: WSGIEnvironment, status: HTTPStatus, detail: Phrase) -> None:
    language = language_for(environ.get("HTTP_ACCEPT_LANGUAGE"))
    body = orjson.dumps(document(status, detail, address(environ.get("RAW_URI", "")), language))
    response.start_response(
        f"{status.value} {status.phrase}",
        [
            ("Content-Type", MEDIA_TYPE),
            ("Content-Length", str(len(body))),
            ("Content-Language", language),
            ("Vary", "Accept-Language"),
            ("X-Request-ID", environ["HTTP_X_REQUEST_ID"]),
            NOSNIFF,
        ],
    )
    response.write(body)
    response.close()
