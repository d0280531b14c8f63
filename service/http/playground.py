"""The playground at `/`: its pages and files, and examples that are picked from the conformance vectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from html import escape
from typing import Any

from babel import Locale
from flask import Blueprint, Response, request
from markupsafe import Markup

import engines
from engines.core.engine import Engine
from service import seeds, strict_json
from service.contract import Invalid
from service.contract.rows import members
from service.http.bodies import document, file
from service.http.documents import GUIDE_PAGE, NO_FOREIGN_HOSTS, filled, languages_over_games, page_answer
from service.http.nearby import Nearby
from service.http.preferences import HTML, JSON, language_of
from service.http.shared import NEARBY, SESSIONS
from service.judging import games, sentences
from service.judging.calls import CALLS, NAMED, body_of, judged
from service.seeds import Vector, vectors_in
from service.strict_json import Json
from service.words.languages import LANGUAGES
from service.words.pages import FILES, FOLDERS, words_of_page
from service.words.phrases import messages

bp = Blueprint("playground", __name__)

WORD = re.compile(r'data-word="([\w-]+)">[^<]*<')  #: An element of a page and its text.
CHOICE = '<select id="call" disabled></select>'  #: The element of the playground that offers the calls.
LANGUAGE = re.compile(r'(<select id="language"[^>]*>)</select>')  #: The element of a page that offers languages.
NEEDS_SESSIONS = re.compile(r' *(?:<a [^>]*href="/play".*?</a>|<link rel="manifest"[^>]*>)\n')
"""The lines of a page that lead to `/play`: a link, and the manifest, by which a browser installs it as an app."""
PLACEHOLDER = '{"given": "by the service"}'  #: In a page, for the data that goes with it.

LESSONS: Mapping[str, Callable[[str, int, Json], Any]] = {
    "happens": lambda call, status, body: (
        call == "resolve" and body.get("legal", True) and body.get("events") and not body.get("contested")
    ),
    "refused": lambda call, status, body: call in ("resolve", "validate") and body.get("legal") is False,
    "contested": lambda call, status, body: call == "resolve" and body.get("contested"),
    "undetermined": lambda call, status, body: call == "resolve" and body.get("undetermined"),
    "impossible": lambda call, status, body: call == "resolve" and "faults" in body,
    "misfit": lambda call, status, body: call == "resolve" and status == 400,
}
"""What examples show of more than one call: whether a vector shows it, by its call, status and answer."""

NAMES = ("Anna", "Bo", "Cy", "Di", "Eva", "Fay")  #: Of the players in examples.

TELLING_MEMBERS = ("events", "violations", "faults", "moves")
"""Members of an answer that make an example worth showing."""

PAGES = {"/": "index.html", "/play": "play.html", "/settle": "settle.html"}
"""The playground; a table for several browsers; an empty table, to lay cards on and get one verdict."""


def page(name: str) -> Response:
    """A page, in the visitor's language."""
    language = language_of(request.environ)
    nearby: Nearby = request.environ[NEARBY]
    urls = nearby.shown_to(request.environ) if name == PAGES["/play"] else None
    shown = None if urls is None else tuple(urls)
    answer = page_answer(_page(name, language, request.environ[SESSIONS] is not None, shown), language)
    if shown is not None:
        answer.headers["Cache-Control"] = "private, no-store"  # it is for this client, and for this moment
    return answer


for path, name in PAGES.items():
    bp.add_url_rule(path, name.removesuffix(".html"), partial(page, name))


@bp.get("/playground/<path:name>")
def page_file(name: str) -> Response:
    """A file of the page."""
    if name == "examples.json":
        language = language_of(request.environ)
        return document(strict_json.dumps(examples(language)), JSON, languages_over_games((language,)))
    return file(FILES, name)


def not_found(problem: Response) -> Response:
    """A page with the title and the detail of a problem document, and the way to what there is."""
    language, content = language_of(request.environ), problem.get_json()
    texts = words()[language]
    ways = {"/": "to-page", "/settle": "settle"} | ({"/play": "together"} if request.environ[SESSIONS] else {})
    links = Markup("").join(Markup('<li><a href="{}">{}</a></li>').format(to, texts[way]) for to, way in ways.items())
    body = Markup("<p>{}</p>\n<ul>{}</ul>").format(content["detail"], links)
    frame = {"language": language, "referee": texts["to-page"], "contract": texts["contract"]}
    response = Response(filled(GUIDE_PAGE, title=content["title"], body=body, **frame), 404, mimetype=HTML)
    response.headers["Content-Security-Policy"] = NO_FOREIGN_HOSTS
    response.headers["Content-Language"] = language
    response.vary.update(["Accept", "Accept-Language"])
    return response


# The module of the table element, for other sites.
bp.add_url_rule("/elements.js", "elements", partial(file, FILES, "elements.js"))


@bp.get("/elements.d.ts")
def elements_types() -> Response:
    """The types of that module."""
    return document((FILES / "elements.d.ts").read_bytes(), "text/typescript")


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """The texts of the pages by language."""
    return {language: words_of_page(language) for language in LANGUAGES}


@cache
def _page(name: str, language: str, sessions: bool, nearby: tuple[str, ...] | None) -> bytes:
    """A page in one language, with the data that it would otherwise request before it shows anything.

    `sessions`: whether this server has sessions.
    `nearby`: the URLs for phones; None: it shows none.
    """
    texts = words()[language]
    text = (FILES / name).read_text(encoding="utf-8").replace('<html lang="en">', f'<html lang="{language}">')
    text = text if sessions else NEEDS_SESSIONS.sub("", text)
    if (FOLDERS["table"] / f"{language}.js").exists():
        text = text.replace("/words/en.js", f"/words/{language}.js")
    text = text.replace(f'content="{words()["en"]["description"]}"', f'content="{escape(texts["description"])}"')
    options = (f'<option value="{call}" data-word="{call}"></option>' for call in NAMED)
    text = text.replace(CHOICE, CHOICE.replace("><", f">{''.join(options)}<"))
    text = LANGUAGE.sub(lambda match: "".join([match[1], *_languages(), "</select>"]), text)
    text = WORD.sub(lambda match: f'data-word="{match[1]}">{escape(texts[match[1]], quote=False)}<', text)
    others = tuple(f"{page}-" for page in ("play", "settle") if name != f"{page}.html")
    own = {key: text for key, text in texts.items() if not key.startswith(others)}
    data: dict[str, object] = {"language": language, "languages": LANGUAGES, "words": own}
    if nearby is not None:
        data["nearby"] = nearby
    if name == "index.html":
        game, shown = next(iter(examples(language).items()))
        data |= {"games": games.listed((language,)), "examples": {game: shown}, "first": first_answer(game, language)}
        data["calls"] = {call.name: members(call.takes) for call in CALLS}
        data["drawings"] = [game for game in engines.registry() if (FILES / "table" / f"{game}.js").exists()]
    return text.replace(PLACEHOLDER, strict_json.dumps(data).decode().replace("<", "\\u003c")).encode()


def _languages() -> Iterator[str]:
    """What the choice of a page's language offers: each by its own name."""
    for language in LANGUAGES:
        name = (Locale(language).get_display_name() or language).capitalize()
        yield f'<option value="{language}" lang="{language}">{name}</option>'


def first_answer(game: str, language: str) -> Json:
    """The answer to the first example of a game, and the legal moves after it."""
    example = examples(language)[game][0]
    answer = strict_json.plain(judged(example["call"], game, example["body"], language))
    names = {"names": example["body"]["names"]} if "names" in example["body"] else {}
    legal = judged("legal-moves", game, {"state": answer["state"], **names}, language)
    return {"id": example["id"], "answer": answer, "legal": legal}


@cache
def examples(language: str) -> dict[str, list[Json]]:
    """The examples of each game, in the order of `_picked`."""
    return {
        game: [_shown(game, lesson, vector, language) for lesson, vector in vectors]
        for game, vectors in _picked().items()
    }


def _shown(game: str, lesson: str, vector: Vector, language: str) -> Json:
    """A vector as an example, under the title of the section of the rulebook that it is about, and with names."""
    own = sentences.words(engines.registry()[game], language)
    section = own.sections[seeds.section_of(vector.clauses[0])]
    why = f"{own.title}, {section} – {messages(language)['lessons'][lesson]}"
    body = _body(vector)
    try:
        engine, question = body_of(NAMED[vector.call], game, body)
    except Invalid:
        seats = 0  # what does not fit has no seats to name
    else:
        seats = question.seats if vector.call == "deal" else engine.seats_of(engine.complete(question.state))
    names = {"names": list(NAMES[:seats])} if 0 < seats <= len(NAMES) else {}
    return {"id": vector.id, "why": why, "call": vector.call, "body": names | body}


def _body(vector: Vector) -> dict[str, Any]:
    """The body of a vector's request, without the game, which the path names."""
    return {name: value for name, value in vector.request["body"].items() if name != "game"}


@cache
def _picked() -> Mapping[str, list[tuple[str, Vector]]]:
    """The vectors to show, each with its lesson. The game whose first vector shows the most cards comes first."""
    picked = {game: list(_lessons(engine)) for game, engine in engines.registry().items()}

    def cards_seen(game: str) -> int:
        """In the first example; a game without vectors has none."""
        for _lesson, vector in picked[game][:1]:
            engine, question = body_of(NAMED[vector.call], game, _body(vector))
            return sum(card is not None for card in engine.zones.lying(engine.complete(question.state)))
        return 0

    return {game: picked[game] for game in sorted(picked, key=cards_seen, reverse=True)}


def _lessons(engine: Engine[Any]) -> Iterator[tuple[str, Vector]]:
    """For each lesson, in the order of its titles, the vector with the highest `_worth` that is not picked yet."""
    left = sorted(filter(_can_be_posted, vectors_in(seeds.folder(engine))), key=_worth, reverse=True)
    for lesson in messages("en")["lessons"]:
        for vector in left:
            if _teaches(lesson, vector):
                yield lesson, vector
                left.remove(vector)
                break


def _teaches(lesson: str, vector: Vector) -> Any:
    """Whether a vector shows a lesson: one of `LESSONS`, or the call of that name."""
    call, status = vector.call, vector.response["status"]
    return LESSONS[lesson](call, status, vector.worked) if lesson in LESSONS else (call, status) == (lesson, 200)


def _can_be_posted(vector: Vector) -> bool:
    """Whether the playground can post the request of a vector: a stateless call without headers of its own."""
    request = vector.request
    return vector.call in NAMED and isinstance(request.get("body"), dict) and "headers" not in request


def _worth(vector: Vector) -> tuple[float, int]:
    """The events, violations, faults and moves in the answer per character of the request; then the shorter request."""
    length = len(str(vector.request["body"]))
    return sum(len(vector.worked.get(name, ())) for name in TELLING_MEMBERS) / length, -length
