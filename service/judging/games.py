"""What there is to know of a game beforehand, and its rulebook, in one language."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin, get_type_hints

from engines.core.engine import clause_order
from engines.core.rulings import Decides
from engines.core.shape import OneOf, Whole
from service import seeds
from service.judging.referee import AnyEngine, Json
from service.judging.sentences import sentences


def summary(engine: AnyEngine, spoken: str) -> Json:
    """A game in one entry of the list."""
    return {
        "game": engine.game,
        "title": seeds.rulebook(engine)["title"][spoken],
        "seats": list(engine.seats),
        "rulesets": list(engine.rulesets),
    }


def description(engine: AnyEngine, spoken: str) -> Json:
    """All that a client can know of a game beforehand."""
    ruleset = next(iter(engine.rulesets.values()))
    hints = get_type_hints(type(ruleset), include_extras=True)
    phases = get_type_hints(engine.state)["phase"]
    return {
        **summary(engine, spoken),
        "rulesets": [
            {
                "name": name,
                "version": engine.version,
                "options": {option: getattr(preset, option) for option in engine.options},
            }
            for name, preset in engine.rulesets.items()
        ],
        "options": [
            {
                "name": name,
                "rule": option.rule,
                "values": _domain(hints[name]),
                "default": getattr(ruleset, name),
                "contested": bool(option.published),
                "published": list(option.published),
            }
            for name, option in engine.options.items()
        ],
        "moves": list(engine.kinds),
        "phases": list(get_args(phases)),
        "rulings": _rulings(engine, spoken),
    }


def _domain(hint: Any) -> Json:
    """What an option may be: a list of values, a range of integers, or a list drawn from values."""
    if get_origin(hint) is Literal:
        return {"one_of": list(get_args(hint))}
    if hint is bool:
        return {"one_of": [False, True]}
    for word in getattr(hint, "__metadata__", ()):
        if isinstance(word, Whole):
            return {"least": word.least, "most": word.most}
        if isinstance(word, OneOf):
            return {"one_of": list(word.values)}
    items = get_args(get_args(hint)[0])[0]
    return {"list_of": _domain(items)["one_of"]}


def _rulings(engine: AnyEngine, spoken: str) -> list[Json]:
    text = sentences(engine, spoken)
    return [
        {
            "rule": ruling.rule,
            "code": ruling.code,
            "kind": ruling.kind,
            "params": list(ruling.params),
            "option": ruling.option,
            "text": text[ruling.code].template,
        }
        for ruling in sorted(engine.rulings, key=lambda ruling: clause_order(ruling.rule))
        if not isinstance(ruling, Decides)
    ]


def rulebook(engine: AnyEngine, spoken: str) -> Json:
    """Every clause in one language."""
    book = seeds.rulebook(engine)
    return {
        "game": engine.game,
        "title": book["title"][spoken],
        "language": spoken,
        "clauses": [
            {
                "id": clause["id"],
                "section": section["title"][spoken],
                "text": clause["text"][spoken].strip(),
                "source": clause["source"],
                "options": clause["options"],
            }
            for section in book["sections"]
            for clause in section["clauses"]
        ],
    }
