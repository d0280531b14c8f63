"""The calls without storage, for all games or one: `/resolve`, `/games/twins/resolve`, …, and `/batch`."""

from __future__ import annotations

from functools import partial
from wsgiref.types import WSGIEnvironment

from flask import Blueprint

from service.bounds import ANSWER, VALUES_IN_BATCH
from service.config import Settings
from service.http.bodies import Answer, compressed, json_answer, json_request
from service.http.fast_path import environ_only
from service.http.parameters import refuse_parameters
from service.http.preferences import language_in, preferred_languages
from service.http.shared import SETTINGS
from service.judging import calls
from service.scheduling import SCHEDULER

bp = Blueprint("stateless", __name__)


def call(environ: WSGIEnvironment, name: str, game: str | None) -> Answer:
    """The answer to one call. `game`: if the path names it instead of the body."""
    SCHEDULER.start_slice()
    settings: Settings = environ[SETTINGS]
    refuse_parameters(environ)
    body = json_request(environ, settings.body_limit)
    language = language_in(environ, game or calls.game_in(body))
    judged = calls.judged(name, game, body, language)
    calls.count_verdict(judged)
    answer = json_answer(judged, language=language)
    if len(answer.body) > ANSWER:
        raise calls.too_long(len(answer.body))
    return compressed(answer, environ)


for path, (row, game) in calls.ROUTES.items():
    view = environ_only(partial(call, name=row.name, game=game))
    bp.add_url_rule(path, path.strip("/").replace("/", " "), view, methods=["POST"])


@bp.post("/batch")
@environ_only
def batch(environ: WSGIEnvironment) -> Answer:
    """The answers to many calls, each judged alone."""
    SCHEDULER.start_slice()
    settings: Settings = environ[SETTINGS]
    refuse_parameters(environ)
    body = json_request(environ, settings.batch_limit, VALUES_IN_BATCH)
    preferred = preferred_languages(environ)
    answer = calls.batch_answered(body, preferred)
    languages = [calls.language_in_batch(each["path"], each.get("body"), preferred) for each in body["requests"]]
    return compressed(json_answer(answer, language=", ".join(dict.fromkeys(languages))), environ)
