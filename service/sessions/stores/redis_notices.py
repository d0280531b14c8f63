"""Notices of changes, by publish/subscribe. Each session has its own channel, on the server that has the session.

From Redis 7 on these are sharded channels, whose notices stay on the servers of their slot. An older cluster passes
every notice on to all its servers.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from math import inf

from redis import Redis
from redis.client import PubSub
from redis.exceptions import RedisError, TimeoutError  # noqa: A004

from service.sessions.stores.outage import PROBING
from service.sessions.stores.protocol import UNREADABLE, Reached, StoreUnavailable, Wake
from service.sessions.stores.redis_servers import Reply, Servers

TICK = 0.25
"""Seconds between two checks of which sessions are watched."""
LISTENING = 5.0
"""Seconds between two pings of a connection that listens."""
SHARDED = 7
"""The first version of Redis with sharded channels, and with `redis.REDIS_VERSION_NUM` in scripts."""


def tell(reached: str = "''") -> str:
    """The end of a script: publish the session's generation, version and parts, or an empty notice if it is gone."""
    return f"redis.call(redis.REDIS_VERSION_NUM and 'SPUBLISH' or 'PUBLISH', KEYS[1], {reached})"


def channel(session: str) -> str:
    """The channel of a session. Its name is that of the session's head, so both have the same slot."""
    return f"referee:{{{session}}}"


class Notices:
    """Calls `wake` when a watched session changes, and when a notice of it may have been missed."""

    def __init__(self, servers: Servers, watched: Callable[[], Collection[str]], wake: Wake) -> None:
        self._servers = servers
        self._watched = watched
        self._wake = wake
        self._listeners: dict[Redis, NoticeListener] = {}

    def pass_on(self) -> None:
        """Pass notices on as long as anything is watched."""
        before: set[str] = set()
        places: object = None
        try:
            while sessions := set(self._watched()):
                with suppress(StoreUnavailable):
                    if self._servers.places() != places:
                        places, before = self._servers.places(), set()
                        self._drop()
                    for session in before - sessions:
                        self._listener(session).want(session, wanted=False)
                    for session in sessions - before:
                        self._listener(session).want(session)
                    before = sessions
                time.sleep(TICK)
        finally:
            for listener in self._drop():
                listener.ended.wait()

    def _drop(self) -> list[NoticeListener]:
        dropped = [*self._listeners.values()]
        for listener in dropped:
            listener.stopped = True
        self._listeners.clear()
        return dropped

    def _listener(self, session: str) -> NoticeListener:
        server = self._servers.having(channel(session))
        if server not in self._listeners:
            self._listeners[server] = NoticeListener(server, self._servers.renew, self._wake)
        return self._listeners[server]


class NoticeListener:
    """One connection on which a server sends the notices of some sessions."""

    def __init__(self, server: Redis, renew: Callable[[], object], wake: Wake) -> None:
        self._server = server
        self._renew = renew
        self._wake = wake
        self._wanted: set[str] = set()
        self._subscribed: set[str] = set()
        self._changed = False
        self.stopped = False
        self.ended = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def want(self, session: str, *, wanted: bool = True) -> None:
        """Subscribe to a session's notices, or unsubscribe if they are not `wanted` any more."""
        (self._wanted.add if wanted else self._wanted.discard)(session)
        self._changed = True

    def _listen(self) -> None:
        try:
            while not self.stopped:
                try:
                    sharded = int(self._server.info("server")["redis_version"].split(".")[0]) >= SHARDED
                    with self._server.pubsub() as line:
                        self._subscribed.clear()
                        self._changed = True
                        self._hear(line, sharded=sharded)
                except (RedisError, *UNREADABLE):
                    self._renew()
                    time.sleep(PROBING)
        finally:
            self.ended.set()

    def _hear(self, line: PubSub, *, sharded: bool) -> None:
        """Take notices until the listener is stopped or the connection is cut."""
        pinged, answered = -inf, True
        while not self.stopped:
            if self._changed:
                self._changed = False
                self._subscribe(line, sharded=sharded)
            if line.subscribed and time.monotonic() - pinged > LISTENING:
                if not answered:
                    raise TimeoutError("the server has fallen silent")
                pinged, answered = time.monotonic(), False
                line.ping()
            notice = line.get_message(timeout=TICK)  # raises MovedError if another server has a session now
            if notice and notice["type"] == "pong":
                answered = True
            elif notice:
                self._take(notice)

    def _subscribe(self, line: PubSub, *, sharded: bool) -> None:
        begin, end = (line.ssubscribe, line.sunsubscribe) if sharded else (line.subscribe, line.unsubscribe)
        wanted = set(self._wanted)
        for session in wanted - self._subscribed:  # one by one: the channels of one command must be of one slot
            begin(channel(session))
        for session in self._subscribed - wanted:
            end(channel(session))  # type: ignore[no-untyped-call]
        self._subscribed = wanted

    def _take(self, notice: Reply) -> None:
        session = str(notice["channel"], "ascii").removeprefix("referee:{").removesuffix("}")
        if notice["type"].endswith("unsubscribe"):
            if session in self._wanted:
                raise RedisError("the server does not have the session any more")
            return
        reached = None
        if notice["type"].endswith("message") and notice["data"]:  # else the version is unknown, or the session is gone
            generation, version, *parts = str(notice["data"], "ascii").split()
            reached = Reached(generation, int(version), *map(int, parts))
        self._wake({session: reached})
