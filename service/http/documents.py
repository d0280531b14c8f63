"""Documents: the games and their rulebooks, the contract, the guides, and the meanings of problems."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from posixpath import normpath

import flask_swagger_ui
from flask import Blueprint, Response, request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from werkzeug.exceptions import NotFound

import engines
from service import seeds, strict_json
from service.contract import openapi
from service.contract.answers import ProblemKind
from service.contract.of_game import AnyEngine
from service.http.bodies import document, file
from service.http.nearest import there, unknown_game
from service.http.parameters import refuse_language_parameter
from service.http.preferences import HTML, JSON, MARKDOWN, accept_json, accepted, language_of, preferred_languages
from service.http.shared import SESSIONS
from service.judging import games
from service.judging.agents_text import agents_text
from service.judging.calls import CALLS
from service.problems import KINDS, Problem
from service.words.languages import language_for
from service.words.phrases import phrase

YAML = "application/yaml"
SWAGGER_FILES = Path(flask_swagger_ui.__file__).parent / "dist"
OWN_FILES = Path(__file__).parent.parent / "docs_page"
CONTRACT_PAGE, GUIDE_PAGE = TEMPLATES = ("index.html", "guide.html")
NO_FOREIGN_HOSTS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of our pages: they load only from this server, submit no form, and are framed nowhere."""
GUIDE_FILES = seeds.ROOT / "docs"
GUIDES = (
    "ten-minutes", "clients", "agents", "bulk", "sessions", "elements", "testing", "vectors", "fairness", "releases",
    "operations",
)  # fmt: skip
"""The guides for clients, and the page for operators, to which alerts link."""

bp = Blueprint("documents", __name__)


def page_answer(page: bytes, language: str | None = None) -> Response:
    """A page that loads only from this server."""
    response = document(page, HTML, language)
    response.headers["Content-Security-Policy"] = NO_FOREIGN_HOSTS
    return response


# --- games ---------------------------------------------------------------------------------------


@bp.get("/games")
def all_games() -> Response:
    """The list of all games."""
    accept_json(request.environ)
    refuse_language_parameter(request.environ)
    preferred = preferred_languages(request.environ)
    return document(strict_json.dumps(games.listed(preferred)), JSON, languages_over_games(preferred))


def languages_over_games(preferred: tuple[str, ...]) -> str:
    """The languages that occur in an answer over all games, for `Content-Language`."""
    return ", ".join(dict.fromkeys(language_for(preferred, engine) for engine in engines.registry().values()))


@bp.get("/games/<game>")
def one_game(game: str) -> Response:
    """One game: seats, rulesets, options, moves, rulings, names."""
    accept_json(request.environ)
    refuse_language_parameter(request.environ)
    language = language_of(request.environ)
    return document(strict_json.dumps(games.description(engine_of(game), language)), JSON, language)


@bp.get("/games/<game>/rulebook")
def rulebook(game: str) -> Response:
    """All clauses in one language, as JSON, HTML or Markdown."""
    media_type = accepted(request.environ, JSON, HTML, MARKDOWN)
    if media_type == JSON:
        refuse_language_parameter(request.environ)
    engine, language = engine_of(game), language_of(request.environ)
    if media_type == HTML:
        answer = page_answer(games.html(engine, language).encode(), language)
    elif media_type == MARKDOWN:
        answer = document(games.markdown(engine, language).encode(), MARKDOWN, language)
    else:
        answer = document(strict_json.dumps(games.rulebook(engine, language)), JSON, language)
    answer.vary.add("Accept")
    return answer


def engine_of(game: str) -> AnyEngine:
    """The engine of a game that a path names; raises Problem."""
    known = engines.registry()
    if game not in known:
        raise Problem("not-found", unknown_game(game, request.path, there(request.environ)))
    return known[game]


# --- the contract --------------------------------------------------------------------------------


def contract(media_type: str, game: str | None = None) -> Response:
    """The contract, whole or for one game; as JSON for tools that read no YAML."""
    if game is not None:
        engine_of(game)  # 404 if there is no such game
    return document(_contract(game, media_type), media_type)


@cache
def _contract(game: str | None, media_type: str) -> bytes:
    """The contract as bytes of this media type. `game`: see `contract`."""
    contract = openapi.document(CALLS, game)
    return openapi.as_yaml(contract).encode() if media_type == YAML else strict_json.dumps(contract)


for path in ("/openapi", "/games/<game>/openapi"):
    bp.add_url_rule(f"{path}.yaml", f"{path} yaml", partial(contract, YAML))
    bp.add_url_rule(f"{path}.json", f"{path} json", partial(contract, JSON))


@bp.get("/docs")
def docs() -> Response:
    """The contract as a page on which calls can be tried."""
    return page_answer(_contract_page(request.environ[SESSIONS] is not None))


@cache
def _contract_page(sessions: bool) -> bytes:
    """The HTML page of the contract: all operations by group. The reader opens one to see its parameters and answers.

    `sessions`: whether this server has sessions.
    """
    games = {seeds.read_words(engine, seeds.ENGLISH)["title"]: game for game, engine in engines.registry().items()}
    return filled(CONTRACT_PAGE, contract=openapi.document(CALLS), games=games, sessions=sessions)


@bp.get("/docs/<path:name>")
def docs_file(name: str) -> Response:
    """A file of the page at `/docs`."""
    if name in TEMPLATES:
        raise NotFound
    own = {each.name for each in OWN_FILES.iterdir()}
    return file(OWN_FILES if name in own else SWAGGER_FILES, name)


@bp.get("/llms.txt")
def llms() -> Response:
    """What an agent should call, in at most 700 words."""
    return document(agents_text(sessions=request.environ[SESSIONS] is not None).encode(), "text/plain")


@bp.get("/problems/<slug>")
def problem(slug: str) -> Response:
    """What a kind of problem means, as JSON, or as a page for people."""
    media_type = accepted(request.environ, JSON, HTML)
    kind = KINDS.get(slug)
    if kind is None:
        raise Problem("not-found", phrase("no-such-problem", slug=repr(slug), known=", ".join(KINDS)))
    language = language_of(request.environ)
    title, meaning = kind.title(language), kind.meaning(language)
    if media_type == HTML:
        body = Markup("<p>HTTP {}</p>\n<p>{}</p>").format(kind.status, _marked(meaning))
        answer = page_answer(filled(GUIDE_PAGE, title=title, body=body, language=language), language)
    else:
        answer = document(strict_json.dumps(ProblemKind(request.path, title, kind.status, meaning)), JSON, language)
    answer.vary.add("Accept")
    return answer


# --- guides --------------------------------------------------------------------------------------


@bp.get("/guides/<name>")
def guide(name: str) -> Response:
    """A guide to be read beside the contract."""
    if name not in GUIDES:
        raise NotFound
    return page_answer(_guide_page(name))


@cache
def _guide_page(name: str) -> bytes:
    """A guide as a page: its Markdown without the title and comments, between what all pages share."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(re.sub(r"<!--.*?-->\n?", "", _text(name).partition("\n")[2]))
    for at, token in enumerate(tokens):
        if token.type == "heading_open":  # links name a heading by this id
            token.attrSet("id", re.sub(r"[^\w\- ]", "", tokens[at + 1].content.lower()).replace(" ", "-"))
        if token.type in {"th_open", "td_open"}:
            token.attrs.pop("style", None)  # the page allows no style beside its own
        _adapt_links(token.children or ())
    body = Markup(reader.renderer.render(tokens, reader.options, {}))  # noqa: S704 - HTML in the text is escaped
    return filled(GUIDE_PAGE, title=titles()[name], body=body, language="en")


@cache
def titles() -> dict[str, str]:
    """The title of each guide."""
    return {name: _text(name).partition("\n")[0].removeprefix("# ") for name in GUIDES}


def _text(name: str) -> str:
    """The Markdown of a guide."""
    return (GUIDE_FILES / f"{name}.md").read_text(encoding="utf-8")


def _adapt_links(tokens: Iterable[Token]) -> None:
    """Change the links of a text so that they work on this server.

    A link to a file that is only in the repository becomes plain text, and a picture its description.
    """
    hidden = False
    for token in tokens:
        if token.type == "link_open":
            address = _served_address(str(token.attrGet("href")))
            token.attrSet("href", address or "")
            hidden = address is None
        if token.type.startswith("link_"):
            token.hidden = hidden
        elif token.type == "image":
            token.type, token.tag = "text", ""


def _served_address(link: str) -> str | None:
    """The address on this server for a link in `docs/`; None for a file that is only in the repository."""
    path, mark, fragment = link.partition("#")
    if not path or "://" in path:
        return link
    where = normpath(f"docs/{path}")
    if where == "openapi.yaml":
        return "/openapi.yaml"
    name = where.removeprefix("docs/").removesuffix(".md")
    return f"/guides/{name}{mark}{fragment}" if name in GUIDES else None


# --- pages ---------------------------------------------------------------------------------------


def filled(template: str, **values: object) -> bytes:
    """A page made from a template in `docs_page/`, with links to all guides."""
    environment = Environment(
        loader=PackageLoader("service", "docs_page"), autoescape=select_autoescape(["html"]), undefined=StrictUndefined
    )
    environment.filters["marked"] = _marked
    return environment.get_template(template).render(guides=titles(), **values).encode()


def _marked(text: str) -> Markup:
    """The Markdown of the contract as HTML: code and emphasis."""
    coded = re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\*([^*]+)\*", r"<em>\1</em>", coded))  # noqa: S704 - escaped above
