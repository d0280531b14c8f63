"""The interface of a store of sessions. A store knows versions, lifetimes and bytes; it knows no game.

A session is its head (rewritten by every change), its log (one entry for each change, so the version is the length of
the log) and the answers kept under idempotency keys. A change writes all three or nothing. A part of a later change is
written without an entry: it writes the head and an answer. Parts are counted from 0 at each version.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import inf
from typing import NamedTuple, Protocol, TypeAlias

ROUND = 10.0  #: Seconds between two readings of the clock.
ROUNDS = 60  #: Readings that are kept: ten minutes of them. They are counted, because no clock is trusted to time them.

FORMAT = 1
"""The format in which stores keep sessions. It rises when an older version could no longer read what is kept."""

UNREADABLE = (TypeError, ValueError, LookupError, AttributeError, RecursionError)
"""The errors of reading an answer that makes no sense: its types are wrong, or it is nested thousands deep."""


class StoreUnavailable(Exception):
    """The store did not answer in time, or refused. A change under way may or may not have been made."""


def check_format(found: int) -> None:
    """Raise `StoreUnavailable` if a newer version than this one has written the store."""
    if found > FORMAT:
        raise StoreUnavailable(f"a newer version wrote the store: its format is {found}, this one reads {FORMAT}")


class WriteResult(Enum):
    """What came of a change."""

    WRITTEN = "written"
    STALE = "stale"  #: Another change came first. Of an opening: the session exists already.
    GONE = "gone"
    LOST = "lost"  #: The session exists, but entries of its log are missing. Nothing is written over them.
    FULL = "full"  #: The session cannot keep more bytes of answers that go with no change: of refusals.


class Risk(Enum):
    """A way in which a store may lose sessions that nobody deletes."""

    EVICTION = "may-drop"  #: It may drop them when its memory is full.
    MEMORY = "in-memory"  #: It keeps no file: what it holds is lost with its process.


class KeptAnswer(NamedTuple):
    """An answer kept under an idempotency key. `fingerprint`: of the request that it answers."""

    fingerprint: str
    body: bytes


class Keyed(NamedTuple):
    """An answer and the key to keep it under."""

    key: str
    answer: KeptAnswer

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return len(self.key) + len(self.answer.fingerprint) + len(self.answer.body)


@dataclass(frozen=True)
class KeptSession:
    """A session as one read found it. `answer`: the one kept under the key that the read was given.

    `parts`: how many came since the version was made. `now`: the store's clock, in ms, the same for all servers.
    """

    version: int
    head: bytes
    answer: KeptAnswer | None = None
    parts: int = 0
    now: int = field(default=0, compare=False)


class KeptEntry(NamedTuple):
    """One entry of a session's log."""

    version: int
    body: bytes


class Change(NamedTuple):
    """A change to a session at version `since` that has `parts` parts. `since` -1: the opening, which makes version 0.

    A change with an entry makes the next version. One without an entry adds a part. `generation`: names one opening of
    the session. A change made for an earlier opening finds the session gone.
    """

    since: int
    head: bytes
    entry: bytes = b""
    keyed: Keyed | None = None
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


Wake: TypeAlias = Callable[[Mapping[str, Reached | None]], None]
"""A callback for sessions that may have changed, and what each has reached; None: unknown, or it may be gone."""


class Copied(NamedTuple):
    """All that is kept of a session. `ends`: in seconds since 1970; `kept`: bytes of answers that go with no change."""

    session: str
    generation: str
    version: int
    head: bytes
    ends: float
    kept: int
    log: Sequence[bytes]
    answers: Sequence[Keyed]


class Remembered(NamedTuple):
    """What a store keeps besides sessions: secrets by name, and for each noted name the time until which it is kept."""

    secrets: Mapping[str, bytes]
    noted: Mapping[str, float]


class Size(NamedTuple):
    """The bytes that a store holds, of any kind, and the most that its disk or memory lets it hold."""

    held: int
    most: float = inf


class Clock:
    """The time by which sessions end. If the system's clock is wrong for some minutes, no session ends too early.

    `Sessions.tidy` calls `read` once a round. Ten minutes of readings are kept, each as the difference between the
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
        """The earliest time that it may be now, in seconds since 1970. To see whether a session has ended."""
        return time.monotonic() + min(_offset(), *self._offsets)

    def latest(self) -> float:
        """The latest time that it may be now. To set when a session ends."""
        return time.monotonic() + max(_offset(), *self._offsets)

    def surely_past(self) -> float:
        """A time that has passed by every reading of the last ten minutes. What ended before it may be deleted."""
        return min(self._walls) if len(self._walls) == ROUNDS else -inf


def _offset() -> float:
    return time.time() - time.monotonic()


class Store(Protocol):
    """Every method raises `StoreUnavailable` within about half a second if the store is away.

    Times are in seconds. For every method but `count`, a session that has expired is gone.
    """

    clock: Clock

    def read(self, session: str, key: str | None = None) -> KeptSession | None:
        """The session, and the answer kept under an idempotency key."""

    def write(self, session: str, change: Change, lifetime: float) -> WriteResult | KeptAnswer:
        """Make a change, or return why not. An answer kept under the change's key is returned before any check."""

    def keep(self, session: str, keyed: Keyed, most: int) -> WriteResult | KeptAnswer:
        """Keep an answer that goes with no change (a refusal), unless such answers have `most` bytes already."""

    def log(self, session: str, after: int, most: int, generation: str = "") -> list[KeptEntry]:
        """At most `most` entries with a version above `after`, in order; none if the session has another generation."""

    def delete(self, session: str) -> bool:
        """Delete everything of a session. Returns whether it existed."""

    def count(self) -> int:
        """The number of sessions, including those that have expired and are not deleted yet."""

    def size(self) -> Size:
        """The size of the store. Of several servers, that of the fullest."""

    def sweep(self, due: float) -> bool:
        """Delete some of what expired before time `due`. Returns whether there may be more of it."""

    def put_ticket(self, session: str, ticket: str, holder: str, lifetime: float) -> None:
        """Keep the holder of a ticket. A ticket may outlive its session: compare the generation when it is taken."""

    def take_ticket(self, session: str, ticket: str) -> str | None:
        """The holder of a ticket, which can be taken once."""

    def secret(self, name: str, fresh: bytes) -> bytes:
        """The secret of this name. If there is none yet, `fresh` becomes it."""

    def note(self, name: str, lifetime: float) -> None:
        """Keep a name for `lifetime` seconds from now on."""

    def noted(self) -> list[str]:
        """The names that were noted and are still kept."""

    def names(self) -> Iterator[str]:
        """The sessions, including those that have expired. Read in portions, as the iterator goes on."""

    def copy(self, session: str) -> Copied | None:
        """All of a session, as it is at one moment."""

    def put(self, copied: Copied) -> None:
        """Write a copied session. There must be none of its name."""

    def format(self) -> int:
        """The format of what is kept; 0: nothing is kept yet. Changes nothing in the store, and begins no outage."""

    def remembered(self) -> Remembered:
        """What the store keeps besides sessions."""

    def remember(self, remembered: Remembered) -> None:
        """Write these secrets and noted names, over those of the same names."""

    def risks(self) -> tuple[Risk, ...]:
        """The ways in which the store, as it is set up, may lose what it has acknowledged."""

    def watch(self, watched: Callable[[], Collection[str]], wake: Wake) -> None:
        """Call `wake` with the sessions that may have changed, as long as any are `watched`. Blocks."""

    def ping(self) -> None:
        """Raise `StoreUnavailable` unless the store takes what a move writes, on each of its servers."""

    def close(self) -> None:
        """Close every connection."""
