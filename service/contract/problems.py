"""Problem documents as schemas: what each kind has beside the standard members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import engines
from engines.core.shape import Whole
from service.contract.answers import EncodedFault, EncodedViolation, More
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
    """Where, as a JSON pointer from the body."""
    detail: str
    """What is wrong there and what was expected, in the language asked for."""


@dataclass(kw_only=True)
class EncodedProblem:
    """Why there is no answer (RFC 9457). `type` tells which problem it is; GET it to read what it means."""

    type: str
    """The path of the problem's page, such as `/problems/invalid-state`: what a client decides by."""
    title: str
    """What this kind of problem is called, in the language asked for."""
    status: Annotated[int, Whole(100, 599)]
    """The status of the answer."""
    detail: str
    """What is wrong with this very request, and how to mend it, in the language asked for."""
    instance: str
    """The path that was asked for."""
    errors: Sequence[WrongPlace] | None = None
    """Comes with `invalid-request`: every place in the body that does not fit."""
    faults: Sequence[EncodedFault] | None = None
    """Comes with `invalid-state`: everything in the table that contradicts the rulebook."""
    violations: Sequence[EncodedViolation] | None = None
    """Comes with `illegal-move`: the clauses that forbid it."""
    more: More | None = None
    """True where the list is cut, and there were others; left out where all are listed."""
    version: Annotated[int, Whole(0, 999_999_999)] | None = None
    """Comes with `version-mismatch`: the version of the table now."""
    view: Mapping[str, object] | None = None
    """Comes with `version-mismatch`: the session as its bearer sees it now."""


def told() -> ObjectField:
    """What clients are told of every problem: one shape."""
    return ObjectField(general().record(EncodedProblem))


def problem(slug: str, game: str | None = None) -> ObjectField:
    """A problem document. `game`: whose faults it lists; without, what it says of every game."""
    return ObjectField(_problem(slug, game if slug in BY_GAME else None))


def any_of(slugs: Sequence[str], game: str | None) -> StrictField:
    """One of several problem documents. `game`: whose faults are listed; without, those of any game."""
    if len(slugs) > 1 and (game is not None or BY_GAME.isdisjoint(slugs)):
        return UnionField("type", {f"/problems/{slug}": problem(slug, game) for slug in slugs}, published=told())
    games = [game] if game is not None else engines.registry()
    each = [problem(slug, of) for slug in slugs for of in (games if slug in BY_GAME else [None])]
    return AnyOfField(each, published=told())


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
        **({} if game is None else {"faults": shapes.field(tuple[EncodedFault, ...])}),
        **_extra(slug),
    }
    for field in members.values():
        field.required = True
    if slug in CUT:
        members["more"] = ValuesField((True,))
    return shapes.closed(f"{title(slug)}Problem", kind.meaning("en"), members, EncodedProblem)


def _extra(slug: str) -> Mapping[str, StrictField]:
    """The members that a problem has beside the standard ones."""
    if slug == "invalid-request":
        return {"errors": ListField(ObjectField(general().record(WrongPlace)), 1)}
    if slug == "illegal-move":
        return {"violations": AnyOfField([_violations(engine) for engine in engines.registry().values()])}
    return {"version": IntegerField(), "view": AnyField()} if slug == "version-mismatch" else {}


def _violations(engine: AnyEngine) -> StrictField:
    return codecs(engine).shapes.field(tuple[EncodedViolation, ...])
