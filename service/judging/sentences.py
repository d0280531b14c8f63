"""The sentences behind ruling codes, in the reader's language.

One file a game and language, `seeds/<game>/messages/<language>.yaml`, maps each code to a sentence with placeholders
by name; under `terms` it says the words of the wire (`big-gin`) in that language. Engines never see them.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from operator import itemgetter
from string import Formatter

from service import seeds
from service.contract.of_game import AnyEngine

REMEMBERED = 2_000
"""How many fillings of a sentence are kept."""
SHORT = 200
"""Characters of the longest that is kept."""


@cache
def sentences(engine: AnyEngine, language: str) -> Mapping[str, Sentence]:
    """Every sentence of a game in one language, by ruling code."""
    templates = dict(seeds.read_table(seeds.messages_file(engine, language)))
    terms = templates.pop("terms", {})
    return {code: Sentence(template, terms) for code, template in templates.items()}


class Sentence:
    """A sentence with placeholders by name; called with the particulars it gives the text."""

    def __init__(self, template: str, terms: Mapping[str, str]) -> None:
        self.template = template
        self._terms = terms
        names = tuple({name for _, name, _, _ in Formatter().parse(template) if name})
        self._particulars = itemgetter(*names) if names else lambda params: ()
        self._names = names
        self._filled: dict[object, str] = {}

    def __call__(self, params: Mapping[str, object]) -> str:
        particulars = self._particulars(params)
        try:
            return self._filled[particulars]
        except (KeyError, TypeError):  # not filled so before, or not hashable
            pass
        text = self.template.format(**{name: _shown(params[name], self._terms) for name in self._names})
        if len(self._filled) < REMEMBERED and len(text) <= SHORT:
            with suppress(TypeError):  # a list among the particulars, as a session's log keeps them
                self._filled[particulars] = text
        return text


def _shown(value: object, terms: Mapping[str, str]) -> object:
    """A particular as a reader wants it: lists with commas, lists of lists with semicolons, nothing as a dash.

    `terms`: how this language says the words that stand for values on the wire.
    """
    if isinstance(value, tuple | list):
        between = "; " if any(isinstance(item, tuple | list) for item in value) else ", "
        return between.join(str(_shown(item, terms)) for item in value)
    if value is None:
        return "–"
    return terms.get(value, value) if isinstance(value, str) else value
