"""Turns every exception of a view into an answer, both for Flask and for the fast path."""

from __future__ import annotations

import logging
from wsgiref.types import WSGIEnvironment

from flask import Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing.exceptions import WebsocketMismatch
from werkzeug.wsgi import get_path_info

from service.routes import session_http
from service.sessions.outcomes import Outcome
from service.sessions.stores.protocol import StoreUnavailable
from service.web.fair_scheduling import Overloaded
from service.web.http import Answer, language_of, problem_answer
from service.web.phrases import phrase
from service.web.problems import BY_STATUS, FAILED, Problem

LOG = logging.getLogger(__name__)
BUSY = Problem("overloaded", phrase("overloaded"), {"Retry-After": "5"})
AWAY = Problem("store-unavailable", phrase("store-away"), {"Retry-After": "1"})


def answer_to(error: Exception, environ: WSGIEnvironment) -> Answer:
    """The answer to a request that ended in an error."""
    if isinstance(error, Outcome):
        return session_http.answer_to(error, environ)
    return problem_answer(problem_of(error, environ), environ["PATH_INFO"], language_of(environ))


def flask_answer_to(error: Exception) -> Response:
    """`answer_to`, as Flask calls an error handler."""
    return answer_to(error, request.environ).response()


def problem_of(error: Exception, environ: WSGIEnvironment) -> Problem:
    """The problem for an exception. An unexpected exception is logged, and its details are not published."""
    match error:
        case Problem():
            return error
        case StoreUnavailable():
            return AWAY
        case Overloaded():
            return BUSY
        case HTTPException():
            return _refused_by_flask(error, environ)
        case MemoryError():
            LOG.error("out of memory: a request was not answered")
            return FAILED
    LOG.error("request failed", exc_info=error)
    return FAILED


def _refused_by_flask(error: HTTPException, environ: WSGIEnvironment) -> Problem:
    status = error.code or 500
    slug = BY_STATUS.get(status, "invalid-request" if status < 500 else "internal-error")
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        detail = phrase("other-methods", path=get_path_info(environ), allowed=allowed, method=environ["REQUEST_METHOD"])
        return Problem(slug, detail, {"Allow": allowed})
    if isinstance(error, WebsocketMismatch):
        return Problem(slug, phrase("no-websocket"))
    if status == 404:
        return Problem(slug, phrase("nothing-here", path=environ["PATH_INFO"]))
    return Problem(slug, phrase("refused-by-status", status=status))
