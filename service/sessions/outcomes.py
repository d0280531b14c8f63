"""What a request on a session comes to, as plain data. `service/routes/session_http.py` turns each into HTTP.

A request that is carried out returns its outcome; one that is refused raises it, and has changed nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from service.contract import Invalid
from service.contract.answers import EncodedViolation
from service.contract.sessions import EncodedMoved, EncodedSession, SessionOpened, SessionToken
from service.web.phrases import Phrase


@dataclass
class Opened:
    """A new session. `tag`: of its first version, as its host sees it."""

    session: SessionOpened
    tag: str


@dataclass
class Made:
    """A change was made. `tag`: of the version that it made, as the bearer sees it."""

    body: EncodedMoved | EncodedSession | SessionToken
    tag: str


@dataclass
class Kept:
    """What is kept under the request's idempotency key, as `RequestKey.encode` made it."""

    encoded: bytes


class SessionRefused(Exception):
    """A request that is not carried out."""


class Unauthorized(SessionRefused):
    """No token, or one that is forged, renewed or another session's. It never tells whether there is such a session."""


class Gone(SessionRefused):
    """The session of a genuine token has ended. Without a genuine token: `Unauthorized`."""


class LogLost(SessionRefused):
    """The session is there, but its log is not."""


@dataclass(eq=False)
class DoesNotFit(SessionRefused):
    """The request does not fit the contract. `invalid`: all places that do not."""

    invalid: Invalid

    @classmethod
    def at(cls, pointer: str, detail: Phrase) -> DoesNotFit:
        """One place that does not fit; the pointer is empty for what is not in the body."""
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
    """`If-Match` names another version than the present one, which is shown."""

    session: EncodedSession
    tag: str


@dataclass(eq=False)
class SessionFull(SessionRefused):
    """The session, or the seat's share of it, has reached a bound."""

    reason: Phrase


class SeatTaken(SessionRefused):
    """The seat of this invite was taken before."""


class SeedMismatch(SessionRefused):
    """The seed is not the one that the seat committed to."""


class KeyReused(SessionRefused):
    """The idempotency key belongs to a request that says something else."""


class InProgress(SessionRefused):
    """A request with this idempotency key is being carried out."""


@dataclass(eq=False)
class NoFreeStream(SessionRefused):
    """The client has its share of the streams. `most`: of all clients together."""

    most: int


class KeysDiffer(SessionRefused):
    """Tokens made here would be worthless: the other servers do not know the key."""


Changed: TypeAlias = Made | Kept
Refusal: TypeAlias = (
    Unauthorized | Gone | LogLost | DoesNotFit | Forbidden | Illegal | Stale | SessionFull | SeatTaken | SeedMismatch
    | KeyReused | InProgress | NoFreeStream | KeysDiffer
)  # fmt: skip
Outcome: TypeAlias = Opened | Changed | Refusal
