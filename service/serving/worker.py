"""What gunicorn runs the service on: gevent, with a bound on everything that a client can make us wait for.

A connection is always in one phase, and a phase has a number of seconds. The worker looks at all connections four
times a second and shuts the socket of each that has overrun: whoever waits on that socket then sees its end. No timer
is started for a request, and nothing is thrown into a running one.

A request reaches the application only when all of it is here, so a slow sender never holds more than a socket.
docs/decisions/0001-worker.md has the measurements behind this.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from fcntl import ioctl
from functools import partial
from http import HTTPStatus
from io import BytesIO
from termios import FIONREAD
from time import monotonic
from types import FrameType, SimpleNamespace
from typing import Any
from urllib.parse import unquote_to_bytes

import gevent
import orjson
from gevent.pool import Pool
from gevent.server import StreamServer
from gunicorn.http import errors, wsgi
from gunicorn.http.body import LengthReader
from gunicorn.http.message import Request
from gunicorn.http.parser import RequestParser
from gunicorn.workers.ggevent import GeventWorker

from service.config import Serving, Settings
from service.web.metrics import Route
from service.web.problems import FAILED, MEDIA_TYPE, Problem, reference
from service.web.request_id import request_id

SERVING = Serving.from_environment()
MAX_BODY = Settings.from_environment().largest_body

ENDS = {signal.SIGINT, signal.SIGQUIT, signal.SIGTERM}
"""What a worker is told to end by."""

TICK = 0.25
"""Seconds between two looks at the connections."""

NEVER = float("inf")


class Phase(Enum):
    """What a connection is about, how many seconds that may take, and which way its socket is shut after them."""

    RESTING = SERVING.keepalive_seconds, socket.SHUT_RDWR
    RECEIVING = SERVING.receive_seconds, socket.SHUT_RD
    WORKING = NEVER, socket.SHUT_RDWR
    SENDING = SERVING.send_seconds, socket.SHUT_RDWR
    LEAVING = 2.0, socket.SHUT_RD

    def __init__(self, limit: float, way: int) -> None:
        self.limit = limit
        self.way = way


class BodyTooLarge(errors.ParseException):
    """A request body of more than MAX_BODY bytes, announced or sent."""

    def __str__(self) -> str:
        return f"A body may have at most {MAX_BODY} bytes."


class ClientGone(Exception):
    """The other side of a connection hung up, or was hung up on."""


@dataclass(eq=False, slots=True)
class Connection:
    """A client's socket as gunicorn's parser and response use it, and the phase it is in."""

    socket: socket.socket
    address: Any
    listener: Any
    greenlet: Any = field(default_factory=gevent.getcurrent)
    phase: Phase = Phase.RESTING
    due: float = field(default_factory=lambda: monotonic() + Phase.RESTING.limit)
    late: bool = False
    streams: bool = False
    last: bool = False
    """No further request is taken after this one."""

    def enter(self, phase: Phase) -> None:
        self.phase = phase
        self.due = monotonic() + phase.limit

    @property
    def rests(self) -> bool:
        """No request is on its way: of what has come, nothing is unread."""
        if self.phase is not Phase.RESTING or self.socket.fileno() < 0:
            return False
        unread = bytearray(4)
        ioctl(self.socket.fileno(), FIONREAD, unread)
        return not any(unread)

    def expire(self) -> None:
        self.late = True
        self.due = NEVER
        with suppress(OSError):
            self.socket.shutdown(self.phase.way)

    def recv(self, size: int) -> bytes:
        try:
            data = self.socket.recv(size)
        except OSError as error:
            if self.late:  # so gevent tells who waits on a socket that it was shut
                return b""
            raise ClientGone from error
        if self.phase is Phase.RESTING:
            self.enter(Phase.RECEIVING)
        return data

    def sendall(self, data: bytes) -> None:
        self.enter(Phase.SENDING)
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise ClientGone from error
        self.enter(Phase.WORKING)

    def leave(self) -> None:
        """Let the client read our last words: hanging up on bytes that it still sends would destroy them."""
        self.enter(Phase.LEAVING)
        if self.late:
            gevent.sleep(Phase.LEAVING.limit)  # shut for reading already: shut both ways, it would refuse those bytes
            return
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
            while self.socket.recv(65_536):
                pass


class Response(wsgi.Response):
    """gunicorn's response with head and body in one packet."""

    sock: Connection
    headers_sent: bool
    head = b""

    def start_response(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        write = super().start_response(status, headers, exc_info)
        self.sock.streams = any(
            name.lower() == "content-type" and value.startswith("text/event-stream") for name, value in headers
        )
        return write

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


UNREAD: Any = SimpleNamespace(method="", version=(1, 1), should_close=lambda: True)
"""Stands for a request that could not be read."""

REFUSALS = {
    errors.LimitRequestLine: HTTPStatus.REQUEST_URI_TOO_LONG,
    errors.LimitRequestHeaders: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    errors.ExpectationFailed: HTTPStatus.EXPECTATION_FAILED,
    errors.UnsupportedTransferCoding: HTTPStatus.NOT_IMPLEMENTED,
    BodyTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}
"""What a request is refused with that goes wrong before the application sees it; otherwise it is a bad request."""

SLUGS = {
    HTTPStatus.BAD_REQUEST: "invalid-request",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "payload-too-large",
    HTTPStatus.INTERNAL_SERVER_ERROR: "internal-error",
}


def address(target: str) -> str:
    """What was asked for, query and all, as the `instance` of a problem."""
    return reference(unquote_to_bytes(target.partition("?")[0].encode("latin-1")))


def document(status: HTTPStatus, detail: str, instance: str) -> dict[str, Any]:
    """The problem document; where the service has no page for it, it is what its status says (RFC 9457)."""
    if status not in SLUGS:
        return {"type": "about:blank", "title": status.phrase, "status": status, "detail": detail, "instance": instance}
    return Problem(SLUGS[status], detail).document(instance)


def answer_problem(response: Response, environ: dict[str, Any], status: HTTPStatus, detail: str) -> None:
    body = orjson.dumps(document(status, detail, address(environ.get("RAW_URI", ""))))
    response.status, response.headers = None, []
    response.start_response(
        f"{status.value} {status.phrase}",
        [
            ("Content-Type", MEDIA_TYPE),
            ("Content-Length", str(len(body))),
            ("Content-Language", "en"),
            ("Vary", "Accept-Language"),
            ("X-Request-ID", environ["HTTP_X_REQUEST_ID"]),
        ],
    )
    response.write(body)
    response.close()


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


class Worker(GeventWorker):
    """Serves connections, each in a greenlet of its own, and closes those that overrun."""

    SIGNALS = tuple(each for each in GeventWorker.SIGNALS if each not in ENDS)
    """What has no handler for a moment as the worker boots; who ends it is heard all the time."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.connections: set[Connection] = set()
        self.patience = self.cfg.graceful_timeout - 1  # the master kills who takes longer

    # --- the process -----------------------------------------------------------

    def run(self) -> None:
        self.pool = Pool(self.worker_connections)
        servers = [StreamServer(s, handle=partial(self.handle, s.getsockname()), spawn=self.pool) for s in self.sockets]
        for server in servers:
            server.start()
        while self.alive:
            self.look_after(crowded=self.pool.full())
            gevent.sleep(TICK)
        self.wind_up(servers)

    def look_after(self, *, crowded: bool = False) -> None:
        """Tell the master that we live; close who is late and, where there is no room for more, who only rests."""
        self.notify()
        now = monotonic()
        for connection in list(self.connections):
            late = connection.due < now
            if (late and connection.phase is not Phase.RESTING) or ((late or crowded) and connection.rests):
                connection.expire()

    def wind_up(self, servers: list[StreamServer]) -> None:
        """Answer every request that has reached us; streams have no end of their own."""
        for server in servers:
            while not server.full() and (at_the_door := server.do_read()):
                server.do_handle(*at_the_door)
            server.close()
        limit = monotonic() + self.patience
        while len(self.pool) and monotonic() < limit:
            for connection in list(self.connections):
                connection.last = True
                if connection.streams:
                    connection.greenlet.kill(block=False)
                elif connection.rests:
                    connection.expire()
            self.look_after()
            gevent.sleep(TICK / 5)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.booted:
            os._exit(0)  # nobody is served yet
        self.alive = False

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:
        self.patience = 0
        self.handle_exit(sig, frame)

    # --- a connection ----------------------------------------------------------

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        connection = Connection(client, addr, listener)
        self.connections.add(connection)
        try:
            for request, body in self.requests(connection):
                if not self.answer(connection, request, body):
                    break
        except (ClientGone, gevent.GreenletExit):
            self.log.debug("A client went away")
        except Exception:
            self.log.exception("A connection failed")
        finally:
            self.connections.discard(connection)

    def requests(self, connection: Connection) -> Iterator[tuple[Request, bytes]]:
        """Each request with its whole body, for as long as the client keeps to the protocol and to its time."""
        parser = RequestParser(self.cfg, connection, connection.address)
        while True:
            request = None
            try:
                request = next(parser)
                body = receive_body(request, connection)
            except StopIteration:
                return
            except (errors.ParseException, errors.NoMoreData) as error:
                if connection.late:
                    self.refuse(connection, request, HTTPStatus.REQUEST_TIMEOUT, "The request took too long to arrive.")
                elif not isinstance(error, errors.NoMoreData):
                    self.refuse(connection, request, REFUSALS.get(type(error), HTTPStatus.BAD_REQUEST), str(error))
                return
            connection.enter(Phase.WORKING)
            yield request, body
            connection.enter(Phase.RESTING)
            gevent.sleep(0)  # a client that is quick enough would otherwise keep all others waiting

    def answer(self, connection: Connection, request: Request, body: bytes) -> bool:
        """Whether the connection can take another request after this one."""
        began = monotonic()
        environ: dict[str, Any]
        response, environ = wsgi.create(
            request, connection, connection.address, connection.listener, self.cfg, response_class=Response
        )
        environ["HTTP_X_REQUEST_ID"] = request_id(environ.get("HTTP_X_REQUEST_ID"))
        environ["wsgi.input"] = BytesIO(body)
        if environ.pop("HTTP_TRANSFER_ENCODING", None):
            environ["CONTENT_LENGTH"] = str(len(body))
        try:
            self.run_application(environ, response)
        except gevent.GreenletExit:  # a stream, when the worker stops
            response.force_close()
            if connection.phase is Phase.WORKING:
                response.close()
        except ClientGone:
            raise
        except Exception:
            response.force_close()
            self.log.exception("Error handling %s %s", request.method, request.path)
            if response.begun:
                connection.expire()
            else:
                answer_problem(response, environ, HTTPStatus.INTERNAL_SERVER_ERROR, FAILED.detail)
        finally:
            self.log.access(response, request, environ, timedelta(seconds=monotonic() - began))
        return not response.should_close()

    def run_application(self, environ: dict[str, Any], response: Response) -> None:
        items = self.wsgi(environ, response.start_response)
        try:
            for item in items:
                response.write(item)
            response.close()
        finally:
            if hasattr(items, "close"):
                items.close()

    def refuse(self, connection: Connection, request: Request | None, status: HTTPStatus, detail: str) -> None:
        """Answer in the application's stead what never became a request to it, and hang up."""
        response = Response(request or UNREAD, connection, self.cfg)
        response.force_close()
        environ: dict[str, Any] = {"HTTP_X_REQUEST_ID": request_id(None)}
        if request:
            environ |= {"REQUEST_METHOD": request.method, "RAW_URI": request.uri}
        answer_problem(response, environ, status, detail)
        Route("none").answered(status, 0.0)
        self.log.access(response, request, environ, timedelta())
        connection.leave()
