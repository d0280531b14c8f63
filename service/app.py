"""The application: settings in, a Flask app out. No app is made when this module is imported."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from wsgiref.types import WSGIEnvironment

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import RoutingException

import engines
from gunicorn_llhttp.clients import Clients
from service import seeds
from service.bounds import NO_BODY
from service.config import NO_STORE, Serving, Settings
from service.http import documents, health, playground, responses, session_routes, stateless, testing
from service.http.bodies import Answer
from service.http.fast_path import FastPath
from service.http.middleware import NO_SUCH_PATH, Cors, Middleware, for_people, needs_sessions
from service.http.nearby import Nearby
from service.http.refusals import Refusals
from service.http.shared import CLIENTS, NEARBY, SESSIONS, SETTINGS
from service.http.traces import traced
from service.seeds import ENGLISH
from service.sessions.service import Sessions
from service.words.phrases import phrase

LOG = logging.getLogger(__name__)
DISTRUSTED = (
    "X-Forwarded-For came from an address that REFEREE_PROXIES does not name. If that is your proxy, name it: until "
    "then all its clients have the share of one client."
)
WITHOUT_BODY = {"sessions.ticket", "sessions.next_table"}  #: The endpoints of calls by POST that take no body.


class Service(Flask):
    """Flask, whose answers to `OPTIONS` say nothing of HTML: they are empty."""

    def make_default_options_response(self) -> Response:
        """The answer to OPTIONS, which has no body and so no type."""
        response = super().make_default_options_response()
        response.headers.remove("Content-Type")
        return response


def create_app(settings: Settings | None = None, *, fast_path: bool = True) -> Flask:
    """The service. `settings`: from the environment unless given. `fast_path`: off for tests and measurements only."""
    settings = settings or Settings.from_environment()
    for engine in engines.registry().values():
        seeds.rulebook(engine)  # raises at the start if it is faulty
    app = Service("service", static_folder=None)
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # a path with a doubled slash is 404, not redirected
    session_service = None if settings.store_url == NO_STORE else Sessions(settings)
    app.extensions["settings"], app.extensions["sessions"] = settings, session_service
    app.extensions["body_limit"] = partial(_body_limit, app, settings)
    for resource in (stateless, session_routes, health, documents, playground):
        app.register_blueprint(resource.bp)
    if settings.testing:
        app.register_blueprint(testing.bp)
    app.before_request(_no_other_paths)
    app.register_error_handler(Exception, _answer_to_error)
    # Without an answer of the fast path, Flask answers the request.
    answer: Callable[[WSGIEnvironment], Answer | None]
    answer = FastPath(app, responses.answer_to) if fast_path else lambda environ: None
    if settings.testing:
        LOG.warning(phrase("testing-on").text_in(ENGLISH))
        answer = testing.Preferring(answer)
    serving = Serving.from_environment()
    clients = Clients(serving.proxies, partial(LOG.warning, DISTRUSTED))
    shared = {SETTINGS: settings, SESSIONS: session_service, CLIENTS: clients, NEARBY: Nearby(serving, clients)}
    middleware = Middleware(app.wsgi_app, answer, shared, session_routes.PATH)
    prefer = ("Prefer",) if settings.testing else ()
    cors = Cors(middleware, settings.cors_origins, *prefer) if settings.cors_origins else None
    app.extensions["refusals"] = Refusals(middleware, cors)
    app.wsgi_app = traced(cors or middleware)  # type: ignore[assignment, method-assign]
    return app


def _body_limit(app: Flask, settings: Settings, method: str, path: str) -> int:
    """Bytes of the largest body that is read at a path."""
    if (method, path) == ("POST", "/batch"):
        return settings.batch_limit
    if app.extensions["sessions"] is None and needs_sessions(path):
        return settings.body_limit  # a large body, too, gets the answer that sessions are off
    try:
        endpoint, _arguments = app.url_map.bind("").match(path, method)
    except (HTTPException, RoutingException):
        return NO_BODY
    return settings.body_limit if method == "POST" and endpoint not in WITHOUT_BODY else NO_BODY


def _no_other_paths() -> None:
    """Refuse what there is not, and what Werkzeug would accept: several slashes at the beginning."""
    if problem := request.environ[NO_SUCH_PATH]:
        raise problem
    if request.environ["PATH_INFO"].startswith("//"):
        raise NotFound


def _answer_to_error(error: Exception) -> Response:
    """The answer to an exception: a problem document, or a page where a browser opens an address that is not there."""
    answer = responses.flask_answer_to(error)
    if answer.status_code != 404:
        return answer
    answer.vary.add("Accept")
    return playground.not_found(answer) if for_people(request.environ) else answer
