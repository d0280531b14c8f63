"""Notices of changes: each session has a channel of its own, at the server that has the session.

Redis 7 keeps such channels to the servers of their slot; an older cluster tells all its servers of every notice.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from math import inf

from redis import Redis
from redis.client import PubSub
from redis.exceptions import MovedError, RedisError, TimeoutError  # noqa: A004

from service.sessions.stores.protocol import Reached, StoreUnavailable, Wake
from service.sessions.stores.redis_servers import COOLING, Reply, Servers

TICK = 0.25
"""Seconds between two looks at which sessions are watched."""
LISTENING = 5.0
"""Seconds after which a server that says nothing is asked whether it is still there."""
BEFORE = "referee:changed"
"""Where servers of an earlier version tell of all sessions."""
BEGIN, END = "referee:{", "}"

SHARDED = 7
"""The first version of Redis with such channels; `redis.REDIS_VERSION_NUM` is as new."""


def tell(reached: str = "''") -> str:
    """What a script says at its end: generation and version that its session has now; nothing where it is gone."""
    return f"redis.call(redis.REDIS_VERSION_NUM and 'SPUBLISH' or 'PUBLISH', KEYS[1], {reached})"


def channel(session: str) -> str:
    """The channel of a session, whose name is that of its head."""
    return f"{BEGIN}{session}{END}"


class Notices:
    """Wakes whoever watches a session when it changes, and when a notice of it may have been missed."""

    def __init__(self, servers: Servers, watched: Callable[[], Collection[str]], wake: Wake) -> None:
        self._servers = servers
        self._watched = watched
        self._wake = wake
        self._listeners: dict[int, Subscriber] = {}

    def pass_on(self) -> None:
        """As long as anything is watched."""
        before: set[str] = set()
        places: object = None
        try:
            while sessions := set(self._watched()):
                with suppress(StoreUnavailable):
                    if self._servers.places() is not places:
                        places, before = self._servers.places(), set()
                        self._drop()
                    for session in before - sessions:
                        self._listener(session).want(session, wanted=False)
                    for session in sessions - before:
                        self._listener(session).want(session)
                    before = sessions
                time.sleep(TICK)
        finally:
            listeners = [*self._listeners.values()]
            self._drop()
            for listener in listeners:
                listener.ended.wait()

    def _drop(self) -> None:
        for listener in self._listeners.values():
            listener.stop()
        self._listeners.clear()

    def _listener(self, session: str) -> Subscriber:
        server = self._servers.having(channel(session))
        if id(server) not in self._listeners:
            self._listeners[id(server)] = Subscriber(server, self._servers.look, self._wake)
        return self._listeners[id(server)]


class Subscriber:
    """One connection on which a server tells of some sessions."""

    def __init__(self, server: Redis, look: Callable[[], object], wake: Wake) -> None:
        self._server = server
        self._look = look
        self._wake = wake
        self._wanted: set[str] = set()
        self._asked: set[str] = set()
        self._sure: set[str] = set()
        self._changed = self._stopped = False
        self.ended = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def want(self, session: str, *, wanted: bool = True) -> None:
        """Be told of it from now on, or no more."""
        (self._wanted.add if wanted else self._wanted.discard)(session)
        self._changed = True

    def stop(self) -> None:
        """Be told of nothing more."""
        self._stopped = True

    def _listen(self) -> None:
        try:
            self._go_on()
        finally:
            self.ended.set()

    def _go_on(self) -> None:
        while not self._stopped:
            try:
                sharded = int(self._server.info("server")["redis_version"].split(".")[0]) >= SHARDED
                with self._server.pubsub() as line:
                    line.subscribe(BEFORE)
                    self._asked.clear()
                    self._sure.clear()
                    self._changed = True
                    self._hear(line, sharded=sharded)
            except RedisError:
                self._look()
                time.sleep(COOLING)

    def _hear(self, line: PubSub, *, sharded: bool) -> None:
        """Until nobody wants to, or the line is cut."""
        spoken, answered = -inf, True
        while not self._stopped:
            if self._changed:
                self._changed = False
                self._subscribe(line, sharded=sharded)
            if time.monotonic() - spoken > LISTENING:
                if not answered:
                    raise TimeoutError("the server has fallen silent")
                spoken, answered = time.monotonic(), False
                line.ping()
            try:
                notice = line.get_message(timeout=TICK)
            except MovedError:  # somebody else has the session now
                self._asked = set(self._sure)
                self._changed = True
                self._look()
                time.sleep(TICK)
                continue
            if notice:
                answered = answered or notice["type"] == "pong"
                self._take(notice)

    def _subscribe(self, line: PubSub, *, sharded: bool) -> None:
        begin, end = (line.ssubscribe, line.sunsubscribe) if sharded else (line.subscribe, line.unsubscribe)
        wanted = set(self._wanted)
        for session in wanted - self._asked:  # one by one: the channels of one command must be of one slot
            begin(channel(session))
        for session in self._asked - wanted:
            end(channel(session))  # type: ignore[no-untyped-call]
        self._sure &= wanted
        self._asked = wanted

    def _take(self, notice: Reply) -> None:
        if notice["type"] == "pong":
            return
        name = str(notice["channel"], "ascii")
        if name == BEFORE:
            session = str(notice["data"], "ascii") if notice["type"] == "message" else ""
        else:
            session = name.removeprefix(BEGIN).removesuffix(END)
        if notice["type"].endswith("unsubscribe"):
            self._sure.discard(session)
            if session in self._wanted:  # the server says that it has it no more
                self._asked.discard(session)
                self._changed = True
                self._look()
        elif session:
            reached = None
            if notice["type"].endswith("subscribe"):
                self._sure.add(session)  # its channel is new: it may have changed before
            elif name != BEFORE and notice["data"]:  # servers of an earlier version say nothing
                generation, _, version = str(notice["data"], "ascii").rpartition(" ")
                reached = Reached(generation, int(version))
            self._wake({session: reached})
