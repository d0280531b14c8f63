"""The outcomes of requests on sessions, as plain data. `service/routes/session_http.py` turns each into HTTP.

A request that is carried out returns its outcome. A refused one raises its outcome, and has changed nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from service.contract import Invalid
from service.contract.answers import EncodedViolation
from service.contract.sessions import EncodedJoined, EncodedMoved, EncodedSession, SessionOpened, SessionToken
from service.web.phrases import Phrase


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

    body: EncodedMoved | EncodedJoined | EncodedSession | SessionToken
    tag: str


@dataclass
class Kept:
    """The outcome kept under the request's idempotency key, as `RequestKey.encode` encoded it."""

    encoded: bytes


class SessionRefused(Exception):
    """A request that is not carried out."""


class Unauthorized(SessionRefused):
    """No token, or one that is forged, void or another session's. The answer never shows whether the session exists."""


class Gone(SessionRefused):
    """The session of a genuine token has ended. Without a genuine token: `Unauthorized`."""


class LogLost(SessionRefused):
    """The session is there, but its log is not."""


@dataclass(eq=False)
class DoesNotFit(SessionRefused):
    """The request does not fit the contract. `invalid`: every place that does not fit."""

    invalid: Invalid

    @classmethod
    def at(cls, pointer: str, detail: Phrase) -> DoesNotFit:
        """The refusal for one place. The pointer is empty if the place is not in the body."""
        return cls(Invalid([{"pointer": pointer, "detail": detail}]))


@dataclass(eq=False)
class Forbidden(SessionRefused):
    """The bearer may not do this, or not now."""

    reason: Phrase


@dataclass(eq=False)
class Illegal(SessionRefused):
    """The rules forbid a move. `more`: not all violations are listed."""

    game: str
    reason: Phrase
    violations: Sequence[EncodedViolation]
    more: bool = False


@dataclass(eq=False)
class Stale(SessionRefused):
    """`If-Match` does not name the present version, which is given here."""

    session: EncodedSession
    tag: str


@dataclass(eq=False)
class SessionFull(SessionRefused):
    """The session, or the seat's share of it, has reached a bound."""

    reason: Phrase


@dataclass(eq=False)
class IncidentOpen(SessionRefused):
    """No move can be made before the incident closes."""

    closes_in_ms: int


class TimeOver(SessionRefused):
    """The move came too late after the end of the game's clock."""


class SeatTaken(SessionRefused):
    """The seat of this invite was taken before."""


class SeedMismatch(SessionRefused):
    """The seed is not the one that the seat committed to."""


class KeyReused(SessionRefused):
    """The idempotency key was used before, for another request."""


class InProgress(SessionRefused):
    """A request with this idempotency key is being carried out."""


@dataclass(eq=False)
class NoFreeStream(SessionRefused):
    """The client already has its share of the streams. `most`: streams of all clients together."""

    most: int


class KeysDiffer(SessionRefused):
    """The other servers do not know the key that signs here, so they would refuse tokens made here."""


class StoreFull(SessionRefused):
    """The store takes no opening, or no change at all."""


@dataclass(eq=False)
class ShareUsedUp(SessionRefused):
    """The client has opened as many sessions as it may for now."""

    share: Share


Changed: TypeAlias = Made | Kept
Refusal: TypeAlias = (
    Unauthorized | Gone | LogLost | DoesNotFit | Forbidden | Illegal | Stale | SessionFull | IncidentOpen | TimeOver
    | SeatTaken | SeedMismatch | KeyReused | InProgress | NoFreeStream | KeysDiffer | StoreFull | ShareUsedUp
)  # fmt: skip
Outcome: TypeAlias = Opened | Changed | Refusal
