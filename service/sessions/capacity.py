"""The capacity of the store, and each client's share of it.

A share is a leaky bucket. Each opening adds to it, and a full bucket drains in the time that an unplayed session is
kept. Each worker has its own buckets; gunicorn's configuration divides the share among the workers.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from contextlib import suppress
from typing import Literal, TypeAlias

from service.config import Settings
from service.sessions.outcomes import Refused, Share, ShareUsedUp
from service.sessions.record import SessionRecord
from service.sessions.stores.protocol import Size, Store, StoreUnavailable
from service.words.phrases import phrase

LOG = logging.getLogger(__name__)
Space: TypeAlias = Literal["ready", "for-play", "full"]
"""What the store takes. `ready`: everything; `for-play`: moves, but no openings; `full`: nothing."""
LOGGED: dict[Space, str] = {
    "ready": "the store has room again",
    "for-play": "the store has room for moves only: no session is opened",
    "full": "the store is full: moves are refused, too",
}
BETWEEN_MEASUREMENTS = 1.0  #: The fewest seconds between two measurements of the store.
RESERVED_PART = 10
"""One part in ten of the store's bytes is reserved for moves. When only that is left, no session is opened."""
SESSION_PART = 16  #: A session takes at most one part in so many of the store's disk or memory.
MOST_BUCKETS = 100_000  #: Clients that have buckets; the one used least recently loses its bucket first.


def lifetime(record: SessionRecord, settings: Settings) -> float:
    """Seconds that a session lives after a change.

    A session without a move lives for a shorter time, unless it is a rematch: its players may come much later.
    A session of tests may have a lifetime of its own.
    """
    if record.expires_in is not None:
        return record.expires_in
    played = record.moves or record.incident or record.counted or record.is_rematch
    return 3600 * (settings.session_hours if played else min(settings.unplayed_hours, settings.session_hours))


class Shares:
    """Each client's leaky bucket. `most`: what one holds; `seconds`: how long a full one takes to drain."""

    def __init__(self, most: float, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._leak = most / seconds
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str, amount: float) -> Share:
        """Put an amount into a client's bucket if it fits; returns what is then left of the client's share."""
        now = time.monotonic()
        level, since = self._levels.pop(client, (0.0, now))
        level = max(level - (now - since) * self._leak, 0.0)
        surplus = level + amount - self._most
        if surplus <= 0 or level == 0:  # more than a whole share fits into an empty bucket
            level += amount
            left, wait = max(int(self._most - level), 0), 0.0
        else:
            left, wait = 0, min(surplus, level) / self._leak
        self._levels[client] = level, now
        if len(self._levels) > MOST_BUCKETS:
            self._levels.popitem(last=False)
        return Share(int(self._most), int(self._seconds), left, wait, full_in=level / self._leak)


class Capacity:
    """The capacity of one store."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store
        self._shares = Shares(settings.client_openings, settings.unplayed_hours * 3600)
        self._measured_at = float("-inf")
        self._sessions = 0
        self._size = Size(0)
        self._logged: Space = "ready"

    def opening(self, client: str, size: int) -> Share:
        """Count an opening, or refuse it if it does not fit the store or the client's share. `size`: in bytes."""
        settings = self._settings
        if self.space() != "ready":
            self._measured_at = float("-inf")
        self._admit("ready")
        fair = settings.store_bytes / settings.open_sessions
        share = self._shares.take(client, max(1.0, size / fair))
        if share.wait:
            raise ShareUsedUp(share)
        self._sessions += 1
        self._size = self._size._replace(held=self._size.held + size)
        return share

    def change(self) -> None:
        """Refuse a change if the store is full."""
        self._admit("ready", "for-play")

    def _admit(self, *sufficient: Space) -> None:
        """Refuse what is to be stored, unless the space that the store has is one of the `sufficient` ones."""
        if self.space() not in sufficient:
            raise Refused("store-unavailable", phrase("store-full"), 60)

    def figures(self) -> dict[str, float]:
        """What the store holds, as last measured, beside what it may hold, by the names of the metrics."""
        figures: dict[str, float] = {
            "referee_sessions": self._sessions,
            "referee_sessions_limit": self._settings.open_sessions,
            "referee_store_bytes": self._size.held,
            "referee_store_bytes_limit": self._most(),
        }
        with suppress(StoreUnavailable):
            figures["referee_tickets"] = self._store.tickets()
        return figures

    def _most(self) -> float:
        """The bytes that the store may hold: by the settings, or by its disk or memory if that is less."""
        return min(self._size.most, self._settings.store_bytes)

    @property
    def session_bytes(self) -> int:
        """The bytes that a session may take: by the settings, or a part of the disk or memory if that is less."""
        return int(min(self._settings.session_bytes, self._size.whole / SESSION_PART))

    def space(self) -> Space:
        """What the store has room for, measured at most once a second: sessions and moves, moves alone, or nothing.

        A change is logged, also the one for the better: then it is known when the trouble ended.
        """
        now = time.monotonic()
        if now - self._measured_at > BETWEEN_MEASUREMENTS:
            self._measured_at = now
            with suppress(StoreUnavailable):  # a server of a cluster may fail: so does a call that needs it
                self._sessions, self._size = self._store.count(), self._store.size()
        held, most = self._size.held, self._most()
        opens = self._size.opens and held < most - most // RESERVED_PART
        space: Space = "ready"
        if held >= most:
            space = "full"
        elif not opens or self._sessions >= self._settings.open_sessions:
            space = "for-play"
        if space != self._logged:
            self._logged = space
            LOG.warning(LOGGED[space])
        return space
