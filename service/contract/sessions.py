"""What calls on sessions take and answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeAlias

from engines.core.shape import Length, Text, Whole
from service.contract.answers import Digest, Resolved, RulesetUsed, Standing, WrittenEvent, WrittenResult
from service.contract.codec import Codec, codecs, general, of_all_games, of_each_game
from service.contract.fields import AnyOfField, ObjectField, StrictField
from service.contract.of_game import AnyEngine
from service.contract.placeholders import GameName, M, SameForAll, Seat, WithSetup, WrittenMove, WrittenState
from service.contract.requests import MOST_MOVES, Seed

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
    """What is to be dealt, how fair, what the host sees, and whether spectators need no token."""

    deck: ClassVar[None] = None
    """A session draws: what deals looks for a deck, which no body may bring."""

    fair: Fair = "committed"
    host: Literal["sees-all", "blind"] = "sees-all"
    public: bool = False


@dataclass(frozen=True)
class Moves(Generic[M]):
    """Moves to make, all or none. What chance brings is refused here: a session draws."""

    moves: Annotated[tuple[M, ...], Length(1, MOST_MOVES)]


@dataclass(frozen=True)
class SeatSeed:
    """A seat's part in a joint deal."""

    seed: Seed


@dataclass
class WrittenSession:
    """A session as its bearer may see it."""

    id: Name
    game: GameName
    ruleset: RulesetUsed
    version: Version
    commitment: Digest
    state: WrittenState | None
    to_act: Sequence[Seat | None]
    standings: Sequence[Standing]
    result: WrittenResult | None


@dataclass
class SessionTokens(SameForAll):
    """One for the host, one for each seat."""

    host: str
    seats: Sequence[str]


@dataclass
class SessionOpened(WrittenSession):
    """A new session, and the tokens for everyone at its table."""

    tokens: SessionTokens


@dataclass
class SessionDeal(SameForAll):
    """A deal and the seed that it was made from."""

    number: Version
    seed: Digest


@dataclass
class WrittenEntry:
    """One accepted request as its bearer saw it: what is hidden from it reads null."""

    version: Version
    moves: Sequence[object]
    events: Sequence[WrittenEvent]


@dataclass
class WrittenLog:
    """A part of the log. `next`: the `after` of the next part; null where there is none yet."""

    entries: Sequence[WrittenEntry]
    next: Version | None


@dataclass
class Transcript(WrittenSession):
    """A whole game, to be posted to /deal and /resolve and so checked."""

    fair: Fair
    server_seed: Digest | None
    seeds: Sequence[Seed | None]
    deals: Sequence[SessionDeal]
    deal: object
    moves: Sequence[WrittenMove]
    entries: Sequence[WrittenEntry]


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
    return AnyOfField(of_each_game(Moves).values())


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
def seed_codec() -> Codec[SeatSeed]:
    """The codec of a seat's seed."""
    return Codec(seed())
