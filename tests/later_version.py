"""Answers as a later minor version may give them: with members, events, moves and phases that no version has."""

from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from service import app, strict_json

UNKNOWN = "future-1"  #: The event, the type of move and the phase that no version has.


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


def of_later_version(answer: Any) -> Any:
    """The answer with a member more in every object, and an event, a move and a phase that no version has."""
    if isinstance(answer, list):
        return [of_later_version(each) for each in answer]
    if not isinstance(answer, dict):
        return answer
    later = {name: of_later_version(each) for name, each in answer.items()}
    if isinstance(later.get("events"), list):
        event = {"rule": "XX-99.9", "code": UNKNOWN, "move": 0, "params": {UNKNOWN: 1}, "text": UNKNOWN}
        later["events"].append({**event, UNKNOWN: {}})
    if isinstance(later.get("moves"), list) and "complete" in later:
        later["moves"].append({"move": {"type": UNKNOWN, "seat": 0, UNKNOWN: []}, "text": "?", "facts": {UNKNOWN: 1}})
        later["moves"][-1][UNKNOWN] = {}
    if isinstance(later.get("state"), dict):
        later["state"]["phase"] = UNKNOWN
    return {**later, UNKNOWN: {"value": 1}}
