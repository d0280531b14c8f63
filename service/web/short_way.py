"""What stands before Flask: every request is named and counted here, and the stateless calls are answered here.

Flask's routing, contexts and hooks cost about as much as a verdict. A stateless call needs none of them, so the door
takes it straight to its handler; all else, and any other method on those paths, is Flask's. Flask has the same handlers
as routes, so nothing but time depends on the short way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from logging import Logger
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from service.web.http import Answer, Environ, problem_written
from service.web.metrics import Route
from service.web.problems import FAILED, Problem
from service.web.request_id import request_id

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication

Handler: TypeAlias = Callable[[Environ], Answer]

LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class Door:
    """The WSGI application in front of Flask's, which it makes the POST calls without that need none of it.

    `handlers`: the stateless ones, by path. `sessions`: route and handler of a path that is one of a session's.
    """

    def __init__(
        self,
        flask: WSGIApplication,
        handlers: Mapping[str, Handler],
        sessions: Callable[[str], tuple[str, Handler] | None],
        log: Logger,
    ) -> None:
        self.flask = flask
        self.handlers = handlers
        self.sessions = sessions
        self.log = log
        self.routes: dict[str, Route] = {}

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        began = perf_counter()
        name = request_id(environ.get("HTTP_X_REQUEST_ID"))
        path = environ["PATH_INFO"]
        if environ["REQUEST_METHOD"] == "POST" and (found := self.found(path)):
            rule, handler = found
            answer = self.answered(handler, environ)
            answer.headers.append(("X-Request-ID", name))
            self.route(rule).answered(answer.status, perf_counter() - began)
            start_response(LINES[answer.status], answer.headers)
            return (answer.body,)

        def named(status: str, headers: list[tuple[str, str]], error: Any = None) -> Any:
            headers.append(("X-Request-ID", name))
            asked = environ.get("werkzeug.request")
            rule = None if asked is None else asked.url_rule
            self.route("none" if rule is None else rule.rule).answered(int(status[:3]), perf_counter() - began)
            return start_response(status, headers, error)

        return self.flask(environ, named)

    def found(self, path: str) -> tuple[str, Handler] | None:
        """Route and handler of a path that needs no Flask."""
        handler = self.handlers.get(path)
        return self.sessions(path) if handler is None else (path, handler)

    def answered(self, handler: Handler, environ: Environ) -> Answer:
        """The handler's answer, or the problem that it ran into."""
        try:
            return handler(environ)
        except Problem as problem:
            return problem_written(problem, environ)
        except Exception:
            self.log.exception("request failed")
            return problem_written(FAILED, environ)

    def route(self, rule: str) -> Route:
        """The counters of a route."""
        return self.routes.get(rule) or self.routes.setdefault(rule, Route(rule))


class Cors:
    """Lets web pages of the named origins (`*`: any) call. Around everything: preflights are asked of every path."""

    EXPOSED = "Content-Language, ETag, Location, Retry-After, X-Request-ID"
    ALLOWED = (
        "Accept-Language, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, "
        "X-Request-ID"
    )

    def __init__(self, app: WSGIApplication, origins: tuple[str, ...]) -> None:
        self.app = app
        self.origins = frozenset(origins)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        origin = environ.get("HTTP_ORIGIN")
        if origin is None or not self.origins & {origin, "*"}:
            return self.app(environ, start_response)
        allowed = [("Access-Control-Allow-Origin", origin), ("Vary", "Origin")]
        if environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ:
            allowed += (
                ("Access-Control-Allow-Methods", "GET, POST, DELETE"),
                ("Access-Control-Allow-Headers", self.ALLOWED),
                ("Access-Control-Max-Age", "600"),
            )
            start_response("204 No Content", allowed)
            return ()

        def shared(status: str, headers: list[tuple[str, str]], error: Any = None) -> Any:
            headers += allowed
            headers.append(("Access-Control-Expose-Headers", self.EXPOSED))
            return start_response(status, headers, error)

        return self.app(environ, shared)
