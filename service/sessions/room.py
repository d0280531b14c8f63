"""What there is room for: the store as a whole, and each client's share of it.

A share is a vessel that leaks: an opening pours in, and in the time that a session lives unplayed a full one runs dry.
It is counted by each worker; gunicorn's configuration divides the whole among them.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from contextlib import suppress
from math import ceil
from typing import Literal, TypeAlias

from service.config import Settings
from service.sessions.record import SessionRecord
from service.sessions.stores.protocol import Store, StoreUnavailable
from service.web.phrases import phrase
from service.web.problems import Problem

LOG = logging.getLogger(__name__)
Space: TypeAlias = Literal["ready", "for-play", "full"]
"""Of the store: it takes all; moves, but no openings; nothing."""
TOLD: dict[Space, str] = {
    "ready": "the store has room again",
    "for-play": "the store has room for moves only: no session is opened",
    "full": "the store is full: moves are refused, too",
}
FRESH = 1.0
"""Seconds for which what the store said of its size is believed."""
FOR_PLAY = 10
"""One in so many of the store's bytes is for moves: where only that is left, nothing is opened."""
KNOWN = 100_000
"""Clients whose shares are remembered."""


def lifetime(record: SessionRecord, settings: Settings) -> float:
    """Seconds that a session lives after a change: long once somebody has moved, short until then."""
    hours = settings.session_hours if record.moves else min(settings.unplayed_hours, settings.session_hours)
    return hours * 3600


class Shares:
    """Each client's vessel. `most`: what one holds; `seconds`: how long a full one takes to run dry."""

    def __init__(self, most: float, seconds: float) -> None:
        self._most = most
        self._leak = most / seconds
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str, amount: float) -> float:
        """Pour an amount in; 0 if there was room for it, else the seconds until there will be."""
        now = time.monotonic()
        level, since = self._levels.pop(client, (0.0, now))
        level = max(level - (now - since) * self._leak, 0.0)
        missing = level + amount - self._most
        fits = missing <= 0 or level == 0  # what is more than a whole share has to wait for an empty vessel
        self._levels[client] = (level + amount if fits else level), now
        if len(self._levels) > KNOWN:
            self._levels.popitem(last=False)
        return 0.0 if fits else min(missing, level) / self._leak


class Room:
    """The room in one store."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store
        self._shares = Shares(settings.client_openings, settings.unplayed_hours * 3600)
        self._looked = float("-inf")
        self._sessions = self._bytes = 0
        self._told: Space = "ready"

    def opening(self, client: str, size: int) -> None:
        """Refuse an opening for which the store, or the client's share, has no room. `size`: bytes of its record."""
        settings = self._settings
        if self.space() != "ready":
            self._looked = float("-inf")
        if self.space() != "ready":
            raise _full()
        fair = settings.store_bytes / settings.open_sessions
        seconds = self._shares.take(client, max(1.0, size / fair))
        if seconds:
            detail = phrase("share-used-up")
            raise Problem("too-many-requests", detail, {"Retry-After": str(ceil(seconds))})
        self._sessions += 1
        self._bytes += size

    def change(self) -> None:
        """Refuse a change where the store is full."""
        if self.space() == "full":
            raise _full()

    def space(self) -> Space:
        """What there is room for; a moment ago, and logged when it changes."""
        self._look()
        most = self._settings.store_bytes
        space: Space = "ready"
        if self._bytes >= most:
            space = "full"
        elif self._bytes >= most - most // FOR_PLAY or self._sessions >= self._settings.open_sessions:
            space = "for-play"
        if space != self._told:
            self._told = space
            LOG.warning(TOLD[space])
        return space

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked > FRESH:
            self._looked = now
            with suppress(StoreUnavailable):  # in parts perhaps: whoever needs the part that is away will hear of it
                self._sessions, self._bytes = self._store.count(), self._store.size()


def _full() -> Problem:
    return Problem("store-unavailable", phrase("store-full"), {"Retry-After": "60"})
