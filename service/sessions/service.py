"""What the calls on sessions share in one process: the store, the tokens, the locks, and the streams."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, MutableSequence, Sequence
from contextlib import contextmanager, suppress
from math import ceil, inf
from typing import Literal, TypeAlias

from service import metrics
from service.config import Settings
from service.contract.answers import Checks
from service.seeds import ENGLISH
from service.sessions.capacity import Capacity, lifetime
from service.sessions.events import Feed
from service.sessions.outcomes import LogLost, NotFound, NotInvited, Refused, Unauthorized, VoidTicket
from service.sessions.record import SessionRecord, Unreadable, entry_read, may_be_public
from service.sessions.session_request import RequestKey, SessionRequest
from service.sessions.stores import measured, open_store
from service.sessions.stores.protocol import (
    ROUND,
    SLOW_SYNC,
    Change,
    LogEntry,
    Reached,
    Risk,
    Store,
    StoredSession,
    StoreFull,
    StoreSlow,
    StoreUnavailable,
    WriteResult,
)
from service.sessions.table import Snapshot, Table
from service.sessions.timers import Timers
from service.sessions.tokens import HOST, TokenClaim, Tokens, key_id, named
from service.words.phrases import phrase

LOG = logging.getLogger(__name__)
PAUSE_BETWEEN_SWEEPS = 0.02  #: Seconds between two sweeps, so that others can write in between.
MARKING = 60.0  #: Seconds after which a signing key that is still in use is marked so in the store again.
WARNINGS = {
    Risk.EVICTION: "the store may drop sessions when its memory is full: set its maxmemory-policy to noeviction",
    Risk.MEMORY: "the store keeps no append-only file: what it has is lost with its process",
}
"""The warning that is logged for each risk."""
ATTEMPTS = 20  #: How often a change is attempted when other changes come first.
EXAMINING = 9  #: Seconds that `examine` sleeps for each second that it works. Meanwhile requests run.
STAYS_SLOW = 3 * ROUND  #: Seconds for which a disk that was slow counts as slow. `tidy` looks again before they end.
AT_ONCE = 50  #: Entries of a log that are read from the store at once.
CACHED_TABLES = 512  #: Sessions whose tables a worker keeps in memory.
LOCKS = 1024
PATIENCE = 2.0
"""Seconds that a change waits for its lock. If it waited less, a crowd at one table would look like an outage."""
NAME = re.compile(r"[0-9a-f]{32}", re.ASCII)
TokenKeys: TypeAlias = Literal["ready", "missing", "differ"]
"""Whether this server has the keys of all tokens that are in use. Servers mark these keys in the store.

`missing`: it lacks one, and refuses its tokens. `differ`: it lacks one, and the key that signs here is not marked: the
other servers do not seem to have that key, and would refuse tokens made here."""


class SessionLocks:
    """The locks of a worker. Changes of one session run one after the other; a few sessions may share a lock."""

    def __init__(self) -> None:
        self._locks = [threading.Lock() for _ in range(LOCKS)]
        self._running: set[str] = set()

    @contextmanager
    def held(self, session: str, key: RequestKey | None) -> Iterator[None]:
        """Hold the session's lock; raises `StoreUnavailable` if it is not free within `PATIENCE`.

        A second request with the same key is refused at once.
        """
        request = None if key is None else f"{session} {key.name}"
        if request in self._running:
            raise Refused("request-in-progress", phrase("still-running"), 1)
        if request is not None:
            self._running.add(request)
        lock = self._locks[hash(session) % LOCKS]
        try:
            if not lock.acquire(timeout=PATIENCE):
                raise StoreUnavailable("the session is busy")
            try:
                yield
            finally:
                lock.release()
        finally:
            if request is not None:
                self._running.remove(request)


class Sessions:
    """The sessions in the store, and what this process needs to serve them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store: Store = measured(open_store(settings.store_url))
        self.tokens = Tokens(settings.token_keys, lambda: self.store)
        self.feed = Feed(self.store, settings.streams, self.expect)
        self.locks = SessionLocks()
        self.capacity = Capacity(settings, self.store)
        self.unreadable: MutableSequence[int] = [0]
        """How many sessions `examine` could not read. gunicorn's configuration lets all workers share it."""
        self.slow_until: MutableSequence[float] = [0.0]
        """Until when, by the monotonic clock, the disk of the store counts as slow. All workers share it, too."""
        self._logged: tuple[TokenKeys, tuple[Risk, ...]] = "ready", ()
        self._marked: dict[str, float] = {}
        self._cached: OrderedDict[str, tuple[int, Table]] = OrderedDict()
        self.timers = Timers(self._come_back)

    def check(self) -> Checks:
        """Check all that sessions need. A problem is logged once, and again when the result changes."""
        unreadable, writes = self.unreadable[0] or None, self._writes()
        try:
            self.store.ping()
            in_use = self.store.keys_in_use()
            keys, missing = self._token_keys(in_use)
            older_tokens = self._older_tokens(in_use)
            risks, space = self.store.risks(), self.capacity.space()
        except StoreFull:
            return Checks(sessions="ready", room="full", unreadable=unreadable, writes=writes)
        except StoreSlow:
            return Checks(sessions="ready", unreadable=unreadable, writes="slow")
        except StoreUnavailable:
            return Checks(sessions="away", unreadable=unreadable, writes=writes)
        if (keys, risks) != self._logged:
            for risk in risks:
                LOG.warning(WARNINGS[risk])
            if keys != "ready":
                LOG.warning("keys that made tokens of these sessions are not set here: %s", ", ".join(missing))
        self._logged = keys, risks
        return Checks(
            sessions="ready",
            token_keys=keys,
            eviction=Risk.EVICTION.value if Risk.EVICTION in risks else None,
            room=None if space == "ready" else space,
            unreadable=unreadable,
            durability=Risk.MEMORY.value if Risk.MEMORY in risks else None,
            writes=writes,
            older_tokens=older_tokens,
        )

    def _older_tokens(self, in_use: Mapping[str, float]) -> int | None:
        """Seconds until no token of a key that does not sign here is in use any more; None if none is now.

        A token is in use for as long as a session lives after the token was last sent. `in_use`: `Store.keys_in_use`.
        """
        ignored = {*list(self.tokens.by_id)[:1], *self.settings.dropped_keys}
        ends = [end for key, end in in_use.items() if key not in ignored]
        return ceil(max(ends) - self.store.clock.now()) if ends else None

    def _writes(self) -> Literal["slow"] | None:
        """Whether a worker of this server has waited long for the disk of the store lately. It is logged once."""
        seconds, now = self.store.sync_seconds(), time.monotonic()
        if seconds:
            metrics.store_sync_seconds().set(seconds)
        if seconds > SLOW_SYNC:
            if now > self.slow_until[0]:
                LOG.warning("the disk of the store is slow: copying the log into the file took %.1f s", seconds)
            self.slow_until[0] = now + STAYS_SLOW
        return "slow" if now < self.slow_until[0] else None

    def examine(self) -> None:
        """Count the sessions that this version cannot read, with pauses, because a store may hold a million."""
        count = 0
        with suppress(StoreUnavailable):
            for name in self.store.names():
                began = time.monotonic()
                try:
                    for _ in self._read_in_portions(name):
                        time.sleep(EXAMINING * (time.monotonic() - began))
                        began = time.monotonic()
                except Unreadable:
                    count += 1
                    self.unreadable[0] = count
        if count:
            LOG.error("this version cannot read %d of the sessions in the store: they answer 503", count)

    def _read_in_portions(self, session: str) -> Iterator[None]:
        """Read a session and its log. Yields after each portion; raises `Unreadable`."""
        if stored := self.store.read(session):
            record = Table.of(SessionRecord.read(stored.record), ENGLISH).record
            yield
            for portion in self.log(session, 0, stored.version, record.generation):
                for _version, entry in portion:
                    entry_read(entry, HOST.name)  # raises if it cannot be read
                yield

    def log(self, session: str, since: int, version: int, generation: str) -> Iterator[Sequence[LogEntry]]:
        """The log after version `since`, up to `version`, in small portions. It ends early if the log does."""
        while since < version:
            portion = self.store.log(session, since, min(AT_ONCE, version - since), generation)
            if not portion:
                return
            yield portion
            since = portion[-1].version

    def tidy(self) -> None:
        """Delete expired sessions, round after round. Never returns."""
        while True:
            time.sleep(ROUND)
            self._writes()
            self.store.clock.read()  # so that the bounds of the time below know of a clock that was set meanwhile
            try:
                while self.store.sweep(self.store.clock.surely_past()):
                    time.sleep(PAUSE_BETWEEN_SWEEPS)
            except StoreUnavailable:
                continue
            except Exception:
                LOG.exception("what has expired stays for a while")

    def _token_keys(self, in_use: Collection[str]) -> tuple[TokenKeys, list[str]]:
        """Whether keys are missing here, and their ids. A key that is listed as dropped does not count."""
        known = self.tokens.by_id
        missing = sorted({*in_use} - {*known, *self.settings.dropped_keys})
        signing_key = next(iter(known), None)
        if not missing:
            return "ready", missing
        return ("missing" if signing_key in in_use else "differ"), missing

    def mark_signing_key(self) -> None:
        """Mark the key that signs here as in use. An opening is refused if the keys `differ`."""
        if self._token_keys(self.store.keys_in_use())[0] == "differ":
            self.check()  # logs it
            raise Refused("store-unavailable", phrase("keys-differ"), 5)
        self.store.begin()
        self._mark_key(key_id(self.tokens.keys[0]))

    def _mark_key(self, key: str) -> None:
        """Mark the signing key of this id as in use, for as long as a session lives after its last move."""
        if time.monotonic() - self._marked.get(key, -inf) > MARKING:
            self._marked[key] = time.monotonic()
            with suppress(StoreUnavailable):
                self.store.mark_in_use(key, self.settings.session_hours * 3600 + MARKING)

    def claim(self, token: str, session: str) -> TokenClaim:
        """The claim of a token. A forged token is refused, and so is an invite."""
        claim = self.tokens.read(token, session)
        if claim is None or claim.bearer.role == "invite":
            raise Unauthorized
        self._mark_key(token.split(".")[2])
        return claim

    def invited(self, invite: str, session: str, seat: str) -> TokenClaim:
        """The claim of an invite. Anything but the invite to this seat is refused."""
        claim = self.tokens.read(invite, session)
        if claim is None or claim.bearer.name != f"invite-{seat}":
            raise NotInvited
        return claim

    def find(self, request: SessionRequest) -> Snapshot:
        """The session as it is now. Without a token only public sessions are found."""
        if not NAME.fullmatch(request.session):
            raise Unauthorized
        claim = request.claim
        current = self._current(request.session, request.key_name, only_public=claim is None)
        if current is None:
            raise Unauthorized if claim is None else NotFound
        stored, record = current
        if claim is None and not record.public:
            raise Unauthorized
        if claim is not None and claim.generation != record.generation:
            raise NotFound
        # A renewal made its own token void; the same request, sent again, gets the stored response.
        renewed = request.call == "tokens" and request.repeats(stored.response)
        if claim is not None and not record.honours(claim) and not renewed:
            raise Unauthorized
        table = Table.of(record, request.language_in(record.game))
        if record.testing:
            request.on_testing()
        return Snapshot(
            request.session, request.bearer, stored.version, table, stored.response, stored.parts, stored.now
        )

    def _current(
        self, session: str, key: str | None = None, *, only_public: bool = False
    ) -> tuple[StoredSession, SessionRecord] | None:
        """Read the session from the store. If time has made moves due, this or another server stores them first.

        `only_public`: take a private session for none, before it is decoded. Else the time would show that it exists.
        """
        for _ in range(ATTEMPTS):
            stored = self.store.read(session, key)
            if stored is None or (only_public and not may_be_public(stored.record)):
                return None
            record = SessionRecord.read(stored.record)
            settled = Table.of(record, ENGLISH).settled() if record.is_due(stored.now) else None
            if settled is None:
                return stored, record
            table, entry = settled
            change = Change(stored.version, table.record.written(), entry, None, record.generation, stored.parts)
            written = self.store.write(session, change, lifetime(table.record, self.settings))
            if written is WriteResult.LOST:
                raise LogLost
            if written is WriteResult.WRITTEN:
                if table.record.moves > record.moves:
                    metrics.count_verdict(record.game, "legal")
                self.feed.notify({session: Reached(record.generation, stored.version + 1)})
        raise StoreUnavailable("other changes always came first")

    def expect(self, session: str, record: SessionRecord, now: int) -> None:
        """Set a timer for the moves that time will make. `now`: by the store's clock."""
        at = record.next_at(now)
        if at is not None:
            self.timers.expect(session, at, now)

    def _come_back(self, session: str) -> None:
        """Store the moves that time has made due, if any, and notify the session's streams."""
        current = self._current(session)
        if current is not None:
            stored, record = current
            self.expect(session, record, stored.now)
            self.feed.notify({session: None})

    def forget(self, session: str) -> None:
        """Drop what this worker has of a session that was deleted, and end its streams."""
        self._cached.pop(session, None)
        self.timers.forget(session)
        self.feed.notify({session: None})

    def find_by_ticket(self, request: SessionRequest, ticket: str) -> Snapshot:
        """The session as it is now, for the bearer of a ticket, which can be used once."""
        holder = self.store.take_ticket(request.session, ticket) if NAME.fullmatch(request.session) else None
        if holder is None:
            raise VoidTicket
        try:
            name, generation, renewal = holder.split(".")
            return self.find(request._replace(claim=TokenClaim(named(name), generation, int(renewal))))
        except (NotFound, Unauthorized, ValueError):
            raise VoidTicket from None

    def cached(self, request: SessionRequest) -> Snapshot | None:
        """The session as this worker last wrote it, if cached. The store refuses a change made to an older version."""
        version, table = self._cached.get(request.session, (0, None))
        claim = request.claim
        if table is None or claim is None or not table.record.honours(claim):
            return None
        if table.record.testing:
            request.on_testing()
        return Snapshot(
            request.session, claim.bearer, version, table.in_language(request.language_in(table.record.game))
        )

    def remember(self, session: str, version: int, table: Table, parts: int, now: int) -> None:
        """Cache a session that was written, and notify its streams. The least recently written leaves the cache first.

        A session in real time is not cached: its changes depend on the store's clock (`now`), which the cache does not
        know. It gets a timer instead.
        """
        self._cached.pop(session, None)
        if table.record.gather_ms is None and table.record.clock is None:
            self._cached[session] = version, table
        else:
            self.expect(session, table.record, now)
        if len(self._cached) > CACHED_TABLES:
            self._cached.popitem(last=False)
        self.feed.notify({session: Reached(table.record.generation, version, parts)})
