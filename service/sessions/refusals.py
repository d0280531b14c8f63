"""Problems that calls on sessions share."""

from __future__ import annotations

from service.web.problems import Problem
from service.web.strict_json import Json


class Unauthorized(Problem):
    """Missing, forged or another session's token: one answer for all, wherever it was sent."""

    def __init__(self) -> None:
        detail = "Send the token of a seat or of the host of this session, as Authorization: Bearer …"
        super().__init__("unauthorized", detail, {"WWW-Authenticate": "Bearer"})

    def document(self, instance: str) -> Json:
        """Without the session's name: the answer is the same whether there is such a session."""
        return super().document("/sessions")


def gone() -> Problem:
    """Only for a genuine token; to others it would say that there was such a session."""
    return Problem("not-found", "This session was deleted, or has expired.")


def misfit(pointer: str, detail: str) -> Problem:
    """One thing in a request that does not fit."""
    return Problem("invalid-request", detail, errors=[{"pointer": pointer, "detail": detail}])
