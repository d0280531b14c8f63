"""The contract, its interactive pages, the guides, and the meanings of problems."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import flask_swagger_ui
from flask import Blueprint, Response, request
from markupsafe import Markup
from werkzeug.exceptions import NotFound

import engines
from service import seeds
from service.contract import openapi
from service.contract.answers import ProblemKind
from service.contract.of_game import AnyEngine
from service.contract.openapi.converter import Reading
from service.judging.calls import CALLS
from service.routes import guides
from service.web import strict_json
from service.web.http import HTML, JSON, accepted, document, file, language_of
from service.web.phrases import phrase
from service.web.problems import KINDS, Problem

YAML = "application/yaml"
READINGS: dict[str, Reading] = {"reading": "open", "writing": "writing"}
SWAGGER_FILES = Path(flask_swagger_ui.__file__).parent / "dist"
TEMPLATE = "index.html"
TEMPLATES = {TEMPLATE, guides.TEMPLATE}
OWN_FILES = Path(__file__).parent.parent / "docs_page"
NO_FOREIGN_HOSTS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of our pages: they load only from this server, submit no form, and are framed nowhere."""

bp = Blueprint("documents", __name__)


def engine_of(game: str) -> AnyEngine:
    """The engine of a game that a path names; raises Problem."""
    known = engines.registry()
    if game not in known:
        raise Problem("not-found", phrase("no-such-game", game=repr(game), known=", ".join(known)))
    return known[game]


def page_answer(page: bytes, language: str | None = None) -> Response:
    """A page that loads only from this server."""
    response = document(page, HTML, language)
    response.headers["Content-Security-Policy"] = NO_FOREIGN_HOSTS
    return response


@cache
def _contract(game: str | None, media_type: str, reading: Reading) -> bytes:
    made = openapi.document(CALLS, reading, game)
    return openapi.as_yaml(made).encode() if media_type == YAML else strict_json.dumps(made)


def contract(media_type: str, game: str | None = None) -> Response:
    """The contract, whole or for one game; as JSON for tools that read no YAML."""
    reading = request.args.get("for", "reading")
    if reading not in READINGS:
        raise Problem("invalid-request", phrase("no-such-reading", reading=repr(reading), known=", ".join(READINGS)))
    if game is not None:
        engine_of(game)
    return document(_contract(game, media_type, READINGS[reading]), media_type)


for path in ("/openapi", "/games/<game>/openapi"):
    bp.add_url_rule(f"{path}.yaml", f"{path} yaml", partial(contract, YAML))
    bp.add_url_rule(f"{path}.json", f"{path} json", partial(contract, JSON))


@bp.get("/docs")
def docs() -> Response:
    """The contract as a page on which calls can be tried."""
    return page_answer(_page())


@bp.get("/docs/<path:name>")
def docs_file(name: str) -> Response:
    """A file of the page at `/docs`."""
    if name in TEMPLATES:
        raise NotFound
    own = {each.name for each in OWN_FILES.iterdir()}
    return file(OWN_FILES if name in own else SWAGGER_FILES, name)


@bp.get("/guides/<name>")
def guide(name: str) -> Response:
    """A guide to be read beside the contract."""
    if name not in guides.GUIDES:
        raise NotFound
    return page_answer(guides.page(name))


@cache
def _page() -> bytes:
    """The page at `/docs`: all operations by group. The reader opens one to see its parameters and answers."""
    games = {seeds.rulebook(engine)["title"]["en"]: game for game, engine in engines.registry().items()}
    return guides.filled(TEMPLATE, contract=openapi.document(CALLS), games=games, guides=guides.titles())


@bp.get("/llms.txt")
def llms() -> Response:
    """What an agent should call, in at most 700 words."""
    return file(OWN_FILES, "llms.txt")


@bp.get("/problems/<slug>")
def problem(slug: str) -> Response:
    """What a kind of problem means, as JSON, or as a page for people."""
    media_type = accepted(request.environ, JSON, HTML)
    kind = KINDS.get(slug)
    if kind is None:
        raise Problem("not-found", phrase("no-such-problem", slug=repr(slug), known=", ".join(KINDS)))
    language = language_of(request.environ)
    if media_type == HTML:
        meaning = Markup("<p>HTTP {}</p>\n<p>{}</p>").format(kind.status, guides.marked(kind.meaning(language)))
        answer = page_answer(guides.laid_out(kind.title(language), meaning, language), language)
    else:
        body = ProblemKind(request.path, kind.title(language), kind.status, kind.meaning(language))
        answer = document(strict_json.dumps(body), JSON, language)
    answer.vary.add("Accept")
    return answer
