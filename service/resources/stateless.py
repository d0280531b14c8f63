"""The calls without storage, for all games and for one: `/resolve`, `/games/twins/resolve`, …; and `/batch`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, request

import engines
from service.config import Settings
from service.problems import Problem
from service.referee import Json, Referee
from service.resources.http import accept_json, answer, json_body, language
from service.schemas import Invalid
from service.schemas.requests import batch_body, body_of

Call = Callable[[Referee, Any], Json]

CALLS: dict[str, Call] = {
    "resolve": Referee.resolve,
    "validate": Referee.validate,
    "legal-moves": Referee.legal_moves,
    "audit": Referee.audit,
    "view": Referee.view,
    "deal": Referee.deal,
}


def judged(call: str, game: str | None, raw: Any, spoken: str) -> Json:
    """The answer to one call on a parsed body. `game`: where the path names it instead of the body."""
    try:
        engine, body = body_of(call, game, raw)
    except Invalid as error:
        raise invalid_request(error) from None
    return CALLS[call](Referee(engine, spoken), body)


def invalid_request(error: Invalid) -> Problem:
    """What is wrong with a body, all at once."""
    count = len(error.errors)
    detail = error.errors[0]["detail"] if count == 1 else f"{count} places in the body do not fit the schema."
    return Problem("invalid-request", detail, errors=error.errors)


def in_batch(path: str, raw: Any, spoken: str) -> tuple[int, Json]:
    """Status and body of one call in a batch, judged alone."""
    parts = path.strip("/").split("/")
    game, call = (parts[1], parts[2]) if len(parts) == 3 else (None, parts[0])
    try:
        return 200, judged(call, game, raw, spoken)
    except Problem as problem:
        return problem.kind.status, problem.document(path)


def blueprint(settings: Settings) -> Blueprint:
    """Every stateless call."""
    calls = Blueprint("stateless", __name__)
    for call in CALLS:
        for game in (None, *engines.registry()):
            path = f"/{call}" if game is None else f"/games/{game}/{call}"
            calls.add_url_rule(path, f"{call}-{game}", _one(call, game, settings.body_limit), methods=["POST"])
    calls.add_url_rule("/batch", "batch", _batch(settings.batch_limit), methods=["POST"])
    return calls


def _one(call: str, game: str | None, limit: int) -> Callable[[], Response]:
    def view() -> Response:
        environ = request.environ
        accept_json(environ)
        spoken = language(environ)
        return answer(judged(call, game, json_body(environ, limit), spoken), spoken=spoken)

    return view


def _batch(limit: int) -> Callable[[], Response]:
    def view() -> Response:
        environ = request.environ
        accept_json(environ)
        spoken = language(environ)
        try:
            entries = batch_body(json_body(environ, limit))
        except Invalid as error:
            raise invalid_request(error) from None
        responses = []
        for each in entries:
            status, body = in_batch(each.path, each.body, spoken)
            named = {} if each.id is None else {"id": each.id}
            responses.append({**named, "status": status, "body": body})
        return answer({"responses": responses}, spoken=spoken)

    return view
