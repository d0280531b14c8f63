"""A client's connection: the phase it is in, and how long that may take."""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from fcntl import ioctl
from termios import FIONREAD
from time import monotonic
from typing import cast

import gevent
from gevent import Greenlet

from service.config import Serving

SERVING = Serving.from_environment()
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


class ClientGone(Exception):
    """The other side of a connection hung up, or was hung up on."""


def _current() -> Greenlet[..., None]:
    """The greenlet that serves a connection; gevent's own type says less."""
    return cast("Greenlet[..., None]", gevent.getcurrent())


@dataclass(eq=False, slots=True)
class Connection:
    """A client's socket as gunicorn's parser and response use it, and the phase it is in."""

    socket: socket.socket
    address: object
    listener: object
    greenlet: Greenlet[..., None] = field(default_factory=_current)
    phase: Phase = Phase.RESTING
    due: float = field(default_factory=lambda: monotonic() + Phase.RESTING.limit)
    late: bool = False
    streams: bool = False
    last: bool = False
    """No further request is taken after this one."""
    answered: bool = False
    """It has brought a request before."""

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

    @property
    def idles(self) -> bool:
        """We wait for the client: nothing of it is at work, or waits for us."""
        return not self.late and (self.phase is Phase.RECEIVING or self.rests)

    @property
    def entered(self) -> float:
        """When its phase began."""
        return self.due - self.phase.limit

    def shed(self) -> None:
        """Let go of it at once, without a word."""
        self._shut(socket.SHUT_RDWR)

    def expire(self) -> None:
        self._shut(self.phase.way)

    def _shut(self, way: int) -> None:
        self.late = True
        self.due = NEVER
        with suppress(OSError):
            self.socket.shutdown(way)

    def recv(self, size: int) -> bytes:
        if self.phase is Phase.RECEIVING:
            gevent.sleep(1e-6)  # what has come already is had without waiting: let others in between
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
        """Let the client read our last words: closing while it still sends would make the kernel drop them."""
        self.enter(Phase.LEAVING)
        if self.late:
            gevent.sleep(Phase.LEAVING.limit)  # shut for reading already: shut both ways, it would refuse those bytes
            return
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
            while self.socket.recv(65_536):
                pass
