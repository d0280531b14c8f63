"""Gives every request an id, counts it, and adds headers to its answer; CORS for pages of other origins."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Request
from werkzeug.wsgi import get_path_info

from service import build, metrics
from service.bounds import ACCEPT_LENGTH, REQUEST_ID
from service.http.bodies import STATUS_LINES, Answer, problem_answer
from service.http.preferences import HTML, JSON, language_of, preferred
from service.http.shared import SESSIONS
from service.problems import Problem
from service.words.phrases import phrase

if TYPE_CHECKING:
    from _typeshed import OptExcInfo

Headers: TypeAlias = list[tuple[str, str]]

ROUTE = "referee.route"  #: The key for the route of a request that the fast path answered.
NO_SUCH_PATH = "referee.no_such_path"  #: The key for the problem with which Flask refuses a path, or None.
VERSION = "Referee-Version", build.VERSION  #: In every answer: which version of the service made it.
NOSNIFF = "X-Content-Type-Options", "nosniff"
"""In every answer: a browser must not guess another media type than the one named."""
NEGOTIATED = {
    f"HTTP_{name.upper().replace('-', '_')}": name for name in ("Accept", "Accept-Language", "Accept-Encoding")
}
NAME = re.compile(rf"[\w.:+/=@-]{{1,{REQUEST_ID}}}", re.ASCII)
needs_sessions = re.compile(r"/sessions(?:/.*)?|/play/?", re.DOTALL).fullmatch  #: Matches such a path.
PRIVATE = (("Cache-Control", "private, no-cache"), ("Vary", "Authorization, Accept-Language"))


class Middleware:
    """The WSGI application around Flask and the fast path. It gives every request an id, counts it, and adds headers.

    `fast_path`: the answer to a request that needs no Flask, None for others. `shared`: what
    views find in the environment. `private`: at this path and below it, no shared cache may keep answers.
    """

    def __init__(
        self,
        flask: WSGIApplication,
        fast_path: Callable[[WSGIEnvironment], Answer | None],
        shared: Mapping[str, object],
        private: str,
    ) -> None:
        self.flask = flask
        self.fast_path = fast_path
        self.shared = shared
        self.private = private

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request: refuse it, or by the fast path, or by Flask."""
        began = perf_counter()
        name = environ["HTTP_X_REQUEST_ID"] = request_id(environ.get("HTTP_X_REQUEST_ID"))  # the log reads it, too
        environ.update(self.shared)
        environ[NO_SUCH_PATH] = problem = no_such_path(environ)
        answer = too_large(environ) or (self.fast_path(environ) if problem is None else None)
        if answer is not None:
            headers = self.finish(environ, name, answer.status, answer.headers, began)
            start_response(STATUS_LINES[answer.status], headers)
            return (answer.body,)

        def finished(status: str, headers: Headers, error: OptExcInfo | None = None, /) -> Callable[[bytes], object]:
            return start_response(status, self.finish(environ, name, int(status[:3]), headers, began), error)

        return self.flask(environ, finished)

    def finish(self, environ: WSGIEnvironment, name: str, status: int, headers: Headers, began: float) -> Headers:
        """Count an answer; returns its headers, completed, in a new list: several answers may share the old one."""
        path = environ["PATH_INFO"]
        if path == self.private or path.startswith(f"{self.private}/"):
            headers = [*(each for each in headers if each[0] != "Vary"), *PRIVATE]
        metrics.count_request(rule_of(environ), status, began)
        return [*headers, ("X-Request-ID", name), VERSION, NOSNIFF]


def request_id(name: str | None) -> str:
    """The client's name for its request, if it fits into headers and logs; else a new name, which is no secret."""
    return name if name and NAME.fullmatch(name) else f"{random.getrandbits(128):032x}"


def too_large(environ: WSGIEnvironment) -> Answer | None:
    """The refusal of a request whose `Accept`, `Accept-Language` or `Accept-Encoding` would be costly to read."""
    for key, name in NEGOTIATED.items():
        if key in environ and len(environ[key]) > ACCEPT_LENGTH:
            environ[ROUTE] = "none"
            problem = Problem("headers-too-large", phrase("long-header", header=name, most=ACCEPT_LENGTH))
            return problem_answer(problem, environ["PATH_INFO"], language_of(environ))
    return None


def for_people(environ: WSGIEnvironment) -> bool:
    """Whether a browser opens an address: it prefers a page to JSON."""
    reads = environ["REQUEST_METHOD"] in ("GET", "HEAD")
    return reads and preferred(environ.get("HTTP_ACCEPT"), (JSON, HTML)) == HTML


def no_such_path(environ: WSGIEnvironment) -> Problem | None:
    """Why there is no such path: it needs sessions, which are off, or a slash is behind it.

    A proxy's rule for the path without the slash would let it pass.
    """
    path = environ["PATH_INFO"]
    if environ[SESSIONS] is None and needs_sessions(path):
        detail = phrase("sessions-off")
    elif path.endswith("/") and path != "/":
        readable = get_path_info(environ)
        detail = phrase("slash-behind", path=readable, shorter=readable.rstrip("/") or "/")
    else:
        return None
    environ[ROUTE] = "none"
    return Problem("not-found", detail)


def rule_of(environ: WSGIEnvironment) -> str:
    """The route of a request that was answered, as `/games/<game>`; `none` where none fits."""
    if ROUTE in environ:
        return str(environ[ROUTE])
    request: Request | None = environ.get("werkzeug.request")
    return "none" if request is None or request.url_rule is None else request.url_rule.rule


class Cors:
    """Lets web pages of the given origins (`*`: any) call the service. It answers preflights for every path."""

    EXPOSED = (
        "Content-Language, ETag, Location, RateLimit, RateLimit-Policy, Referee-Version, Retry-After, X-Request-ID"
    )
    ALLOWED = (
        "Accept-Language, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, "
        "traceparent, tracestate, X-Request-ID"
    )

    def __init__(self, app: WSGIApplication, origins: tuple[str, ...], *also: str) -> None:
        """`also`: further headers that pages may send."""
        self.app = app
        self.allowed = ", ".join((self.ALLOWED, *also))
        self.origins = frozenset(origins)
        alone = origins[0] if len(origins) == 1 else None
        self.unread = "*" if "*" in origins else alone
        """What is allowed where a refused request's origin could not be read; None if that cannot be said."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a preflight of an origin that is allowed; else add the headers to the application's answer."""
        origin = environ.get("HTTP_ORIGIN")
        is_preflight = environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ
        if is_preflight and self.allows(origin):
            allowed = [
                ("Access-Control-Allow-Methods", "GET, POST, DELETE"),
                ("Access-Control-Allow-Headers", self.allowed),
                ("Access-Control-Max-Age", "600"),
                NOSNIFF,
            ]
            start_response("204 No Content", self.completed(allowed, origin))
            return ()

        def completed(status: str, headers: Headers, error: OptExcInfo | None = None, /) -> Callable[[bytes], object]:
            return start_response(status, self.completed(headers, origin), error)

        return self.app(environ, completed)

    def allows(self, origin: str | None) -> bool:
        """Whether pages of this origin may call the service."""
        return origin is not None and not self.origins.isdisjoint((origin, "*"))

    def completed(self, headers: Headers, origin: str | None) -> Headers:
        """The headers of an answer, with those that let a page of this origin read it. Caches tell origins apart."""
        varies = [value for name, value in headers if name == "Vary"]
        headers = [*(each for each in headers if each[0] != "Vary"), ("Vary", ", ".join([*varies, "Origin"]))]
        if origin is not None and self.allows(origin):
            headers += (("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", self.EXPOSED))
        return headers
