"""The fast path in front of Flask: views that need only the WSGI environment are called without Flask.

Flask's routing, contexts and hooks cost about as much as a verdict (docs/decisions/0002-the-fast-path.md). A view with
`@environ_only` is an ordinary view of Flask, and the fast path takes its route from Flask's map. A request that the
fast path does not surely know goes to Flask, which gives the same answer more slowly.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, Generic, NamedTuple, ParamSpec
from wsgiref.types import WSGIEnvironment

from flask import Flask, Response, request

from service.http.bodies import Answer
from service.http.middleware import ROUTE

P = ParamSpec("P")

PARAMETER = re.compile(r"<\w+>")
HOST = re.compile(r"(?:(?:[\w-]{1,63}\.)*[\w-]{1,63}\.?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)
"""A `Host` that Flask surely accepts. Of all others it refuses some."""


class environ_only(Generic[P]):  # noqa: N801 - a decorator
    """A view that takes the WSGI environment and the parameters of its route, and needs nothing of Flask."""

    def __init__(self, answer: Callable[Concatenate[WSGIEnvironment, P], Answer]) -> None:
        self.answer = answer
        update_wrapper(self, answer)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Response:
        """The view as Flask calls it."""
        return self.answer(request.environ, *args, **kwargs).response()


class FastRoute(NamedTuple):
    """A route whose view is `environ_only`. `pattern`: its path, where each parameter is all letters and digits."""

    rule: str
    view: Callable[..., Answer]
    pattern: re.Pattern[str]


class FastPath:
    """Answers requests that need no Flask. `answer_to`: makes an answer of an exception that a view raised."""

    def __init__(self, app: Flask, answer_to: Callable[[Exception, WSGIEnvironment], Answer]) -> None:
        self.answer_to = answer_to
        self.fixed: dict[tuple[str, str], FastRoute] = {}
        # HEAD and OPTIONS are left to Flask, which adds them to routes.
        self.open: dict[str, list[FastRoute]] = {"GET": [], "POST": [], "DELETE": []}
        for rule in app.url_map.iter_rules():
            view = app.view_functions[rule.endpoint]
            if not isinstance(view, environ_only):
                continue
            pattern, parameters = PARAMETER.subn("([0-9A-Za-z]+)", re.escape(rule.rule))
            route = FastRoute(rule.rule, view.answer, re.compile(pattern))
            for method in (rule.methods or set()) & self.open.keys():
                if parameters:
                    self.open[method].append(route)
                else:
                    self.fixed[method, rule.rule] = route

    def __call__(self, environ: WSGIEnvironment) -> Answer | None:
        """The answer; None where the request is left to Flask."""
        match = self.find(environ["REQUEST_METHOD"], environ["PATH_INFO"])
        if match is None or not HOST.fullmatch(environ.get("HTTP_HOST", "none")):
            return None
        if environ.get("HTTP_UPGRADE", "").lower() == "websocket":  # Flask refuses it; any other upgrade is ignored
            return None
        route, parameters = match
        environ[ROUTE] = route.rule
        try:
            return route.view(environ, *parameters)
        except Exception as error:  # noqa: BLE001 - every exception is answered
            return self.answer_to(error, environ)

    def find(self, method: str, path: str) -> tuple[FastRoute, tuple[str, ...]] | None:
        """The route that fits, and its parameters in the path."""
        if route := self.fixed.get((method, path)):
            return route, ()
        for route in self.open.get(method, ()):
            if fits := route.pattern.fullmatch(path):
                return route, fits.groups()
        return None
