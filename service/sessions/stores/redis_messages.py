"""Messages of changes, by publish/subscribe. Each session has its own channel, on the server that has the session.

From Redis 7 on these are sharded channels, whose messages stay on the servers of their slot. An older cluster sends
every message on to all its servers.
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
from service.sessions.stores.protocol import UNREADABLE, Notify, Reached, StoreUnavailable
from service.sessions.stores.redis_servers import Reply, Servers

TICK = 0.25  #: Seconds between two checks of which sessions are watched.
LISTENING = 5.0  #: Seconds between two pings of a connection that listens.
SHARDED = 7  #: The first version of Redis with sharded channels, and with `redis.REDIS_VERSION_NUM` in scripts.


def publish(reached: str = "''") -> str:
    """The end of a script: publish the session's generation, version and parts, or an empty message if it is gone."""
    return f"redis.call(redis.REDIS_VERSION_NUM and 'SPUBLISH' or 'PUBLISH', KEYS[1], {reached})"


def channel(session: str) -> str:
    """The channel of a session. Its name is that of the session's hash, so both have the same slot."""
    return f"referee:{{{session}}}"


def relay(servers: Servers, watched: Callable[[], Collection[str]], notify: Notify) -> None:
    """Call `notify` when a watched session changes, or a message may have been missed. Blocks while any is watched."""
    listeners: dict[Redis, Listener] = {}
    homes: dict[str, Redis] = {}
    places: object = None
    try:
        while sessions := set(watched()):
            with suppress(StoreUnavailable):
                if servers.places() != places:
                    places, homes = servers.places(), {}
                    _stop(listeners)
                homes = {each: homes.get(each) or servers.having(channel(each)) for each in sessions}
                for server in {*homes.values()} - {*listeners}:
                    listeners[server] = Listener(server, servers.renew, notify)
                for server, listener in listeners.items():
                    listener.wanted = {each for each, home in homes.items() if home is server}
            time.sleep(TICK)
    finally:
        for thread in _stop(listeners):
            thread.join()


def _stop(listeners: dict[Redis, Listener]) -> list[threading.Thread]:
    """Stop all listeners, and forget them; return their threads, which end soon."""
    stopped = [*listeners.values()]
    for listener in stopped:
        listener.stopped = True
    listeners.clear()
    return [listener.thread for listener in stopped]


class Listener:
    """One connection on which a server sends the messages of the sessions that are `wanted`."""

    def __init__(self, server: Redis, renew: Callable[[], object], notify: Notify) -> None:
        self._server = server
        self._renew = renew
        self._notify = notify
        self.wanted: set[str] = set()
        self.stopped = False
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self) -> None:
        """Receive messages, over a new connection after each that is cut, until the listener is stopped."""
        while not self.stopped:
            try:
                sharded = int(self._server.info("server")["redis_version"].split(".")[0]) >= SHARDED
                with self._server.pubsub() as line:
                    self._receive(line, sharded)
            except (RedisError, *UNREADABLE):
                self._renew()
                time.sleep(PROBING)

    def _receive(self, line: PubSub, sharded: bool) -> None:
        """Receive messages until the listener is stopped or the connection is cut."""
        begin, end = (line.ssubscribe, line.sunsubscribe) if sharded else (line.subscribe, line.unsubscribe)
        subscribed: set[str] = set()
        last_ping, is_answered = -inf, True
        while not self.stopped:
            sessions = self.wanted
            for session in sessions - subscribed:  # one by one: the channels of one command must be of one slot
                begin(channel(session))
            for session in subscribed - sessions:
                end(channel(session))  # type: ignore[no-untyped-call]
            subscribed = sessions
            if line.subscribed and time.monotonic() - last_ping > LISTENING:
                if not is_answered:
                    raise TimeoutError("the server has fallen silent")
                last_ping, is_answered = time.monotonic(), False
                line.ping()
            message = line.get_message(timeout=TICK)  # raises MovedError if another server has a session now
            if message and message["type"] == "pong":
                is_answered = True
            elif message:
                self._on_message(message)

    def _on_message(self, message: Reply) -> None:
        """Notify of a changed session. After a subscription has begun, that is unknown, so it may have changed."""
        session = str(message["channel"], "ascii").removeprefix("referee:{").removesuffix("}")
        if message["type"].endswith("unsubscribe"):
            if session in self.wanted:
                raise RedisError("the server does not have the session any more")
            return
        reached = None
        if message["type"].endswith("message") and message["data"]:  # without data the session is gone
            generation, version, *parts = str(message["data"], "ascii").split()
            reached = Reached(generation, int(version), *map(int, parts))
        self._notify({session: reached})
