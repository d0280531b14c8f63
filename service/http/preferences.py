"""What a client prefers, from the headers of its request: media type, language, compression."""

from __future__ import annotations

from functools import lru_cache
from wsgiref.types import WSGIEnvironment

from werkzeug.datastructures import LanguageAccept, MIMEAccept
from werkzeug.http import parse_accept_header, parse_options_header

from service.bounds import ACCEPT_LENGTH
from service.problems import Problem
from service.seeds import LANGUAGES
from service.words.phrases import phrase

JSON = "application/json"
HTML = "text/html"
MARKDOWN = "text/markdown"
EVENT_STREAM = "text/event-stream"


def language_of(environ: WSGIEnvironment) -> str:
    """The service's language that the client prefers."""
    return language_for(environ.get("HTTP_ACCEPT_LANGUAGE"))


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
def language_for(accept_language: str | None) -> str:
    """The service's language that an `Accept-Language` header prefers; English if none fits."""
    if not accept_language or len(accept_language) > ACCEPT_LENGTH:
        return LANGUAGES[0]
    wanted = [
        (tag.partition("-")[0].lower(), quality)
        for tag, quality in parse_accept_header(accept_language, LanguageAccept)
    ]
    refused = {language for language, quality in wanted if not quality}
    others = [language for language in LANGUAGES if language not in refused]
    for language, quality in sorted(wanted, key=lambda each: -each[1]):
        if quality and (language in others or (language == "*" and others)):
            return others[0] if language == "*" else language
    return LANGUAGES[0]


@lru_cache(maxsize=256)
def takes_gzip(accept_encoding: str | None) -> bool:
    """Whether an `Accept-Encoding` admits gzip."""
    return parse_accept_header(accept_encoding).quality("gzip") > 0
