"""The calls without storage, for all games and for one: `/resolve`, `/games/twins/resolve`, …; and `/batch`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from flask import Blueprint, Response, request

from service.config import Settings
from service.contract import Invalid
from service.contract.calls import batch_body
from service.contract.refusals import invalid_request
from service.judging.calls import CALLS, ROUTES, judged, responses
from service.web.http import Answer, Environ, accept_json, json_body, language, written

Handler: TypeAlias = Callable[[Environ], Answer]


def handlers(settings: Settings) -> dict[str, Handler]:
    """Every stateless call by its path; all are POST."""
    found = {"/batch": _batch(settings.batch_limit)}
    for path, (call, game) in ROUTES.items():
        found[path] = _one(call.name, game, settings.body_limit)
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
            entries = batch_body(CALLS, json_body(environ, limit))
        except Invalid as error:
            raise invalid_request(error) from None
        return written({"responses": list(responses(entries, spoken, 4 * limit))}, spoken=spoken)

    return handler
