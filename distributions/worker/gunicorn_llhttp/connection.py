"""A client's connection: one phase after the other, each with the methods that it allows, and with its time.

A phase is an object. It begins when it is made, and ends when another is made:

- `Resting`: nothing of a request has been read.
- `Receiving`: a part of one has.
- `Working`: a greenlet reads what has come, and answers a request that is whole.
- `Streaming`: the greenlet sends an event stream.
- `Sending`: the client is to read, before the answer goes on.
- `Queued`: the next request came together with the last one. Other clients are served first.
- `Leaving`: the last answer has been sent, and the client is to read it.
- `CutOff`: the socket is shut, and the greenlet's next call fails.
- `Closed`.

The hub calls `readable`, `go_on`, `take`, `time_out` and `end`, the worker `expire` and `close`. All other methods are
called in the connection's greenlet.
"""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import NamedTuple, Protocol
from wsgiref.types import WSGIEnvironment

from gevent import get_hub
from gevent.socket import wait_write
from greenlet import GreenletExit, getcurrent

from gunicorn_llhttp.fair_scheduling import input_arrived
from gunicorn_llhttp.greenlets import Greenlets
from gunicorn_llhttp.in_flight import Held
from gunicorn_llhttp.reading import Interim, Reader
from gunicorn_llhttp.refusals import RefusedRequest

PIECE = 32 * 1024  #: Bytes that are read from a socket at once.
WAITS_FOR_INPUT = 1  #: What a watcher of the hub waits for.
GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"
FAREWELL = 2.0  #: Seconds of `Leaving`.


class ClientGone(Exception):
    """The client has closed the connection, or was cut off."""


class Seconds(NamedTuple):
    """How long a connection may rest, a request may take to arrive, and a client may take to read."""

    resting: float
    receiving: float
    sending: float


class Handler(Protocol):
    """What answers the requests of all connections."""

    seconds: Seconds

    def held(self) -> Held: ...

    def reader(self, connection: Connection) -> Reader: ...

    def answer(self, working: Working, environ: WSGIEnvironment) -> bool:
        """Answer a request; return whether the connection can take another."""

    def refuse(self, working: Working, refusal: RefusedRequest) -> None:
        """Answer a request that cannot be given to the application."""


class Connection:
    """A client's socket, and what its phases share."""

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
        self.held = handler.held()
        self.reader = handler.reader(self)
        self.watcher = get_hub().loop.io(client.fileno(), WAITS_FOR_INPUT)
        self.requests = 0  #: How many it has brought.
        self.phase: Phase = Resting(self)

    def read(self) -> bytes | None:
        """What the client has sent; empty if it has closed, None if nothing has come."""
        try:
            return self.socket.recv(PIECE)
        except BlockingIOError:
            return None
        except (OSError, MemoryError):
            return b""

    def has_input(self) -> bool:
        """Whether the kernel has bytes of the client. Without any, the client is silent or has closed."""
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def write(self, data: bytes | memoryview) -> int:
        """Send what the kernel takes at once; return its length. Raises ClientGone."""
        try:
            return self.socket.send(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise ClientGone from error

    def forget(self) -> None:
        """Drop the body of the request that was read last. A client may keep its connection and send nothing more."""
        self.reader.forget()
        self.held.release()


class Phase:
    """What a connection is doing. It begins when it is made."""

    __slots__ = ("connection",)

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        connection.phase = self


class Timed(Phase, ABC):
    """The connection waits for its client. `since`: when that began, by `monotonic`."""

    __slots__ = ("since",)

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.since = monotonic()

    @property
    @abstractmethod
    def due(self) -> float:
        """When it must be over."""

    @abstractmethod
    def expire(self) -> None:
        """End what takes too long."""


class Waiting(Timed):
    """The client is to send a request, or the rest of one."""

    __slots__ = ()

    def __init__(self, connection: Connection) -> None:
        self.connection = connection  # without `super`, because this happens once a request
        connection.phase = self
        self.since = monotonic()
        connection.watcher.start(self.readable)

    def readable(self) -> None:
        """Take what the client has sent, or close the connection if the client has."""
        input_arrived()
        data = self.connection.read()
        if data:
            Working(self.connection, self.begun).take(data)
        elif data is not None:
            Closed(self.connection)

    @property
    @abstractmethod
    def begun(self) -> float | None:
        """When the request began to arrive; None if nothing of it is here."""

    @abstractmethod
    def close(self) -> bool:
        """Close the connection, unless a request is coming; return whether it is closed."""


class Resting(Waiting):
    """Nothing of a request has been read."""

    __slots__ = ()
    begun = None

    @property
    def due(self) -> float:
        """When it is closed if no request comes."""
        return self.since + self.connection.handler.seconds.resting

    def close(self) -> bool:
        """Close it, unless a request has arrived; return whether it was closed."""
        if self.connection.has_input():
            return False
        Closed(self.connection)
        return True

    def expire(self) -> None:
        """Close it, unless a request has arrived."""
        self.close()


class Receiving(Waiting):
    """A part of a request has been read. `since`: when its first bytes came."""

    __slots__ = ()

    def __init__(self, connection: Connection, since: float | None) -> None:
        super().__init__(connection)
        if since is not None:
            self.since = since

    @property
    def due(self) -> float:
        """When the request must be whole."""
        return self.since + self.connection.handler.seconds.receiving

    @property
    def begun(self) -> float:
        """When the request began."""
        return self.since

    def close(self) -> bool:
        """Close it although a request has begun."""
        Closed(self.connection)
        return True

    def expire(self) -> None:
        """Refuse the request because it came too slowly."""
        self.connection.watcher.stop()
        get_hub().loop.run_callback(Working(self.connection, self.since).time_out)


class Answering(Phase):
    """A greenlet works for the connection. What the client sends meanwhile stays in the kernel."""

    __slots__ = ()

    def send(self, data: bytes) -> None:
        """Send all of it, and wait for a client that reads slowly. Raises ClientGone."""
        connection = self.connection
        connection.greenlets.let_others_start()
        sent = connection.write(data)
        if sent < len(data):
            Sending(connection, self).send(memoryview(data)[sent:])


class Working(Answering):
    """A greenlet reads what has come, and answers a request that is whole.

    `begun`: when the request began to arrive; None if what is read now is its beginning.
    """

    __slots__ = ("begun",)

    def __init__(self, connection: Connection, begun: float | None) -> None:
        self.connection = connection  # without `super`, because this happens once a request
        connection.phase = self
        self.begun = begun

    def take(self, data: bytes) -> None:
        """Read what has come, and answer a request that is whole. To be called in the hub."""
        self.connection.greenlets.run(partial(self._take, data))
        if isinstance(self.connection.phase, Working):
            self.connection.watcher.stop()

    def time_out(self) -> None:
        """Refuse a request that has not arrived in time. To be called in the hub."""
        late = RefusedRequest(HTTPStatus.REQUEST_TIMEOUT, "took-too-long")
        self.connection.greenlets.run(partial(self._refuse, late))

    def stream(self) -> Streaming:
        """Go on with an event stream, in this greenlet."""
        return Streaming(self.connection)

    def _take(self, data: bytes) -> None:
        """`take`, in a greenlet."""
        connection = self.connection
        reader = connection.reader
        try:
            environ = reader.feed(data)
            if environ is Interim.CONTINUE:
                self.send(GO_ON)
                self.begun = None  # the time to send the body starts now
                environ = reader.feed(b"")
            if environ is None:
                Receiving(connection, self.begun)
                return
            assert environ is not Interim.CONTINUE, "it is sent once a request"
            connection.requests += 1
            keeps = connection.handler.answer(self, environ)
            connection.forget()
            if not keeps:
                Closed(connection)
            elif reader.has_begun:
                Queued(connection)
            else:
                Resting(connection)
        except RefusedRequest as refusal:
            self._refuse(refusal)
        except ClientGone:
            Closed(connection)
        except BaseException:
            Closed(connection)
            raise

    def _refuse(self, refusal: RefusedRequest) -> None:
        """Answer a request that cannot be given to the application, and leave."""
        connection = self.connection
        connection.forget()
        try:
            connection.handler.refuse(self, refusal)
            Leaving(connection)
        except ClientGone:
            Closed(connection)
        except BaseException:
            Closed(connection)
            raise


class Streaming(Answering):
    """The greenlet sends an event stream, which ends as soon as the client closes the connection."""

    __slots__ = ("greenlet",)

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.greenlet = getcurrent()
        connection.watcher.start(self.readable)

    def readable(self) -> None:
        """End the stream if the client has closed. Another request stays in the kernel."""
        self.connection.watcher.stop()
        if not self.connection.has_input():
            self.end()

    def end(self) -> None:
        """Raise GreenletExit where the stream waits, unless it is over."""
        phase = self.connection.phase
        if phase is self or (isinstance(phase, Sending) and phase.answering is self):
            self.greenlet.throw(GreenletExit)

    def send(self, data: bytes) -> None:
        """Send all of it. A stream that ends in the middle of a piece sends no more: its client could not read that."""
        try:
            super().send(data)
        except GreenletExit:
            raise ClientGone from None


class Sending(Timed):
    """The client is to read, before the answer goes on. `answering`: the phase that goes on then."""

    __slots__ = ("answering",)

    def __init__(self, connection: Connection, answering: Answering) -> None:
        super().__init__(connection)
        self.answering = answering
        if not isinstance(answering, Streaming):
            connection.watcher.stop()

    @property
    def due(self) -> float:
        """When the client must have taken the answer."""
        return self.since + self.connection.handler.seconds.sending

    def send(self, rest: memoryview) -> None:
        """Send all of it. Raises ClientGone."""
        connection, size = self.connection, len(rest)
        connection.held.add(size)
        try:
            while rest:
                wait_write(connection.socket.fileno())
                rest = rest[connection.write(rest) :]
        finally:
            connection.held.add(-size)
        connection.phase = self.answering

    def expire(self) -> None:
        """Cut the client off, which takes the answer too slowly."""
        CutOff(self.connection)


class CutOff(Phase):
    """The client has not read in time. The greenlet's next call fails, because the socket is shut."""

    __slots__ = ()

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        with suppress(OSError):
            connection.socket.shutdown(socket.SHUT_RDWR)


class Queued(Phase):
    """The next request came together with the last one. Other clients are served first."""

    __slots__ = ()

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        connection.watcher.stop()  # a busy hub may see that input is there before it calls `go_on`
        get_hub().loop.run_callback(self.go_on)

    def go_on(self) -> None:
        """Read the request."""
        Working(self.connection, None).take(b"")


class Leaving(Timed):
    """The client is to read the last answer: if we closed while it still sends, the kernel would drop that answer."""

    __slots__ = ()

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        with suppress(OSError):
            connection.socket.shutdown(socket.SHUT_WR)
        connection.watcher.start(self.readable)

    @property
    def due(self) -> float:
        """When it is closed, whether or not the client has closed it."""
        return self.since + FAREWELL

    def readable(self) -> None:
        """Drop what the client sends, until it closes."""
        if self.connection.read() == b"":
            Closed(self.connection)

    def expire(self) -> None:
        """Close it."""
        Closed(self.connection)


class Closed(Phase):
    """The connection is over."""

    __slots__ = ()

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        connection.watcher.close()
        connection.socket.close()
        connection.forget()
        connection.on_close(connection)
