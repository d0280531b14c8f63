"""The bodies of the stateless calls, for every game of the registry: with `game`, or without where the path has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields, make_dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

import engines
from engines.core.engine import Engine
from engines.core.shape import Length, Null, OneOf, Text, Whole
from service.contract.codec import Codec, codecs, moves_of
from service.contract.fields import SAFE, Choice, Invalid, Record
from service.contract.shapes import Shapes

MOST_MOVES = 500
MOST_REQUESTS = 1_000
MOST_MOVES_IN_BATCH = 2_000

Member: TypeAlias = tuple[str, Any, Any]
"""Name, annotation, default (`MISSING`: none) of one member of a body."""
Seed: TypeAlias = Annotated[str, Text(1, 200)]


@dataclass(frozen=True)
class Call:
    """A stateless call. `apart`: members of which only one may be there."""

    name: str
    doc: str
    members: Callable[[Engine[Any]], list[Member]]
    apart: tuple[str, ...] = ()


def seat_of(engine: Engine[Any]) -> Any:
    """A seat at the largest table of a game, as an annotation."""
    return Annotated[int, Whole(0, max(engine.seats) - 1)]


def _state(engine: Engine[Any]) -> list[Member]:
    return [("state", engine.state, MISSING)]


def _resolve(engine: Engine[Any]) -> list[Member]:
    move: Any = moves_of(engine)
    moves: Any = Annotated[tuple[move, ...], Length(0, MOST_MOVES)]
    names: Any = Literal[tuple(engine.rulesets)]
    some: Any = Annotated[tuple[names, ...], Length(1, len(engine.rulesets), unique=True)]
    return [*_state(engine), ("moves", moves, MISSING), ("compare", bool | some | None, None)]


def _validate(engine: Engine[Any]) -> list[Member]:
    return [*_state(engine), ("move", moves_of(engine), MISSING)]


def _legal_moves(engine: Engine[Any]) -> list[Member]:
    return [*_state(engine), ("seat", Annotated[seat_of(engine) | None, Null()], None)]


def _view(engine: Engine[Any]) -> list[Member]:
    return [*_state(engine), ("seat", seat_of(engine) | None, MISSING)]


def setup_members(engine: Engine[Any]) -> list[Member]:
    """What a deal of this game takes, the seed aside."""
    hints = get_type_hints(engine.setup, include_extras=True)
    return [(each.name, hints[each.name], each.default) for each in fields(engine.setup)]


def _deal(engine: Engine[Any]) -> list[Member]:
    return [*setup_members(engine), ("seed", Seed | None, None)]


CALLS = {
    call.name: call
    for call in (
        Call("resolve", "A table and the moves to apply to it, in order.", _resolve),
        Call("validate", "A table and one move to judge.", _validate),
        Call("legal-moves", "A table; a seat, or nothing or null for everyone who is to act.", _legal_moves),
        Call("audit", "A table to be searched for contradictions.", _state),
        Call("view", "A table, and the seat that looks at it; null is a spectator.", _view),
        Call(
            "deal", "What a first deal takes: a seed or a deck, or neither for a random seed.", _deal, ("seed", "deck")
        ),
    )
}


def body_of(call: str, game: str | None, value: Any) -> tuple[Engine[Any], Any]:
    """The engine that a body is for, and the body as a dataclass. `game`: where the path has it instead of the body."""
    body = body_codec(call, game).load(value)
    return engines.registry()[value["game"] if game is None else game], body


@cache
def body_codec(call: str, game: str | None) -> Codec[Any]:
    """The codec of a call's body: for one game, or for all, told apart by `game`."""
    if game is not None:
        engine = engines.registry()[game]
        return Codec(Record(codecs(engine).shapes.record(_body(engine, CALLS[call], "Body"))))
    members = {
        name: Record(codecs(engine).shapes.record(_body(engine, CALLS[call], "Request"), ("game", name)))
        for name, engine in engines.registry().items()
    }
    return Codec(Choice("game", members, f"{title(call)}Request"))


@cache
def _body(engine: Engine[Any], call: Call, kind: str) -> type:
    declared = [(name, hint, field(default=default)) for name, hint, default in call.members(engine)]
    required_first = sorted(declared, key=lambda member: member[2].default is not MISSING)
    body = make_dataclass(title(call.name) + kind, required_first, frozen=True, namespace={"__doc__": call.doc})
    body.exclusive = call.apart  # type: ignore[attr-defined]
    return body


def title(call: str) -> str:
    """How the names of a call's components begin: `LegalMoves` of legal-moves."""
    return "".join(part.capitalize() for part in call.split("-"))


@dataclass(frozen=True)
class BatchEntry:
    """One call of a batch. `id` comes back with its answer; `body` is judged alone, by the schema of `path`."""

    path: str
    body: Any
    id: Annotated[str, Text(1, 200)] | Annotated[int, Whole(-SAFE, SAFE)] | None = None


def batch_body(value: Any) -> Sequence[BatchEntry]:
    """The entries of a batch; their bodies are not looked at but for what a batch as a whole may not hold."""
    entries: Sequence[BatchEntry] = batch_codec().load(value).requests
    bodies = [entry.body if isinstance(entry.body, dict) else {} for entry in entries]
    moves = sum(len(body["moves"]) for body in bodies if isinstance(body.get("moves"), list))
    if moves > MOST_MOVES_IN_BATCH:
        detail = f"A batch may hold {MOST_MOVES_IN_BATCH} moves in all; these are {moves}. Send it in parts."
        raise Invalid([{"pointer": "/requests", "detail": detail}])
    return entries


@cache
def batch_codec() -> Codec[Any]:
    """The codec of a batch."""
    paths = [f"/{call}" for call in CALLS]
    paths += [f"/games/{game}/{call}" for game in engines.registry() for call in CALLS]
    path = Annotated[str, OneOf("BatchPath", tuple(paths))]
    entry = make_dataclass("BatchEntry", [("path", path)], bases=(BatchEntry,), frozen=True)
    entry.__doc__ = BatchEntry.__doc__
    requests = Annotated[tuple[entry, ...], Length(1, MOST_REQUESTS)]  # type: ignore[valid-type]
    batch = make_dataclass("BatchRequest", [("requests", requests)], frozen=True)
    batch.__doc__ = "Up to 1,000 calls, with at most 2,000 moves in all."
    return Codec(Record(Shapes("", {}, {}).record(batch)))
