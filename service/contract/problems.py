"""Problem documents as schemas: what each kind has beside the standard members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import engines
from service.contract.answers import WrittenFault, WrittenViolation
from service.contract.codec import codecs, general
from service.contract.fields import (
    AnyField,
    AnyOfField,
    Closed,
    IntegerField,
    ListField,
    ObjectField,
    StrictField,
    TextField,
    UnionField,
    ValuesField,
)
from service.contract.of_game import AnyEngine
from service.contract.shapes import title
from service.web.problems import KINDS

BY_GAME = {"invalid-state"}
"""Problems that cite a game's clauses."""
CUT = {"invalid-request", "invalid-state", "illegal-move"}
"""Problems with a list of which only so many are listed; `more` says that there were others."""


@dataclass
class WrongPlace:
    """A place in the body that does not fit, and how to mend it."""

    pointer: str
    detail: str


def problem(slug: str, game: str | None = None) -> ObjectField:
    """A problem document. `game`: whose faults it lists; without, what it says of every game."""
    return ObjectField(_problem(slug, game if slug in BY_GAME else None))


def problems(slugs: Iterable[str], game: str | None) -> StrictField:
    """One of several problem documents, by `type`."""
    return UnionField("type", {f"/problems/{slug}": problem(slug, game) for slug in slugs})


def invalid_state(*others: StrictField) -> StrictField:
    """A problem document with the faults of any game; each game has clauses of its own. `others`: what may come too."""
    return AnyOfField([*(problem("invalid-state", game) for game in engines.registry()), *others])


@cache
def _problem(slug: str, game: str | None) -> type[Closed]:
    kind = KINDS[slug]
    shapes = general() if game is None else codecs(engines.registry()[game]).shapes
    members = {
        "type": ValuesField((f"/problems/{slug}",)),
        "title": TextField(),
        "status": ValuesField((kind.status,)),
        "detail": TextField(),
        "instance": TextField(),
        **({} if game is None else {"faults": shapes.field(tuple[WrittenFault, ...])}),
        **_extra(slug),
    }
    for field in members.values():
        field.required = True
    if slug in CUT:
        members["more"] = ValuesField((True,))
    return shapes.closed(f"{title(slug)}Problem", kind.meaning("en"), members)


def _extra(slug: str) -> Mapping[str, StrictField]:
    """The members that a problem has beside the standard ones."""
    if slug == "invalid-request":
        return {"errors": ListField(ObjectField(general().record(WrongPlace)), 1)}
    if slug == "illegal-move":
        return {"violations": AnyOfField([_violations(engine) for engine in engines.registry().values()])}
    return {"version": IntegerField(), "view": AnyField()} if slug == "version-mismatch" else {}


def _violations(engine: AnyEngine) -> StrictField:
    return codecs(engine).shapes.field(tuple[WrittenViolation, ...])
