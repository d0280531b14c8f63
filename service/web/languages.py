"""The language of an answer, and the service's own texts in each language (`messages/<language>.yaml`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from service import seeds
from service.bounds import ACCEPT_LENGTH
from service.seeds import LANGUAGES
from service.web.wording import Grammar


@cache
def messages(language: str) -> Mapping[str, Any]:
    """All texts of the service itself in one language; those of a game are in `seeds/`."""
    return seeds.read_table(Path(__file__).parent / "messages" / f"{language}.yaml")


@cache
def grammar(language: str) -> Grammar:
    """The grammar of one language, for the sentences of all games."""
    return Grammar(language, messages(language)["grammar"])


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
