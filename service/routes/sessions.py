"""Tables that remember: every call under `/sessions`."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from flask import Blueprint, Flask, Response, request
from flask.blueprints import BlueprintSetupState
from werkzeug.http import parse_etags

import engines
from engines.core.records import changed
from service.config import Settings
from service.contract import Invalid
from service.contract.refusals import invalid_request
from service.contract.sessions import PAGE, opening_codec
from service.judging.referee import Referee
from service.routes import live
from service.sessions import changes
from service.sessions.bearers import Found, Sessions, document, gone, tag
from service.sessions.changes import again, fingerprint_of, key_of, keyed
from service.sessions.fairness import deal_seed, server_seed
from service.sessions.record import Record
from service.sessions.stores import protocol as store
from service.sessions.stores.protocol import Change, Outcome, StoreUnavailable
from service.sessions.table import Table
from service.sessions.tokens import HOST, seat, session_names
from service.web.http import Answer, Environ, accept_json, language, problem_written, written
from service.web.problems import Problem

PRIVATE = [("Cache-Control", "private, no-cache"), ("Vary", "Authorization, Accept-Language")]

Handler: TypeAlias = Callable[[Sessions, Environ, str], Answer]
OWN = ("fair", "host", "public")
"""What opening takes beside what `/deal` takes."""
DRAWN = ("/seed", "/deck")
"""What `/deal` takes and opening does not."""


def blueprint(settings: Settings) -> Blueprint:
    """Every call under `/sessions`."""
    calls = Blueprint("sessions", __name__)
    sessions = Sessions(settings)

    def ready(state: BlueprintSetupState) -> None:
        state.app.extensions["sessions"] = sessions
        state.app.config["READINESS"]["sessions"] = sessions.ready

    calls.record_once(ready)
    calls.add_url_rule("/sessions", "open", _view(sessions, _open), defaults={"session_id": ""}, methods=["POST"])
    for (method, path), handler in CALLS.items():
        calls.add_url_rule(
            f"/sessions/<session_id>{path}", f"{method} {path}", _view(sessions, handler), methods=[method]
        )
    calls.add_url_rule("/sessions/<session_id>/events", "events", _stream_view(sessions))
    calls.after_app_request(_as_sessions_answer)
    return calls


def quick(app: Flask) -> Callable[[str], tuple[str, Callable[[Environ], Answer]] | None]:
    """For the door: the route and the handler of `POST` on a session's moves, the call that is made most."""
    sessions: Sessions = app.extensions["sessions"]
    route = "/sessions/<session_id>/moves"

    def find(path: str) -> tuple[str, Callable[[Environ], Answer]] | None:
        parts = path.split("/")
        if len(parts) != 4 or parts[1] != "sessions" or parts[3] != "moves":
            return None
        return route, lambda environ: _answered(sessions, changes.move, environ, parts[2])

    return find


def _view(sessions: Sessions, handler: Handler) -> Callable[[str], Response]:
    return lambda session_id: _answered(sessions, handler, request.environ, session_id).response()


def _answered(sessions: Sessions, handler: Handler, environ: Environ, name: str) -> Answer:
    """A handler's answer, or the problem it ran into; either way it is one bearer's alone."""
    try:
        answer = handler(sessions, environ, name)
    except Problem as problem:
        answer = problem_written(problem, environ)
    except StoreUnavailable:
        answer = problem_written(_away(), environ)
    kept = [header for header in answer.headers if header[0] != "Vary"]
    return Answer(answer.body, answer.status, kept + PRIVATE)


def _as_sessions_answer(response: Response) -> Response:
    """What Flask itself answers under `/sessions` is one bearer's alone too; and what has no body has no type."""
    if f"{request.path}/".startswith("/sessions/"):
        response.headers.update(PRIVATE)
        if response.status_code == 204:
            del response.headers["Content-Type"]
    return response


def _stream_view(sessions: Sessions) -> Callable[[str], Response]:
    def view(session_id: str) -> Response:
        environ = request.environ
        events: Iterator[bytes] | None = None

        def opened(*asked: Any) -> Answer:
            nonlocal events
            events = live.stream(*asked)
            return Answer(b"", 200, [("Content-Type", live.EVENT_STREAM), ("Content-Language", language(environ))])

        answer = _answered(sessions, opened, environ, session_id)
        if events is None:
            return answer.response()
        return Response(events, headers=[*answer.headers, ("X-Accel-Buffering", "no")])

    return view


def _away() -> Problem:
    detail = "The sessions' store does not answer. If a change was under way, sending it again under its key tells."
    return Problem("store-unavailable", detail, {"Retry-After": "1"})


# --- reading -------------------------------------------------------------------------------------


def _read(sessions: Sessions, environ: Environ, name: str) -> Answer:
    accept_json(environ)
    return _unless_known(environ, sessions.look(environ, name), Found.document)


def _legal_moves(sessions: Sessions, environ: Environ, name: str) -> Answer:
    accept_json(environ)
    return _unless_known(environ, sessions.look(environ, name), lambda found: found.table.legal_moves(found.bearer))


def _unless_known(environ: Environ, found: Found, shown: Callable[[Found], object]) -> Answer:
    """What a session shows now, or 304 where the client has it."""
    headers = {"ETag": f'"{found.tag}"'}
    if parse_etags(environ.get("HTTP_IF_NONE_MATCH")).contains_weak(found.tag):
        return Answer(b"", 304, list(headers.items()))
    return written(shown(found), headers=headers)


def _log(sessions: Sessions, environ: Environ, name: str) -> Answer:
    accept_json(environ)
    found = sessions.look(environ, name)
    entries = sessions.store.log(name, live.after(environ), PAGE, found.record.generation)
    shown = [found.table.entry(*entry, found.bearer) for entry in entries]
    more = entries[-1].version if len(entries) == PAGE and entries[-1].version < found.version else None
    return written({"entries": shown, "next": more}, spoken=language(environ))


def _transcript(sessions: Sessions, environ: Environ, name: str) -> Answer:
    accept_json(environ)
    found = sessions.look(environ, name)
    if not found.table.over and (found.bearer != HOST or found.record.blind):
        raise Problem("forbidden", "The transcript comes out when the game is over.")
    whole = {**document(name, found.version, found.table, HOST), **found.table.transcript(_whole_log(sessions, found))}
    return written(whole, spoken=language(environ))


def _whole_log(sessions: Sessions, found: Found) -> Iterator[tuple[int, bytes]]:
    after = 0
    while after < found.version:
        entries = sessions.store.log(found.name, after, min(PAGE, found.version - after), found.record.generation)
        if not entries:
            raise gone()
        yield from entries
        after = entries[-1].version


# --- opening and closing -------------------------------------------------------------------------


def _open(sessions: Sessions, environ: Environ, _: str) -> Answer:
    accept_json(environ)
    body = sessions.body(environ)
    key = key_of(environ, HOST)
    names = session_names(sessions.tokens, key)
    name = names[0]
    fingerprint = fingerprint_of("open", body) if key else ""
    with sessions.turn(name, key):
        for each in names if key else ():
            kept = sessions.store.read(each, key)
            if kept is not None and kept.answer is not None:
                return again(kept.answer, fingerprint)
        table = _opening(environ, body)
        if sessions.store.count() >= sessions.settings.open_sessions:
            raise Problem("too-many-requests", "As many sessions are open as may be.", {"Retry-After": "60"})
        answer = _opened(sessions, name, table)
        stored = keyed(key, fingerprint, answer)[0] if key else None
        table.record = changed(table.record, size=stored.size if stored else 0)
        change = Change(-1, table.record.written(), b"", stored, table.record.generation)
        outcome = sessions.store.write(name, change, sessions.lifetime)
        if outcome is Outcome.WRITTEN:
            sessions.remember(name, 0, table)
    if isinstance(outcome, store.Answer):
        return again(outcome, fingerprint)
    assert outcome is Outcome.WRITTEN, "a name is drawn from 128 bits"
    return answer


def _opening(environ: Environ, raw: Any) -> Table:
    """The table of a session as asked for, dealt unless every seat is to give a seed first."""
    try:
        body = opening_codec().load(raw)
    except Invalid as error:
        raise invalid_request(Invalid([_explained(each) for each in error.errors])) from None
    engine = engines.registry()[raw["game"]]
    server = server_seed()
    referee = Referee(engine, language(environ))
    state = referee.opening(body, deal_seed(server, [], 1))
    seats = engine.seats_of(state)
    joint = body.fair == "joint"
    record = Record(
        game=engine.game,
        generation=secrets.token_hex(8),
        setup={name: value for name, value in raw.items() if name not in OWN},
        ruleset=vars(referee.ruleset(state.ruleset)),
        seats=seats,
        server_seed=server,
        fair=body.fair,
        blind=body.host == "blind",
        public=body.public,
        seeds=[None] * seats if joint else [],
        deals=0 if joint else 1,
        state=None if joint else referee.state(state),
    )
    return Table(referee, record, None if joint else state)


def _opened(sessions: Sessions, name: str, table: Table) -> Answer:
    token = partial(sessions.tokens.token, name, generation=table.record.generation)
    tokens = {"host": token(HOST), "seats": [token(seat(number)) for number in range(table.record.seats)]}
    headers = {"Location": f"/sessions/{name}", "ETag": f'"{tag(0, HOST, table.record)}"'}
    return written({**document(name, 0, table, HOST), "tokens": tokens}, 201, headers=headers)


def _explained(error: dict[str, str]) -> dict[str, str]:
    return {**error, "detail": "A session draws its own cards."} if error["pointer"] in DRAWN else error


def _close(sessions: Sessions, environ: Environ, name: str) -> Answer:
    found = sessions.find(environ, name, sessions.with_token(environ, name))
    if found.bearer != HOST:
        raise Problem("forbidden", "Only the host closes a session.")
    if not sessions.store.delete(name):
        raise gone()
    sessions.feed.wake([name])
    return Answer(b"", 204, [])


CALLS: dict[tuple[str, str], Handler] = {
    ("GET", ""): _read,
    ("DELETE", ""): _close,
    ("POST", "/seeds"): changes.seeds,
    ("GET", "/legal-moves"): _legal_moves,
    ("POST", "/moves"): changes.move,
    ("GET", "/moves"): _log,
    ("POST", "/tickets"): live.ticket,
    ("GET", "/transcript"): _transcript,
}
"""Every call on one session but the live events."""
