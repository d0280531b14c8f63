"""Problem documents: their schema, and those that several calls raise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from engines.core.shape import Doc, Length, Null, Whole
from service.contract import fields
from service.contract.answers import EncodedFault, EncodedViolation, More
from service.contract.codec import general
from service.contract.placeholders import SameForAll
from service.problems import Problem
from service.words.phrases import phrase


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


def problem() -> fields.ObjectField:
    """A problem document of any kind."""
    return fields.ObjectField(general().record(EncodedProblem))


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
