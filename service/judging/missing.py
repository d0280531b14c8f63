"""What the file of a language must have, walked from the rulebook and the engine; and what is missing in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from engines.core.engine import clause_order
from engines.core.rulings import Decides
from engines.core.shape import OneOf, inside
from service import seeds
from service.contract.of_game import AnyEngine
from service.judging.names import names_in
from service.seeds import ENGLISH

Place: TypeAlias = tuple[str, ...]
"""The keys that lead to a text in the file: `("TW-2.3", "sentences", "cannot-pay")`."""


@cache
def clause_of(engine: AnyEngine) -> Mapping[str, str]:
    """The clause under which the sentence of each code stands: the first of those whose rulings have it."""
    clauses: dict[str, str] = {}
    for ruling in sorted(engine.rulings, key=lambda each: clause_order(each.rule)):
        if not isinstance(ruling, Decides):
            clauses.setdefault(ruling.code, ruling.rule)
    return clauses


def required(engine: AnyEngine) -> Iterator[Place]:
    """The places of all texts that a language needs, in the order of the file."""
    book = seeds.rulebook(engine)
    yield ("title",)
    for section, clauses in book.sections.items():
        yield section, "title"
        for id in clauses:
            yield id, "text"
            yield from ((id, "sentences", code) for code, clause in clause_of(engine).items() if clause == id)
            yield from ((id, "examples", vector) for vector in book.clauses[id].examples)
    buttons = seeds.read_words(engine, ENGLISH).get("moves") or {}
    for member, names in _named(engine).items():
        for name in names:
            has_text = member == "moves" and isinstance(buttons.get(name), dict)
            yield from ((member, name, "title"), (member, name, "text")) if has_text else ((member, name),)
    hints = get_type_hints(type(next(iter(engine.rulesets.values()))), include_extras=True)
    for name in engine.options:
        yield from (("options", name, "title"), ("options", name, "text"))
        yield from (("options", name, "values", value) for value in _words_of(hints[name]))


def missing(engine: AnyEngine, language: str) -> Iterator[str]:
    """Each text that the file of a language lacks: where it goes, and what a sentence may use."""
    written, book = seeds.read_words(engine, language), seeds.rulebook(engine)
    cards = names_in(written, seeds.words_file(engine, language))["cards"]
    for place in required(engine):
        is_missing = place[1] not in cards if place[0] == "cards" else not seeds.text_at(written, place)
        if is_missing:
            yield f"{' / '.join(place)} is missing in {language!r}{_hint(engine, written, place)}."
    for section in book.sections:
        own, english = (_count_of_notes(each, section) for each in (written, seeds.read_words(engine, ENGLISH)))
        if own < english:
            yield f"{section} / notes are {own} in {language!r}, {english} in {ENGLISH!r}."


def _hint(engine: AnyEngine, written: Mapping[str, Any], place: Place) -> str:
    """The end of the line for a missing text: an option's clause, or the parameters that a sentence may use.

    For a sentence that is under another clause: that clause.
    """
    if place[0] == "options":
        return f" ({engine.options[place[1]].rule})"
    if place[1:2] != ("sentences",):
        return ""
    code = place[-1]
    for clause in seeds.rulebook(engine).clauses:
        if code in written.get(clause, {}).get("sentences", ()):
            return f", but stands under {clause}"
    params = next(ruling.params for ruling in engine.rulings if ruling.code == code)
    return f": it may use {', '.join(f'{{{name}}}' for name in params)}" if params else ""


def _count_of_notes(texts: Mapping[str, Any], section: str) -> int:
    """How many notes a section has: a language with fewer lacks some."""
    return len(texts.get(section, {}).get("notes", ()))


def _named(engine: AnyEngine) -> dict[str, Mapping[str, object] | list[str]]:
    """The things that need a name, by the member of the file that has it."""
    phases = list(get_args(get_type_hints(engine.state)["phase"]))
    hints = [hint for ruling in engine.rulings for hint in ruling.params.values()] + [*engine.fact_types.values()]
    words = [word for hint in hints for word in _words_of(hint)]
    return {
        "texts": list(seeds.rulebook(engine).texts),
        "cards": [card for card in engine.zones.deck if isinstance(card, str)],
        "terms": [word for word in dict.fromkeys(words) if word not in {*phases, *engine.rulesets}],
        "phases": phases,
        "rulesets": engine.rulesets,
        "moves": engine.kinds,
        "facts": engine.fact_types,
        "zones": list(engine.zones.names),
    }


@cache
def _words_of(hint: Any) -> Sequence[str]:
    """The strings of all closed lists in an annotation, without those of cards."""
    closed = [each.values for each in inside(hint) if isinstance(each, OneOf) and not each.name.endswith("Card")]
    closed += [get_args(each) for each in inside(hint) if get_origin(each) is Literal]
    return [value for values in closed for value in values if isinstance(value, str)]
