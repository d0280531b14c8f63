"""What there is to know of a game beforehand, and its rulebook, in one language."""

from __future__ import annotations

from typing import Literal, cast, get_args, get_origin, get_type_hints

import engines
from engines.core.engine import clause_order
from engines.core.rulings import Decides
from engines.core.shape import OneOf, Whole
from service import seeds
from service.contract.answers import (
    Game,
    Games,
    GameSummary,
    OptionValues,
    Rulebook,
    RulingKind,
    WrittenClause,
    WrittenOption,
    WrittenRuling,
)
from service.contract.of_game import AnyEngine
from service.judging.referee import Referee
from service.judging.sentences import sentences


def listed(language: str) -> Games:
    """Every game in a few words."""
    return Games([summary(engine, language) for engine in engines.registry().values()])


def summary(engine: AnyEngine, language: str) -> GameSummary:
    """A game in one entry of the list."""
    title = seeds.rulebook(engine)["title"][language]
    return GameSummary(engine.game, title, list(engine.seats), list(engine.rulesets))


def description(engine: AnyEngine, language: str) -> Game:
    """All that a client can know of a game beforehand."""
    referee = Referee(engine, language)
    ruleset = next(iter(engine.rulesets.values()))
    hints = get_type_hints(type(ruleset), include_extras=True)
    return Game(
        **{**vars(summary(engine, language)), "rulesets": list(map(referee.ruleset, engine.rulesets.values()))},
        options=[
            WrittenOption(
                name=name,
                rule=option.rule,
                values=_domain(hints[name]),
                default=getattr(ruleset, name),
                contested=bool(option.published),
                published=option.published,
            )
            for name, option in engine.options.items()
        ],
        moves=list(engine.kinds),
        phases=get_args(get_type_hints(engine.state)["phase"]),
        rulings=_rulings(engine, language),
    )


def _domain(hint: object) -> OptionValues:
    """What an option may be: a list of values, a range of integers, or a list drawn from values."""
    if get_origin(hint) is Literal:
        return OptionValues(one_of=get_args(hint))
    if hint is bool:
        return OptionValues(one_of=(False, True))
    for word in getattr(hint, "__metadata__", ()):
        if isinstance(word, Whole):
            return OptionValues(least=word.least, most=word.most)
        if isinstance(word, OneOf):
            return OptionValues(one_of=word.values)
    items = get_args(get_args(hint)[0])[0]
    return OptionValues(list_of=[str(value) for value in _domain(items).one_of or ()])


def _rulings(engine: AnyEngine, language: str) -> list[WrittenRuling]:
    text = sentences(engine, language)
    return [
        WrittenRuling(
            rule=ruling.rule,
            code=ruling.code,
            kind=cast("RulingKind", ruling.kind),
            params=list(ruling.params),
            option=ruling.option,
            text=text[ruling.code].template,
        )
        for ruling in sorted(engine.rulings, key=lambda ruling: clause_order(ruling.rule))
        if not isinstance(ruling, Decides)
    ]


def rulebook(engine: AnyEngine, language: str) -> Rulebook:
    """Every clause in one language."""
    book = seeds.rulebook(engine)
    clauses = [
        WrittenClause(
            id=clause["id"],
            section=section["title"][language],
            text=clause["text"][language].strip(),
            source=clause["source"],
            options=clause["options"],
        )
        for section in book["sections"]
        for clause in section["clauses"]
    ]
    return Rulebook(engine.game, book["title"][language], language, clauses)
