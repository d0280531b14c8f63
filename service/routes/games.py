"""What games there are, and their rulebooks."""

from __future__ import annotations

from flask import Blueprint, Response, request

import engines
from service.contract.of_game import AnyEngine
from service.judging import games
from service.web import strict_json
from service.web.http import JSON, accept_json, document, language_of
from service.web.phrases import phrase
from service.web.problems import Problem

bp = Blueprint("games", __name__)


@bp.before_request
def refuse_other_media_types() -> None:
    """Every answer here is JSON."""
    accept_json(request.environ)


@bp.get("/games")
def all_games() -> Response:
    """Every game in a few words."""
    language = language_of(request.environ)
    return document(strict_json.dumps(games.listed(language)), JSON, language)


@bp.get("/games/<game>")
def one_game(game: str) -> Response:
    """All that a client can know of a game beforehand."""
    language = language_of(request.environ)
    return document(strict_json.dumps(games.description(_known(game), language)), JSON, language)


@bp.get("/games/<game>/rulebook")
def rulebook(game: str) -> Response:
    """Every clause in one language."""
    language = language_of(request.environ)
    return document(strict_json.dumps(games.rulebook(_known(game), language)), JSON, language)


def _known(game: str) -> AnyEngine:
    known = engines.registry()
    if game not in known:
        raise Problem("not-found", phrase("no-such-game", game=repr(game), known=", ".join(known)))
    return known[game]
