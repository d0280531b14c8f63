"""Problems as exceptions: one class for each `type` of document."""

from __future__ import annotations

import json
from typing import Any, NotRequired, TypedDict, cast

from .models import Fault, Problem, Violation, WrongPlace


class RefereeProblem(Exception):
    """A request that was refused, or failed. `problem`: the document; of an answer without one, as much as is known."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem["detail"])
        self.problem = problem

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.problem["status"]


class Document(TypedDict):
    """What every document has. That of a kind has its members as well, always."""

    type: str
    title: str
    status: int
    detail: str
    instance: str


class InvalidRequestDocument(Document):
    errors: list[WrongPlace]
    more: NotRequired[bool]


class IncidentOpenDocument(Document):
    closes_in_ms: int


class TimeRunningDocument(Document):
    ends_in_ms: int | None


class VersionMismatchDocument(Document):
    version: int
    view: dict[str, Any]


class InvalidStateDocument(Document):
    faults: list[Fault]
    more: NotRequired[bool]


class IllegalMoveDocument(Document):
    violations: list[Violation]
    more: NotRequired[bool]


class MalformedJson(RefereeProblem): ...


class InvalidRequest(RefereeProblem):
    problem: InvalidRequestDocument  # type: ignore[assignment]


class Unauthorized(RefereeProblem): ...


class Forbidden(RefereeProblem): ...


class NotFound(RefereeProblem): ...


class MethodNotAllowed(RefereeProblem): ...


class NotAcceptable(RefereeProblem): ...


class RequestInProgress(RefereeProblem): ...


class SessionFull(RefereeProblem): ...


class SeatTaken(RefereeProblem): ...


class IncidentOpen(RefereeProblem):
    problem: IncidentOpenDocument  # type: ignore[assignment]


class TimeRunning(RefereeProblem):
    problem: TimeRunningDocument  # type: ignore[assignment]


class TimeOver(RefereeProblem): ...


class NotOver(RefereeProblem): ...


class VersionMismatch(RefereeProblem):
    problem: VersionMismatchDocument  # type: ignore[assignment]


class PayloadTooLarge(RefereeProblem): ...


class UnsupportedMediaType(RefereeProblem): ...


class InvalidState(RefereeProblem):
    problem: InvalidStateDocument  # type: ignore[assignment]


class IllegalMove(RefereeProblem):
    """As a text: the sentence and the clause of the first violation."""

    problem: IllegalMoveDocument  # type: ignore[assignment]

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        for first in problem.get("violations", [])[:1]:
            self.args = (f"{first['text']} ({first['rule']})",)


class SeedMismatch(RefereeProblem): ...


class TooMuchAsked(RefereeProblem): ...


class IdempotencyKeyReused(RefereeProblem): ...


class TooManyRequests(RefereeProblem): ...


class HeadersTooLarge(RefereeProblem): ...


class InternalError(RefereeProblem): ...


class StoreUnavailable(RefereeProblem): ...


class Overloaded(RefereeProblem): ...


def _type(name: str) -> str:
    return "/problems/" + "".join(f"-{each.lower()}" if each.isupper() else each for each in name).lstrip("-")


BY_TYPE = {_type(kind.__name__): kind for kind in RefereeProblem.__subclasses__()}


class NetworkError(RefereeProblem):
    """No answer of a referee: the connection failed or broke off, took too long, or brought something else.

    `__cause__` is the error of the library below. `status` is that of the answer, 0 if there was none.
    """

    def __init__(self, detail: str, status: int = 0) -> None:
        super().__init__({"type": "about:blank", "title": "", "status": status, "detail": detail, "instance": ""})


def network_error(cause: Exception) -> NetworkError:
    """The error for one of the library below."""
    return NetworkError(f"No answer of the referee: {str(cause) or type(cause).__name__}")


def body_of(status: int, body: bytes) -> Any:
    """The JSON of an answer; a RefereeProblem where it is refused, a NetworkError where it is no JSON."""
    if status == 204:
        return None
    if status >= 400:
        raise problem_of(status, body)
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NetworkError(detail_of(status, body), status) from error


def still_runs(status: int, body: bytes) -> bool:
    """Whether a call with the same key, sent before, has no answer yet."""
    return status == 409 and isinstance(problem_of(status, body), RequestInProgress)


def problem_of(status: int, body: bytes) -> RefereeProblem:
    """What an answer stands for that is no success; one that is no problem document came from something in between."""
    try:
        problem = cast("Problem", {"status": status, **json.loads(body)})
        return BY_TYPE.get(problem["type"], RefereeProblem)(problem)
    except (ValueError, LookupError, TypeError):
        detail = detail_of(status, body)
        return RefereeProblem({"type": "about:blank", "title": "", "status": status, "detail": detail, "instance": ""})


def detail_of(status: int, body: bytes) -> str:
    """The beginning of an answer that is no document."""
    return body[:300].decode(errors="replace") or f"An answer of {status} without a body."
