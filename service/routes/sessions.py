"""Tables that remember: every call under `/sessions`. `asking.py` reads what is asked, `service/sessions` does it."""

from __future__ import annotations

from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Response, request

from service.routes import asking
from service.routes.shared import sessions_of
from service.sessions import changes, log, streams
from service.sessions import opening as openings
from service.sessions.asked import Asked
from service.sessions.snapshot import Snapshot
from service.web.fast_path import environ_only
from service.web.http import EVENT_STREAM, Answer, json_answer

PATH = "/sessions"
bp = Blueprint("sessions", __name__, url_prefix=PATH)


@bp.post("")
@environ_only
def open_session(environ: WSGIEnvironment) -> Answer:
    """Open a session, and give out its tokens."""
    return openings.open_session(sessions_of(environ), asking.opening(environ))


@bp.delete("/<session_id>")
@environ_only
def close_session(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Forget a session."""
    openings.close_session(sessions_of(environ), asking.order(environ, session_id))
    return Answer(b"", 204, [])


@bp.get("/<session_id>")
@environ_only
def read_session(environ: WSGIEnvironment, session_id: str) -> Answer:
    """The table as the bearer may see it."""
    asked = asking.look(environ, session_id)
    snapshot = sessions_of(environ).find(asked)
    return _not_modified(asked, snapshot) or _tagged(snapshot, snapshot.document())


@bp.get("/<session_id>/legal-moves")
@environ_only
def legal_moves(environ: WSGIEnvironment, session_id: str) -> Answer:
    """What the bearer may do now."""
    asked = asking.look(environ, session_id)
    snapshot = sessions_of(environ).find(asked)
    return _not_modified(asked, snapshot) or _tagged(snapshot, snapshot.table.legal_moves(snapshot.bearer))


@bp.post("/<session_id>/moves")
@environ_only
def make_moves(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Make moves, all or none."""
    return changes.make_moves(sessions_of(environ), asking.change(environ, session_id, "moves"))


@bp.post("/<session_id>/seats/<seat>")
@environ_only
def take_seat(environ: WSGIEnvironment, session_id: str, seat: str) -> Answer:
    """Take a seat by its invite."""
    return changes.take_seat(sessions_of(environ), asking.taking(environ, session_id, seat))


@bp.post("/<session_id>/tokens")
@environ_only
def renew_token(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Give a new token for one that is void from then on."""
    return changes.renew_token(sessions_of(environ), asking.change(environ, session_id, "tokens"))


@bp.post("/<session_id>/commitments")
@environ_only
def commit(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Commit to a seat's part in a joint deal."""
    return changes.commit(sessions_of(environ), asking.change(environ, session_id, "commitments"))


@bp.post("/<session_id>/seeds")
@environ_only
def give_seed(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Give a seat's part in a joint deal."""
    return changes.give_seed(sessions_of(environ), asking.change(environ, session_id, "seeds"))


@bp.get("/<session_id>/moves")
@environ_only
def session_log(environ: WSGIEnvironment, session_id: str) -> Answer:
    """What has happened, page by page."""
    asked = asking.look(environ, session_id)
    return json_answer(log.page(sessions_of(environ), asked), language=asked.language)


@bp.get("/<session_id>/transcript")
@environ_only
def transcript(environ: WSGIEnvironment, session_id: str) -> Answer:
    """The whole game, to be checked."""
    asked = asking.look(environ, session_id)
    return json_answer(log.transcript(sessions_of(environ), asked), language=asked.language)


@bp.post("/<session_id>/tickets")
@environ_only
def ticket(environ: WSGIEnvironment, session_id: str) -> Answer:
    """A ticket for a stream of events."""
    return json_answer(streams.ticket(sessions_of(environ), asking.order(environ, session_id)), 201)


@bp.get("/<session_id>/events")
def events(session_id: str) -> Response:
    """What happens, as it happens. It has no end of its own, so it is Flask's to send."""
    asked = asking.listening(request.environ, session_id)
    headers = {"Content-Language": asked.language, "X-Accel-Buffering": "no"}
    return Response(streams.stream(sessions_of(request.environ), asked), headers=headers, content_type=EVENT_STREAM)


def _not_modified(asked: Asked, snapshot: Snapshot) -> Answer | None:
    """304 where the client has what the session shows now."""
    known = asked.if_none_match is not None and asked.if_none_match.contains_weak(snapshot.tag)
    return Answer(b"", 304, [("ETag", f'"{snapshot.tag}"')]) if known else None


def _tagged(snapshot: Snapshot, shown: object) -> Answer:
    return json_answer(shown, headers={"ETag": f'"{snapshot.tag}"'})
