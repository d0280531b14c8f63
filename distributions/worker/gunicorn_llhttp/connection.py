"""A client's connection: its phase, how long that may take, and its requests one after the other."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING
from wsgiref.types import WSGIEnvironment

from gevent import get_hub
from gevent.socket import wait_write
from greenlet import GreenletExit, getcurrent, greenlet

from gunicorn_llhttp.fair_scheduling import input_arrived
from gunicorn_llhttp.greenlets import Greenlets
from gunicorn_llhttp.refusals import RefusedRequest

if TYPE_CHECKING:
    from gunicorn_llhttp.handler import Handler

NEVER = float("inf")
PIECE = 32 * 1024  #: Bytes that are read from a socket at once.
READ = 1  #: What a watcher of the hub waits for.
GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"
UNFINISHED = 4  #: One in this many bytes may belong to bodies of one client that are not whole.


class Phase(Enum):
    """What a connection is doing."""

    RESTING, RECEIVING, WORKING, SENDING, LEAVING = range(5)


RESTING, RECEIVING, WORKING, SENDING, LEAVING = Phase
FAREWELL = 2.0  #: Seconds of `LEAVING`.


class ClientGone(Exception):
    """The client has closed the connection, or was cut off."""


class InFlight:
    """The bytes that all connections hold. `unfinished`: those of bodies that are not whole, by client."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.bytes = 0
        self.unfinished = Counter[str]()

    def fits(self, size: int, client: str) -> bool:
        """Whether so many bytes may be added. `client`: whose body is not whole, empty for one that is."""
        fits = self.bytes + size <= self.most
        return fits and (not client or self.unfinished[client] + size <= self.most // UNFINISHED)

    def add(self, size: int, client: str) -> None:
        """Add bytes, or take away as many as are below 0."""
        self.bytes += size
        if client:
            self.unfinished[client] += size
            if not self.unfinished[client]:
                del self.unfinished[client]


class Connection:
    """A client's socket. The hub calls `_readable`; everything that may wait runs in a greenlet.

    While a request is being answered nothing is read: what the client sends stays in the kernel.
    """

    def __init__(
        self,
        client: socket.socket,
        address: tuple[str, int],
        handler: Handler,
        greenlets: Greenlets,
        closed: Callable[[Connection], object],
    ) -> None:
        self.socket = client
        self.address = address
        self.handler = handler
        self.greenlets = greenlets
        self.on_close = closed
        self.in_flight = handler.in_flight
        self.held = 0  #: Bytes of a body that is being read or worked on, and of an answer that waits for its reader.
        self.sender = ""  #: The client, while it sends a body that is not whole.
        self.reader = handler.reader(self)
        self.stream: greenlet | None = None  #: The greenlet that sends an event stream, if there is one.
        self.last = False  #: Whether the connection closes after the next answer.
        self.answered = False  #: Whether it has brought a whole request.
        self.late = False
        self.closed = False
        self.enter(RESTING)
        self.watcher = get_hub().loop.io(client.fileno(), READ)
        self._listen()

    # --- time ------------------------------------------------------------------

    def enter(self, phase: Phase) -> None:
        self.phase = phase
        self.since = monotonic()
        self.due = self.since + self.handler.seconds[phase]

    @property
    def rests(self) -> bool:
        """Whether the connection waits for a request of which nothing has arrived, not even in the kernel."""
        return self.phase is RESTING and not self.reader.has_begun and not self._has_input()

    @property
    def idles(self) -> bool:
        """Whether it waits for its client to send a request or the rest of one. False while it answers a request."""
        return not self.late and (self.phase is RECEIVING or self.rests)

    def expire(self) -> None:
        """End what takes too long, or has failed: close the socket, or shut it so that its greenlet sees the end."""
        if self.phase is RESTING or self.phase is LEAVING:
            self.close()
            return
        self.late = True
        self.due = NEVER
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RD if self.phase is RECEIVING else socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket. While a greenlet works for this connection, only that one may call this."""
        if not self.closed:
            self.closed = True
            self.watcher.close()
            self.socket.close()
            self.forget()
            self.on_close(self)

    def forget(self) -> None:
        """Drop the body of the request that was read last. A client may keep its connection and send nothing more."""
        self.reader.body.clear()
        self.reader.environ.pop("wsgi.input", None)
        self._release()

    def start_stream(self) -> None:
        """Note that this greenlet sends an event stream, which ends as soon as the client closes the connection."""
        self.stream = getcurrent()
        self.watcher.start(self._stream_readable)

    def _stream_readable(self) -> None:
        """The hub calls this when the client has closed, or sends another request, which stays in the kernel."""
        self.watcher.stop()
        if not self._has_input():
            self.end_stream()

    def end_stream(self) -> None:
        """End an event stream. To be called in the hub."""
        if self.stream is not None:
            self.stream.throw(GreenletExit)

    # --- reading ---------------------------------------------------------------

    def _has_input(self) -> bool:
        """Whether the kernel has bytes of the client. Without any, the client is silent or has closed."""
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def _listen(self) -> None:
        self.watcher.start(self._readable)  # may have been started already

    def _readable(self) -> None:
        """The hub calls this when the client has sent something or has closed."""
        input_arrived()
        try:
            data = self.socket.recv(PIECE)
        except BlockingIOError:
            return
        except (OSError, MemoryError):
            data = b""
        if self.phase is LEAVING and data:
            return
        if not data and not self.late:
            self.close()
            return
        self._work(data)

    def _read_on(self) -> None:
        """The hub calls this to go on with a request that arrived together with the previous one."""
        if not self.closed:
            self._work(b"")

    def _work(self, data: bytes) -> None:
        self.greenlets.run(partial(self._take, data))
        waits = self.phase is WORKING or self.phase is SENDING
        if waits and self.stream is None and not self.closed:
            self.watcher.stop()

    def _take(self, data: bytes) -> None:
        """Read what has come, and answer a request that is whole. Runs in a greenlet."""
        try:
            try:
                environ = self._next(data)
                if environ is not None and not self._answer(environ):
                    self.close()
            except RefusedRequest as refusal:
                self.phase, self.due = WORKING, NEVER
                self.forget()
                self.handler.refuse(self, refusal)  # may be cut off as well
                self._leave()
        except ClientGone:
            self.close()
        except BaseException:
            self.close()
            raise

    def _next(self, data: bytes) -> WSGIEnvironment | None:
        if self.late:
            raise RefusedRequest(HTTPStatus.REQUEST_TIMEOUT, "took-too-long")
        environ = self.reader.feed(data)
        if environ is None:
            if self.phase is RESTING and self.reader.has_begun:
                self.enter(RECEIVING)
            self._listen()
        return environ

    def _answer(self, environ: WSGIEnvironment) -> bool:
        """Answer a request; return whether the connection stays open."""
        self.phase, self.due, self.answered = WORKING, NEVER, True
        if not self.handler.answer(self, environ) or self.late:
            return False
        self.forget()
        self.enter(RESTING)
        if self.reader.has_begun:
            self.watcher.stop()
            get_hub().loop.run_callback(self._read_on)  # other clients first
        else:
            self._listen()
        return True

    def _leave(self) -> None:
        """Let the client read the last answer: if we closed while it still sends, the kernel would drop that answer."""
        self.enter(LEAVING)
        if self.late:  # already shut for reading; shut both ways, the kernel would reset the connection
            self.watcher.stop()
            return
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
        self._listen()

    def hold(self, size: int, whole: bool) -> bool:
        """Hold so many bytes of the body that is being read instead of fewer; return whether they fit."""
        self._release()
        client = "" if whole else self.handler.clients.of(self.reader.environ)
        if not self.in_flight.fits(size, client):
            return False
        self.sender = client
        self._hold_more(size)
        return True

    def _hold_more(self, size: int) -> None:
        self.held += size
        self.in_flight.add(size, self.sender)

    def _release(self) -> None:
        self.in_flight.add(-self.held, self.sender)
        self.held, self.sender = 0, ""

    # --- sending ---------------------------------------------------------------

    def go_on(self) -> None:
        """Answer `Expect: 100-continue`. The time to send the body starts now."""
        self.send(GO_ON)
        self.enter(RECEIVING)

    def send(self, data: bytes) -> None:
        """Send all of it, and wait for a client that reads slowly. Raises ClientGone. To be called in a greenlet."""
        self.greenlets.after_others()
        sent = self._send(data)
        if sent < len(data):
            self.enter(SENDING)
            self._hold_more(len(data) - sent)
            rest = memoryview(data)[sent:]
            while rest:
                wait_write(self.socket.fileno())
                rest = rest[self._send(rest) :]
            self.enter(WORKING)

    def _send(self, data: bytes | memoryview) -> int:
        try:
            return self.socket.send(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise ClientGone from error
