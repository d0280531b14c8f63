"""Phrases of the service itself, by code and parameters; their words are in `messages/<language>.yaml`.

A phrase is put into words only when it is written, so a phrase that is never written costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from service.seeds import LANGUAGES
from service.web.languages import grammar, messages
from service.web.wording import Sentence


@dataclass(frozen=True)
class Phrase:
    """A code under `phrases` in `messages/`, with its parameters, which may be phrases themselves."""

    code: str
    params: Mapping[str, Any]

    def said(self, language: str) -> str:
        """The text in one language."""
        return _phrases(language)[self.code].filled(
            {name: value.said(language) if isinstance(value, Phrase) else value for name, value in self.params.items()}
        )

    def __str__(self) -> str:
        return self.said(LANGUAGES[0])


def phrase(code: str, **params: Any) -> Phrase:
    """A phrase, in no language yet."""
    return Phrase(code, params)


@cache
def _phrases(language: str) -> Mapping[str, Sentence]:
    written: Mapping[str, str] = messages(language)["phrases"]
    return {code: Sentence(template, grammar(language), None, whole=False) for code, template in written.items()}


def worded(value: Any, language: str) -> Any:
    """The same value with every phrase in it as text, at any depth of lists and dicts."""
    if isinstance(value, Phrase):
        return value.said(language)
    if isinstance(value, dict):
        return {name: worded(each, language) for name, each in value.items()}
    return [worded(each, language) for each in value] if isinstance(value, list) else value
