"""The outcomes of requests on sessions, as plain data. `service/http/responses.py` turns each into HTTP.

A request that is carried out returns its outcome. A refused one raises its outcome, and has changed nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from service.contract import Invalid
from service.contract.answers import EncodedViolation
from service.contract.session_bodies import (
    EncodedCounted,
    EncodedJoined,
    EncodedMoved,
    EncodedSession,
    NextTable,
    SessionOpened,
    SessionToken,
)
from service.sessions.stores.protocol import StoredResponse
from service.words.phrases import Phrase

Kind: TypeAlias = Literal[
    "forbidden", "session-full", "incident-open", "time-running", "time-over", "not-over", "seat-taken",
    "seed-mismatch", "idempotency-key-reused", "request-in-progress", "too-many-requests", "store-unavailable",
]  # fmt: skip
"""The kind of a refusal, as its problem document names it."""


class Share(NamedTuple):
    """How many sessions a client may open at this worker: `most` in `seconds`, `left` now.

    `wait`: seconds until it may open one more, 0 if it may now; `full_in`: seconds until the whole share is free.
    """

    most: int
    seconds: int
    left: int
    wait: float
    full_in: float


@dataclass
class Opened:
    """A new session. `tag`: the ETag of its first version, as its host sees it. `share`: of the client."""

    session: SessionOpened
    tag: str
    share: Share


@dataclass
class Made:
    """A change was made. `tag`: the ETag of the new version, as the bearer sees it."""

    body: EncodedMoved | EncodedJoined | EncodedCounted | EncodedSession | SessionToken
    tag: str


@dataclass
class Rematched:
    """The bearer's place at the next table. `share`: of the client, if its request opened that table; else None."""

    next: NextTable
    share: Share | None


class Refusal(Exception):
    """A request that is not carried out."""


class Unauthorized(Refusal):
    """No token, or one that is forged, void or another session's. The answer never shows whether the session exists."""


class NotInvited(Unauthorized):
    """As `Unauthorized`, of an invite."""


class VoidTicket(Unauthorized):
    """As `Unauthorized`, of a ticket."""


class NotFound(Refusal):
    """The session of a genuine token has ended. Without a genuine token: `Unauthorized`."""


class LogLost(Refusal):
    """The session is there, but its log is not."""


@dataclass(eq=False)
class DoesNotFit(Refusal):
    """The request does not fit the contract. `invalid`: every place that does not fit."""

    invalid: Invalid

    @classmethod
    def at(cls, pointer: str, detail: Phrase) -> DoesNotFit:
        """The refusal for one place in the body."""
        return cls(Invalid([{"pointer": pointer, "detail": detail}]))

    @classmethod
    def in_parameter(cls, name: str, detail: Phrase) -> DoesNotFit:
        """The refusal for a header or a query parameter."""
        return cls(Invalid([{"pointer": "", "parameter": name, "detail": detail}]))


@dataclass(eq=False)
class Refused(Refusal):
    """Any other refusal. `retry_after`: seconds; `more`: further members of the answer."""

    kind: Kind
    reason: Phrase
    retry_after: int | None = None
    more: Mapping[str, object] = field(default_factory=dict)


@dataclass(eq=False)
class Illegal(Refusal):
    """The rules forbid a move. `more`: not all violations are listed."""

    game: str
    reason: Phrase
    violations: Sequence[EncodedViolation]
    more: bool = False


@dataclass(eq=False)
class Stale(Refusal):
    """`If-Match` does not name the present version, which is given here.

    `is_ours`: the header names another version of this session, as the bearer sees it.
    """

    session: EncodedSession
    tag: str
    is_ours: bool


@dataclass(eq=False)
class ShareUsedUp(Refusal):
    """The client has opened as many sessions as it may for now."""

    share: Share


Changed: TypeAlias = Made | StoredResponse
"""The result of a change. A stored response has the outcome as `RequestKey.encode` encoded it."""
Outcome: TypeAlias = (
    Opened
    | Changed
    | Rematched
    | Unauthorized
    | NotFound
    | LogLost
    | DoesNotFit
    | Refused
    | Illegal
    | Stale
    | ShareUsedUp
)
