"""What calls on sessions take and answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeAlias

from engines.core.shape import Length, Text, Whole
from service import bounds
from service.contract.answers import Digest, LeavesOut, Resolved, RulesetUsed, Standing, WrittenEvent, WrittenResult
from service.contract.codec import Codec, codecs, general, of_all_games, of_each_game
from service.contract.fields import AnyOfField, ObjectField, StrictField
from service.contract.of_game import AnyEngine
from service.contract.placeholders import (
    GameName,
    M,
    PlayerNames,
    SameForAll,
    Seat,
    SeenMove,
    WithSetup,
    WrittenMove,
    WrittenState,
)
from service.contract.requests import Seed

PAGE = 500
"""Log entries in one answer."""
TICKET_SECONDS = 30
"""How long a ticket can be used."""
LONGEST_KEY = 255
"""Characters of an Idempotency-Key."""

Version: TypeAlias = Annotated[int, Whole(0, 999_999_999)]
Name: TypeAlias = Annotated[str, Text(32, 32)]
Fair: TypeAlias = Literal["committed", "joint"]


@dataclass(frozen=True)
class SessionRequest(WithSetup):
    """What is to be dealt, how fair, what the host sees, if spectators need no token, if seats are taken by invite."""

    deck: ClassVar[None] = None
    """A session draws: what deals looks for a deck, which no body may bring."""

    fair: Fair = "committed"
    host: Literal["sees-all", "blind"] = "sees-all"
    public: bool = False
    invite: bool = False
    names: PlayerNames | None = None


@dataclass(frozen=True)
class Moves(Generic[M]):
    """Moves to make, all or none. What chance brings is refused here: a session draws."""

    moves: Annotated[tuple[M, ...], Length(1, bounds.MOVES)]


@dataclass(frozen=True)
class SeatCommitment:
    """The SHA-256, in hex, of the seed that a seat will give."""

    commitment: Digest


@dataclass(frozen=True)
class SeatSeed:
    """A seat's part in a joint deal: the seed that it committed to."""

    seed: Seed


@dataclass(frozen=True)
class Invited:
    """The invite to a seat, as its opening gave it out."""

    invite: Annotated[str, Text(1, 200)]


@dataclass(frozen=True)
class Renewal:
    """Whose token is to be renewed: a seat's, or, without one, the bearer's own."""

    seat: Seat | None = None


@dataclass
class WrittenSession:
    """A session as its bearer may see it."""

    id: Name
    game: GameName
    ruleset: RulesetUsed
    version: Version
    commitment: Digest
    commitments: Sequence[Digest | None]
    names: Sequence[str] | None
    state: WrittenState | None
    to_act: Sequence[Seat | None]
    standings: Sequence[Standing]
    result: WrittenResult | None


@dataclass
class SessionTokens(SameForAll, LeavesOut):
    """One for the host, one for each seat, unless they are taken by invite."""

    host: str
    seats: Sequence[str] | None = None


@dataclass
class SessionToken:
    """A token."""

    token: str


@dataclass
class SessionOpened(WrittenSession, LeavesOut):
    """A new session, and the tokens for everyone at its table, or the invites with which seats are taken."""

    tokens: SessionTokens
    invites: Sequence[str] | None = None


@dataclass
class SessionDeal(SameForAll):
    """A deal and the seed that it was made from."""

    number: Version
    seed: Digest


@dataclass
class WrittenEntry:
    """One accepted request as its bearer saw it: what is hidden from it reads null."""

    version: Version
    moves: Sequence[SeenMove]
    events: Sequence[WrittenEvent]


@dataclass
class WrittenLog:
    """A part of the log. `next`: the `after` of the next part; null where there is none yet."""

    game: GameName
    entries: Sequence[WrittenEntry]
    next: Version | None


@dataclass
class Transcript(WrittenSession):
    """A whole game, to be posted to /deal and /resolve and so checked.

    `moves` and `entries` are those of a page. `next`: the `after` of the next page; null where there is none.
    """

    fair: Fair
    server_seed: Digest | None
    seeds: Sequence[Seed | None]
    deals: Sequence[SessionDeal]
    deal: Mapping[str, object] | None
    moves: Sequence[WrittenMove]
    entries: Sequence[WrittenEntry]
    next: Version | None


@dataclass
class WrittenMoved(Resolved):
    """What the moves came to, as their bearer may see it, and the version that they made."""

    version: Version


@dataclass
class Ticket:
    """Opens one stream of events, once, within so many seconds."""

    ticket: str
    expires_in: Annotated[int, Whole(1, TICKET_SECONDS)]


def opening() -> StrictField:
    """The body of `POST /sessions`."""
    return of_all_games(SessionRequest, tagged=True)


def moves() -> StrictField:
    """The body of `POST /sessions/{session_id}/moves`."""
    return AnyOfField(of_each_game(Moves).values(), "Moves")


def commitment() -> StrictField:
    """The body of `POST /sessions/{session_id}/commitments`."""
    return ObjectField(general().record(SeatCommitment))


def invite() -> StrictField:
    """The body of `POST /sessions/{session_id}/seats/{seat}`."""
    return ObjectField(general().record(Invited))


def renewal() -> StrictField:
    """The body of `POST /sessions/{session_id}/tokens`."""
    return ObjectField(general().record(Renewal))


def seed() -> StrictField:
    """The body of `POST /sessions/{session_id}/seeds`."""
    return ObjectField(general().record(SeatSeed))


@cache
def opening_codec() -> Codec[SessionRequest]:
    """The codec of an opening."""
    return Codec(opening())


@cache
def moves_codec(engine: AnyEngine) -> Codec[Moves[Any]]:
    """The codec of moves in a session of this game."""
    return Codec(ObjectField(codecs(engine).shapes.record(Moves)))


@cache
def commitment_codec() -> Codec[SeatCommitment]:
    """The codec of a seat's commitment."""
    return Codec(commitment())


@cache
def invite_codec() -> Codec[Invited]:
    """The codec of an invite."""
    return Codec(invite())


@cache
def renewal_codec() -> Codec[Renewal]:
    """The codec of what is to be renewed."""
    return Codec(renewal())


@cache
def seed_codec() -> Codec[SeatSeed]:
    """The codec of a seat's seed."""
    return Codec(seed())
