"""Problem documents as schemas: what each kind has beside the standard members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import engines
from engines.core.engine import Engine
from service.contract.answers import WrittenFault, WrittenViolation
from service.contract.codec import codecs, general
from service.contract.fields import AnyOf, Anything, Choice, Closed, Listing, Record, Strict, Text, Values, Whole
from service.contract.shapes import title
from service.web.problems import KINDS

BY_GAME = {"invalid-state"}
"""Problems that cite a game's clauses."""


@dataclass
class WrongPlace:
    """A place in the body that does not fit, and how to mend it."""

    pointer: str
    detail: str


def problem(slug: str, game: str | None = None) -> Record:
    """A problem document. `game`: whose faults it tells; without, what it tells of every game."""
    return Record(_problem(slug, game if slug in BY_GAME else None))


def problems(slugs: Iterable[str], game: str | None) -> Strict:
    """One of several problem documents, told apart by `type`."""
    return Choice("type", {f"/problems/{slug}": problem(slug, game) for slug in slugs})


def invalid_state() -> Strict:
    """A problem document with the faults of any game; their clauses tell the games apart."""
    return AnyOf([problem("invalid-state", game) for game in engines.registry()])


@cache
def _problem(slug: str, game: str | None) -> type[Closed]:
    kind = KINDS[slug]
    shapes = general() if game is None else codecs(engines.registry()[game]).shapes
    members = {
        "type": Values((f"/problems/{slug}",)),
        "title": Text(),
        "status": Values((kind.status,)),
        "detail": Text(),
        "instance": Text(),
        **({} if game is None else {"faults": shapes.field(tuple[WrittenFault, ...])}),
        **_extra(slug),
    }
    for field in members.values():
        field.required = True
    return shapes.closed(f"{title(slug)}Problem", kind.meaning, members)


def _extra(slug: str) -> Mapping[str, Strict]:
    """The members that a problem has beside the standard ones."""
    if slug == "invalid-request":
        return {"errors": Listing(Record(general().record(WrongPlace)), 1)}
    if slug == "illegal-move":
        return {"violations": AnyOf([_violations(engine) for engine in engines.registry().values()])}
    return {"version": Whole(), "view": Anything()} if slug == "version-mismatch" else {}


def _violations(engine: Engine[object]) -> Strict:
    return codecs(engine).shapes.field(tuple[WrittenViolation, ...])
