"""What does not fit a schema, as a problem document."""

from __future__ import annotations

from service.contract.fields import Invalid
from service.web.problems import Problem


def invalid_request(error: Invalid) -> Problem:
    """What is wrong with a body, all at once."""
    count = len(error.errors)
    many = f"More than {count}" if error.more else count
    detail = error.errors[0]["detail"] if count == 1 else f"{many} places in the body do not fit the schema."
    return Problem("invalid-request", detail, errors=error.errors)
