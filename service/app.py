"""The application: settings in, a Flask app out. Nothing is built when this module is imported."""

from __future__ import annotations

from time import perf_counter

from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service import metrics
from service.config import Settings
from service.problems import Problem
from service.request_id import request_id
from service.resources import documents, games, health, sessions, stateless
from service.resources.http import problem_answer

SLUGS = {404: "not-found", 405: "method-not-allowed", 413: "payload-too-large", 415: "unsupported-media-type"}


def create_app(settings: Settings | None = None) -> Flask:
    """The service. `settings`: from the environment unless given."""
    app = Flask("service", static_folder=None)
    app.config.update(SETTINGS=settings or Settings.from_environment(), READINESS={})
    app.url_map.strict_slashes = False
    for resource in (stateless, sessions, games, health, documents):
        app.register_blueprint(resource.blueprint())
    app.before_request(_begin)
    app.after_request(_end)
    app.register_error_handler(Problem, problem_answer)
    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(Exception, _ours)
    return app


def _begin() -> None:
    g.began = perf_counter()


def _end(response: Response) -> Response:
    response.headers["X-Request-ID"] = request_id(request.environ.get("HTTP_X_REQUEST_ID"))
    _counters(str(request.url_rule or "none")).answered(response.status_code, perf_counter() - g.began)
    return response


_routes: dict[str, metrics.Route] = {}


def _counters(route: str) -> metrics.Route:
    return _routes.get(route) or _routes.setdefault(route, metrics.Route(route))


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
    current_app.logger.exception("request failed", exc_info=error)
    detail = "The referee failed on this request. Please report the header X-Request-ID of this answer."
    return problem_answer(Problem("internal-error", detail))
