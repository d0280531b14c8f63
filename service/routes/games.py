"""What games there are, and their rulebooks."""

from __future__ import annotations

from flask import Blueprint, Response, request

import engines
from service.config import Settings
from service.judging.games import description, rulebook, summary
from service.judging.referee import AnyEngine
from service.web.http import accept_json, answer, language, with_etag
from service.web.problems import Problem


def blueprint(settings: Settings) -> Blueprint:
    """`/games`, `/games/{game}`, `/games/{game}/rulebook`."""
    games = Blueprint("games", __name__)
    games.add_url_rule("/games", "games", _games)
    games.add_url_rule("/games/<game>", "game", _game)
    games.add_url_rule("/games/<game>/rulebook", "rulebook", _rulebook)
    return games


def _games() -> Response:
    accept_json(request.environ)
    spoken = language(request.environ)
    listed = [summary(engine, spoken) for engine in engines.registry().values()]
    return with_etag(answer({"games": listed}, spoken=spoken))


def _game(game: str) -> Response:
    accept_json(request.environ)
    spoken = language(request.environ)
    return with_etag(answer(description(_known(game), spoken), spoken=spoken))


def _rulebook(game: str) -> Response:
    accept_json(request.environ)
    spoken = language(request.environ)
    return with_etag(answer(rulebook(_known(game), spoken), spoken=spoken))


def _known(game: str) -> AnyEngine:
    known = engines.registry()
    if game not in known:
        raise Problem("not-found", f"There is no game {game!r} here; there are {', '.join(known)}.")
    return known[game]
