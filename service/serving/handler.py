"""Answers requests: calls the WSGI application, or answers in its place where it fails or must not be called."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from time import monotonic, perf_counter
from wsgiref.types import WSGIApplication, WSGIEnvironment

from greenlet import GreenletExit, getcurrent
from gunicorn import SERVER
from gunicorn.config import Config

from service.config import Settings
from service.serving.connection import WORKING, ClientGone, Connection
from service.serving.reading import Limits, Reader, Refused, Request
from service.serving.request_log import RequestLog
from service.serving.response import Response, answer_problem
from service.web.fair_scheduling import yield_now
from service.web.metrics import Route
from service.web.problems import FAILED
from service.web.request_id import request_id

LARGE = 32 * 1024
"""Bytes of a body. A request with a larger one first yields to those that are ready."""


class Handler:
    """Answers the requests of all connections with a WSGI application, by gunicorn's settings."""

    def __init__(self, application: WSGIApplication, cfg: Config, log: RequestLog) -> None:
        self.application = application
        self.log = log
        self.limits = Limits(
            line=cfg.limit_request_line,
            field=cfg.limit_request_field_size,
            fields=cfg.limit_request_fields,
            body=Settings.from_environment().largest_body,
        )
        self.secure = {f"HTTP_{name.replace('-', '_')}": value for name, value in cfg.secure_scheme_headers.items()}
        self.trusts_all = "*" in cfg.forwarded_allow_ips
        self.trusted = [ip_network(each) for each in cfg.forwarded_allow_ips if each != "*"]
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
        return Reader(base, self._secure_headers(peer), self.limits, connection.go_on)

    def _secure_headers(self, peer: str) -> Mapping[str, str]:
        """The headers by which a peer may say that the client came by https; none unless it is a trusted proxy."""
        trusted = self.trusts_all or any(ip_address(peer) in network for network in self.trusted)
        return self.secure if trusted else {}

    def answer(self, connection: Connection, request: Request) -> bool:
        """Answer a request; return whether the connection can take another."""
        began = monotonic()
        environ = request.environ
        environ["HTTP_X_REQUEST_ID"] = request_id(environ.get("HTTP_X_REQUEST_ID"))
        response = Response(environ, connection.send, lambda: request.keeps and not connection.last)
        try:
            self._run(environ, response, connection)
        except ClientGone:
            response.closes = True
        except GreenletExit:  # a stream that ends because the worker stops
            response.closes = True
            if connection.phase is WORKING:
                response.close()
        except Exception:
            self.log.exception("Error handling %s %s", environ["REQUEST_METHOD"], environ["PATH_INFO"])
            if response.begun:
                connection.cut()
            else:
                response = Response(environ, connection.send, lambda: False)
                answer_problem(response, environ, HTTPStatus.INTERNAL_SERVER_ERROR, FAILED.detail)
        finally:
            connection.stream = None
            self.log.request(environ, response.status, response.sent, monotonic() - began)
        return not response.closes

    def _run(self, environ: WSGIEnvironment, response: Response, connection: Connection) -> None:
        if int(environ.get("CONTENT_LENGTH", 0)) > LARGE:
            yield_now()
        items = self.application(environ, response.start_response)
        if response.streams:
            connection.stream = getcurrent()
        try:
            for item in items:
                response.write(item)
            response.close()
        finally:
            if hasattr(items, "close"):
                items.close()

    def refuse(self, connection: Connection, refusal: Refused) -> None:
        """Answer a request that cannot be given to the application."""
        environ = {**connection.reader.environ, "HTTP_X_REQUEST_ID": request_id(None)}
        response = Response(environ, connection.send, lambda: False)
        answer_problem(response, environ, refusal.status, refusal.detail)
        Route("none").answered(refusal.status, perf_counter())
        self.log.request(environ, response.status, response.sent, 0.0)
