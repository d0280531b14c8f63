"""Random games of any registered game, for the laws."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engines.core.engine import Engine, Resolution
from engines.core.judge import audit_setup, legal_moves, resolve
from engines.core.records import changed
from engines.core.shape import OneOf, Whole
from engines.core.shuffle import in_order

AnyEngine = Engine[Any]


@dataclass(frozen=True)
class Turn:
    """One move of a random game: the table before it, the move, what came of it."""

    before: Any
    move: Any
    resolution: Resolution[Any]


def random_ruleset(engine: AnyEngine, rng: random.Random) -> Any:
    """A preset, with some of its options changed to any value of their type."""
    preset = rng.choice(list(engine.rulesets.values()))
    hints = get_type_hints(type(preset), include_extras=True)
    for name in engine.options:
        if rng.random() < 0.3:
            preset = changed(preset, **{name: _any_value(hints[name], rng)})
    return preset


def _any_value(hint: Any, rng: random.Random) -> Any:
    if get_origin(hint) is Literal:
        return rng.choice(get_args(hint))
    if hint is bool:
        return rng.random() < 0.5
    for word in getattr(hint, "__metadata__", ()):
        if isinstance(word, Whole):
            return rng.randint(word.least, min(word.most, word.least + 40))
        if isinstance(word, OneOf):
            return rng.choice(word.values)
    values = get_args(get_args(hint)[0])[0].__metadata__[0].values
    return tuple(rng.sample(values, 3))


def random_opening(engine: AnyEngine, rng: random.Random, ruleset: Any = None) -> Any:
    """The first state of a game with a random number of seats and random rules."""
    while True:
        rules = random_ruleset(engine, rng) if ruleset is None else ruleset
        setup = engine.setup(seats=rng.choice(engine.seats), ruleset=rules)
        if not audit_setup(engine, setup):
            break
    setup = changed(setup, deck=in_order(engine.cards(setup), str(rng.random())))
    assert not audit_setup(engine, setup)
    return engine.opening(setup)


def random_move(engine: AnyEngine, state: Any, rng: random.Random) -> Any:
    """One of the legal moves of everyone to act, each type as likely as another; a deal comes with a seed."""
    moves, _ = legal_moves(engine, state)
    assert moves, f"somebody is to act in {state}, but has no legal move"
    kind = rng.choice(sorted({type(move).__name__ for move in moves}))
    move = rng.choice([move for move in moves if type(move).__name__ == kind])
    return changed(move, seed=str(rng.random())) if engine.row[type(move)].deals else move


def random_game(engine: AnyEngine, rng: random.Random, most: int = 400, ruleset: Any = None) -> Iterator[Turn]:
    """A game played by random legal moves, to its end or for `most` moves."""
    state = engine.complete(random_opening(engine, rng, ruleset))
    for _ in range(most):
        if not engine.to_act(state):
            return
        move = random_move(engine, state, rng)
        turn = Turn(state, move, resolve(engine, state, [move]))
        yield turn
        state = turn.resolution.state
