"""The games and their rulebooks."""

from __future__ import annotations

from flask import Blueprint, Response, request

import engines
from service.contract.of_game import AnyEngine
from service.judging import games, rulebooks
from service.routes.documents import NO_FOREIGN_HOSTS
from service.web import strict_json
from service.web.http import HTML, JSON, MARKDOWN, accept_json, accepted, document, language_of
from service.web.phrases import phrase
from service.web.problems import Problem

bp = Blueprint("games", __name__)


@bp.get("/games")
def all_games() -> Response:
    """The list of all games."""
    accept_json(request.environ)
    language = language_of(request.environ)
    return document(strict_json.dumps(games.listed(language)), JSON, language)


@bp.get("/games/<game>")
def one_game(game: str) -> Response:
    """One game: seats, rulesets, options, moves, rulings, names."""
    accept_json(request.environ)
    language = language_of(request.environ)
    return document(strict_json.dumps(games.description(_known(game), language)), JSON, language)


@bp.get("/games/<game>/rulebook")
def rulebook(game: str) -> Response:
    """All clauses in one language, as JSON, HTML or Markdown."""
    media_type = accepted(request.environ, JSON, HTML, MARKDOWN)
    engine, language = _known(game), language_of(request.environ)
    answer = document(_rulebook(engine, language, media_type), media_type, language)
    answer.vary.add("Accept")
    if media_type == HTML:
        answer.headers["Content-Security-Policy"] = NO_FOREIGN_HOSTS
    return answer


def _rulebook(engine: AnyEngine, language: str, media_type: str) -> bytes:
    if media_type == HTML:
        return rulebooks.html(engine, language).encode()
    if media_type == MARKDOWN:
        return rulebooks.markdown(engine, language).encode()
    return strict_json.dumps(games.rulebook(engine, language))


def _known(game: str) -> AnyEngine:
    known = engines.registry()
    if game not in known:
        raise Problem("not-found", phrase("no-such-game", game=repr(game), known=", ".join(known)))
    return known[game]
