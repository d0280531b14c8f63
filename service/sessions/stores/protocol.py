"""What a place to keep sessions can do. A store knows versions, lifetimes and bytes; it knows no game.

A session is its head (rewritten by every change), its log (one entry a change, so the version is the length of the
log) and the answers given under idempotency keys. A change writes all three or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, Protocol, TypeAlias

from service.sessions.stores.clock import Clock


class StoreUnavailable(Exception):
    """The store did not answer in time, or refused. Whether a change under way was made is not known."""


class Outcome(Enum):
    """What became of a change."""

    WRITTEN = "written"
    STALE = "stale"
    """Another change came first (or, at an opening, the session is there already)."""
    GONE = "gone"
    LOST = "lost"
    """The session is there, its log is not, or not all of it: nothing is written over what is missing."""
    FULL = "full"
    """The session keeps as many bytes of such answers as it may."""


class Risk(Enum):
    """A way in which a store may lose sessions though nobody deletes them."""

    EVICTION = "may-drop"
    """It may drop them when its memory is full."""
    MEMORY = "in-memory"
    """It keeps no file of what it was told: what it has is lost with its process."""


class KeptAnswer(NamedTuple):
    """An answer kept under an idempotency key. `fingerprint` tells whether a request is the one that it answers."""

    fingerprint: str
    body: bytes


class Keyed(NamedTuple):
    """An answer and the key under which it is to be kept."""

    key: str
    answer: KeptAnswer

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return len(self.key) + len(self.answer.fingerprint) + len(self.answer.body)


class KeptSession(NamedTuple):
    """A session as one read found it; `answer` is what is kept under the key that the reader asked with."""

    version: int
    head: bytes
    answer: KeptAnswer | None = None


class KeptEntry(NamedTuple):
    """One entry of a session's log."""

    version: int
    body: bytes


class Change(NamedTuple):
    """A change from version `since` (-1: the opening, which makes version 0 and no entry) to the next.

    `generation`: which opening of a session of this name it is for; to a later one the earlier is gone.
    """

    since: int
    head: bytes
    entry: bytes = b""
    keyed: Keyed | None = None
    generation: str = ""


class Reached(NamedTuple):
    """How far a session is, at least. `generation`: one of its name may have been there before."""

    generation: str
    version: int


Wake: TypeAlias = Callable[[Mapping[str, Reached | None]], None]
"""Called with the sessions that may have changed and how far each is; None: that is not known, or it may be gone."""


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
    """What is kept beside sessions: secrets by name, and until when names are kept in mind."""

    secrets: Mapping[str, bytes]
    noted: Mapping[str, float]


class Store(Protocol):
    """Every method raises `StoreUnavailable` within about half a second where the store is away.

    Times are in seconds. What has expired is gone for every method but `count`.
    """

    clock: Clock

    def read(self, session: str, key: str | None = None) -> KeptSession | None:
        """The session, and the answer kept under an idempotency key."""

    def write(self, session: str, change: Change, lifetime: float) -> Outcome | KeptAnswer:
        """Make a change, or say why not; the answer kept under the same key comes before everything else."""

    def keep(self, session: str, keyed: Keyed, most: int) -> Outcome | KeptAnswer:
        """Keep an answer that goes with no change, unless those of this kind have `most` bytes already."""

    def log(self, session: str, after: int, most: int, generation: str = "") -> list[KeptEntry]:
        """At most `most` entries with a version above `after`, in order; none if `generation` is not the session's."""

    def delete(self, session: str) -> bool:
        """Forget everything of a session; whether there was one."""

    def count(self) -> int:
        """How many sessions there are, with those that have expired and are still to be cleared away."""

    def size(self) -> int:
        """Bytes that the store holds, of whatever."""

    def sweep(self, due: float) -> bool:
        """Clear away some of what expired before a time; whether there may be more of it."""

    def put_ticket(self, session: str, ticket: str, holder: str, lifetime: float) -> None:
        """Keep the holder of a ticket. It may outlive its session: take care to compare the generation."""

    def take_ticket(self, session: str, ticket: str) -> str | None:
        """The holder of a ticket, which is forgotten by that."""

    def secret(self, name: str, fresh: bytes) -> bytes:
        """The secret of this name; where there is none yet, `fresh` is kept."""

    def note(self, name: str, lifetime: float) -> None:
        """Keep a name in mind, from now on for so long."""

    def noted(self) -> list[str]:
        """The names that are kept in mind."""

    def copies(self) -> Iterator[Copied]:
        """Every session, each as it is at one moment."""

    def put(self, copied: Copied) -> None:
        """A session as it was copied, where none of its name is."""

    def remembered(self) -> Remembered:
        """What is kept beside sessions."""

    def remember(self, remembered: Remembered) -> None:
        """What was kept beside them, in place of what is."""

    def risks(self) -> tuple[Risk, ...]:
        """By what the store, as it is set up, may lose what it has acknowledged."""

    def watch(self, watched: Callable[[], Collection[str]], wake: Wake) -> None:
        """Call `wake` with the sessions that may have changed, as long as any are `watched`. Blocks."""

    def ping(self) -> None:
        """Raise `StoreUnavailable` unless the store takes what a move writes, wherever that may be kept."""

    def close(self) -> None:
        """Let go of every connection."""
