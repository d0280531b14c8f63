"""Feeds the streams of one worker. One thread watches the store; a new entry is encoded once per view and language.

Listeners are notified a few at a time, so that a session with thousands of them does not delay other requests.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from engines.core.records import changed
from service import metrics, strict_json
from service.scheduling import SCHEDULER
from service.sessions.record import SessionRecord, marked
from service.sessions.stores.protocol import LogEntry, Reached, Store
from service.sessions.table import Table
from service.sessions.tokens import Bearer, TokenClaim

LOG = logging.getLogger(__name__)
RETRY_SECONDS = 1.0  #: Seconds until the store is watched again after an unexpected error.
BEAT_CHECK = 0.5
"""Seconds between two checks for listeners whose heartbeat is due. Encoded entries stay until the next check."""
NOTIFIED_AT_ONCE = 32  #: Listeners that are notified before the thread yields to requests.
MOST_ENTRIES_AT_ONCE = 20  #: Most entries that a stream takes at once.
Expect: TypeAlias = Callable[[str, SessionRecord, int], None]


@dataclass
class ShownLive:
    """What a stream has shown of a session in real time.

    `closes`: when the latest incident shown closes, to recognise it. `ended`: whether the clock was shown as ended.
    """

    closes: int | None = None
    parts: int = -1
    """How many parts of the incident; -1: the stream has just begun. Its first event has all parts so far."""
    ended: bool | None = None


class Channel:
    """A session that has listeners in this worker. `news`: it may have changed since it was last read."""

    def __init__(self, store: Store, name: str, expect: Expect) -> None:
        self.listeners: set[StreamListener] = set()
        self.news = True
        self.portions: dict[tuple[int, TokenClaim, str], list[LogEntry]] = {}
        """Entries encoded just now, so that all listeners at one version, with one view and language, share them."""
        self._store = store
        self._name = name
        self._expect = expect
        self._version = 0
        self._reached: Reached | None = None
        self._now = 0.0  #: The store's clock minus this process's monotonic clock, in ms.
        self._record: SessionRecord | None = None
        self._closed = False
        self._lock = threading.Lock()

    def on_message(self, reached: Reached | None) -> None:
        """Remember that the session has reached this version at least; None: it may have changed, or ended."""
        known = self._reached
        if reached is None:
            self.news = True
        elif known is None or reached.generation != known.generation or reached > known:
            self.news = True  # otherwise that version has been read, or is being read
            self._reached = reached

    def closed_to(self, claim: TokenClaim) -> bool:
        """Whether no more entries follow: the session is deleted or opened anew, or the bearer's token was renewed."""
        return self._closed or (self._record is not None and not self._record.honours(claim))

    def after(self, last: int, claim: TokenClaim, language: str) -> list[LogEntry]:
        """At most `MOST_ENTRIES_AT_ONCE` entries after version `last`, encoded as the bearer of the claim sees them."""
        if last >= self._version and not self.news and not self._lock.locked():
            return []  # there is no later entry, and no other stream is reading the session
        with self._lock:
            if self.news:
                self._read()
            if last >= self._version or self.closed_to(claim):
                return []
            portion = self.portions.get((last, claim, language))
            if not portion:
                portion = self.portions[last, claim, language] = self._encoded(last, claim.bearer, language)
            return portion

    def _read(self) -> None:
        """Read the session's latest version, once for all its listeners."""
        self.news = False
        try:
            session = self._store.read(self._name)
        except BaseException:
            self.news = True
            raise
        self._closed = session is None
        if session is None:
            return
        self._record = record = SessionRecord.read(session.record)
        self._version, self._reached = session.version, Reached(record.generation, session.version, session.parts)
        self._now = session.now - time.monotonic() * 1000
        self._expect(self._name, record, session.now)

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
            is_first_event = shown.parts < 0
            if shown.closes != closes:
                shown.closes = closes
                shown.parts = len(parts) - 1 if is_first_event else 0
            while shown.parts < len(parts):
                shown.parts += 1
                so_far = changed(record, incident={**record.incident, "parts": parts[: shown.parts]})
                yield b"event: incident\ndata: %b\n\n" % written(so_far.running_incident(now), record)
        shown.parts = max(shown.parts, 0)
        clock = record.running_clock(now)
        if clock is not None and shown.ended != (ended := clock.ends_in_ms == 0):
            shown.ended = ended
            yield b"event: clock\ndata: %b\n\n" % written(clock, record)

    def _encoded(self, last: int, bearer: Bearer, language: str) -> list[LogEntry]:
        """At most `MOST_ENTRIES_AT_ONCE` entries after a version from the store, as events of a stream."""
        assert self._record is not None, "it has a version"
        table, events = Table.of(self._record, language), []
        for version, entry in self._store.log(self._name, last, MOST_ENTRIES_AT_ONCE, self._record.generation):
            shown = written(table.entry(version, entry, bearer), table.record)
            events.append(LogEntry(version, b"id: %d\nevent: entry\ndata: %b\n\n" % (version, shown)))
        return events


def written(event: object, record: SessionRecord) -> bytes:
    """The data of an event of a session, as JSON."""
    data = strict_json.dumps(event)
    return marked(data) if record.testing else data


class StreamListener:
    """One stream. `notified`: set when its session may have changed, and when its heartbeat is `due`, by the monotonic
    clock. `ended`: it has to leave its place to another client.
    """

    def __init__(self, client: str, channel: Channel) -> None:
        self.client = client
        self.channel = channel
        self.notified = threading.Event()
        self.due = inf
        self.ended = False


class Feed:
    """The listeners of this worker, `most` at most. When all places are taken, clients share them evenly."""

    def __init__(self, store: Store, most: int, expect: Expect) -> None:
        """`expect`: called with each session that is read, with its record and the store's clock."""
        self._store = store
        self._expect = expect
        self._most = most
        self._channels: dict[str, Channel] = {}
        self._clients: defaultdict[str, list[StreamListener]] = defaultdict(list)
        self._changed: dict[str, None] = {}
        self._news = threading.Event()
        self._lock = threading.Lock()
        self._listened = threading.Event()  #: Whether there is any channel.
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
    def listening(self, client: str, name: str) -> Iterator[StreamListener]:
        """Listen to a session for the length of the block."""
        with self._lock:
            full = not self.has_place(client)  # others may have come since `has_place` was called
            if self.listeners >= self._most and not full:
                newest = max(self._clients.values(), key=len)[-1]  # of the client that has most streams
                newest.ended = True
                self._leave_place(newest)
                newest.notified.set()
            if (channel := self._channels.get(name)) is None:
                channel = self._channels[name] = Channel(self._store, name, self._expect)
            listener = StreamListener(client, channel)
            listener.ended = full
            channel.listeners.add(listener)
            channel.news = True
            if not full:
                self._clients[client].append(listener)
            self._listened.set()
            was_running, self._running = self._running, True
        if not was_running:
            for work in (self._watch, self._notify_changed):
                threading.Thread(target=work, daemon=True).start()
        try:
            with metrics.streams().track_inprogress():
                yield listener
        finally:
            with self._lock:
                self._leave_place(listener)
                channel.listeners.discard(listener)
                if not channel.listeners:
                    self._channels.pop(name, None)
                if not self._channels:
                    self._listened.clear()

    def _leave_place(self, listener: StreamListener) -> None:
        """Free the place of a listener, if it has one."""
        held = self._clients.get(listener.client, [])
        if listener in held:
            held.remove(listener)
        if not held:
            self._clients.pop(listener.client, None)

    def notify(self, sessions: Mapping[str, Reached | None]) -> None:
        """Notify the listeners of these sessions. A worker also calls it for its own changes, before any message.

        Listeners are notified even if their channel knows the version: some may not have sent it yet.
        """
        for session, reached in sessions.items():
            if channel := self._channels.get(session):
                channel.on_message(reached)
                self._changed[session] = None
        if self._changed:
            self._news.set()

    def _notify_changed(self) -> None:
        """Notify the listeners of changed sessions, and those whose heartbeat is due, as long as any listens."""
        notified = 0
        checked = time.monotonic()
        while self._listened.wait():
            self._news.wait(BEAT_CHECK)
            self._news.clear()
            if (now := time.monotonic()) - checked > BEAT_CHECK:
                checked = now
                for channel in tuple(self._channels.values()):
                    channel.portions.clear()
                    for listener in tuple(channel.listeners):
                        if listener.due < now:  # a timer for each listener would double its cost
                            listener.notified.set()
            while self._changed:
                session, _ = self._changed.popitem()
                changed_one = self._channels.get(session)
                for listener in tuple(changed_one.listeners if changed_one else ()):
                    listener.notified.set()
                    notified += 1
                    if notified % NOTIFIED_AT_ONCE == 0:
                        SCHEDULER.yield_now()

    def _watch(self) -> None:
        """Watch the store for changes by other workers, as long as any stream listens."""
        while self._listened.wait():
            try:
                self._store.watch(lambda: tuple(self._channels), self.notify)
            except Exception:
                LOG.exception("changes are not noticed for a moment")
                time.sleep(RETRY_SECONDS)
