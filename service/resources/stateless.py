"""The calls without storage, for all games and for one: `/resolve`, `/games/twins/resolve`, …; and `/batch`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter, sleep
from typing import Any, TypeAlias

from flask import Blueprint, Response, request

import engines
from service import json
from service.config import Settings
from service.problems import Problem
from service.referee import Json, Referee
from service.resources.http import Answer, Environ, accept_json, json_body, language, written
from service.schemas import Invalid
from service.schemas.requests import batch_body, body_of

TURN = 0.01
"""Seconds that a batch keeps a worker to itself."""
NOTHING_COMPARED = "A batch compares nothing; leave the field out."

Call: TypeAlias = Callable[[Referee, Any], Json]
Handler: TypeAlias = Callable[[Environ], Answer]

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
    many = f"More than {count}" if error.more else count
    detail = error.errors[0]["detail"] if count == 1 else f"{many} places in the body do not fit the schema."
    return Problem("invalid-request", detail, errors=error.errors)


def in_batch(path: str, raw: Any, spoken: str) -> tuple[int, Json]:
    """Status and body of one call in a batch, judged alone."""
    parts = path.strip("/").split("/")
    game, call = (parts[1], parts[2]) if len(parts) == 3 else (None, parts[0])
    try:
        if isinstance(raw, dict) and "compare" in raw:
            raise invalid_request(Invalid([{"pointer": "/compare", "detail": NOTHING_COMPARED}]))
        return 200, judged(call, game, raw, spoken)
    except Problem as problem:
        return problem.kind.status, problem.document(path)


def handlers(settings: Settings) -> dict[str, Handler]:
    """Every stateless call by its path; all are POST."""
    found = {"/batch": _batch(settings.batch_limit)}
    for call in CALLS:
        found[f"/{call}"] = _one(call, None, settings.body_limit)
        for game in engines.registry():
            found[f"/games/{game}/{call}"] = _one(call, game, settings.body_limit)
    return found


def blueprint(settings: Settings) -> Blueprint:
    """The same calls for Flask, which knows all routes."""
    calls = Blueprint("stateless", __name__)
    for path, handler in handlers(settings).items():
        calls.add_url_rule(path, path.strip("/").replace("/", " "), _view(handler), methods=["POST"])
    return calls


def _view(handler: Handler) -> Callable[[], Response]:
    return lambda: handler(request.environ).response()


def _one(call: str, game: str | None, limit: int) -> Handler:
    def handler(environ: Environ) -> Answer:
        accept_json(environ)
        spoken = language(environ)
        return written(judged(call, game, json_body(environ, limit), spoken), spoken=spoken)

    return handler


def _batch(limit: int) -> Handler:
    def handler(environ: Environ) -> Answer:
        accept_json(environ)
        spoken = language(environ)
        try:
            entries = batch_body(json_body(environ, limit))
        except Invalid as error:
            raise invalid_request(error) from None
        return written({"responses": list(_responses(entries, spoken, 4 * limit))}, spoken=spoken)

    return handler


def _responses(entries: Sequence[Any], spoken: str, most: int) -> Iterator[json.Part]:
    """Each entry's answer; those that would come after `most` bytes are put off. Others have their turn meanwhile."""
    size, since = 0, perf_counter()
    for each in entries:
        if size > most:
            detail = f"The answers before this one have more than {most} bytes. Send it again, in another batch."
            problem = Problem("payload-too-large", detail)
            status, body = problem.kind.status, problem.document(each.path)
        else:
            status, body = in_batch(each.path, each.body, spoken)
        response = json.dumps({**({} if each.id is None else {"id": each.id}), "status": status, "body": body})
        size += len(response)
        yield json.Part(response)
        if perf_counter() - since > TURN:
            sleep(1e-6)  # of 0 seconds, gevent would look at no socket
            since = perf_counter()
