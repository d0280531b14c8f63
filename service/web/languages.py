"""Which of our languages a client reads best."""

from __future__ import annotations

from functools import lru_cache

from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from service.seeds import LANGUAGES


@lru_cache(maxsize=1024)
def language_for(accept_language: str | None) -> str:
    """The best of our languages for an `Accept-Language` header; English where none fits."""
    if not accept_language:
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
