"""Outcomes of requests on sessions, and exceptions of all views, written as HTTP."""

from __future__ import annotations

import json
import logging
from math import ceil
from wsgiref.types import WSGIEnvironment

from flask import Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing.exceptions import WebsocketMismatch
from werkzeug.wsgi import get_path_info

import engines
from service import strict_json
from service.contract.problem_bodies import invalid_request, more
from service.contract.session_bodies import EncodedCounted, EncodedJoined
from service.http.bodies import Answer, json_answer, problem_answer
from service.http.nearest import nothing_at, there, unknown_game
from service.http.preferences import language_of
from service.http.shared import TESTING
from service.problems import BY_STATUS, FAILED, Problem
from service.scheduling import Overloaded
from service.sessions import outcomes
from service.sessions.record import marked
from service.sessions.stores.protocol import StoredResponse, StoreFull, StoreUnavailable
from service.words.phrases import phrase

LOG = logging.getLogger(__name__)
SAME_FOR_EVERY_REQUEST: dict[type[Exception], Problem] = {
    outcomes.NotInvited: Problem("unauthorized", phrase("send-invite"), {"WWW-Authenticate": "Bearer"}),
    outcomes.VoidTicket: Problem("unauthorized", phrase("take-ticket"), {"WWW-Authenticate": "Bearer"}),
    outcomes.Unauthorized: Problem("unauthorized", phrase("send-token"), {"WWW-Authenticate": "Bearer"}),
    outcomes.NotFound: Problem("not-found", phrase("gone")),
    outcomes.LogLost: Problem("not-found", phrase("log-lost")),
    StoreFull: Problem("store-unavailable", phrase("store-full"), {"Retry-After": "60"}),
    StoreUnavailable: Problem("store-unavailable", phrase("store-away"), {"Retry-After": "1"}),
    Overloaded: Problem("overloaded", phrase("overloaded"), {"Retry-After": "5"}),
}
"""The problems that are the same for every request."""


def answer_to(result: outcomes.Outcome | Exception, environ: WSGIEnvironment) -> Answer:
    """The answer to a request that came to an outcome, or that ended in an exception."""
    if isinstance(result, StoredResponse):
        return _decoded(result.body)
    return of_tests(_new_answer(result, environ), environ)


def of_tests(answer: Answer, environ: WSGIEnvironment) -> Answer:
    """The answer, which says so if the request is on a session of tests."""
    if TESTING not in environ or not answer.body:
        return answer
    body = marked(answer.body)
    headers = [each for each in answer.headers if each[0] != "Content-Length"]
    return Answer(body, answer.status, [*headers, ("Content-Length", str(len(body)))])


def _new_answer(
    result: outcomes.Opened | outcomes.Made | outcomes.Rematched | Exception, environ: WSGIEnvironment
) -> Answer:
    """The answer to an outcome that is not stored, or to an exception."""
    match result:
        case outcomes.Opened():
            location = {"Location": f"/sessions/{result.session.id}"} | tagged(result.tag)
            return json_answer(result.session, 201, headers=location | _rate_limit(result.share))
        case outcomes.Made():
            status = 202 if isinstance(result.body, EncodedJoined | EncodedCounted) else 201
            return json_answer(result.body, status, language=language_of(environ), headers=tagged(result.tag))
        case outcomes.Rematched(next=table, share=share):
            headers = {} if share is None else {"Location": f"/sessions/{table.id}"} | _rate_limit(share)
            return json_answer(table, 200 if share is None else 201, headers=headers)
        case outcomes.Unauthorized():
            path = "/sessions"  # the answer is the same, whether there is such a session or not
        case _:
            path = environ["PATH_INFO"]
    return problem_answer(_problem_of(result, environ), path, language_of(environ))


def flask_answer_to(error: Exception) -> Response:
    """`answer_to`, as Flask calls an error handler."""
    return answer_to(error, request.environ).response()


def _problem_of(error: Exception, environ: WSGIEnvironment) -> Problem:  # noqa: C901, PLR0911 - flat, one row each
    """The problem for an exception. An unexpected exception is logged, and its details are not published."""
    for kind, problem in SAME_FOR_EVERY_REQUEST.items():
        if isinstance(error, kind):
            return problem
    match error:
        case Problem():
            return error
        case outcomes.DoesNotFit():
            return invalid_request(error.invalid)
        case outcomes.Refused(retry_after=seconds):
            headers = {} if seconds is None else {"Retry-After": str(seconds)}
            return Problem(error.kind, error.reason, headers, **error.more)
        case outcomes.Illegal():
            return Problem("illegal-move", error.reason, violations=error.violations, **more(error.more))
        case outcomes.Stale(session=session):
            detail = phrase("at-version", version=session.version) if error.is_ours else phrase("no-tag-of-ours")
            return Problem("version-mismatch", detail, tagged(error.tag), version=session.version, view=session)
        case outcomes.ShareUsedUp():
            headers = {"Retry-After": str(ceil(error.share.wait))} | _rate_limit(error.share)
            return Problem("too-many-requests", phrase("share-used-up"), headers)
        case HTTPException():
            return _refused_by_flask(error, environ)
        case MemoryError():
            LOG.error("out of memory: a request was not answered")
        case _:
            LOG.error("request failed", exc_info=error)
    return FAILED


def _refused_by_flask(error: HTTPException, environ: WSGIEnvironment) -> Problem:
    """The problem for a request that Flask refused."""
    status, path = error.code or 500, get_path_info(environ)
    game = path.split("/")[2] if path.startswith("/games/") else ""
    if status in (404, 405) and game and game not in engines.registry():
        return Problem("not-found", unknown_game(game, path, there(environ)))
    slug = BY_STATUS.get(status, "invalid-request" if status < 500 else "internal-error")
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        detail = phrase("other-methods", path=path, allowed=allowed, method=environ["REQUEST_METHOD"])
        return Problem(slug, detail, {"Allow": allowed})
    if isinstance(error, WebsocketMismatch):
        return Problem(slug, phrase("no-websocket"))
    if status == 404:
        return Problem(slug, nothing_at(path, there(environ)))
    return Problem(slug, phrase("refused-by-status", status=status))


def tagged(tag: str) -> dict[str, str]:
    """The header that gives an answer this ETag."""
    return {"ETag": f'"{tag}"'}


def _rate_limit(share: outcomes.Share) -> dict[str, str]:
    """The share of openings in the headers of draft-ietf-httpapi-ratelimit-headers-10."""
    return {
        "RateLimit-Policy": f'"openings";q={share.most};w={share.seconds}',
        "RateLimit": f'"openings";r={share.left};t={ceil(share.wait or share.full_in)}',
    }


def encoded(environ: WSGIEnvironment, outcome: outcomes.Outcome) -> bytes:
    """The answer to an outcome, as it is stored under an idempotency key."""
    answer = answer_to(outcome, environ)
    return strict_json.dumps([answer.status, answer.headers]) + b"\n" + answer.body


def _decoded(encoded_answer: bytes) -> Answer:
    """The answer that `encoded` has encoded."""
    first_line, _, body = encoded_answer.partition(b"\n")
    status, headers = json.loads(first_line)
    return Answer(body, status, [(name, value) for name, value in headers])
