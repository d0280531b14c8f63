"""Answers as a later minor version may give them: with members, values and events that no version has."""

from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from service import app, strict_json

UNKNOWN = "future-1"  #: A member, a value and an event that no version has.

PARTICULARS = ("params", "facts")  #: What is in them may be a part of a move, which gains nothing.


def create_app() -> WSGIApplication:
    """The service, with answers of a later version to every call that answers in JSON."""
    service = app.create_app()

    def later(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ.pop("HTTP_ACCEPT_ENCODING", None)
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], *_: object) -> Callable[[bytes], object]:
            started.append((status, headers))
            return lambda _: None

        body = b"".join(service(environ, start))
        status, headers = started[-1]
        if ("Content-Type", "application/json") in headers:
            body = strict_json.dumps(of_later_version(strict_json.loads(body)))
            headers = [header for header in headers if header[0] != "Content-Length"]
            headers.append(("Content-Length", str(len(body))))
        start_response(status, headers)
        return (body,)

    return later


def is_closed(answer: Any) -> bool:
    """Whether it is a state, a move or a ruleset, to which only another contract of the game may add."""
    if not isinstance(answer, dict):
        return False
    is_move = isinstance(answer.get("type"), str) and not answer["type"].startswith("/problems/")
    return "phase" in answer or is_move or {"name", "options"} <= answer.keys()


def of_later_version(answer: Any) -> Any:
    """The answer with a member more in every object that may gain one, and an event that no version has."""
    if isinstance(answer, list):
        return [of_later_version(each) for each in answer]
    if not isinstance(answer, dict) or is_closed(answer):
        return answer
    later = {name: each if name in PARTICULARS else of_later_version(each) for name, each in answer.items()}
    later |= {name: {**later[name], UNKNOWN: 1} for name in PARTICULARS if isinstance(later.get(name), dict)}
    if isinstance(later.get("events"), list):
        event = {"rule": "XX-99.9", "code": UNKNOWN, "move": 0, "params": {UNKNOWN: 1}, "text": UNKNOWN}
        later["events"].append({**event, UNKNOWN: {}})
    return {**later, UNKNOWN: {"value": 1}}
