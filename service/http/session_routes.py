"""The routes under `/sessions`, and requests on sessions read from HTTP. `service/sessions` acts.

A request is read in this order: token, media type, body, idempotency key. The order is part of the contract: a client
without a token learns only that it needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from wsgiref.types import WSGIEnvironment

import flask
from flask import Blueprint, Response

from gunicorn_llhttp.clients import Clients
from service.config import Settings
from service.contract.fields import shown
from service.contract.session_bodies import Invited, codec_of
from service.http.bodies import Answer, json_answer, json_request
from service.http.fast_path import environ_only
from service.http.parameters import LAST_EVENT_ID, parameters_of, refuse_parameters
from service.http.preferences import EVENT_STREAM, accept_json, accepted, language_in, language_of, set_game
from service.http.responses import answer_to, encoded, of_tests, tagged
from service.http.shared import CLIENTS, SESSIONS, SETTINGS, TESTING
from service.http.tags import names, tags_of
from service.judging.calls import game_in
from service.sessions import changes, log, rematch
from service.sessions.outcomes import DoesNotFit, Unauthorized
from service.sessions.service import Sessions
from service.sessions.session_request import RequestKey, SessionRequest, read
from service.sessions.table import Snapshot
from service.sessions.tokens import HOST, Bearer, TokenClaim
from service.words.phrases import phrase

PATH = "/sessions"
bp = Blueprint("sessions", __name__, url_prefix=PATH)


@bp.post("")
@environ_only
def open_session(environ: WSGIEnvironment) -> Answer:
    """Open a session, and give out its tokens. It takes no token."""
    settings: Settings = environ[SETTINGS]
    sessions: Sessions = environ[SESSIONS]
    clients: Clients = environ[CLIENTS]
    refuse_parameters(environ)
    body = json_request(environ, settings.body_limit)
    set_game(environ, game_in(body))
    key = _idempotency_key(environ, HOST, "open", body)
    request = _request(environ, session="", claim=None, call="open", body=body, key=key, client=clients.of(environ))
    return answer_to(changes.open_session(sessions, request), environ)


@bp.delete("/<session_id>")
@environ_only
def close_session(environ: WSGIEnvironment, session_id: str) -> Answer:
    """Delete a session."""
    sessions: Sessions = environ[SESSIONS]
    changes.close_session(sessions, _without_body(environ, session_id))
    return Answer(b"", 204, [])


@bp.get("/<session_id>")
@environ_only
def read_session(environ: WSGIEnvironment, session_id: str) -> Answer:
    """The table as the bearer may see it, with its legal moves if they are asked for."""
    request, parameters = _reading(environ, session_id, "legal_moves")
    if not _truth(parameters, "legal_moves"):
        return _unless_known(environ, request, Snapshot.document, worded=False)
    return _unless_known(environ, request, Snapshot.document_with_moves, worded=True)


@bp.get("/<session_id>/legal-moves")
@environ_only
def legal_moves(environ: WSGIEnvironment, session_id: str) -> Answer:
    """The bearer's legal moves."""
    request, _parameters = _reading(environ, session_id)
    return _unless_known(environ, request, lambda snapshot: snapshot.table.legal_moves(snapshot.bearer), worded=True)


def _unless_known(
    environ: WSGIEnvironment, request: SessionRequest, part: Callable[[Snapshot], object], *, worded: bool
) -> Answer:
    """The answer to a read of a session, with its ETag; 304 if the client already has this version.

    `worded`: it has sentences, so that its ETag ends in their language.
    """
    sessions: Sessions = environ[SESSIONS]
    snapshot = sessions.find(request)
    language = snapshot.table.referee.language if worded else None
    tag = snapshot.tag if language is None else f"{snapshot.tag}-{language}"
    if not snapshot.is_running and names(environ.get("HTTP_IF_NONE_MATCH", ""), tag):
        varies = {} if language is None else {"Vary": "Accept-Language"}
        return Answer(b"", 304, [*(tagged(tag) | varies).items()])
    return of_tests(json_answer(part(snapshot), language=language, headers=tagged(tag)), environ)


@bp.post("/<session_id>/seats/<seat>")
@environ_only
def take_seat(environ: WSGIEnvironment, session_id: str, seat: str) -> Answer:
    """Take a seat. The invite in the body takes the place of a token, here and nowhere else."""
    settings: Settings = environ[SETTINGS]
    sessions: Sessions = environ[SESSIONS]
    refuse_parameters(environ)
    body = json_request(environ, settings.body_limit)
    claim = sessions.invited(read(codec_of(Invited), body).invite, session_id, seat)
    key = _idempotency_key(environ, claim.bearer, "seats", body)
    request = _request(environ, session_id, claim, "seats", body, key)
    return answer_to(changes.change(sessions, request), environ)


def _change(environ: WSGIEnvironment, session_id: str, call: str) -> Answer:
    """Make moves, all or none; replace a token; commit to a seat's seed for a joint deal, or give it; start a clock."""
    settings: Settings = environ[SETTINGS]
    sessions: Sessions = environ[SESSIONS]
    claim = _claim(environ, session_id)
    refuse_parameters(environ)
    body = json_request(environ, settings.body_limit)
    key = _idempotency_key(environ, claim.bearer, call, body)
    tags = _if_match(environ)
    request = _request(environ, session_id, claim, call, body, key, tags)
    return answer_to(changes.change(sessions, request), environ)


for change in ("moves", "tokens", "commitments", "seeds", "clock"):
    bp.add_url_rule(f"/<session_id>/{change}", change, environ_only(partial(_change, call=change)), methods=["POST"])


@bp.post("/<session_id>/rematch")
@environ_only
def next_table(environ: WSGIEnvironment, session_id: str) -> Answer:
    """The bearer's place at the next table of the same people."""
    sessions: Sessions = environ[SESSIONS]
    clients: Clients = environ[CLIENTS]
    claim = _claim(environ, session_id)
    refuse_parameters(environ)
    accept_json(environ)
    tags = _if_match(environ)
    key = _idempotency_key(environ, claim.bearer, "rematch", None)
    request = _request(environ, session_id, claim, "rematch", None, key, tags, client=clients.of(environ))
    return answer_to(rematch.rematch(sessions, request), environ)


def _if_match(environ: WSGIEnvironment) -> frozenset[str] | None:
    """The tags of `If-Match`; None without this header."""
    text = environ.get("HTTP_IF_MATCH")
    return None if text is None else tags_of(text)


def _read(environ: WSGIEnvironment, session_id: str, part: Callable[[Sessions, SessionRequest], object]) -> Answer:
    """A page of the session's log, or of its transcript, which has the whole game and can be verified."""
    sessions: Sessions = environ[SESSIONS]
    request, _parameters = _reading(environ, session_id, "after")
    answer = part(sessions, request)
    return of_tests(json_answer(answer, language=language_of(environ)), environ)


bp.add_url_rule("/<session_id>/moves", "log", environ_only(partial(_read, part=log.page)))
bp.add_url_rule("/<session_id>/transcript", "transcript", environ_only(partial(_read, part=log.transcript)))


@bp.post("/<session_id>/tickets")
@environ_only
def ticket(environ: WSGIEnvironment, session_id: str) -> Answer:
    """A ticket for a stream of events."""
    sessions: Sessions = environ[SESSIONS]
    return of_tests(json_answer(log.ticket(sessions, _without_body(environ, session_id)), 201), environ)


@bp.get("/<session_id>/events")
def events(session_id: str) -> Response:
    """The session's events, as they happen; a ticket takes the place of a token.

    The stream may be endless, so Flask sends it and not the fast path. HEAD does not take a ticket, which would be used
    up.
    """
    environ = flask.request.environ
    sessions: Sessions = environ[SESSIONS]
    clients: Clients = environ[CLIENTS]
    accepted(environ, EVENT_STREAM)
    parameters = parameters_of(environ, "after", "ticket", LAST_EVENT_ID)
    ticket = parameters.get("ticket")
    request = _request(
        environ,
        session_id,
        _claim_if_any(environ, session_id) if ticket is None else None,
        after=parameters.get("after"),
        last_event_id=environ.get("HTTP_LAST_EVENT_ID", parameters.get(LAST_EVENT_ID)),
        ticket=ticket,
        client=clients.of(environ),
    )
    is_look = environ["REQUEST_METHOD"] == "HEAD" and ticket is not None
    stream = iter(()) if is_look else log.stream(sessions, request)
    headers = {"Content-Language": language_of(environ), "X-Accel-Buffering": "no"}
    return Response(stream, headers=headers, content_type=EVENT_STREAM)


# --- requests ------------------------------------------------------------------------------------


def _request(
    environ: WSGIEnvironment,
    session: str,
    claim: TokenClaim | None,
    call: str = "",
    body: Any = None,
    key: RequestKey | None = None,
    if_match: frozenset[str] | None = None,
    **more: Any,
) -> SessionRequest:
    """A request whose answer is in the client's language, and says so if the session is one of tests.

    `more`: further members of the request.
    """
    on_testing = partial(environ.__setitem__, TESTING, True)
    language = partial(language_in, environ)
    return SessionRequest(session, claim, language, call, body, key, if_match, on_testing=on_testing, **more)


def _reading(environ: WSGIEnvironment, session: str, *known: str) -> tuple[SessionRequest, Mapping[str, str]]:
    """A request to read a session, with a token or without, and its query parameters. `known`: those of the call."""
    accept_json(environ)
    claim = _claim_if_any(environ, session)
    parameters = parameters_of(environ, *known)
    request = _request(environ, session, claim, after=parameters.get("after"))
    return request, parameters


def _truth(parameters: Mapping[str, str], name: str) -> bool:
    """A query parameter that is `true` or `false`; left out, it is false."""
    value = parameters.get(name, "false")
    if value not in ("true", "false"):
        raise DoesNotFit.in_parameter(name, phrase("not-expected", expected=phrase("truth"), got=shown(value)))
    return value == "true"


def _without_body(environ: WSGIEnvironment, session: str) -> SessionRequest:
    """A request that takes a token and no body."""
    claim = _claim(environ, session)
    refuse_parameters(environ)
    return _request(environ, session, claim)


def _idempotency_key(environ: WSGIEnvironment, bearer: Bearer, call: str, body: object) -> RequestKey | None:
    """The idempotency key of a request, if it has one."""
    return RequestKey.of(environ.get("HTTP_IDEMPOTENCY_KEY"), bearer, call, body, partial(encoded, environ))


def _claim(environ: WSGIEnvironment, session: str) -> TokenClaim:
    """The claim of the request's token. Without a genuine token the request is refused."""
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthorized
    sessions: Sessions = environ[SESSIONS]
    return sessions.claim(token.strip(), session)


def _claim_if_any(environ: WSGIEnvironment, session: str) -> TokenClaim | None:
    """The claim of the request's token; None for a request without one."""
    return _claim(environ, session) if "HTTP_AUTHORIZATION" in environ else None
