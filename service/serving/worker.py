"""What gunicorn runs the service on: gevent, with HTTP read by llhttp and a bound on everything that a client can make
us wait for.

A connection (connection.py) is always in one phase, and a phase has a number of seconds. The worker looks at all
connections four times a second and shuts the socket of each that has overrun: whoever waits on that socket then sees
its end. No timer is started for a request, and nothing is thrown into a running one. Where there are too many
connections, those let go first have brought no request yet, then those that have rested longest.

The hub takes bytes (connection.py), which become a request (reading.py); when all of it is here the application is
called in a greenlet that is there (greenlets.py), and its answer is sent (answering.py, response.py). What was measured
stands in docs/decisions/0001-worker.md and 0003-http-in-c.md.
"""

from __future__ import annotations

import os
import socket
from functools import partial
from time import monotonic
from types import FrameType
from typing import Any

import gevent
from gevent import get_hub, monkey
from gunicorn.sock import create_sockets
from gunicorn.workers.ggevent import GeventWorker

from service.serving.answering import Answering
from service.serving.connection import RESTING, Connection
from service.serving.door import Door
from service.serving.ending import ENDS
from service.serving.greenlets import Greenlets
from service.serving.handover import Handover
from service.serving.pulse import Pulse
from service.web import metrics

TICK = 0.25
"""Seconds between two looks at the connections."""
YOUNG = 1.0
"""Seconds in which a connection that has just come may still bring its first request."""
SPARE = 128
"""Connections beside those that are held: they have just come, or are about to be let go."""
FAREWELL = 1.0
"""Seconds in which a connection that rests when we stop may bring one more request, and learns that it ends."""
PORTION = 16
"""One in so many of the connections is let go where there are too many."""
Socket = monkey.get_original("socket", "socket")
"""The system's own: the hub says when one is ready, so gevent's, which waits for that, would only cost."""


class Worker(GeventWorker):
    """Serves connections, and closes those that overrun."""

    SIGNALS = tuple(each for each in GeventWorker.SIGNALS if each not in ENDS)
    """Signals without a handler while the worker boots. Those that end it always have one."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.connections: set[Connection] = set()
        self.pulse = Pulse(self.tmp.notify)
        self.patience = self.cfg.graceful_timeout - 1  # the master kills a worker that takes longer
        self.handover = Handover()  # the configuration exchanges it for one that all share
        self.place, self.round = 0, self.handover.round
        self.ends_at: float | None = None

    # --- the process -----------------------------------------------------------

    def patch(self) -> None:
        monkey.patch_all()

    def listen(self) -> list[socket.socket]:
        """Our own listening sockets, unless there were some before the application was loaded."""
        taken: list[Any] = self.sockets  # gunicorn's own kind
        if not taken:
            self.cfg.set("reuse_port", True)
            taken = create_sockets(self.cfg, self.log)
        return [Socket(each.FAMILY, socket.SOCK_STREAM, fileno=each.sock.detach()) for each in taken]

    def run(self) -> None:
        self.greenlets = Greenlets(partial(self.log.exception, "A connection failed"))
        self.answering = Answering(self.wsgi, self.cfg, self.log)
        doors = [Door(each, self.welcome, self.has_room, self.no_room) for each in self.listen()]
        self.pulse.start()
        self.handover.serves(self.place, self.round)
        while self.alive or self.is_needed():
            for door in doors:
                door.open()
            self.look_after()
            gevent.sleep(TICK)
        self.wind_up(doors)

    def is_needed(self) -> bool:
        """Whether those who replace us do not serve yet; they have half of the time that we have for an end."""
        return self.ends_at is not None and monotonic() < self.ends_at and self.handover.needed(self.round)

    def look_after(self) -> None:
        """Notice whether the master is still there; write what was counted; close connections that are late."""
        self.pulse.look()
        self.notify()
        metrics.write()
        now = monotonic()
        for connection in list(self.connections):
            if connection.due < now and (connection.phase is not RESTING or connection.rests):
                connection.expire()

    def welcome(self, client: socket.socket, address: tuple[str, int]) -> None:
        """Take a client in; who is there already makes room."""
        self.connections.add(Connection(client, address, self.answering, self.greenlets, self.gone))
        metrics.connections().inc()
        if len(self.connections) > self.worker_connections:
            self.make_room()

    def gone(self, connection: Connection) -> None:
        self.connections.discard(connection)
        metrics.connections().dec()

    def has_room(self) -> bool:
        return len(self.connections) - SPARE < int(self.worker_connections)

    def make_room(self) -> None:
        """Let go of some connections on which we wait for the client, at once and without a word."""
        most = self.worker_connections // PORTION + 1
        young = monotonic() - YOUNG
        for connection in sorted(self.connections, key=lambda each: (each.answered or each.since > young, each.since)):
            if connection.idles:
                connection.close()
                most -= 1
                if not most:
                    return

    def no_room(self, error: OSError) -> None:
        self.log.warning("No connection can be taken for now: %s", error.strerror)
        self.make_room()

    def wind_up(self, doors: list[Door]) -> None:
        """Answer every request that has reached us; streams have no end of their own.

        Whoever uses a connection learns from an answer that it ends. One that nobody uses is closed without.
        """
        for door in doors:
            door.close()
        limit = monotonic() + self.patience
        farewell = monotonic() + FAREWELL
        while self.connections and monotonic() < limit:
            for connection in list(self.connections):
                connection.last = True
                if connection.stream is not None:
                    get_hub().loop.run_callback(connection.end_stream)
                elif connection.rests and (monotonic() > farewell or not connection.answered):
                    connection.close()
            self.look_after()
            gevent.sleep(TICK / 5)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.booted:
            os._exit(0)  # nobody is served yet
        self.alive = False
        # At the second signal we wait for nobody.
        self.ends_at = monotonic() + self.patience / 2 if self.ends_at is None else 0.0

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:
        self.patience = 0
        self.handle_exit(sig, frame)
