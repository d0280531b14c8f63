"""The bodies of calls on sessions. What chance brings, no body may say: a session draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeVar, get_args, get_type_hints

from engines.core.shape import Drawn
from service.contract import Invalid
from service.contract.codec import Codec
from service.contract.fields import Misfit
from service.contract.of_game import AnyEngine
from service.contract.refusals import invalid_request
from service.contract.sessions import (
    SessionRequest,
    commitment_codec,
    invite_codec,
    moves_codec,
    opening_codec,
    renewal_codec,
    seed_codec,
)
from service.sessions.refusals import misfit
from service.web.phrases import phrase

T = TypeVar("T")

DRAWN = ("/seed", "/deck")
"""What `/deal` takes and opening does not."""
DIGEST = re.compile("[0-9a-f]{64}")


def opening_of(body: object) -> SessionRequest:
    """What is to be opened."""
    try:
        return opening_codec().load(body)
    except Invalid as error:
        raise invalid_request(Invalid([_explained(each) for each in error.errors], more=error.more)) from None


def _explained(error: Misfit) -> Misfit:
    return {**error, "detail": phrase("own-cards")} if error["pointer"] in DRAWN else error


def commitment_of(body: object) -> str:
    """The commitment of a seat, in small letters: what is no SHA-256 could never be kept to."""
    given = _read(commitment_codec(), body).commitment.lower()
    if not DIGEST.fullmatch(given):
        raise misfit("/commitment", phrase("no-digest"))
    return given


def seed_of(body: object) -> str:
    """The seed of a seat."""
    return _read(seed_codec(), body).seed


def invite_of(body: object) -> str:
    """The invite to a seat."""
    return _read(invite_codec(), body).invite


def renewed_seat_of(body: object) -> int | None:
    """The seat that is to have a new token; None: the bearer."""
    return _read(renewal_codec(), body).seat


def _read(codec: Codec[T], body: object) -> T:
    try:
        return codec.load(body)
    except Invalid as error:
        raise invalid_request(error) from None


def moves_of(engine: AnyEngine, body: object) -> Sequence[object]:
    """The moves to be made."""
    drawn = list(_drawn_in(engine, body))
    try:
        moves = moves_codec(engine).load(body).moves
    except Invalid as error:
        raise invalid_request(Invalid(error.errors + drawn, more=error.more)) from None
    if drawn:
        raise invalid_request(Invalid(drawn))
    return moves


def _drawn_in(engine: AnyEngine, body: object) -> Iterator[Misfit]:
    """What a body says of chance."""
    fields = drawn_fields(engine)
    moves = body.get("moves") if isinstance(body, dict) else None
    for place, move in enumerate(moves if isinstance(moves, list) else ()):
        kind = move.get("type") if isinstance(move, dict) else None
        for field in fields.get(kind, ()) if isinstance(kind, str) else ():
            if move.get(field) is not None:
                yield {"pointer": f"/moves/{place}/{field}", "detail": phrase("table-draws")}


@cache
def drawn_fields(engine: AnyEngine) -> dict[str, tuple[str, ...]]:
    """The fields of each of a game's moves that say what chance brought."""
    return {
        name: tuple(each for each, hint in get_type_hints(kind, include_extras=True).items() if _is_drawn(hint))
        for name, kind in engine.kinds.items()
    }


def _is_drawn(hint: object) -> bool:
    inner = (*getattr(hint, "__metadata__", ()), *get_args(hint))
    return any(isinstance(each, Drawn) or _is_drawn(each) for each in inner)
