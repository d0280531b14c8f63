"""Tells the streams of one worker what happens: one watcher of the store, and each entry made once for each view.

Who listens is woken a few at a time, so that a session with thousands of listeners holds up nobody else.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import NamedTuple

from service.sessions.recent import Recent
from service.sessions.record import SessionRecord
from service.sessions.stores.protocol import Reached, Store
from service.sessions.table import Table
from service.sessions.tokens import Bearer, TokenClaim
from service.web import metrics, strict_json
from service.web.fair_scheduling import yield_now

LOG = logging.getLogger(__name__)
AGAIN = 1.0
"""Seconds until the store is watched again after a failure that it did not expect."""
BEAT = 0.5
"""Seconds between two looks for listeners who have heard nothing for long."""
TOGETHER = 32
"""Listeners that are woken before others have their turn."""
PORTION = 20
"""Entries that are sent at once."""
KEPT = 8 * 1024 * 1024
"""Bytes of entries that are kept as they were sent: some ten thousand."""


class Told(NamedTuple):
    """An entry as it is sent."""

    version: int
    event: bytes


class Channel:
    """A session to which this worker has listeners. `news`: it may have changed since it was last looked at."""

    def __init__(self, store: Store, recent: Recent, name: str, generation: str) -> None:
        self.listeners: set[Listener] = set()
        self.news = True
        self._closed = False
        self._store = store
        self._recent = recent
        self._name = name
        self._generation = generation
        self._version = self._heard = 0
        self._record: SessionRecord | None = None
        self._tables: dict[str, Table] = {}
        self._lock = threading.Lock()

    def hear(self, reached: Reached | None) -> None:
        """The session is so far, at least. Its listeners are woken even if that is known: not all have seen it."""
        if reached is None or reached.generation != self._generation:
            self.news = True
        elif reached.version > self._heard:  # else somebody has looked since, or is looking
            self._heard = reached.version
            self.news = True

    def closed_to(self, claim: TokenClaim) -> bool:
        """Whether nothing more follows: the session is deleted, or another token is the bearer's now."""
        return self._closed or (self._record is not None and not self._record.honours(claim))

    def after(self, last: int, claim: TokenClaim, language: str) -> list[Told]:
        """The next entries after a version as the bearer of this claim sees them, a portion at most."""
        if last >= self._version and not self.news and not self._lock.locked():
            return []  # it has just been told of the last, and nobody is looking
        bearer = claim.bearer
        with self._lock:
            if self.news:
                self._look()
            if self.closed_to(claim):
                return []
            told: list[Told] = []
            for version in range(last + 1, min(last + PORTION, self._version) + 1):
                event = self._recent.get((self._name, self._generation, version, bearer, language))
                if event is None:
                    return told or self._made(last, bearer, language)
                told.append(Told(version, event))
            return told

    def _look(self) -> None:
        """Find out how far the session is, once for all who listen."""
        self.news = False
        try:
            kept = self._store.read(self._name)
        except BaseException:
            self.news = True
            raise
        record = None if kept is None else SessionRecord.read(kept.head)
        if kept is None or record is None or record.generation != self._generation:
            self._closed = True
            return
        if self._record is None or self._record.state is None:
            self._tables.clear()  # nothing was dealt yet
        self._version = self._heard = kept.version
        self._record = record

    def _made(self, last: int, bearer: Bearer, language: str) -> list[Told]:
        if self._record is None:
            return []
        if language not in self._tables:
            self._tables[language] = Table.of(self._record, language)
        table, told = self._tables[language], []
        for version, entry in self._store.log(self._name, last, PORTION, self._generation):
            shown = strict_json.dumps(table.entry(version, entry, bearer))
            event = b"id: %d\nevent: entry\ndata: %b\n\n" % (version, shown)
            self._recent.put((self._name, self._generation, version, bearer, language), event)
            told.append(Told(version, event))
        return told


class Listener:
    """One stream. `woken`: set whenever its session may have changed, and when it is `due`, by the monotonic clock, to
    say that it is there. `ended`: its place is another client's now.
    """

    def __init__(self, client: str, channel: Channel) -> None:
        self.client = client
        self.channel = channel
        self.woken = threading.Event()
        self.due = inf
        self.ended = False


class Feed:
    """The listeners of this worker. `most`: how many there may be; where all places are taken, clients share them."""

    def __init__(self, store: Store, most: int) -> None:
        self._store = store
        self._most = most
        self._recent = Recent(KEPT)
        self._channels: dict[str, dict[str, Channel]] = {}
        self._clients: defaultdict[str, list[Listener]] = defaultdict(list)
        self._changed: dict[str, None] = {}
        self._news = threading.Event()
        self._lock = threading.Lock()
        self._watching = self._telling = False

    @property
    def listeners(self) -> int:
        """How many there are, of all sessions."""
        return sum(map(len, tuple(self._clients.values())))

    def has_place(self, client: str) -> bool:
        """Whether one more of this client's may listen: there is a place, or another client has two more than it."""
        return self.listeners < self._most or self._most_greedy() - len(self._clients.get(client, ())) > 1

    def _most_greedy(self) -> int:
        return max(map(len, tuple(self._clients.values())), default=0)

    @contextmanager
    def listening(self, client: str, name: str, generation: str) -> Iterator[Listener]:
        """A place among the listeners of a session."""
        with self._lock:
            full = not self.has_place(client)  # many may have asked before one had its place
            if self.listeners >= self._most and not full:
                self._end_one()
            channels = self._channels.setdefault(name, {})
            if generation not in channels:
                channels[generation] = Channel(self._store, self._recent, name, generation)
            channel = channels[generation]
            listener = Listener(client, channel)
            listener.ended = full
            channel.listeners.add(listener)
            channel.news = True
            if not full:
                self._clients[client].append(listener)
            threads = self._needed()
        for thread in threads:
            thread.start()
        try:
            with metrics.streams().track_inprogress():
                yield listener
        finally:
            with self._lock:
                self._leave_place(listener)
                channel.listeners.discard(listener)
                if not channel.listeners:
                    channels.pop(generation, None)
                if not channels:
                    self._channels.pop(name, None)
                    self._news.set()

    def _end_one(self) -> None:
        """The last stream of the client that has most makes room."""
        listener = max(self._clients.values(), key=len)[-1]
        listener.ended = True
        self._leave_place(listener)
        listener.woken.set()

    def _leave_place(self, listener: Listener) -> None:
        held = self._clients.get(listener.client, [])
        if listener in held:
            held.remove(listener)
        if not held:
            self._clients.pop(listener.client, None)

    def wake(self, sessions: Mapping[str, Reached | None]) -> None:
        """Tell who listens to these. A worker calls it for its own changes, too: the store's notice may come later."""
        for session, reached in sessions.items():
            for channel in tuple(self._channels.get(session, {}).values()):
                channel.hear(reached)
                self._changed[session] = None
        if self._changed:
            self._news.set()

    def _needed(self) -> list[threading.Thread]:
        """The threads that are to be started: whoever starts one waits for it, which nobody does with the lock."""
        threads = []
        if not self._watching:
            self._watching = True
            threads.append(threading.Thread(target=self._watch, daemon=True))
        if not self._telling:
            self._telling = True
            threads.append(threading.Thread(target=self._tell, daemon=True))
        return threads

    def _tell(self) -> None:
        woken = 0
        looked = time.monotonic()
        while True:
            self._news.wait(BEAT)
            self._news.clear()
            if (now := time.monotonic()) - looked > BEAT:
                looked = now
                self._wake_due(now)
            while self._changed:
                session, _ = self._changed.popitem()
                for channel in tuple(self._channels.get(session, {}).values()):
                    for listener in tuple(channel.listeners):
                        listener.woken.set()
                        woken += 1
                        if woken % TOGETHER == 0:
                            yield_now()
            with self._lock:
                if not self._channels:
                    self._telling = False
                    return

    def _wake_due(self, now: float) -> None:
        """One look at all, instead of a timer for each: that would cost as much as all else that is done for one."""
        for listener in [each for some in tuple(self._clients.values()) for each in some]:
            if listener.due < now:
                listener.woken.set()

    def _watch(self) -> None:
        while True:
            try:
                self._store.watch(lambda: tuple(self._channels), self.wake)
            except Exception:
                LOG.exception("changes are not noticed for a moment")
                time.sleep(AGAIN)
            with self._lock:
                if not self._channels:
                    self._watching = False
                    return
