"""A client's connection: the phase it is in, how long that may take, and its requests one after the other."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fcntl import ioctl
from http import HTTPStatus
from termios import FIONREAD
from time import monotonic
from typing import Protocol

from gevent import get_hub
from gevent.socket import wait_write
from greenlet import GreenletExit, greenlet

from service.config import Serving
from service.serving.greenlets import Greenlets
from service.serving.reading import Reader, Refused, Request
from service.web.fair_scheduling import input_arrived
from service.web.phrases import phrase

SERVING = Serving.from_environment()
NEVER = float("inf")
PIECE = 32 * 1024
"""Bytes that are taken from a socket before others have their turn."""
READ = 1
"""What a watcher of gevent's loop is asked to look for."""
GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(frozen=True, eq=False)
class Phase:
    """What a connection is about, and how many seconds that may take. No Enum: to name a member costs a call."""

    limit: float


RESTING = Phase(SERVING.keepalive_seconds)
RECEIVING = Phase(SERVING.receive_seconds)
WORKING = Phase(NEVER)
SENDING = Phase(SERVING.send_seconds)
LEAVING = Phase(2.0)


class ClientGone(Exception):
    """The other side of a connection hung up, or was hung up on."""


class Service(Protocol):
    """Who answers what a connection brings."""

    def reader(self, connection: Connection) -> Reader:
        """What reads the connection's requests."""

    def answer(self, connection: Connection, request: Request) -> bool:
        """Answer a request; whether the connection can take another."""

    def refuse(self, connection: Connection, refusal: Refused) -> None:
        """Answer what never became a request."""


class Connection:
    """A client's socket. The hub calls `readable`; whatever may wait runs in a greenlet that is there.

    Nothing is read while a request is at work, or while another has come with it: what is sent on waits in the kernel.
    """

    def __init__(
        self,
        client: socket.socket,
        address: tuple[str, int],
        service: Service,
        greenlets: Greenlets,
        gone: Callable[[Connection], object],
    ) -> None:
        self.socket = client
        self.address = address
        self.service = service
        self.greenlets = greenlets
        self.gone = gone
        self.reader = service.reader(self)
        self.stream: greenlet | None = None
        """What sends an answer that has no end of its own."""
        self.last = False
        """No further request is taken after this one."""
        self.answered = False
        """It has brought a request before."""
        self.late = False
        self.closed = False
        self.enter(RESTING)
        self.watcher = get_hub().loop.io(client.fileno(), READ)
        self.watcher.start(self.readable)

    # --- time ------------------------------------------------------------------

    def enter(self, phase: Phase) -> None:
        self.phase = phase
        self.since = monotonic()
        self.due = self.since + phase.limit

    @property
    def rests(self) -> bool:
        """No request is on its way: of what has come, nothing is unread."""
        if self.phase is not RESTING or self.reader.rest:
            return False
        unread = bytearray(4)
        ioctl(self.socket.fileno(), FIONREAD, unread)
        return not any(unread)

    @property
    def idles(self) -> bool:
        """We wait for the client: nothing of it is at work, or waits for us."""
        return not self.late and (self.phase is RECEIVING or self.rests)

    def expire(self) -> None:
        """Its phase has taken too long."""
        if self.phase is RESTING or self.phase is LEAVING:
            self.close()
        else:  # whoever reads or writes the socket meets its end
            self._shut(socket.SHUT_RD if self.phase is RECEIVING else socket.SHUT_RDWR)

    def cut(self) -> None:
        """Break off an answer."""
        self._shut(socket.SHUT_RDWR)

    def _shut(self, way: int) -> None:
        self.late = True
        self.due = NEVER
        with suppress(OSError):
            self.socket.shutdown(way)

    def close(self) -> None:
        """The end. Not to be called while a greenlet is at work for it, except by that one."""
        if not self.closed:
            self.closed = True
            self.watcher.close()
            self.socket.close()
            self.gone(self)

    def end_stream(self) -> None:
        """Let an answer that has no end of its own end here. Called from the hub."""
        if self.stream is not None:
            self.stream.throw(GreenletExit)

    # --- what comes ------------------------------------------------------------

    def readable(self) -> None:
        """What the hub calls when there is something to read, or nothing will come any more."""
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

    def _go_on(self) -> None:
        """What the hub calls when others have had their turn since the last of several requests that came together."""
        if not self.closed:
            self._work(b"")

    def _work(self, data: bytes) -> None:
        self.greenlets.do(self._take, data)
        if (self.phase is WORKING or self.phase is SENDING) and not self.closed:  # the greenlet waits for something
            self.watcher.stop()

    def _take(self, data: bytes) -> None:
        """Go on with what has come; a request that is whole is answered. In a greenlet."""
        try:
            request = self._next(data)
            if request is not None and not self._answer(request):
                self.close()
        except Refused as refusal:
            self.phase, self.due = WORKING, NEVER
            self.service.refuse(self, refusal)
            self._leave()
        except ClientGone:
            self.close()
        except BaseException:
            self.close()
            raise

    def _next(self, data: bytes) -> Request | None:
        if self.late:
            raise Refused(HTTPStatus.REQUEST_TIMEOUT, phrase("took-too-long"))
        request = self.reader.feed(data)
        if request is None:
            if self.phase is RESTING and self.reader.waits:
                self.enter(RECEIVING)
            self._listen()
        return request

    def _answer(self, request: Request) -> bool:
        """Whether the connection rests after it."""
        self.phase, self.due, self.answered = WORKING, NEVER, True
        if not self.service.answer(self, request) or self.late:
            return False
        self.enter(RESTING)
        if self.reader.rest:
            self.watcher.stop()
            get_hub().loop.run_callback(self._go_on)
        else:
            self._listen()
        return True

    def _listen(self) -> None:
        self.watcher.start(self.readable)  # no harm where it is started already

    def _leave(self) -> None:
        """Let the client read our last words: closing while it still sends would make the kernel drop them."""
        self.enter(LEAVING)
        if self.late:  # shut for reading already: shut both ways, it would refuse those bytes
            self.watcher.stop()
            return
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
        self._listen()

    # --- what goes -------------------------------------------------------------

    def tell_to_go_on(self) -> None:
        """Answer `Expect: 100-continue`; the client then has all its time to send the body."""
        self.send(GO_ON)
        self.enter(RECEIVING)

    def send(self, data: bytes) -> None:
        """Send all of it, in a greenlet: who does not read it in time is cut off. Raises ClientGone."""
        self.greenlets.after_others()
        sent = self._send(data)
        if sent < len(data):
            self.enter(SENDING)
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
