"""The gunicorn worker: gevent, HTTP read by llhttp, and a deadline for every wait for a client.

A connection (connection.py) is always in one phase, and a phase in which it waits for its client has a time limit. Four
times a second the worker checks all connections and ends what is late, so no request needs a timer. When there are too
many connections, some that wait for their client are closed.

The hub takes bytes from a socket (connection.py). An idle greenlet (greenlets.py) reads them (reading.py). Once a
request is whole, it calls the application and sends the answer (handler.py, response.py). What the application asks of
the worker is in options.py. Measurements and reasons are in docs/decisions.
"""

from __future__ import annotations

import errno
import faulthandler
import os
import socket
from collections.abc import Callable
from functools import partial
from time import monotonic
from types import FrameType
from typing import IO, Any

import gevent
from gevent import get_hub, monkey
from gunicorn.sock import create_sockets
from gunicorn.workers.ggevent import GeventWorker

from gunicorn_llhttp.connection import WAITS_FOR_INPUT, Connection, Resting, Sending, Streaming, Timed, Waiting
from gunicorn_llhttp.fair_scheduling import input_arrived
from gunicorn_llhttp.greenlets import Greenlets
from gunicorn_llhttp.handler import WSGIHandler
from gunicorn_llhttp.options import Options
from gunicorn_llhttp.processes import END_SIGNALS, Handover

TICK = 0.25  #: Seconds between two checks of all connections.
YOUNG = 1.0
"""Seconds for which a new connection may wait with its first request before it is among the first to be closed."""
AT_ONCE = 64  #: The most clients that are accepted before other work goes on.
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
"""Errors of a system that has no descriptor or memory left for a client."""
SPARE_CONNECTIONS = 128  #: Connections accepted beyond the setting: new ones, and those about to be closed.
FAREWELL = 1.0
"""Seconds after a stop in which an idle connection may bring one more request; its answer says `Connection: close`."""
CLOSED_ONE_IN = 16  #: To make room, one in this many connections is closed.
Socket = monkey.get_original("socket", "socket")
"""The standard library's socket, unpatched. gevent's would wait until it is ready, but the hub knows that it is."""


class Worker(GeventWorker):
    """Serves connections, and closes those that are late."""

    SIGNALS = tuple(each for each in GeventWorker.SIGNALS if each not in END_SIGNALS)
    """Signals whose handlers gunicorn resets before the worker boots. Those that end it keep their handlers."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.connections: set[Connection] = set()
        self.patience = self.cfg.graceful_timeout - 1  # the master kills a worker that takes longer
        self.options = Options()  #: A configuration's `post_worker_init` may set others.
        self.handover = Handover()  # `hooks.pre_fork` replaces it by the one that all workers share
        self.slot, self.generation = 0, self.handover.generation
        self.stacks: IO[bytes] | None = None  #: A file for what this worker does when it is killed; set by the hook.
        self.listens: Callable[[], object] = list  #: Called once this worker listens.
        self.ends_at: float | None = None

    # --- the process -----------------------------------------------------------

    def init_signals(self) -> None:
        """Write our stacks when the master sends SIGABRT, because we did not run."""
        super().init_signals()
        if self.stacks is not None:
            faulthandler.enable(self.stacks)

    def patch(self) -> None:
        """Let the standard library switch greenlets where it waits: gunicorn calls this first."""
        monkey.patch_all()

    def listen(self) -> list[socket.socket]:
        """The sockets that gunicorn opened. With `hooks` it opened none: then this worker's own.

        Those are opened only now, because a client that came earlier would have to wait.
        """
        opened: list[Any] = self.sockets  # gunicorn's own kind, which do not block
        if not opened:
            self.cfg.set("reuse_port", True)
            opened = create_sockets(self.cfg, self.log)
        return [Socket(each.FAMILY, socket.SOCK_STREAM, fileno=each.sock.detach()) for each in opened]

    def run(self) -> None:
        """Listen, and serve until the worker is to end. gunicorn calls this in the worker's process."""
        self.greenlets = Greenlets(partial(self.log.exception, "A connection failed"))
        self.handler = WSGIHandler(self.wsgi, self.options, self.cfg, self.log)
        listeners = [(each, get_hub().loop.io(each.fileno(), WAITS_FOR_INPUT)) for each in self.listen()]
        self.handover.serve(self.slot, self.generation)
        self.notify()  # from here on the minute for a start is over
        self.listens()
        while self.alive or self.is_needed():
            for listening, watcher in listeners:
                watcher.start(self.accept, listening, watcher)
            self.look_after()
            gevent.sleep(TICK)
        self.wind_up(listeners)

    def is_needed(self) -> bool:
        """Whether to go on until the new workers serve. We wait for them half of the time in which we must stop."""
        return self.ends_at is not None and monotonic() < self.ends_at and self.handover.is_needed(self.generation)

    def look_after(self) -> None:
        """Say to the master and the application that the loop runs, and expire connections that are late."""
        self.notify()
        self.options.tick()
        now = monotonic()
        for connection in list(self.connections):
            phase = connection.phase
            if isinstance(phase, Timed) and phase.due < now:
                phase.expire()

    # --- connections -----------------------------------------------------------

    def accept(self, listening: socket.socket, watcher: Any) -> int:
        """Accept waiting clients; return how many. Without room for them, stop until `run` starts the watcher again."""
        for count in range(AT_ONCE):
            if len(self.connections) >= self.worker_connections + SPARE_CONNECTIONS:
                watcher.stop()
                return count
            try:
                client, address = listening.accept()
            except BlockingIOError:
                return count
            except OSError as error:
                if error.errno in EXHAUSTED:
                    watcher.stop()
                    self.log.warning("No connection can be taken for now: %s", error.strerror)
                    self.make_room()
                return count
            client.setblocking(False)
            input_arrived()
            if len(self.connections) >= self.worker_connections:
                self.make_room()  # before the new one is there: its client has had no time to send a request
            self.connections.add(Connection(client, address[:2], self.handler, self.greenlets, self.closed))
            self.options.opened()
        return AT_ONCE

    def closed(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        self.connections.discard(connection)
        self.options.closed()

    def make_room(self) -> None:
        """Close some connections that wait for their client: first those without a request yet, then by age."""
        most = self.worker_connections // CLOSED_ONE_IN + 1
        young = monotonic() - YOUNG
        waiting = [each.phase for each in self.connections if isinstance(each.phase, Waiting)]

        def order(phase: Waiting) -> tuple[bool, float]:
            goes_first = phase.connection.requests == 0 and phase.since <= young
            return not goes_first, phase.since

        for phase in sorted(waiting, key=order):
            if phase.close():
                most -= 1
                if not most:
                    return

    # --- the end ---------------------------------------------------------------

    def wind_up(self, listeners: list[tuple[socket.socket, Any]]) -> None:
        """Answer every request that has reached us, end streams, and close idle connections."""
        for listening, watcher in listeners:
            while self.accept(listening, watcher) == AT_ONCE:  # clients that are waiting already
                pass
            watcher.close()
            listening.close()
        self.handler.ending = True
        limit = monotonic() + self.patience
        farewell = monotonic() + FAREWELL
        while self.connections and monotonic() < limit:
            for connection in list(self.connections):
                match connection.phase:
                    case (Streaming() as stream) | Sending(answering=Streaming() as stream):
                        get_hub().loop.run_callback(stream.end)
                    case Resting() as resting if monotonic() > farewell or not connection.requests:
                        resting.close()
            self.look_after()
            gevent.sleep(TICK / 5)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop once the successors serve; after a second signal, at once. gunicorn calls this for SIGTERM."""
        if not self.booted:
            os._exit(0)  # there are no clients yet
        self.alive = False
        # A second signal ends the wait for successors.
        self.ends_at = monotonic() + self.patience / 2 if self.ends_at is None else 0.0

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:
        """Stop without waiting for clients. gunicorn calls this for SIGINT and SIGQUIT."""
        self.patience = 0
        self.handle_exit(sig, frame)
