"""Answers requests: calls the WSGI application, or answers in its place where it fails or must not be called."""

from __future__ import annotations

import sys
from collections.abc import Callable
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from time import monotonic, perf_counter, time
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes
from wsgiref.types import WSGIApplication, WSGIEnvironment

from gevent import get_hub
from gevent.lock import BoundedSemaphore
from greenlet import GreenletExit
from gunicorn import SERVER
from gunicorn.config import Config

from service import fair_scheduling, metrics
from service.config import Serving, Settings
from service.fair_scheduling import PATIENCE, Overloaded
from service.http.bodies import STATUS_LINES, json_answer
from service.http.clients import Clients
from service.http.middleware import NOSNIFF, VERSION, request_id
from service.http.preferences import language_of
from service.problems import BY_STATUS, FAILED, MEDIA_TYPE, Problem, reference
from service.serving.connection import WORKING, ClientGone, Connection, InFlight
from service.serving.reading import OVERLOADED, Limits, Reader, RefusedRequest
from service.serving.request_log import RequestLog
from service.words.phrases import Phrase, messages

if TYPE_CHECKING:
    from _typeshed import OptExcInfo

PROBES = {"/livez", "/readyz"}  #: Paths that are answered however busy the worker is.
LARGE = 32 * 1024  #: Bytes of a body. A request with a larger one first yields to those that are ready.
FEW_AT_ONCE, ONE_AT_ONCE = 8 * 1024, 1 << 20
"""Of requests with bodies larger than so many bytes, `FEW` are worked on at once, or one: values take more memory."""
FEW = 8


class Handler:
    """Answers the requests of all connections with a WSGI application, by gunicorn's settings."""

    def __init__(self, application: WSGIApplication, cfg: Config, log: RequestLog) -> None:
        self.application = application
        self.log = log
        settings = Settings.from_environment()
        largest = max(settings.body_limit, settings.batch_limit)  # for another application than ours
        self.limits = Limits(
            line=cfg.limit_request_line,
            field=cfg.limit_request_field_size,
            fields=cfg.limit_request_fields,
            body=getattr(application, "extensions", {}).get("body_limit", lambda method, path: largest),
        )
        self.secure = {f"HTTP_{name.replace('-', '_')}": value for name, value in cfg.secure_scheme_headers.items()}
        self.clients = Clients(cfg.forwarded_allow_ips)
        self.in_flight = InFlight(Serving.from_environment().bytes_in_flight)
        self.few, self.one = BoundedSemaphore(FEW), BoundedSemaphore(1)
        self.round = self.round_began = 0.0
        """The hub's time in this round of its loop, and when by `monotonic` the first request of the round began."""
        self.base: WSGIEnvironment = {
            "SCRIPT_NAME": "",
            "SERVER_SOFTWARE": SERVER,
            "wsgi.version": (1, 0),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": cfg.workers > 1,
            "wsgi.run_once": False,
            "wsgi.input_terminated": True,
        }

    def reader(self, connection: Connection) -> Reader:
        """The reader of a new connection."""
        host, port = connection.socket.getsockname()[:2]
        peer, peer_port = connection.address
        base = self.base | {
            "SERVER_NAME": host,
            "SERVER_PORT": str(port),
            "REMOTE_ADDR": peer,
            "REMOTE_PORT": str(peer_port),
        }
        secure = self.secure if self.clients.is_proxy(peer) else {}
        return Reader(base, secure, self.limits, connection.go_on, connection.hold)

    def answer(self, connection: Connection, environ: WSGIEnvironment) -> bool:
        """Answer a request; return whether the connection can take another."""
        began = monotonic()
        response = Response(environ, connection.send, lambda: connection.reader.keeps and not connection.last)
        try:
            self._run(environ, response, connection, began)
        except ClientGone:
            response.closes = True
        except GreenletExit:  # a stream that ends because the worker stops, or its client has gone
            response.closes = True
            if connection.phase is WORKING:
                response.close()
        except Overloaded:
            self._refuse(response, environ, RefusedRequest(*OVERLOADED))
        except Exception:
            self.log.exception("Error handling %s %s", environ["REQUEST_METHOD"], environ["PATH_INFO"])
            if response.begun:
                connection.expire()
            else:
                response = Response(environ, connection.send, lambda: False)
                answer_problem(response, environ, HTTPStatus.INTERNAL_SERVER_ERROR, FAILED.detail)
        finally:
            connection.stream = None
            self.log.request(environ, response.status, response.sent, monotonic() - began)
        return not response.closes

    def is_late(self, now: float) -> bool:
        """Whether a request that begins now may have waited too long: for all requests before it in the hub's round.

        In a round the hub serves all clients that had sent something when it looked. Its time stays the same meanwhile;
        it tells rounds apart, and is compared with no clock, since a clock may be set.
        """
        this_round = get_hub().loop.now()
        if this_round != self.round:
            self.round, self.round_began = this_round, now
        return now - self.round_began > PATIENCE

    def _run(self, environ: WSGIEnvironment, response: Response, connection: Connection, began: float) -> None:
        if self.is_late(began) and environ["PATH_INFO"] not in PROBES:
            raise Overloaded
        size = int(environ.get("CONTENT_LENGTH", 0))
        turns = self.one if size > ONE_AT_ONCE else self.few if size > FEW_AT_ONCE else None
        if turns is not None and not turns.acquire(timeout=PATIENCE):
            raise Overloaded
        fair_scheduling.begin()
        try:
            if size > LARGE:
                fair_scheduling.yield_now()
            items = self.application(environ, response.start_response)
        finally:
            fair_scheduling.end()
            if turns is not None:
                turns.release()
        if response.streams:
            connection.start_stream()
        try:
            for item in items:
                response.write(item)
            response.close()
        finally:
            if hasattr(items, "close"):
                items.close()

    def _refuse(self, response: Response, environ: WSGIEnvironment, refusal: RefusedRequest) -> None:
        answer_problem(response, environ, refusal.status, refusal.detail)
        metrics.answered("none", refusal.status, perf_counter())

    def refuse(self, connection: Connection, refusal: RefusedRequest) -> None:
        """Answer a request that cannot be given to the application."""
        environ = {**connection.reader.environ, "HTTP_X_REQUEST_ID": ""}
        response = Response(environ, connection.send, lambda: False)
        self._refuse(response, environ, refusal)
        self.log.request(environ, response.status, response.sent, 0.0)


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
        self.head = b""  #: Kept until the first part of the body, to go in one packet with it.
        self.begun = False
        self.length: int | None = None  #: The body's length, if the application gives it.
        self.chunked = False
        self.streams = False
        self.closes = False  #: Whether the connection closes after this answer.
        self.sent = 0  #: Bytes of the body.

    def start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: OptExcInfo | None = None, /
    ) -> Callable[[bytes], object]:
        if self.begun and exc_info is not None and exc_info[1] is not None:
            raise exc_info[1]
        assert not self.head or exc_info, "an answer has one head"
        self.status = int(status[:3])
        given = {name.lower(): value for name, value in headers}
        if "content-length" in given:
            self.length = int(given["content-length"])
        self.streams = given.get("content-type", "").startswith("text/event-stream")
        self.no_body = self.no_body or self.status in {204, 304}
        is_open_ended = self.length is None and not self.no_body
        self.chunked = is_open_ended and self.can_chunk
        self.closes = (is_open_ended and not self.can_chunk) or not self.keeps()
        lines = [f"{name}: {value}\r\n" for name, value in headers]
        if self.chunked:
            lines.append("Transfer-Encoding: chunked\r\n")
        text = "".join(lines)
        if not text.count("\r") == text.count("\n") == len(lines):
            raise ValueError("a header of an answer has more than one line")
        self.head = f"{_first_lines(status, self.closes, int(time()))}{text}\r\n".encode("latin-1")
        return self.write

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
        """End the answer."""
        self._flush(b"0\r\n\r\n" if self.chunked else b"")
        if self.length is not None and self.sent < self.length and not self.no_body:
            self.closes = True  # the client waits for more than it gets

    def _flush(self, data: bytes) -> None:
        head, self.head = self.head, b""
        if head or data:
            self.begun = True
            self.send(head + data)


@lru_cache(maxsize=64)
def _first_lines(status: str, closes: bool, second: int) -> str:
    """The first lines, cached for a second (saves 2 µs an answer). The version is 1.1, whatever the client's is."""
    return (
        f"HTTP/1.1 {status}\r\n"
        f"Server: {SERVER}\r\n"
        f"Date: {formatdate(second, usegmt=True)}\r\n"
        f"Connection: {'close' if closes else 'keep-alive'}\r\n"
    )


def answer_problem(response: Response, environ: WSGIEnvironment, status: HTTPStatus, detail: Phrase) -> None:
    """Send a problem document. Its type is `about:blank` where the contract has no page for the status (RFC 9457)."""
    name = environ["HTTP_X_REQUEST_ID"] = request_id(environ.get("HTTP_X_REQUEST_ID"))  # the log reads it, too
    language = language_of(environ)
    instance = reference(unquote_to_bytes(environ.get("RAW_URI", "").partition("?")[0].encode("latin-1")))
    if status in BY_STATUS:
        document = Problem(BY_STATUS[status], detail).document(instance, language)
    else:
        title = messages(language)["statuses"][status.value]
        said = detail.said(language)
        document = {"type": "about:blank", "title": title, "status": status, "detail": said, "instance": instance}
    answer = json_answer(document, status, language=language, media_type=MEDIA_TYPE)
    retry = [("Retry-After", "5")] if status == HTTPStatus.SERVICE_UNAVAILABLE else []
    response.start_response(STATUS_LINES[status], [*answer.headers, ("X-Request-ID", name), VERSION, NOSNIFF, *retry])
    response.write(answer.body)
    response.close()
