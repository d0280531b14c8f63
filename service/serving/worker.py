"""What gunicorn runs the service on: gevent, with a bound on everything that a client can make us wait for.

A connection is always in one phase, and a phase has a number of seconds. The worker looks at all connections four
times a second and shuts the socket of each that has overrun: whoever waits on that socket then sees its end. No timer
is started for a request, and nothing is thrown into a running one. Where there are too many connections, those let go
first have brought no request yet, then those that have rested longest.

A request reaches the application only when all of it is here, so a slow sender never holds more than a socket.
docs/decisions/0001-worker.md has the measurements behind this.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from io import BytesIO
from time import monotonic
from types import FrameType, SimpleNamespace
from typing import Any
from wsgiref.types import WSGIEnvironment

import gevent
from gevent.pool import Pool
from gevent.server import StreamServer
from gunicorn.http import errors, wsgi
from gunicorn.http.message import Request
from gunicorn.http.parser import RequestParser
from gunicorn.workers.ggevent import GeventWorker

from service.serving.connection import ClientGone, Connection, Phase
from service.serving.pulse import Pulse
from service.serving.receiving import REFUSALS, UNREADABLE, check_head, receive_body, receive_head
from service.serving.response import Response, answer_problem
from service.web.metrics import Route
from service.web.phrases import Phrase, phrase
from service.web.problems import FAILED
from service.web.request_id import request_id
from service.web.turns import give_way

ENDS = {signal.SIGINT, signal.SIGQUIT, signal.SIGTERM}
"""The signals that end a worker."""
TICK = 0.25
"""Seconds between two looks at the connections."""
YOUNG = 1.0
"""Seconds in which a connection that has just come may still bring its first request."""
SPARE = 128
"""Connections beside those that are held: they have just come, or are about to be let go."""
PORTION = 16
"""One in so many of the connections is let go where there are too many."""
LIGHT = 32 * 1024
"""Bytes of a body that cannot ask for much. A larger one waits until others have had their turn."""
FULL = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
"""Why a connection cannot be taken for now."""
UNREAD = SimpleNamespace(method="", version=(1, 1), should_close=lambda: True)
"""Stands for a request that could not be read."""


class Acceptor(StreamServer):
    """Takes connections. Where there is no room for one, it pauses until `resume`."""

    def __init__(
        self,
        listener: socket.socket,
        handle: Callable[[socket.socket, object], None],
        pool: Pool,
        no_room: Callable[[OSError], None],
    ) -> None:
        super().__init__(listener, handle, spawn=pool)
        self.no_room = no_room

    def do_read(self) -> tuple[socket.socket, Any]:
        try:
            return super().do_read()
        except OSError as error:
            if error.errno not in FULL:
                raise
            self.stop_accepting()
            self.no_room(error)
            return None  # type: ignore[return-value] # as gevent's own does where nobody connects

    def resume(self) -> None:
        if self.started and not self.full():
            self.start_accepting()


class Worker(GeventWorker):
    """Serves connections, each in a greenlet of its own, and closes those that overrun."""

    SIGNALS = tuple(each for each in GeventWorker.SIGNALS if each not in ENDS)
    """Signals without a handler while the worker boots. Those that end it always have one."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.connections: set[Connection] = set()
        self.pulse = Pulse(self.tmp.notify)
        self.patience = self.cfg.graceful_timeout - 1  # the master kills a worker that takes longer

    # --- the process -----------------------------------------------------------

    def run(self) -> None:
        self.pool = Pool(self.worker_connections + SPARE)
        accept = partial(Acceptor, pool=self.pool, no_room=self.no_room)
        acceptors = [accept(each, partial(self.handle, each.getsockname())) for each in self.sockets]
        for acceptor in acceptors:
            acceptor.start()
        self.pulse.start()
        while self.alive:
            self.look_after()
            for acceptor in acceptors:
                acceptor.resume()
            gevent.sleep(TICK)
        self.wind_up(acceptors)

    def look_after(self) -> None:
        """Notice whether the master is still there; close connections that are late."""
        self.pulse.look()
        self.notify()
        now = monotonic()
        for connection in list(self.connections):
            if connection.due < now and (connection.phase is not Phase.RESTING or connection.rests):
                connection.expire()

    def make_room(self) -> None:
        """Let go of some connections on which we wait for the client."""
        most = self.worker_connections // PORTION + 1
        young = monotonic() - YOUNG
        for connection in sorted(
            self.connections, key=lambda each: (each.answered or each.entered > young, each.entered)
        ):
            if connection.idles:
                connection.shed()
                most -= 1
                if not most:
                    return

    def no_room(self, error: OSError) -> None:
        self.log.warning("No connection can be taken for now: %s", error.strerror)
        self.make_room()

    def wind_up(self, acceptors: list[Acceptor]) -> None:
        """Answer every request that has reached us; streams have no end of their own."""
        for acceptor in acceptors:
            while not acceptor.full() and (accepted := acceptor.do_read()):
                acceptor.do_handle(*accepted)
            acceptor.close()
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

    def handle(self, listener: object, client: socket.socket, addr: object) -> None:
        connection = Connection(client, addr, listener)
        self.connections.add(connection)
        if len(self.connections) > self.worker_connections:
            self.make_room()
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
                receive_head(parser)
                request = next(parser)
                check_head(request)
                body = receive_body(request, connection)
            except StopIteration:
                return
            except (errors.ParseException, errors.NoMoreData) as error:
                if connection.late:
                    self.refuse(connection, request, HTTPStatus.REQUEST_TIMEOUT, phrase("took-too-long"))
                elif not isinstance(error, errors.NoMoreData):
                    self.refuse(connection, request, *REFUSALS.get(type(error), UNREADABLE))
                return
            connection.enter(Phase.WORKING)
            connection.answered = True
            if len(body) > LIGHT:
                give_way()
            yield request, body
            connection.enter(Phase.RESTING)
            gevent.sleep(0)  # a client that is quick enough would otherwise keep all others waiting

    def answer(self, connection: Connection, request: Request, body: bytes) -> bool:
        """Whether the connection can take another request after this one."""
        began = monotonic()
        environ: WSGIEnvironment
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

    def run_application(self, environ: WSGIEnvironment, response: Response) -> None:
        items = self.wsgi(environ, response.start_response)
        try:
            for item in items:
                response.write(item)
            response.close()
        finally:
            if hasattr(items, "close"):
                items.close()

    def refuse(self, connection: Connection, request: Request | None, status: HTTPStatus, detail: Phrase) -> None:
        """Answer in the application's stead what never became a request to it, and hang up."""
        response = Response(request or UNREAD, connection, self.cfg)
        response.force_close()
        environ: WSGIEnvironment = {"HTTP_X_REQUEST_ID": request_id(None)}
        if request:
            environ |= {"REQUEST_METHOD": request.method, "RAW_URI": request.uri}
            environ["HTTP_ACCEPT_LANGUAGE"] = dict(request.headers).get("ACCEPT-LANGUAGE", "")
        answer_problem(response, environ, status, detail)
        Route("none").answered(status, 0.0)
        self.log.access(response, request, environ, timedelta())
        connection.leave()
