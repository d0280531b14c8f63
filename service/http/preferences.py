"""What a client prefers, from the headers of its request: media type, language, compression."""

from __future__ import annotations

from functools import lru_cache
from wsgiref.types import WSGIEnvironment

from werkzeug.datastructures import LanguageAccept, MIMEAccept
from werkzeug.http import parse_accept_header, parse_options_header

import engines
from service.bounds import ACCEPT_LENGTH
from service.problems import Problem
from service.words.languages import LANGUAGES, language_for
from service.words.phrases import phrase

JSON = "application/json"
HTML = "text/html"
MARKDOWN = "text/markdown"
EVENT_STREAM = "text/event-stream"
GAME = "referee.game"  #: In the environment of a request: the game that it is about, where its path names none.


def language_of(environ: WSGIEnvironment) -> str:
    """The language of the answer: the one that the client prefers of those that the game has, if one is named."""
    path = environ["PATH_INFO"]
    game = path.split("/", 3)[2] if path.startswith("/games/") else environ.get(GAME)
    return language_for(preferred_languages(environ), engines.registry().get(game or ""))


def language_in(environ: WSGIEnvironment, game: str | None) -> str:
    """The language of the answer to a request that is about this game, which `language_of` knows from now on."""
    environ[GAME] = game
    return language_of(environ)


def preferred_languages(environ: WSGIEnvironment) -> tuple[str, ...]:
    """The languages that the client takes, the preferred first."""
    return languages_for(environ.get("HTTP_ACCEPT_LANGUAGE"))


def accept_json(environ: WSGIEnvironment) -> None:
    """Refuse a client that does not accept JSON, before any work is done."""
    accepted(environ, JSON)


def accepted(environ: WSGIEnvironment, *media_types: str) -> str:
    """The media type that the client prefers, or the first of equal ones. Refuses a client that accepts none."""
    accept = environ.get("HTTP_ACCEPT")
    wanted = preferred(accept, media_types)
    if wanted is None:
        raise Problem("not-acceptable", phrase("not-taken", media_type=media_types, accept=accept))
    return wanted


@lru_cache(maxsize=256)
def is_json(content_type: str) -> bool:
    """Whether a `Content-Type` promises JSON in UTF-8.

    The caches of this and of `preferred` save a sixth of judging a trick of six players.
    """
    media_type, options = parse_options_header(content_type)
    return media_type.lower() == JSON and options.get("charset", "utf-8").lower() in ("utf-8", "utf8")


@lru_cache(maxsize=256)
def preferred(accept: str | None, media_types: tuple[str, ...]) -> str | None:
    """The media type that an `Accept` header prefers, ignoring parameters other than `q`; None if it accepts none."""
    if not accept:
        return media_types[0]
    ranges = [(each.partition(";")[0].strip(), quality) for each, quality in parse_accept_header(accept, MIMEAccept)]
    best = max(media_types, key=MIMEAccept(ranges).quality)
    return best if MIMEAccept(ranges).quality(best) else None


@lru_cache(maxsize=1024)
def languages_for(accept_language: str | None) -> tuple[str, ...]:
    """The languages that an `Accept-Language` header takes, the preferred first; those that the service speaks."""
    if not accept_language or len(accept_language) > ACCEPT_LENGTH:
        return ()
    weights: dict[str, float] = {}
    for tag, weight in parse_accept_header(accept_language, LanguageAccept):
        language = tag.partition("-")[0].lower()
        weights[language] = max(weight, weights.get(language, 0))
    others = weights.pop("*", 0)
    weights |= {language: others for language in LANGUAGES if language not in weights}
    return tuple(
        sorted((each for each in weights if weights[each] and each in LANGUAGES), key=lambda each: -weights[each])
    )


@lru_cache(maxsize=256)
def takes_gzip(accept_encoding: str | None) -> bool:
    """Whether an `Accept-Encoding` admits gzip."""
    return parse_accept_header(accept_encoding).quality("gzip") > 0
