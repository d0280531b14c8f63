"""Problems that calls on sessions share."""

from __future__ import annotations

from service.web.phrases import Phrase, phrase
from service.web.problems import Problem
from service.web.strict_json import Json


class Unauthorized(Problem):
    """Missing, forged or another session's token: one answer for all, wherever it was sent."""

    def __init__(self) -> None:
        detail = phrase("send-token")
        super().__init__("unauthorized", detail, {"WWW-Authenticate": "Bearer"})

    def document(self, instance: str, language: str) -> Json:
        """Without the session's name: the answer is the same whether there is such a session."""
        return super().document("/sessions", language)


def gone() -> Problem:
    """Only for a genuine token; to others it would say that there was such a session."""
    return Problem("not-found", phrase("gone"))


class Lost(Problem):
    """The session is there, but what happened in it is not."""

    def __init__(self) -> None:
        super().__init__("not-found", phrase("log-lost"))


def misfit(pointer: str, detail: Phrase) -> Problem:
    """One thing in a request that does not fit."""
    return Problem("invalid-request", detail, errors=[{"pointer": pointer, "detail": detail}])
