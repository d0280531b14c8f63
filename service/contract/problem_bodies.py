"""Problem documents: their schemas by kind, and those that several calls raise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

import engines
from engines.core.shape import Doc, Length, Null, Whole
from service.contract import fields
from service.contract.answers import EncodedFault, EncodedViolation, More
from service.contract.codec import codecs, general
from service.contract.fields import StrictField
from service.contract.placeholders import SameForAll
from service.contract.shapes import title
from service.problems import KINDS, Problem
from service.words.phrases import phrase

BY_GAME = {"invalid-state"}  #: Problems that cite a game's clauses.
OWN: Mapping[str, tuple[str, ...]] = {
    "invalid-request": ("errors", "more?"),
    "invalid-state": ("faults", "errors?", "more?"),
    "illegal-move": ("violations", "more?"),
    "version-mismatch": ("version", "view"),
    "incident-open": ("closes_in_ms",),
    "time-running": ("ends_in_ms",),
}
"""The members of a kind of problem beside those of all kinds; those with a question mark may be left out."""


@dataclass
class WrongPlace(SameForAll):
    """A place in the request that does not fit, and how to mend it."""

    pointer: Annotated[
        str,
        Doc("Where, as a JSON pointer from the body; empty for the body as a whole, and where `parameter` says where."),
    ]
    detail: Annotated[str, Doc("What is wrong there and what was expected, in the language asked for.")]
    parameter: Annotated[
        str | None,
        Doc(
            "The header or query parameter that does not fit, such as `Idempotency-Key`; left out for a place in the "
            "body."
        ),
    ] = None


@dataclass(kw_only=True)
class EncodedProblem:
    """Why there is no answer (RFC 9457). `type` tells which problem it is; GET it to read what it means."""

    type: Annotated[
        str, Doc("The path of the problem's page, such as `/problems/invalid-state`: what a client decides by.")
    ]
    title: Annotated[str, Doc("What this kind of problem is called, in the language asked for.")]
    status: Annotated[int, Whole(100, 599), Doc("The status of the answer.")]
    detail: Annotated[str, Doc("What is wrong with this very request, and how to mend it, in the language asked for.")]
    instance: Annotated[str, Doc("The path of the request.")]
    errors: Annotated[
        tuple[WrongPlace, ...] | None,
        Length(1, None),
        Doc(
            "Comes with `invalid-request`: every place in the body that does not fit the schema, or every "
            "parameter that does not. Comes with "
            "`invalid-state` if a place does not fit the table, such as `names` that are not one a seat."
        ),
    ] = None
    faults: Annotated[
        Sequence[EncodedFault] | None,
        Doc("Comes with `invalid-state`: everything in the table that contradicts the rulebook."),
    ] = None
    violations: Annotated[
        Sequence[EncodedViolation] | None, Doc("Comes with `illegal-move`: the clauses that forbid it.")
    ] = None
    more: Annotated[
        More | None, Doc("True where the list is cut, and there were others; left out where all are listed.")
    ] = None
    version: Annotated[
        int | None, Whole(0, 999_999_999), Doc("Comes with `version-mismatch`: the version of the table now.")
    ] = None
    view: Annotated[
        Mapping[str, object] | None, Doc("Comes with `version-mismatch`: the session as its bearer sees it now.")
    ] = None
    closes_in_ms: Annotated[
        int | None,
        Whole(0, 999_999_999),
        Doc("Comes with `incident-open`: in how many milliseconds the hands are settled, and other moves may be made."),
    ] = None
    ends_in_ms: Annotated[
        int | None,
        Whole(0, 999_999_999),
        Null(),
        Doc("Comes with `time-running`: in how many milliseconds the clock ends; null before it is started."),
    ] = None


def problem(slug: str, game: str | None = None) -> fields.ObjectField:
    """A problem document. `game`: whose faults it lists; None: only the members that are the same for every game."""
    return fields.ObjectField(_shape(slug, game if slug in BY_GAME else None))


def any_of(slugs: Sequence[str], game: str | None) -> StrictField:
    """One of several problem documents. `game`: whose faults are listed; None: those of any game.

    In the open reading all problems have one shape.
    """
    published = fields.ObjectField(general().record(EncodedProblem))
    if len(slugs) > 1 and (game is not None or BY_GAME.isdisjoint(slugs)):
        members = {f"/problems/{slug}": problem(slug, game) for slug in slugs}
        return fields.UnionField("type", members, published=published)
    games = [game] if game is not None else engines.registry()
    each = [problem(slug, of) for slug in slugs for of in (games if slug in BY_GAME else [None])]
    return fields.AnyOfField(each, published=published)


@cache
def _shape(slug: str, game: str | None) -> type[fields.Closed]:
    """The schema of a kind of problem. `game`: see `problem`."""
    kind = KINDS[slug]
    shapes = general() if game is None else codecs(engines.registry()[game]).shapes
    violations = [codecs(each).shapes.field(tuple[EncodedViolation, ...]) for each in engines.registry().values()]
    members = shapes.members(
        EncodedProblem,
        type=Literal[f"/problems/{slug}"],
        status=Literal[kind.status],
        violations=fields.AnyOfField(violations),
        version=int,
        closes_in_ms=int,
        view=object,
    )
    declared = {}
    for marked in ("type", "title", "status", "detail", "instance", *OWN.get(slug, ())):
        name = marked.rstrip("?")
        declared[name] = members[name]
        declared[name].required = name == marked
    return shapes.closed(f"{title(slug)}Problem", kind.meaning("en"), declared)


def invalid_request(error: fields.Invalid) -> Problem:
    """The problem for everything that is wrong with a body."""
    count = len(error.errors)
    many = phrase("more-misfits" if error.more else "misfits", count=count)
    detail = error.errors[0]["detail"] if count == 1 else many
    return Problem("invalid-request", detail, errors=error.errors, **more(error.more))


def more(cut: bool) -> dict[str, Any]:
    """The member `more`, to go beside a list that is cut; nothing for a whole list."""
    return {"more": True} if cut else {}


def too_much(what: str, count: int, most: int, **params: object) -> Problem:
    """The problem for a request that asks for too much. `what`: the phrase that names the number and the bound."""
    return Problem("too-much-asked", phrase(what, count=count, most=most, **params))
