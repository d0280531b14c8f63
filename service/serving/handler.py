"""Answers requests: calls the WSGI application, or answers in its place where it fails or must not be called."""

from __future__ import annotations

import sys
from http import HTTPStatus
from time import monotonic, perf_counter
from wsgiref.types import WSGIApplication, WSGIEnvironment

from gevent import get_hub
from gevent.lock import BoundedSemaphore
from greenlet import GreenletExit
from gunicorn import SERVER
from gunicorn.config import Config

from service.config import Serving, Settings
from service.serving.connection import WORKING, ClientGone, Connection, InFlight
from service.serving.reading import OVERLOADED, Limits, Reader, RefusedRequest
from service.serving.request_log import RequestLog
from service.serving.response import Response, answer_problem
from service.web import fair_scheduling, metrics
from service.web.clients import Clients
from service.web.fair_scheduling import PATIENCE, Overloaded
from service.web.problems import FAILED

PROBES = {"/livez", "/readyz"}
"""Paths that are answered however busy the worker is."""
LARGE = 32 * 1024
"""Bytes of a body. A request with a larger one first yields to those that are ready."""
FEW_AT_ONCE, ONE_AT_ONCE = 8 * 1024, 1 << 20
"""Of requests with bodies larger than so many bytes, `FEW` are worked on at once, or one: values take more memory."""
FEW = 8


class Handler:
    """Answers the requests of all connections with a WSGI application, by gunicorn's settings."""

    def __init__(self, application: WSGIApplication, cfg: Config, log: RequestLog) -> None:
        self.application = application
        self.log = log
        largest = Settings.from_environment().largest_body  # for another application than ours
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
