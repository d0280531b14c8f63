"""The application: settings in, a Flask app out. Nothing is built when this module is imported."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service import metrics
from service.config import Settings
from service.problems import Problem
from service.request_id import request_id
from service.resources import documents, games, health, sessions, stateless
from service.resources.http import problem_answer

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication

SLUGS = {404: "not-found", 405: "method-not-allowed", 413: "payload-too-large", 415: "unsupported-media-type"}


def create_app(settings: Settings | None = None) -> Flask:
    """The service. `settings`: from the environment unless given."""
    settings = settings or Settings.from_environment()
    app = Flask("service", static_folder=None)
    app.config.update(SETTINGS=settings, READINESS={})
    app.url_map.strict_slashes = False
    for resource in (stateless, sessions, games, health, documents):
        app.register_blueprint(resource.blueprint(settings))
    app.register_error_handler(Problem, problem_answer)
    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(Exception, _ours)
    app.wsgi_app = Observed(app.wsgi_app)  # type: ignore[method-assign]
    return app


class Observed:
    """Names and counts every request. Around the app, because Flask's hooks cost more than what they would do here."""

    def __init__(self, app: WSGIApplication) -> None:
        self.app = app
        self.routes: dict[str, metrics.Route] = {}

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        began = perf_counter()
        name = request_id(environ.get("HTTP_X_REQUEST_ID"))

        def named(status: str, headers: list[tuple[str, str]], error: Any = None) -> Any:
            headers.append(("X-Request-ID", name))
            self.route(environ).answered(status[:3], perf_counter() - began)
            return start_response(status, headers, error)

        return self.app(environ, named)

    def route(self, environ: dict[str, Any]) -> metrics.Route:
        """The counters of the route that a request was matched to."""
        asked = environ.get("werkzeug.request")
        rule = str(asked.url_rule) if asked is not None else "None"
        return self.routes.get(rule) or self.routes.setdefault(rule, metrics.Route(rule))


def _refused(error: HTTPException) -> Response:
    """What Flask itself refuses, as a problem document."""
    headers = {}
    detail = f"Nothing stands at {request.path}; /docs lists what there is."
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        headers["Allow"] = allowed
        detail = f"{request.path} takes {allowed}, not {request.method}."
    elif error.code != 404:
        detail = error.description or error.name
    slug = SLUGS.get(error.code or 500, "invalid-request" if (error.code or 500) < 500 else "internal-error")
    return problem_answer(Problem(slug, detail, headers))


def _ours(error: Exception) -> Response:
    """A mistake of ours: no inner details leave the house."""
    current_app.logger.error("request failed", exc_info=error)
    detail = "The referee failed on this request. Please report the header X-Request-ID of this answer."
    return problem_answer(Problem("internal-error", detail))
