"""The routes under `/sessions`. `session_http.py` reads requests and writes outcomes; `service/sessions` acts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from wsgiref.types import WSGIEnvironment

import flask
from flask import Blueprint, Response
from werkzeug.http import parse_etags

from service.routes import session_http
from service.routes.session_http import answer_to, change_request, read_request
from service.routes.shared import sessions_of
from service.sessions import changes, log
from service.sessions.table import Snapshot
from service.web.fast_path import environ_only
from service.web.http import EVENT_STREAM, Answer, json_answer

PATH = "/sessions"
bp = Blueprint("sessions", __name__, url_prefix=PATH)


@bp.post("")
@environ_only
def open_session(environ: WSGIEnvironment) -> Answer:
    """Open a session, and give out its tokens."""
    return answer_to(changes.open_session(sessions_of(environ), session_http.opening_request(environ)), environ)


@bp.delete("/<session_id>")
@environ_only
def close_session(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Delete a session."""
    changes.close_session(sessions_of(environ), session_http.bodiless_request(environ, session_id))
    return Answer(b"", 204, [])


@bp.get("/<session_id>")
@environ_only
def read_session(environ: WSGIEnvironment, session_id: str) -> Answer:
    """The table as the bearer may see it."""
    return _unless_known(environ, session_id, Snapshot.document)


@bp.get("/<session_id>/legal-moves")
@environ_only
def legal_moves(environ: WSGIEnvironment, session_id: str) -> Answer:
    """The bearer's legal moves."""
    return _unless_known(environ, session_id, lambda snapshot: snapshot.table.legal_moves(snapshot.bearer))


@bp.post("/<session_id>/seats/<seat>")
@environ_only
def take_seat(environ: WSGIEnvironment, session_id: str, seat: str) -> Answer:
    """Take a seat by its invite."""
    request = session_http.seat_request(environ, session_id, seat)
    return answer_to(changes.change(sessions_of(environ), request), environ)


def _change(environ: WSGIEnvironment, session_id: str, call: str) -> Answer:
    """Make moves, all or none; replace a token; commit to a seat's seed for a joint deal, or give it; start a clock."""
    return answer_to(changes.change(sessions_of(environ), change_request(environ, session_id, call)), environ)


for change in ("moves", "tokens", "commitments", "seeds", "clock"):
    bp.add_url_rule(f"/<session_id>/{change}", change, environ_only(partial(_change, call=change)), methods=["POST"])


@bp.get("/<session_id>/moves")
@environ_only
def session_log(environ: WSGIEnvironment, session_id: str) -> Answer:
    """The session's log, page by page."""
    request = read_request(environ, session_id)
    return json_answer(log.page(sessions_of(environ), request), language=request.language)


@bp.get("/<session_id>/transcript")
@environ_only
def transcript(environ: WSGIEnvironment, session_id: str) -> Answer:
    """The whole game, with its seeds, so that it can be verified."""
    request = read_request(environ, session_id)
    return json_answer(log.transcript(sessions_of(environ), request), language=request.language)


@bp.post("/<session_id>/tickets")
@environ_only
def ticket(environ: WSGIEnvironment, session_id: str) -> Answer:
    """A ticket for a stream of events."""
    return json_answer(log.ticket(sessions_of(environ), session_http.bodiless_request(environ, session_id)), 201)


@bp.get("/<session_id>/events")
def events(session_id: str) -> Response:
    """The session's events, as they happen. The stream may be endless, so Flask sends it and not the fast path."""
    request = session_http.stream_request(flask.request.environ, session_id)
    headers = {"Content-Language": request.language, "X-Accel-Buffering": "no"}
    return Response(log.stream(sessions_of(flask.request.environ), request), headers=headers, content_type=EVENT_STREAM)


def _unless_known(environ: WSGIEnvironment, session_id: str, shown: Callable[[Snapshot], object]) -> Answer:
    """The answer to a read of a session, with its ETag; 304 if the client already has this version."""
    snapshot = sessions_of(environ).find(read_request(environ, session_id))
    headers = {"ETag": f'"{snapshot.tag}"'}
    if not snapshot.is_running and parse_etags(environ.get("HTTP_IF_NONE_MATCH")).contains_weak(snapshot.tag):
        return Answer(b"", 304, [*headers.items()])
    return json_answer(shown(snapshot), headers=headers)
