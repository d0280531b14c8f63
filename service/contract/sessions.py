"""What calls on sessions take and answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeAlias

import engines
from engines.core.engine import Engine
from engines.core.shape import Length, Text, Whole
from service.contract.answers import GENERAL, AnyOf, Members, answers, list_of, shaped
from service.contract.codec import Codec, codecs
from service.contract.fields import Anything, Choice, Listing, Record, Strict, Values
from service.contract.of_game import moves_of, prefix
from service.contract.placeholders import M, WithSetup
from service.contract.requests import MOST_MOVES, Seed

Version: TypeAlias = Annotated[int, Whole(0, 999_999_999)]
Name: TypeAlias = Annotated[str, Text(32, 32)]
Digest: TypeAlias = Annotated[str, Text(64, 64)]
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


@cache
def opening() -> Strict:
    """The body of `POST /sessions`."""
    members = {
        name: Record(codecs(engine).shapes.record(SessionRequest, ("game", name)))
        for name, engine in engines.registry().items()
    }
    return Choice("game", members, "SessionRequest")


@cache
def opening_codec() -> Codec[Any]:
    """The codec of an opening."""
    return Codec(opening())


@cache
def moves() -> Strict:
    """The body of `POST /sessions/{session_id}/moves`."""
    return AnyOf([_moves(engine) for engine in engines.registry().values()])


@cache
def _moves(engine: Engine[Any]) -> Record:
    return Record(codecs(engine).shapes.record(Moves))


@cache
def moves_codec(engine: Engine[Any]) -> Codec[Any]:
    """The codec of moves in a session of this game."""
    return Codec(_moves(engine))


@cache
def seed() -> Strict:
    """The body of `POST /sessions/{session_id}/seeds`."""
    return Record(GENERAL.record(SeatSeed))


@cache
def seed_codec() -> Codec[Any]:
    """The codec of a seat's seed."""
    return Codec(seed())


@cache
def document() -> Strict:
    """A session as its bearer may see it."""
    return _by_game("Session", "A session as its bearer may see it.", lambda engine: {})


@cache
def opened() -> Strict:
    """The answer of `POST /sessions`."""
    doc = "A new session, and the tokens for everyone at its table."
    tokens = shaped("SessionTokens", "One for the host, one for each seat.", {"host": str, "seats": list_of(str)})
    return _by_game("SessionOpened", doc, lambda engine: {"tokens": Record(tokens)})


@cache
def transcript() -> Strict:
    """The answer of `GET /sessions/{session_id}/transcript`."""
    deal = shaped("SessionDeal", "A deal and the seed that it was made from.", {"number": Version, "seed": Digest})

    def more(engine: Engine[Any]) -> Members:
        entry = _entry(engine)
        return {
            "fair": Fair,
            "server_seed": Digest | None,
            "seeds": list_of(Annotated[str, Text(1, 200)] | None),
            "deals": Listing(Record(deal)),
            "deal": Anything(allow_none=True),
            "moves": codecs(engine).shapes.field(list_of(moves_of(engine))),
            "entries": Listing(entry),
        }

    return _by_game("Transcript", "A whole game, to be posted to /deal and /resolve and so checked.", more)


@cache
def moved() -> Strict:
    """The answer of `POST /sessions/{session_id}/moves`."""
    members = {}
    for name, engine in engines.registry().items():
        told = answers(engine)
        resolution = told.calls["resolve"].declared()
        kept = {key: each for key, each in resolution.items() if key != "comparison"}
        doc = "What the moves came to, as their bearer may see it, and the version that they made."
        schema = shaped(f"{told.prefix}Moved", doc, {**kept, "version": Version}, shapes=told.shapes)
        members[name] = Record(schema)
    return Choice("game", members, "Moved")


@cache
def log() -> Strict:
    """The answer of `GET /sessions/{session_id}/moves`."""
    doc = "A part of the log. `next`: the `after` of the next part; null where there is none yet."
    return AnyOf(
        [
            Record(shaped(f"{prefix(name)}Log", doc, {"entries": Listing(_entry(engine)), "next": Version | None}))
            for name, engine in engines.registry().items()
        ]
    )


@cache
def ticket() -> Strict:
    """The answer of `POST /sessions/{session_id}/tickets`."""
    doc = "Opens one stream of events, once, within so many seconds."
    return Record(shaped("Ticket", doc, {"ticket": str, "expires_in": Annotated[int, Whole(1, 30)]}))


@cache
def _entry(engine: Engine[Any]) -> Record:
    told = answers(engine)
    doc = "One accepted request as its bearer saw it: what is hidden from it reads null."
    members = {"version": Version, "moves": Listing(Anything()), "events": told.event.listed()}
    return Record(shaped(f"{told.prefix}Entry", doc, members, shapes=told.shapes))


def _by_game(name: str, doc: str, more: Any) -> Strict:
    members = {}
    for game, engine in engines.registry().items():
        told = answers(engine)
        table: Members = {
            "id": Name,
            "game": Values((game,)),
            "ruleset": Record(told.ruleset),
            "version": Version,
            "commitment": Digest,
            "state": Record(codecs(engine).state.field.shape, allow_none=True),  # type: ignore[attr-defined]
            "to_act": list_of(told.seat | None),
            "standings": Listing(Record(told.standing)),
            "result": Record(told.result, allow_none=True),
        }
        members[game] = Record(shaped(told.prefix + name, doc, {**table, **more(engine)}, shapes=told.shapes))
    return Choice("game", members, name)
