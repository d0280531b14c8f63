"""Answers requests: calls the WSGI application, or answers in its place where it fails or must not be called."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta
from http import HTTPStatus
from time import monotonic
from types import SimpleNamespace
from wsgiref.types import WSGIApplication, WSGIEnvironment

from gevent import get_hub
from gevent.lock import BoundedSemaphore
from greenlet import GreenletExit
from gunicorn import SERVER
from gunicorn.config import Config
from gunicorn.glogging import Logger

from gunicorn_llhttp import fair_scheduling
from gunicorn_llhttp.clients import Clients
from gunicorn_llhttp.connection import ClientGone, Connection, Seconds, Working
from gunicorn_llhttp.fair_scheduling import PATIENCE, Overloaded
from gunicorn_llhttp.in_flight import Held, InFlight
from gunicorn_llhttp.options import Options
from gunicorn_llhttp.reading import OVERLOADED, Heads, Limits, Reader
from gunicorn_llhttp.refusals import RefusedRequest
from gunicorn_llhttp.response import Response

LARGE_BODY = 32 * 1024  #: Bytes of a body. A request with a larger one first yields to those that are ready.
FEW_AT_ONCE, ONE_AT_ONCE = 8 * 1024, 1 << 20
"""Of requests with bodies larger than so many bytes, `FEW` are worked on at once, or one: values take more memory."""
FEW = 8
FAILED = HTTPStatus.INTERNAL_SERVER_ERROR, "failed"


class WSGIHandler:
    """Answers the requests of all connections with a WSGI application, by gunicorn's settings and these options.

    `log`: gunicorn's. Requests are logged there unless the options say otherwise. `ending`: set while the worker stops;
    each connection then closes after its next answer.
    """

    def __init__(self, application: WSGIApplication, options: Options, cfg: Config, log: Logger) -> None:
        self.application = application
        self.options = options
        self.ending = False
        self.log = log
        self.log_request = options.log or access_log(log)
        limits = Limits(
            line=cfg.limit_request_line,
            field=cfg.limit_request_field_size,
            fields=cfg.limit_request_fields,
            body=options.body_limit,
        )
        keepalive = cfg.keepalive if options.keepalive_seconds is None else options.keepalive_seconds
        self.seconds = Seconds(keepalive, options.receive_seconds, options.send_seconds)
        secure = {f"HTTP_{name.replace('-', '_')}": value for name, value in cfg.secure_scheme_headers.items()}
        self.heads, self.heads_of_proxies = Heads(limits, {}), Heads(limits, secure)
        self.clients = Clients(cfg.forwarded_allow_ips)
        self.in_flight = InFlight(options.bytes_in_flight)
        self.few, self.one = BoundedSemaphore(FEW), BoundedSemaphore(1)
        self.round = self.round_began = 0.0
        """The hub's time in this round of its loop, and when by `monotonic` the first request of the round began."""
        self.base: WSGIEnvironment = {
            "SCRIPT_NAME": "",
            "SERVER_SOFTWARE": SERVER,
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": cfg.workers > 1,
            "wsgi.run_once": False,
            "wsgi.input_terminated": True,
        }

    def held(self) -> Held:
        """What a new connection holds of the bytes in flight: nothing yet."""
        return Held(self.in_flight, self.clients.of)

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
        heads = self.heads_of_proxies if self.clients.is_proxy(peer) else self.heads
        return Reader(base, heads, connection.held.hold_body)

    def answer(self, working: Working, environ: WSGIEnvironment) -> bool:
        """Answer a request; return whether the connection can take another."""
        began = monotonic()
        reader = working.connection.reader
        response = Response(environ, working.send, lambda: reader.keeps and not self.ending)
        try:
            self._run(environ, response, working, began)
        except ClientGone:
            response.closes = True
        except GreenletExit:  # a stream that ends because the worker stops, or its client has gone
            response.closes = True
            response.close()
        except Overloaded:
            self._refuse(response, environ, RefusedRequest(*OVERLOADED))
        except Exception:
            self.log.exception("Error handling %s %s", environ["REQUEST_METHOD"], environ["PATH_INFO"])
            if response.begun:
                response.closes = True
            else:
                response = Response(environ, working.send, lambda: False)
                self._refuse(response, environ, RefusedRequest(*FAILED))
        finally:
            self.log_request(environ, response.status, response.sent, monotonic() - began)
        return not response.closes

    def is_late(self, now: float) -> bool:
        """Whether a request that begins now may have waited too long: for all requests before it in the hub's round.

        In a round the hub serves all clients that had sent something when it looked. Its time stays the same meanwhile;
        it distinguishes rounds, and is compared with no clock, since a clock may be set.
        """
        this_round = get_hub().loop.now()
        if this_round != self.round:
            self.round, self.round_began = this_round, now
        return now - self.round_began > PATIENCE

    def _turns_for(self, size: int) -> BoundedSemaphore | None:
        """What a request with a body of this size has to acquire; None: nothing."""
        if size > ONE_AT_ONCE:
            return self.one
        return self.few if size > FEW_AT_ONCE else None

    def _run(self, environ: WSGIEnvironment, response: Response, working: Working, began: float) -> None:
        """Call the application, and send its answer. Raises Overloaded if the request has waited too long."""
        if self.is_late(began) and environ["PATH_INFO"] not in self.options.probes:
            raise Overloaded
        size = int(environ.get("CONTENT_LENGTH", 0))
        turns = self._turns_for(size)
        if turns is not None and not turns.acquire(timeout=PATIENCE):
            raise Overloaded
        fair_scheduling.begin()
        try:
            if size > LARGE_BODY:
                fair_scheduling.yield_now()
            items = self.application(environ, response.start_response)
        finally:
            fair_scheduling.end()
            if turns is not None:
                turns.release()
        if response.streams:
            response.send = working.stream().send
        try:
            for item in items:
                response.write(item)
            response.close()
        finally:
            if hasattr(items, "close"):
                items.close()

    def _refuse(self, response: Response, environ: WSGIEnvironment, refusal: RefusedRequest) -> None:
        """Send the answer to a refused request."""
        answer = self.options.refusal(environ, refusal)
        response.start_response(f"{refusal.status.value} {refusal.status.phrase}", answer.headers)
        response.write(answer.body)
        response.close()

    def refuse(self, working: Working, refusal: RefusedRequest) -> None:
        """Answer a request that cannot be given to the application."""
        environ = working.connection.reader.environ_so_far()
        response = Response(environ, working.send, lambda: False)
        self._refuse(response, environ, refusal)
        self.log_request(environ, response.status, response.sent, 0.0)


def access_log(log: Logger) -> Callable[[WSGIEnvironment, int, int, float], object]:
    """A function that writes a request into gunicorn's access log. See `Options.log`."""

    def write(environ: WSGIEnvironment, status: int, size: int, seconds: float) -> None:
        if log.access_log_enabled:
            line = {"REQUEST_METHOD": "-", "RAW_URI": "-", "SERVER_PROTOCOL": "-"} | environ
            fields = [(key[5:].replace("_", "-"), value) for key, value in environ.items() if key.startswith("HTTP_")]
            response = SimpleNamespace(status=str(status or "-"), sent=size, headers=())
            log.access(response, fields, line, timedelta(seconds=seconds))

    return write
