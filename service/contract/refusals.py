"""Problems that several calls raise."""

from __future__ import annotations

from typing import Any

from service.contract.fields import Invalid
from service.web.phrases import phrase
from service.web.problems import Problem


def invalid_request(error: Invalid) -> Problem:
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
