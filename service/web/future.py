"""Answers as a later minor version may send them, for tests of clients (`REFEREE_FUTURE=1`, `Prefer: future=1`)."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from service.web import strict_json

FUTURE = "future-1"  #: The event, the type of move and the phase that no version has.


class Future:
    """The application with answers of the future at `paths`, where a request prefers them."""

    def __init__(self, app: WSGIApplication, paths: Container[str]) -> None:
        self.app = app
        self.paths = paths

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        wanted = [each.strip() for each in environ.get("HTTP_PREFER", "").split(",")]
        called = environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] in self.paths
        if "future=1" not in wanted or not called:
            return self.app(environ, start_response)
        environ.pop("HTTP_ACCEPT_ENCODING", None)
        began: list[Any] = []
        body = b"".join(self.app(environ, lambda *begin: began.extend(begin)))  # type: ignore[arg-type]
        status, headers, *_ = began
        body = strict_json.dumps(of_the_future(strict_json.loads(body)))
        headers = [each for each in headers if each[0] != "Content-Length"]
        headers += [("Vary", "Prefer"), ("Preference-Applied", "future=1")]
        start_response(status, [*headers, ("Content-Length", str(len(body)))])
        return (body,)


def of_the_future(answer: Any) -> Any:
    """An answer with a member more in every object, and an event, a move and a phase of a later version."""
    if isinstance(answer, list):
        return [of_the_future(each) for each in answer]
    if not isinstance(answer, dict):
        return answer
    made = {name: of_the_future(each) for name, each in answer.items()}
    if isinstance(made.get("events"), list):
        event = {"rule": "XX-99.9", "code": FUTURE, "move": 0, "params": {FUTURE: 1}, "text": FUTURE}
        made["events"].append({**event, FUTURE: {}})
    if isinstance(made.get("moves"), list) and "complete" in made:
        made["moves"].append({"move": {"type": FUTURE, "seat": 0, FUTURE: []}, "facts": {FUTURE: 1}, FUTURE: {}})
    if isinstance(made.get("state"), dict):
        made["state"]["phase"] = FUTURE
    return {**made, FUTURE: {"value": 1}}
