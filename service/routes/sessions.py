"""The routes under `/sessions`. `session_http.py` reads requests and writes outcomes; `service/sessions` acts."""

from __future__ import annotations

from collections.abc import Callable
from wsgiref.types import WSGIEnvironment

import flask
from flask import Blueprint, Response
from werkzeug.http import parse_etags

from service.routes.session_http import (
    answer_to,
    bodiless_request,
    change_request,
    opening_request,
    read_request,
    seat_request,
    stream_request,
)
from service.routes.shared import sessions_of
from service.sessions import changes, log, opening, streams
from service.sessions.table import Snapshot
from service.web.fast_path import environ_only
from service.web.http import EVENT_STREAM, Answer, json_answer

PATH = "/sessions"
bp = Blueprint("sessions", __name__, url_prefix=PATH)


@bp.post("")
@environ_only
def open_session(environ: WSGIEnvironment) -> Answer:
    """Open a session, and give out its tokens."""
    return answer_to(opening.open_session(sessions_of(environ), opening_request(environ)), environ)


@bp.delete("/<session_id>")
@environ_only
def close_session(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Delete a session."""
    opening.close_session(sessions_of(environ), bodiless_request(environ, session_id))
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


@bp.post("/<session_id>/moves")
@environ_only
def make_moves(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Make moves, all or none."""
    return answer_to(changes.change(sessions_of(environ), change_request(environ, session_id, "moves")), environ)


@bp.post("/<session_id>/seats/<seat>")
@environ_only
def take_seat(environ: WSGIEnvironment, session_id: str, seat: str) -> Answer:
    """Take a seat by its invite."""
    return answer_to(changes.change(sessions_of(environ), seat_request(environ, session_id, seat)), environ)


@bp.post("/<session_id>/tokens")
@environ_only
def renew_token(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Replace a token by a new one; the old one becomes void."""
    return answer_to(changes.change(sessions_of(environ), change_request(environ, session_id, "tokens")), environ)


@bp.post("/<session_id>/commitments")
@environ_only
def commit(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Commit to a seat's seed for a joint deal."""
    return answer_to(changes.change(sessions_of(environ), change_request(environ, session_id, "commitments")), environ)


@bp.post("/<session_id>/seeds")
@environ_only
def give_seed(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Give a seat's seed for a joint deal."""
    return answer_to(changes.change(sessions_of(environ), change_request(environ, session_id, "seeds")), environ)


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
    return json_answer(streams.ticket(sessions_of(environ), bodiless_request(environ, session_id)), 201)


@bp.get("/<session_id>/events")
def events(session_id: str) -> Response:
    """The session's events, as they happen. The stream may be endless, so Flask sends it and not the fast path."""
    request = stream_request(flask.request.environ, session_id)
    headers = {"Content-Language": request.language, "X-Accel-Buffering": "no"}
    return Response(
        streams.stream(sessions_of(flask.request.environ), request), headers=headers, content_type=EVENT_STREAM
    )


def _unless_known(environ: WSGIEnvironment, session_id: str, shown: Callable[[Snapshot], object]) -> Answer:
    """The answer to a read of a session, with its ETag; 304 if the client already has this version."""
    snapshot = sessions_of(environ).find(read_request(environ, session_id))
    headers = {"ETag": f'"{snapshot.tag}"'}
    if parse_etags(environ.get("HTTP_IF_NONE_MATCH")).contains_weak(snapshot.tag):
        return Answer(b"", 304, [*headers.items()])
    return json_answer(shown(snapshot), headers=headers)
