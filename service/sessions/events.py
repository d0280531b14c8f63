"""Feeds the streams of one worker. One thread watches the store; each entry is encoded once per view and language.

Listeners are woken a few at a time, so that a session with thousands of them does not delay other requests.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import NamedTuple, TypeAlias

from engines.core.records import changed
from service.sessions import realtime
from service.sessions.record import SessionRecord
from service.sessions.stores.protocol import Reached, Store
from service.sessions.table import Table
from service.sessions.tokens import Bearer, TokenClaim
from service.web import metrics, strict_json
from service.web.fair_scheduling import yield_now

LOG = logging.getLogger(__name__)
AGAIN = 1.0
"""Seconds until the store is watched again after an unexpected error."""
BEAT = 0.5
"""Seconds between two checks for listeners whose heartbeat is due."""
TOGETHER = 32
"""Listeners that are woken before the thread yields to requests."""
PORTION = 20
"""Most entries that a stream takes at once."""
CACHED = 8 * 1024 * 1024
"""Bytes of encoded entries that are cached: some ten thousand entries."""
AROUND = 300
"""Bytes of memory that a cached entry takes besides its text: for its name, and for its place in the cache."""


Expect: TypeAlias = Callable[[str, SessionRecord, int], None]


class StreamedEvent(NamedTuple):
    """A log entry as a stream sends it."""

    version: int
    encoded: bytes


class EventCache:
    """Encoded entries by name. Above `most` bytes in all, the least recently used are dropped."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._events: OrderedDict[Hashable, bytes] = OrderedDict()

    def get(self, name: Hashable) -> bytes | None:
        """The entry of this name, if it is still cached."""
        if name in self._events:
            self._events.move_to_end(name)
        return self._events.get(name)

    def put(self, name: Hashable, encoded: bytes) -> None:
        """Cache an entry."""
        self._size += len(encoded) + AROUND - self._taken_by(self._events.pop(name, None))
        self._events[name] = encoded
        while self._size > self._most:
            self._size -= self._taken_by(self._events.popitem(last=False)[1])

    def _taken_by(self, encoded: bytes | None) -> int:
        return 0 if encoded is None else len(encoded) + AROUND


@dataclass
class ShownLive:
    """What a stream has shown of a session in real time.

    `closes`: when the latest incident shown closes, to tell it apart. `ended`: whether the clock was shown as ended.
    """

    closes: int | None = None
    parts: int = -1
    """How many parts of the incident; -1: the stream has just begun. Its first event has all parts so far."""
    ended: bool | None = None


class Channel:
    """A session that has listeners in this worker. `news`: it may have changed since it was last read."""

    def __init__(self, store: Store, cache: EventCache, name: str, generation: str, expect: Expect) -> None:
        self.listeners: set[StreamListener] = set()
        self.news = True
        self._closed = False
        self._store = store
        self._cache = cache
        self._name = name
        self._generation = generation
        self._expect = expect
        self._version = 0
        self._heard = 0, 0
        self._now = 0.0
        """The store's clock minus this process's monotonic clock, in ms."""
        self._record: SessionRecord | None = None
        self._tables: dict[str, Table] = {}
        self._lock = threading.Lock()

    def hear(self, reached: Reached | None) -> None:
        """Note that the session has reached this version at least; None: it may have changed, or ended."""
        if reached is None or reached.generation != self._generation:
            self.news = True
        elif reached[1:] > self._heard:  # else it has been read since, or is being read
            self._heard = reached.version, reached.parts
            self.news = True

    def closed_to(self, claim: TokenClaim) -> bool:
        """Whether no more entries follow: the session is deleted, or the bearer's token has been renewed."""
        return self._closed or (self._record is not None and not self._record.honours(claim))

    def after(self, last: int, claim: TokenClaim, language: str) -> list[StreamedEvent]:
        """At most `PORTION` entries after version `last`, as the bearer of this claim sees them."""
        if last >= self._version and not self.news and not self._lock.locked():
            return []  # there is no later entry, and no other stream is reading the session
        bearer = claim.bearer
        with self._lock:
            if self.news:
                self._read()
            if self.closed_to(claim):
                return []
            events: list[StreamedEvent] = []
            for version in range(last + 1, min(last + PORTION, self._version) + 1):
                encoded = self._cache.get((self._name, self._generation, version, bearer, language))
                if encoded is None:
                    return events or self._encoded(last, bearer, language)
                events.append(StreamedEvent(version, encoded))
            return events

    def _read(self) -> None:
        """Read the session's latest version, once for all its listeners."""
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
            self._tables.clear()  # they were made before the cards were dealt
        self._version, self._heard = kept.version, (kept.version, kept.parts)
        self._record = record
        self._now = kept.now - time.monotonic() * 1000
        self._expect(self._name, record, kept.now)

    def live(self, last: int, claim: TokenClaim, shown: ShownLive) -> Iterator[bytes]:
        """The events of the incident and of the clock that a stream has not `shown` yet.

        There are none until the stream has sent all entries: `last` is the version of the latest one that it sent.
        """
        record = self._record
        if record is None or last < self._version or self.closed_to(claim):
            return
        now = round(self._now + time.monotonic() * 1000)
        if record.incident is not None:
            parts, closes = record.incident["parts"], record.incident["closes"]
            if shown.closes != closes:
                shown.closes, shown.parts = closes, len(parts) - 1 if shown.parts < 0 else 0
            while shown.parts < len(parts):
                shown.parts += 1
                so_far = changed(record, incident={**record.incident, "parts": parts[: shown.parts]})
                yield b"event: incident\ndata: %b\n\n" % strict_json.dumps(realtime.incident(so_far, now))
        shown.parts = max(shown.parts, 0)
        clock = realtime.clock(record, now)
        if clock is not None and shown.ended != (ended := clock.ends_in_ms == 0):
            shown.ended = ended
            yield b"event: clock\ndata: %b\n\n" % strict_json.dumps(clock)

    def _encoded(self, last: int, bearer: Bearer, language: str) -> list[StreamedEvent]:
        if self._record is None:
            return []
        if language not in self._tables:
            self._tables[language] = Table.of(self._record, language)
        table, events = self._tables[language], []
        for version, entry in self._store.log(self._name, last, PORTION, self._generation):
            shown = strict_json.dumps(table.entry(version, entry, bearer))
            encoded = b"id: %d\nevent: entry\ndata: %b\n\n" % (version, shown)
            self._cache.put((self._name, self._generation, version, bearer, language), encoded)
            events.append(StreamedEvent(version, encoded))
        return events


class StreamListener:
    """One stream. `woken`: set when its session may have changed, and when its heartbeat is `due`, by the monotonic
    clock. `ended`: it has to leave its place to another client.
    """

    def __init__(self, client: str, channel: Channel) -> None:
        self.client = client
        self.channel = channel
        self.woken = threading.Event()
        self.due = inf
        self.ended = False


class Feed:
    """The listeners of this worker, `most` at most. When all places are taken, clients share them evenly."""

    def __init__(self, store: Store, most: int, expect: Expect) -> None:
        """`expect`: called with each session that is read, with its record and the store's clock."""
        self._store = store
        self._expect = expect
        self._most = most
        self._cache = EventCache(CACHED)
        self._channels: dict[str, dict[str, Channel]] = {}
        self._clients: defaultdict[str, list[StreamListener]] = defaultdict(list)
        self._changed: dict[str, None] = {}
        self._news = threading.Event()
        self._lock = threading.Lock()
        self._listened = threading.Event()
        """Whether there is any channel."""
        self._running = False

    @property
    def listeners(self) -> int:
        """The number of listeners, of all sessions."""
        return sum(map(len, tuple(self._clients.values())))

    def has_place(self, client: str) -> bool:
        """Whether the client may have one more: a place is free, or another client has at least two more than it."""
        most_held = max(map(len, tuple(self._clients.values())), default=0)
        return self.listeners < self._most or most_held - len(self._clients.get(client, ())) > 1

    @contextmanager
    def listening(self, client: str, name: str, generation: str) -> Iterator[StreamListener]:
        """Listen to a session for the length of the block."""
        with self._lock:
            full = not self.has_place(client)  # others may have come since `has_place` was called
            if self.listeners >= self._most and not full:
                self._end_one()
            channels = self._channels.setdefault(name, {})
            if generation not in channels:
                channels[generation] = Channel(self._store, self._cache, name, generation, self._expect)
            channel = channels[generation]
            listener = StreamListener(client, channel)
            listener.ended = full
            channel.listeners.add(listener)
            channel.news = True
            if not full:
                self._clients[client].append(listener)
            self._listened.set()
            running, self._running = self._running, True
        for work in () if running else (self._watch, self._wake_changed):
            threading.Thread(target=work, daemon=True).start()
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
                if not self._channels:
                    self._listened.clear()

    def _end_one(self) -> None:
        """End the newest stream of the client that has most streams."""
        listener = max(self._clients.values(), key=len)[-1]
        listener.ended = True
        self._leave_place(listener)
        listener.woken.set()

    def _leave_place(self, listener: StreamListener) -> None:
        held = self._clients.get(listener.client, [])
        if listener in held:
            held.remove(listener)
        if not held:
            self._clients.pop(listener.client, None)

    def wake(self, sessions: Mapping[str, Reached | None]) -> None:
        """Wake the listeners of these sessions. A worker also calls it for its own changes, before the store's notice.

        Listeners are woken even if their channel knows the version: some may not have sent it yet.
        """
        for session, reached in sessions.items():
            for channel in tuple(self._channels.get(session, {}).values()):
                channel.hear(reached)
                self._changed[session] = None
        if self._changed:
            self._news.set()

    def _wake_changed(self) -> None:
        woken = 0
        checked = time.monotonic()
        while self._listened.wait():
            self._news.wait(BEAT)
            self._news.clear()
            if (now := time.monotonic()) - checked > BEAT:
                checked = now
                self._wake_due(now)
            while self._changed:
                session, _ = self._changed.popitem()
                for channel in tuple(self._channels.get(session, {}).values()):
                    for listener in tuple(channel.listeners):
                        listener.woken.set()
                        woken += 1
                        if woken % TOGETHER == 0:
                            yield_now()

    def _wake_due(self, now: float) -> None:
        """Wake listeners whose heartbeat is due. A timer for each listener would double its cost."""
        for listener in [each for some in tuple(self._clients.values()) for each in some]:
            if listener.due < now:
                listener.woken.set()

    def _watch(self) -> None:
        while self._listened.wait():
            try:
                self._store.watch(lambda: tuple(self._channels), self.wake)
            except Exception:
                LOG.exception("changes are not noticed for a moment")
                time.sleep(AGAIN)
