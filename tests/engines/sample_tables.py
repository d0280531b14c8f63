"""Tables to try a law on: of random games under each value of each option, and those of the vectors."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from engines.core.judge import audit, legal_moves, resolve
from engines.core.records import changed
from engines.core.shape import OneOf, Whole, inside
from service import seeds
from service.contract import codecs
from service.contract.fields import Invalid
from service.seeds import vectors_in
from tests.engines.games import random_move, random_opening
from tests.engines.laws import AnyEngine

EACH_FORM = 3  #: How many tables of vectors with a form of move are tried under all rulesets.
LEAST_GAMES = 60  #: How many random games are played at least, equally many under each ruleset.
MOST_TURNS = 60  #: How far a random game goes.


class Sample(NamedTuple):
    """A table without faults, and where it comes from, for a message."""

    state: Any
    source: str


def sample_tables(engine: AnyEngine, rng: random.Random, times: int = 1) -> Iterator[Sample]:
    """Tables without faults, from three sources.

    First each table of the vectors, as it is and under another ruleset. Then some of these tables under all rulesets: a
    few for each form of move that is listed on them. Last a few tables of each of many random games, so many under each
    ruleset. `times`: how often all this is done.
    """
    chosen = list(rulesets(engine))
    vectors_tables = _tables_of_vectors(engine)
    for _ in range(times):
        for sample in vectors_tables:
            yield sample
            yield from _under_rulesets(
                engine, sample, [rng.choice(with_one_other_option(engine, sample.state.ruleset))]
            )
        for sample in _with_each_form(engine, rng.sample(vectors_tables, len(vectors_tables))):
            yield from _under_rulesets(engine, sample, with_one_other_option(engine, sample.state.ruleset))
        for ruleset in chosen * max(1, LEAST_GAMES // len(chosen)):
            yield from _tables_of_a_game(engine, ruleset, rng)


def _under_rulesets(engine: AnyEngine, sample: Sample, others: Iterable[Any]) -> Iterator[Sample]:
    """The table under other rulesets, where it has no fault."""
    for ruleset in others:
        state = changed(sample.state, ruleset=ruleset)
        if _is_sound(engine, state):
            yield Sample(state, f"{sample.source}, under {_option_values(engine, ruleset)}")


def _with_each_form(engine: AnyEngine, samples: Iterable[Sample]) -> Iterator[Sample]:
    """For each form of move, the first `EACH_FORM` tables on which a move of that form is listed."""
    times: Counter[Any] = Counter()
    for sample in samples:
        forms = {_form(move) for move in legal_moves(engine, sample.state)[0]}
        if any(times[form] < EACH_FORM for form in forms):
            times.update(forms)
            yield sample


def _form(move: Any) -> tuple[Any, ...]:
    """What makes moves alike: their class, their words and other closed values, and how long their lists are."""
    hints = get_type_hints(type(move))
    values = [(hints[each.name], getattr(move, each.name)) for each in fields(move)]
    return type(move), *(
        min(len(value), 4) if isinstance(value, tuple) else value if _is_closed(hint, value) else ...
        for hint, value in values
    )


def _is_closed(hint: Any, value: Any) -> bool:
    """Whether a value is no number, card or text, but one of a few, or missing."""
    return value is None or any(get_origin(part) is Literal for part in inside(hint))


def rulesets(engine: AnyEngine) -> Iterator[Any]:
    """Each preset, and each preset with one option set to another of its values."""
    for preset in engine.rulesets.values():
        yield preset
        yield from with_one_other_option(engine, preset)


def with_one_other_option(engine: AnyEngine, ruleset: Any) -> list[Any]:
    """The ruleset with one option set to another value, for each option and value."""
    hints = get_type_hints(type(ruleset), include_extras=True)
    return [
        changed(ruleset, **{name: value})
        for name, option in engine.options.items()
        for value in dict.fromkeys((*_values(hints[name]), *option.published, *option.houses))
        if value != getattr(ruleset, name)
    ] or [ruleset]


def _values(hint: Any) -> list[Any]:
    """The values of an option: all of a closed list, both edges of a number, a few lists of choices."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    if hint is bool:
        return [False, True]
    words = list(inside(hint))
    for word in words:
        if isinstance(word, Whole):
            return [word.least, word.least + 1, word.most]
    choices = next(word for word in words if isinstance(word, OneOf)).values
    if get_origin(hint) is None or not any(get_origin(word) is tuple for word in words):
        return list(choices)
    return [choices[:3], choices[-3:]]


def _tables_of_a_game(engine: AnyEngine, ruleset: Any, rng: random.Random) -> Iterator[Sample]:
    """Tables of a random game, of the first turns more than of the later: they are smaller. Also the last, where the
    game is over, or where nothing is listed.
    """
    options = _option_values(engine, ruleset)
    state = engine.complete(random_opening(engine, rng, ruleset))
    upcoming = rng.randrange(3)
    for turn in range(MOST_TURNS):
        moves, _complete = legal_moves(engine, state)
        if turn == upcoming or not moves:
            yield Sample(state, f"turn {turn + 1} of a random game of {options}")
            upcoming = turn + turn // 2 + rng.randint(3, 8)
        if not moves:
            return
        state = resolve(engine, state, [random_move(engine, state, rng)]).state


@cache
def _tables_of_vectors(engine: AnyEngine) -> list[Sample]:
    """The tables that vectors post, but those with a fault."""
    samples = []
    for vector in vectors_in(seeds.folder(engine)):
        body = vector.request.get("body")
        if isinstance(body, dict) and isinstance(body.get("state"), dict):
            try:
                state = engine.complete(codecs(engine).state.load(body["state"]))
            except Invalid:
                continue
            if _is_sound(engine, state):
                samples.append(Sample(state, f"vector {vector.id}"))
    return samples


def _is_sound(engine: AnyEngine, state: Any) -> bool:
    """Whether a table has no fault."""
    return not audit(engine, state)[0]


def _option_values(engine: AnyEngine, ruleset: Any) -> str:
    """A ruleset in words: its name and the options that differ from its preset."""
    preset = engine.rulesets.get(ruleset.name, ruleset)
    apart = [
        f"{each.name} {getattr(ruleset, each.name)!r}"
        for each in fields(ruleset)
        if getattr(ruleset, each.name) != getattr(preset, each.name)
    ]
    return ", ".join([ruleset.name, *apart])
