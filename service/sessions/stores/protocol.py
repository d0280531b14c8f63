"""The interface of a store of sessions. A store knows versions, lifetimes and bytes; it knows no game.

A session is its record (rewritten by every change), its log (one entry for each change, so the version is the length
of the log) and the responses stored under idempotency keys. A change writes all three or nothing. A part of a later
change is written without an entry: it writes the record and a response. Parts are counted from 0 at each version.

Some stored names are older than those of the code, because servers of 0.1.0 may use the same store: `head` is the
record, `answers` are the responses, `kept` is the size of refusals, `noted` are the signing keys in use.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import inf
from typing import NamedTuple, Protocol, TypeAlias

SLOW_SYNC = 1.0  #: Seconds of a wait for the disk from which on the disk counts as slow.
ROUND = 10.0  #: Seconds between two readings of the clock.
ROUNDS = 60  #: Readings in memory: ten minutes of them. They are counted, because no clock is trusted to time them.

FORMAT = 1
"""The format of what a store holds. It rises when an older version could no longer read it."""

UNREADABLE = (TypeError, ValueError, LookupError, AttributeError, RecursionError)
"""The errors of reading an answer that makes no sense: its types are wrong, or it is nested thousands deep."""


class StoreUnavailable(Exception):
    """The store did not answer in time, or refused. A change under way may or may not have been made."""


class StoreFull(StoreUnavailable):
    """There is no room for what is to be written. Nothing was changed; sessions can be read and deleted."""


class StoreSlow(StoreUnavailable):
    """The disk of the store is slow just now, so a change would wait too long. Nothing was changed."""


def check_format(number: int) -> None:
    """Raise `StoreUnavailable` if a newer version than this one has written the store."""
    if number > FORMAT:
        raise StoreUnavailable(f"a newer version wrote the store: its format is {number}, this one reads {FORMAT}")


class WriteResult(Enum):
    """What came of a change."""

    WRITTEN = "written"
    STALE = "stale"  #: Another change came first. Of an opening: the session exists already.
    GONE = "gone"
    LOST = "lost"  #: The session exists, but entries of its log are missing. Nothing is written over them.
    FULL = "full"  #: The session takes no more bytes of responses that go with no change: of refusals.


class Risk(Enum):
    """A way in which a store may lose sessions that nobody deletes."""

    EVICTION = "may-drop"  #: It may drop them when its memory is full.
    MEMORY = "in-memory"  #: It keeps no file: what it holds is lost with its process.


class StoredResponse(NamedTuple):
    """A response and the idempotency key under which it is stored. `fingerprint`: of the request that it answers."""

    key: str
    fingerprint: str
    body: bytes

    @property
    def size(self) -> int:
        """Bytes that are stored."""
        return len(self.key) + len(self.fingerprint) + len(self.body)


@dataclass(frozen=True)
class StoredSession:
    """A session at one reading. `response`: the one stored under the key that the reading was for.

    `parts`: how many came since the version was made. `now`: the store's clock, in ms, the same for all servers.
    """

    version: int
    record: bytes
    response: StoredResponse | None = None
    parts: int = 0
    now: int = field(default=0, compare=False)


class LogEntry(NamedTuple):
    """One entry of a session's log."""

    version: int
    body: bytes


class Change(NamedTuple):
    """A change to a session at version `since` that has `parts` parts. `since` -1: the opening, which makes version 0.

    A change with an entry makes the next version. One without an entry adds a part. `generation`: names one opening of
    the session. A change made for an earlier opening finds the session gone.
    """

    since: int
    record: bytes
    entry: bytes = b""
    response: StoredResponse | None = None
    generation: str = ""
    parts: int = 0

    @property
    def reaches(self) -> tuple[int, int]:
        """The version and the number of parts after it."""
        return (self.since + 1, 0) if self.entry or self.since < 0 else (self.since, self.parts + 1)


class Reached(NamedTuple):
    """How far a session has come, at least: its generation, its version, and how many parts that version has."""

    generation: str
    version: int
    parts: int = 0


Notify: TypeAlias = Callable[[Mapping[str, Reached | None]], None]
"""A callback with sessions that may have changed, and what each has reached; None: unknown, or it may be gone."""


class Copied(NamedTuple):
    """All that is stored of a session. `ends`: in seconds since 1970.

    `refusals_size`: bytes of the responses that go with no change.
    """

    session: str
    generation: str
    version: int
    record: bytes
    ends: float
    refusals_size: int
    log: Sequence[bytes]
    responses: Sequence[StoredResponse]


class Remembered(NamedTuple):
    """What a store holds besides sessions: secrets by name, and the signing keys in use, with the time until which."""

    secrets: Mapping[str, bytes]
    keys_in_use: Mapping[str, float]


class Size(NamedTuple):
    """The bytes that a store holds, of any kind, and the most that its disk or memory lets it hold.

    `whole`: those of the disk or memory, others' included; `opens`: whether there is room for one session more.
    """

    held: int
    most: float = inf
    whole: float = inf
    opens: bool = True


class Clock:
    """The time by which sessions end. If the system's clock is wrong for some minutes, no session ends too early.

    `Sessions.tidy` calls `read` once a round. It remembers ten minutes of readings, each as the difference between the
    system's clock and the monotonic clock, which nobody can set. A wrong clock shows as a difference that is too large
    or too small. So the least difference gives the earliest time that it may be now, and the greatest the latest.
    """

    def __init__(self) -> None:
        self._walls: deque[float] = deque(maxlen=ROUNDS)
        self._offsets = deque([_offset()], maxlen=ROUNDS)

    def read(self) -> None:
        """Read the system's clock once more."""
        self._walls.append(time.time())
        self._offsets.append(_offset())

    def now(self) -> float:
        """A lower bound of the time, in seconds since 1970. Use it to see whether a session has ended."""
        return time.monotonic() + min(_offset(), *self._offsets)

    def latest(self) -> float:
        """An upper bound of the time. Use it to set when a session ends."""
        return time.monotonic() + max(_offset(), *self._offsets)

    def surely_past(self) -> float:
        """A time that has passed by every reading of the last ten minutes. What ended before it may be deleted."""
        return min(self._walls) if len(self._walls) == ROUNDS else -inf


def _offset() -> float:
    """The system's clock minus the monotonic one."""
    return time.time() - time.monotonic()


class Store(Protocol):
    """Every method raises `StoreUnavailable` within about half a second if the store is unavailable.

    Times are in seconds. For every method but `count`, a session that has expired is gone.
    """

    clock: Clock

    def read(self, session: str, key: str | None = None) -> StoredSession | None:
        """The session, and the response stored under an idempotency key."""

    def write(self, session: str, change: Change, lifetime: float) -> WriteResult | StoredResponse:
        """Make a change, or return why not. A response stored under the change's key is returned before any check."""

    def store_response(self, session: str, response: StoredResponse, most: int) -> WriteResult | StoredResponse:
        """Store a response that goes with no change (a refusal), unless such responses have `most` bytes already."""

    def log(self, session: str, after: int, most: int, generation: str = "") -> list[LogEntry]:
        """At most `most` entries with a version above `after`, in order; none if the session has another generation."""

    def delete(self, session: str) -> bool:
        """Delete everything of a session. Returns whether it existed."""

    def count(self) -> int:
        """The number of sessions, including those that have expired and are not deleted yet."""

    def size(self) -> Size:
        """The size of the store. Of several servers, that of the fullest."""

    def sweep(self, due: float) -> bool:
        """Delete some of what expired before time `due`. Returns whether there may be more of it."""

    def put_ticket(self, session: str, ticket: str, holder: str, lifetime: float, most: int) -> None:
        """Store the holder of a ticket. If a holder has more than `most` of a session, the oldest become void.

        A ticket may last longer than its session: compare the generation when it is taken.
        """

    def take_ticket(self, session: str, ticket: str) -> str | None:
        """The holder of a ticket, which can be taken once."""

    def tickets(self) -> int:
        """The number of tickets that can be taken, of all sessions."""

    def begin(self) -> None:
        """Prepare for the first session. Until then a store that is a file need not be there, and makes no file."""

    def secret(self, name: str, fresh: bytes) -> bytes:
        """The secret of this name. If there is none yet, `fresh` becomes it."""

    def stored_secret(self, name: str) -> bytes | None:
        """The secret of this name, if there is one."""

    def mark_in_use(self, key: str, lifetime: float) -> None:
        """Mark a signing key, by its id, as in use for `lifetime` seconds from now on. Before `begin`: do nothing."""

    def keys_in_use(self) -> Mapping[str, float]:
        """The ids of the signing keys that are in use, each with the time until which it is, by the store's clock."""

    def names(self) -> Iterator[str]:
        """The sessions, including those that have expired. Read in portions, as the iterator goes on."""

    def copy(self, session: str) -> Copied | None:
        """All of a session, as it is at one moment."""

    def put(self, copied: Copied) -> None:
        """Write a copied session. There must be none of its name."""

    def format(self) -> int:
        """The format of what is stored; 0: nothing is. Changes nothing in the store, and begins no outage."""

    def remembered(self) -> Remembered:
        """What the store holds besides sessions."""

    def remember(self, remembered: Remembered) -> None:
        """Write these secrets and keys in use, over those of the same names."""

    def risks(self) -> tuple[Risk, ...]:
        """The ways in which the store, as it is set up, may lose what it has acknowledged."""

    def sync_seconds(self) -> float:
        """Seconds that the store last waited for its disk, or waits for it now; 0: none is known."""

    def watch(self, watched: Callable[[], Collection[str]], notify: Notify) -> None:
        """Call `notify` with the sessions that may have changed, as long as any are `watched`. Blocks."""

    def ping(self) -> None:
        """Raise `StoreUnavailable` unless the store takes what a move writes, on each of its servers."""

    def close(self) -> None:
        """Close every connection."""
