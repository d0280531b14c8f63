"""The application: settings in, a Flask app out. Nothing is built when this module is imported."""

from __future__ import annotations

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from service.config import Settings
from service.routes import documents, games, health, playground, sessions, stateless
from service.web.http import problem_answer
from service.web.problems import FAILED, Problem
from service.web.short_way import Cors, Door

SLUGS = {404: "not-found", 405: "method-not-allowed", 413: "payload-too-large", 415: "unsupported-media-type"}


def create_app(settings: Settings | None = None) -> Flask:
    """The service. `settings`: from the environment unless given."""
    settings = settings or Settings.from_environment()
    app = Flask("service", static_folder=None)
    app.config.update(READINESS={})
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # a doubled one is answered with 404, not sent elsewhere
    for resource in (stateless, sessions, games, health, documents, playground):
        app.register_blueprint(resource.blueprint(settings))
    app.before_request(_nothing_behind_two_slashes)
    app.register_error_handler(Problem, problem_answer)
    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(Exception, _ours)
    door = Door(app.wsgi_app, stateless.handlers(settings), sessions.quick(app), app.logger)
    app.wsgi_app = Cors(door, settings.cors_origins) if settings.cors_origins else door  # type: ignore[method-assign]
    return app


def _nothing_behind_two_slashes() -> None:
    """Werkzeug takes several slashes at the beginning of a path for one."""
    if request.environ["PATH_INFO"].startswith("//"):
        raise NotFound


def _refused(error: HTTPException) -> Response:
    """What Flask itself refuses, as a problem document."""
    headers = {}
    detail = f"Nothing stands at {request.environ['PATH_INFO']}; /docs lists what there is."
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
    return problem_answer(FAILED)
