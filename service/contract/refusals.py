"""What does not fit a schema, as a problem document."""

from __future__ import annotations

from typing import Any

from service.contract.fields import Invalid
from service.web.phrases import phrase
from service.web.problems import Problem


def invalid_request(error: Invalid) -> Problem:
    """What is wrong with a body, all at once."""
    count = len(error.errors)
    many = phrase("more-misfits" if error.more else "misfits", count=count)
    detail = error.errors[0]["detail"] if count == 1 else many
    return Problem("invalid-request", detail, errors=error.errors, **more(error.more))


def more(cut: bool) -> dict[str, Any]:
    """What stands beside a list that is cut."""
    return {"more": True} if cut else {}


def too_much(what: str, count: int, most: int, **params: object) -> Problem:
    """More was asked for than is done in one request. `what`: the phrase that names the number and the bound."""
    return Problem("too-much-asked", phrase(what, count=count, most=most, **params))
