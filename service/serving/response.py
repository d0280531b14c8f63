"""Answers as gunicorn sends them, and those given in the application's stead."""

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
from gunicorn.http import wsgi

from service.serving.connection import Connection
from service.web.front import NOSNIFF
from service.web.languages import language_for, messages
from service.web.phrases import Phrase
from service.web.problems import BY_STATUS, MEDIA_TYPE, Problem, reference
from service.web.strict_json import Json

if TYPE_CHECKING:
    from _typeshed import OptExcInfo


class Response(wsgi.Response):
    """gunicorn's response with head and body in one packet."""

    sock: Connection
    headers_sent: bool
    head = b""

    def start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: OptExcInfo | None = None
    ) -> Callable[[bytes], object]:
        write: Callable[[bytes], object] = super().start_response(status, headers, exc_info)
        self.sock.streams = any(
            name.lower() == "content-type" and value.startswith("text/event-stream") for name, value in headers
        )
        return write

    def default_headers(self) -> list[str]:
        """In the version that we speak (RFC 9110, 6.2), whichever the client's was."""
        lines = [
            f"HTTP/1.1 {self.status}\r\n",
            f"Server: {self.version}\r\n",
            f"Date: {date(int(time()))}\r\n",
            f"Connection: {'close' if self.should_close() else 'keep-alive'}\r\n",
        ]
        if self.chunked:
            lines.append("Transfer-Encoding: chunked\r\n")
        return lines

    def send_headers(self) -> None:
        if self.headers_sent:
            return
        self.headers_sent = True
        lines = [*self.default_headers(), *(f"{name}: {value}\r\n" for name, value in self.headers), "\r\n"]
        self.head = "".join(lines).encode("latin-1")
        if self.chunked:
            self.flush()

    def _emit_body(self, data: bytes) -> None:
        self.flush(b"%X\r\n%b\r\n" % (len(data), data) if self.chunked else data)

    def flush(self, data: bytes = b"") -> None:
        head, self.head = self.head, b""
        if head or data:
            self.sock.sendall(head + data)

    def should_close(self) -> bool:
        return self.sock.last or bool(super().should_close())

    @property
    def begun(self) -> bool:
        return self.headers_sent and not self.head

    def close(self) -> None:
        self.send_headers()
        self.flush(b"0\r\n\r\n" if self.chunked else b"")


@lru_cache(maxsize=2)
def date(seconds: int) -> str:
    """A time as headers have it, made once a second."""
    return formatdate(seconds, usegmt=True)


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
    response.status, response.headers = None, []
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
