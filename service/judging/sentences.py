"""The words of a game in the reader's language: its rulebook, a sentence for each ruling code, and the names of things.

One file a game and language, `seeds/<game>/<language>.yaml`, has them all, with the sentences under their clauses as
templates (`words/wording.py`). Engines see none of it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_origin

from engines.core.rulings import Decides
from engines.core.shape import OneOf, Player, Text, inside
from service import seeds
from service.contract.of_game import AnyEngine
from service.judging.missing import missing
from service.judging.names import OptionWords, names_in
from service.seeds import ENGLISH
from service.words.phrases import grammar
from service.words.wording import FaultyTemplate, Kind, Sentence

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Words:
    """All words of a game in one language, by ids and by the words of the contract."""

    title: str
    texts: Mapping[str, str]
    """The names of the texts that print clauses."""
    sections: Mapping[str, str]
    notes: Mapping[str, Sequence[str]]
    clauses: Mapping[str, str]
    examples: Mapping[tuple[str, str], str]
    """By clause and vector."""
    sentences: Mapping[str, Sentence]
    cards: Mapping[str, str]
    designs: Mapping[str, str]
    terms: Mapping[str, str]
    phases: Mapping[str, str]
    rulesets: Mapping[str, str]
    moves: Mapping[str, str]
    facts: Mapping[str, str]
    zones: Mapping[str, str]
    options: Mapping[str, OptionWords]


@cache
def words(engine: AnyEngine, language: str) -> Words:
    """The words of a game in one language, whole: English stands in for what is not written in it.

    Raises `FaultySeeds` where English lacks something.
    """
    if language not in seeds.languages(engine):
        return words(engine, ENGLISH)
    own, path = _read(engine, language), seeds.words_file(engine, language)
    if lacks := list(missing(engine, language)):
        if language == ENGLISH:
            raise seeds.FaultySeeds(path, *(f": {each}" for each in lacks))
        LOG.warning("%s lacks texts, for which English stands in: %d; %s", seeds.shown(path), len(lacks), lacks[0])
        for name, value in vars(words(engine, ENGLISH)).items():
            own[name] = {**value, **own[name]} if isinstance(value, dict) else own[name] or value
    return Words(**own)


def _read(engine: AnyEngine, language: str) -> dict[str, Any]:
    """The members of `Words` that are written in this language."""
    path, written, book = seeds.words_file(engine, language), seeds.written(engine, language), seeds.rulebook(engine)
    names = names_in(written, path)
    sections = {id: written[id] for id in book.sections if id in written}
    clauses = {id: written[id] for id in book.clauses if id in written}
    texts = {id: clause["text"] for id, clause in clauses.items() if "text" in clause}
    _check_published_values(engine, texts, path)
    return {
        **names,
        "sections": {id: section["title"] for id, section in sections.items() if "title" in section},
        "notes": {id: section["notes"] for id, section in sections.items() if "notes" in section},
        "clauses": {id: text.strip() for id, text in texts.items()},
        "examples": {
            (id, vector): text for id, clause in clauses.items() for vector, text in clause.get("examples", {}).items()
        },
        "sentences": dict(_compiled(engine, clauses, names, language)),
    }


def _check_published_values(engine: AnyEngine, texts: Mapping[str, str], path: Path) -> None:
    """Raise `FaultySeeds` unless the text of each option's clause names the values that published texts give it."""
    for name, option in engine.options.items():
        if option.rule not in texts:
            continue
        for value in option.published:
            if not re.search(rf"(?<![\w-]){re.escape(str(value))}(?![\w-])", texts[option.rule]):
                what = f"the published value {value!r} of the option {name!r}"
                raise seeds.FaultySeeds(path, f": {option.rule}: its text does not name {what}.")


def _compiled(
    engine: AnyEngine, clauses: Mapping[str, Any], names: Mapping[str, Mapping[str, str]], language: str
) -> Iterator[tuple[str, Sentence]]:
    """The sentences by code."""
    words = {**names["rulesets"], **names["phases"], **names["terms"]}
    words_of = {"card": names["cards"], "design": names["designs"], "word": words}
    params = {ruling.code: ruling.params for ruling in engine.rulings if not isinstance(ruling, Decides)}
    for id, clause in clauses.items():
        for code, template in clause.get("sentences", {}).items():
            kinds = {name: _kind(hint, words_of) for name, hint in params.get(code, {}).items()}
            try:
                yield code, Sentence(template, grammar(language), kinds)
            except FaultyTemplate as fault:
                has = f"its ruling has {', '.join(kinds) or 'nothing'}" if code in params else "no ruling has this code"
                path = seeds.words_file(engine, language)
                raise seeds.FaultySeeds(path, f": {id}: the sentence {code!r} {fault}; {has}.") from None


def sentences(engine: AnyEngine, language: str) -> Mapping[str, Sentence]:
    """The sentences of a game in one language, by ruling code."""
    return words(engine, language).sentences


def _kind(hint: Any, words_of: Mapping[str, Mapping[str, str]]) -> Kind:
    """How a parameter of this type is worded."""
    for each in inside(hint):
        if get_origin(each) is Literal:
            return words_of["word"]
        match each:
            case Player(kind=kind):
                return kind
            case OneOf():
                return words_of["card"]
            case Text():
                return words_of["design"]
    return None
