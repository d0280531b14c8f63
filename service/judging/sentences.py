"""The words of a game in the reader's language: its rulebook, a sentence for each ruling code, and the names of things.

One file a game and language, `seeds/<game>/<language>.yaml`, has them all, with the sentences under their clauses as
templates (`words/wording.py`). Engines see none of it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_origin, get_type_hints

from engines.core.rulings import Decides
from engines.core.shape import OneOf, Player, Text, inside
from service import seeds
from service.contract.of_game import AnyEngine
from service.judging.missing import missing
from service.judging.names import OptionWords, names_in
from service.seeds import ENGLISH
from service.words.phrases import grammar
from service.words.wording import FaultyTemplate, Kind, Players, Sentence

LOG = logging.getLogger(__name__)
LONGEST_BUTTON = 120  #: Characters of what a button says.
BRIEF_NAME = 10  #: Characters that a player's name keeps where a button would be longer.


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
    buttons: Mapping[str, Sentence]
    """What the button of a move says, by its type. A move without has its title."""
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
    path, written, book = seeds.words_file(engine, language), seeds.read_words(engine, language), seeds.rulebook(engine)
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
        "buttons": dict(_buttons(engine, names, language)),
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
    words_of = _words_of(names)
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


def _words_of(names: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
    """The words for values of each kind."""
    words = {**names["rulesets"], **names["phases"], **names["terms"]}
    return {"card": names["cards"], "design": names["designs"], "word": words}


def _buttons(
    engine: AnyEngine, names: Mapping[str, Mapping[str, str]], language: str
) -> Iterator[tuple[str, Sentence]]:
    """What the button of each move says, by the type of the move."""
    words_of = _words_of(names)
    for name, template in names["buttons"].items():
        if name not in engine.kinds:
            continue  # a test names it
        own = get_type_hints(engine.kinds[name], include_extras=True)
        hints = {each.name.removesuffix("_"): own[each.name] for each in fields(engine.kinds[name])}
        hints |= {**engine.fact_types, **engine.particular_types}
        try:
            kinds = {each: _kind(hint, words_of) for each, hint in hints.items()}
            yield name, Sentence(template, grammar(language), kinds, brackets=True)
        except FaultyTemplate as fault:
            path = seeds.words_file(engine, language)
            has = f"there are {', '.join(hints)}"
            raise seeds.FaultySeeds(path, f": moves: the text of {name!r} {fault}; {has}.") from None


class Particulars(dict[str, Any]):
    """What the words of a move may say: its members, its facts, and more. What is not there is None."""

    def __missing__(self, name: str) -> Any:
        return self.get(f"{name}_")  # a member whose name is a keyword of Python


def button_text(own: Words, move: Any, known: Mapping[str, Any], players: Players) -> str:
    """What the button of a move says. `known`: its facts and particulars."""
    sentence = own.buttons.get(move.type)
    if sentence is None:
        return own.moves.get(move.type, move.type)
    particulars: Mapping[str, Any] = {**move.__dict__, **known}
    try:
        text = sentence.filled(particulars, players)
    except KeyError:  # a fact that is not known
        particulars = Particulars(particulars)
        text = sentence.filled(particulars, players)
    if len(text) <= LONGEST_BUTTON:
        return text
    if players.names is not None:
        text = sentence.filled(particulars, players._replace(names=[_brief(name) for name in players.names]))
    return text if len(text) <= LONGEST_BUTTON else f"{text[: LONGEST_BUTTON - 1]}…"


def _brief(name: str) -> str:
    """A name of at most `BRIEF_NAME` characters."""
    return name if len(name) <= BRIEF_NAME else f"{name[: BRIEF_NAME - 1]}…"


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
