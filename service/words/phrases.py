"""The service's own texts.

The words are in `<language>.yaml`; where one lacks a text, English stands in. Among them are phrases, by code and
parameters. A phrase is put into words only when it is written, so a phrase that is never written costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from service import seeds
from service.seeds import ENGLISH
from service.words.wording import Grammar, Sentence


def file_of(language: str) -> Path:
    """The file of the service's texts in one language."""
    return Path(__file__).with_name(f"{language}.yaml")


@cache
def messages(language: str) -> Mapping[str, Any]:
    """All texts of the service itself in one language; those of a game are in `seeds/`."""
    own, english = seeds.read_table(file_of(language)), seeds.read_table(file_of(ENGLISH))
    return {**_completed(own, english), "grammar": own.get("grammar") or english["grammar"]}


def _completed(own: Mapping[Any, Any], english: Mapping[Any, Any]) -> dict[Any, Any]:
    """The texts of a language at any depth, with the English ones in place of what is not written."""
    return {
        name: _completed(own.get(name) or {}, text) if isinstance(text, dict) else own.get(name) or text
        for name, text in english.items()
    }


@cache
def grammar(language: str) -> Grammar:
    """The grammar of one language, for the sentences of all games."""
    return Grammar(language, messages(language)["grammar"])


@dataclass(frozen=True)
class Phrase:
    """A code under `phrases` in `<language>.yaml`, with its parameters, which may be phrases themselves."""

    code: str
    params: Mapping[str, Any]

    def text_in(self, language: str) -> str:
        """The text in one language."""
        return _phrases(language)[self.code].filled(
            {
                name: value.text_in(language) if isinstance(value, Phrase) else value
                for name, value in self.params.items()
            }
        )

    def __str__(self) -> str:
        return self.text_in(ENGLISH)


def phrase(code: str, **params: Any) -> Phrase:
    """A phrase, in no language yet."""
    return Phrase(code, params)


@cache
def _phrases(language: str) -> Mapping[str, Sentence]:
    """The phrases in one language, by code."""
    written: Mapping[str, str] = messages(language)["phrases"]
    return {code: Sentence(template, grammar(language), None, whole=False) for code, template in written.items()}


def worded(value: Any, language: str) -> Any:
    """The same value with every phrase in it as text, at any depth of lists and dicts."""
    if isinstance(value, Phrase):
        return value.text_in(language)
    if isinstance(value, dict):
        return {name: worded(each, language) for name, each in value.items()}
    return [worded(each, language) for each in value] if isinstance(value, list) else value
