"""The games and their rulebooks."""

from __future__ import annotations

from flask import Blueprint, Response, request

from service.judging import games, rulebooks
from service.routes.documents import engine_of, page_answer
from service.web import strict_json
from service.web.http import HTML, JSON, MARKDOWN, accept_json, accepted, document, language_of

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
    return document(strict_json.dumps(games.description(engine_of(game), language)), JSON, language)


@bp.get("/games/<game>/rulebook")
def rulebook(game: str) -> Response:
    """All clauses in one language, as JSON, HTML or Markdown."""
    media_type = accepted(request.environ, JSON, HTML, MARKDOWN)
    engine, language = engine_of(game), language_of(request.environ)
    if media_type == HTML:
        answer = page_answer(rulebooks.html(engine, language).encode(), language)
    elif media_type == MARKDOWN:
        answer = document(rulebooks.markdown(engine, language).encode(), MARKDOWN, language)
    else:
        answer = document(strict_json.dumps(games.rulebook(engine, language)), JSON, language)
    answer.vary.add("Accept")
    return answer
