"""The words of a game in the reader's language: a sentence for each ruling code, and the names of things.

One file a game and language, `seeds/<game>/messages/<language>.yaml`, maps each code to a template (`wording.py`).
Its other members name cards, designs, moves, options and other words of the contract. Engines see none of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import product
from typing import Any, Literal, get_origin

from engines.core.rulings import Decides
from engines.core.shape import OneOf, Player, Text, inside
from service import seeds
from service.contract.of_game import AnyEngine
from service.words.phrases import grammar
from service.words.wording import FaultyTemplate, Kind, Sentence


@dataclass(frozen=True)
class OptionWords:
    """The title of an option, what it settles, and the titles of its values."""

    title: str
    text: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Words:
    """All words of a game in one language, by the words of the contract. A word without a name here is used itself."""

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


NAMES = [each.name for each in fields(Words) if each.name != "sentences"]
"""The members of a file that are names; all others are sentences."""


@cache
def words(engine: AnyEngine, language: str) -> Words:
    """The words of a game in one language."""
    path = seeds.messages_file(engine, language)
    if language != "en" and not path.exists():
        seeds.warn_of_english(path, language)
        return words(engine, "en")
    written = dict(seeds.read_table(path))
    for name, value in written.items():
        if what := _unfit(name, value):
            raise seeds.FaultySeeds(path, f": {what}")
    named: dict[str, Any] = {section: written.pop(section, None) or {} for section in NAMES}
    try:
        named |= {section: dict(_combined(named[section])) for section in ("cards", "designs")}
    except KeyError as part:
        lacks = f": a group of 'cards' or 'designs' names the part {part}, which it lacks."
        raise seeds.FaultySeeds(path, lacks) from None
    terms = {**named["rulesets"], **named["phases"], **named["terms"]}
    said = {"card": named["cards"], "design": named["designs"], "word": terms}
    params = {ruling.code: ruling.params for ruling in engine.rulings if not isinstance(ruling, Decides)}
    sentences = {}
    for code, template in written.items():
        kinds = {name: _kind(hint, said) for name, hint in params.get(code, {}).items()}
        try:
            sentences[code] = Sentence(template, grammar(language), kinds)
        except FaultyTemplate as fault:
            has = f"its ruling has {', '.join(kinds) or 'nothing'}" if code in params else "no ruling has this code"
            raise seeds.FaultySeeds(path, f": the sentence {code!r} {fault}; {has}.") from None
    if language != "en" and (missing := words(engine, "en").sentences.keys() - sentences.keys()):
        seeds.warn_of_english(path, language)
        sentences |= {code: words(engine, "en").sentences[code] for code in missing}
    named["options"] = {name: OptionWords(**{"values": {}, **option}) for name, option in named["options"].items()}
    return Words(sentences, **named)


def sentences(engine: AnyEngine, language: str) -> Mapping[str, Sentence]:
    """The sentences of a game in one language, by ruling code."""
    return words(engine, language).sentences


def _unfit(name: str, value: Any) -> str:
    """What is wrong with the kind of a member of a file; empty: nothing."""
    if name not in NAMES:
        wrong = f"{name!r} should be a sentence, or one of {', '.join(NAMES)}, but it is no text."
        return "" if isinstance(value, str) else wrong
    if value is None:
        return ""
    if name in ("cards", "designs"):
        groups = value if isinstance(value, list) else [None]
        wrong = f"{name!r} should be a list of groups, each with an 'id', a 'name' and the parts that they name."
        return "" if all(isinstance(group, dict) and {"id", "name"} <= group.keys() for group in groups) else wrong
    if not isinstance(value, dict):
        return f"{name!r} should map words to texts."
    return next((wrong for each in value.items() if (wrong := _unfit_word(name, *each))), "")


def _unfit_word(section: str, name: str, said: Any) -> str:
    if section != "options":
        return "" if isinstance(said, str) else f"{section!r} should map words to texts, but {name!r} has none."
    fits = isinstance(said, dict) and {"title", "text"} <= said.keys() <= {"title", "text", "values"}
    return "" if fits else f"the option {name!r} should have a 'title', a 'text' and, for words, 'values', no more."


def _combined(groups: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """The id and the name of each card. A group of cards combines parts, such as colour and number."""
    for group in groups:
        parts = {part: _spelled(values) for part, values in group.items() if part not in ("id", "name")}
        for chosen in product(*(values.items() for values in parts.values())):
            ids = {part: value for part, (value, _) in zip(parts, chosen, strict=True)}
            names = {part: name for part, (_, name) in zip(parts, chosen, strict=True)}
            yield group["id"].format_map(ids), group["name"].format_map(names)


def _spelled(values: Any) -> Mapping[Any, Any]:
    """The names of parts by id. In a list, each part is its own name."""
    return values if isinstance(values, dict) else {value: value for value in values}


def _kind(hint: Any, said: Mapping[str, Mapping[str, str]]) -> Kind:
    """How a parameter of this type is worded."""
    for each in inside(hint):
        if get_origin(each) is Literal:
            return said["word"]
        match each:
            case Player(kind=kind):
                return kind
            case OneOf():
                return said["card"]
            case Text():
                return said["design"]
    return None
