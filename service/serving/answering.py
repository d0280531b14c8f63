"""From a request to its answer: the application is called, and answered for where it cannot answer itself."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
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

LIGHT = 32 * 1024
"""Bytes of a body that cannot ask for much. A larger one waits until others have had their turn."""


class Answering:
    """Serves connections with a WSGI application, by gunicorn's settings."""

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
        self.secure_from = lru_cache(maxsize=1024)(self._secure_from)
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
        """What the environments of all requests have in common."""

    def _secure_from(self, peer: str) -> Mapping[str, str]:
        """Headers by which a peer may say that it was asked by https: proxies alone may, by address."""
        trusted = self.trusts_all or any(ip_address(peer) in network for network in self.trusted)
        return self.secure if trusted else {}

    def reader(self, connection: Connection) -> Reader:
        host, port = connection.socket.getsockname()[:2]
        peer, peer_port = connection.address
        base = self.base | {
            "SERVER_NAME": host,
            "SERVER_PORT": str(port),
            "REMOTE_ADDR": peer,
            "REMOTE_PORT": str(peer_port),
        }
        return Reader(base, self.secure_from(peer), self.limits, connection.tell_to_go_on)

    def answer(self, connection: Connection, request: Request) -> bool:
        """Answer a request; whether the connection can take another after it."""
        began = monotonic()
        environ = request.environ
        environ["HTTP_X_REQUEST_ID"] = request_id(environ.get("HTTP_X_REQUEST_ID"))
        response = Response(environ, connection.send, lambda: request.keeps and not connection.last)
        try:
            self._run(environ, response, connection)
        except ClientGone:
            response.closes = True
        except GreenletExit:  # a stream, when the worker stops
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
        if int(environ.get("CONTENT_LENGTH", 0)) > LIGHT:
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
        """Answer in the application's stead what never became a request to it."""
        environ = {**connection.reader.environ, "HTTP_X_REQUEST_ID": request_id(None)}
        response = Response(environ, connection.send, lambda: False)
        answer_problem(response, environ, refusal.status, refusal.detail)
        Route("none").answered(refusal.status, perf_counter())
        self.log.request(environ, response.status, response.sent, 0.0)
