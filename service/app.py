"""The application: settings in, a Flask app out. No app is made when this module is imported."""

from __future__ import annotations

from wsgiref.types import WSGIEnvironment

from flask import Flask, request
from werkzeug.exceptions import NotFound

from service.config import Serving, Settings
from service.routes import documents, errors, games, health, playground, sessions, stateless
from service.sessions.service import Sessions
from service.web.clients import Clients
from service.web.fast_path import FastPath
from service.web.middleware import Cors, Middleware
from service.web.traces import traced


def create_app(settings: Settings | None = None, *, fast_path: bool = True) -> Flask:
    """The service. `settings`: from the environment unless given. `fast_path`: off for tests and measurements only."""
    settings = settings or Settings.from_environment()
    app = Flask("service", static_folder=None)
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # a doubled one is answered with 404, not sent elsewhere
    app.extensions["settings"] = settings
    app.extensions["clients"] = Clients(Serving.from_environment().proxies)
    app.extensions["sessions"] = Sessions(settings)
    for resource in (stateless, sessions, games, health, documents, playground):
        app.register_blueprint(resource.bp)
    app.before_request(_nothing_behind_two_slashes)
    app.register_error_handler(Exception, errors.flask_answer_to)
    answer = FastPath(app, errors.answer_to) if fast_path else _nothing
    middleware = Middleware(app.wsgi_app, answer, app.extensions, sessions.PATH)
    let_in = Cors(middleware, settings.cors_origins) if settings.cors_origins else middleware
    app.wsgi_app = traced(let_in)  # type: ignore[assignment, method-assign]
    return app


def _nothing_behind_two_slashes() -> None:
    """Refuse what Werkzeug would accept: several slashes at the beginning of a path."""
    if request.environ["PATH_INFO"].startswith("//"):
        raise NotFound


def _nothing(environ: WSGIEnvironment) -> None:
    """No answer: without the fast path, Flask answers every request."""
