"""Random games of any registered game, for the laws. Each step is checked; the first broken law ends the game."""

import copy
import inspect
import json
import random
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engines.core.judge import audit_setup, legal_moves, resolve
from engines.core.records import changed
from engines.core.shape import OneOf, Whole, inside
from engines.core.shuffle import in_order
from service.contract import codecs
from tests.engines.laws import AnyEngine, Turn, broken_laws, text_of_move

SEEDS = range(4)


class Broken(AssertionError):
    """A random game broke a law. The first line names the game, the clauses of the move, and what is wrong."""


def random_ruleset(engine: AnyEngine, rng: random.Random, preset_name: str = "", share: float = 0.3) -> Any:
    """A preset with some options set to random values. The preset is random unless it is named.

    `share`: how likely an option is set.
    """
    preset = engine.rulesets[preset_name or rng.choice(list(engine.rulesets))]
    hints = get_type_hints(type(preset), include_extras=True)
    for name in engine.options:
        if rng.random() < share:
            preset = changed(preset, **{name: _any_value(hints[name], rng)})
    return preset


def _any_value(hint: Any, rng: random.Random) -> Any:
    """A random value that the annotation of an option allows; of a list of choices, three of them."""
    if get_origin(hint) is Literal:
        return rng.choice(get_args(hint))
    if hint is bool:
        return rng.random() < 0.5
    for word in getattr(hint, "__metadata__", ()):
        if isinstance(word, Whole):
            return rng.randint(word.least, min(word.most, word.least + 40))
        if isinstance(word, OneOf):
            return rng.choice(word.values)
    choices = next(word for word in inside(hint) if isinstance(word, OneOf))
    return tuple(rng.sample(choices.values, 3))


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
    """A random legal move of any seat that may act: first its type is drawn, then the move. A deal gets a seed."""
    moves, _complete = legal_moves(engine, state)
    if not moves:
        acting = list(engine.to_act(state))
        raise Broken(f"{engine.game}: to_act is {acting}, but no move is legal in {codecs(engine).state.dump(state)}")
    kind = rng.choice(sorted({type(move).__name__ for move in moves}))
    move = rng.choice([move for move in moves if type(move).__name__ == kind])
    return changed(move, seed=str(rng.random())) if engine.row[type(move)].deals else move


def random_game(
    engine: AnyEngine, rng: random.Random, most: int = 400, ruleset: Any = None, *, checked: bool = False
) -> Iterator[Turn]:
    """A game played by random legal moves, to its end or for `most` moves.

    `checked`: raises `Broken` at the first step that breaks a law.
    """
    state = engine.complete(random_opening(engine, rng, ruleset))
    moves: list[Any] = []
    while engine.to_act(state) and len(moves) < most:
        turn = _checked_turn(engine, state, rng, moves) if checked else _unchecked_turn(engine, state, rng)
        yield turn
        moves.append(turn.move)
        state = turn.resolution.state


@cache
def turns_of_seed(engine: AnyEngine, seed: int) -> list[Turn]:
    """The first 120 turns of the random game of a seed."""
    return list(random_game(engine, random.Random(seed), 120))


@cache
def broken_law(engine: AnyEngine, seed: int) -> Broken | None:
    """The first law that the random game of a seed breaks, if any."""
    try:
        for _ in random_game(engine, random.Random(seed), 120, checked=True):
            pass
    except Broken as broken:
        return broken
    return None


def _unchecked_turn(engine: AnyEngine, state: Any, rng: random.Random) -> Turn:
    """A random legal move, made."""
    move = random_move(engine, state, rng)
    return Turn(state, move, resolve(engine, state, [move]))


def _checked_turn(engine: AnyEngine, state: Any, rng: random.Random, earlier: list[Any]) -> Turn:
    """A random legal move, made. Raises `Broken` if it breaks a law, or the game fails. `earlier`: moves before it."""
    before = copy.deepcopy(state)
    posted = None
    try:
        move = random_move(engine, state, rng)
        posted = copy.deepcopy(move)
        turn = Turn(state, move, resolve(engine, state, [move]))
        dice = random.Random(len(earlier))  # of its own, so that the game is the same unchecked
        wrong = next(broken_laws(engine, Turn(before, posted, turn.resolution), turn, earlier, dice), None)
    except Broken:
        raise
    except Exception as error:
        what = "while the moves are listed" if posted is None else f"at {text_of_move(engine, posted)}"
        raise Broken(f"{engine.game}: {error!r} in {place_of(engine, error)}, {what}") from error
    if wrong is not None:
        rules = json.dumps({name: getattr(before.ruleset, name) for name in ("name", *engine.options)})
        raise Broken(
            f"{engine.game}: {wrong} (move {len(earlier) + 1}: {text_of_move(engine, posted)}; ruleset {rules})"
        )
    return turn


def place_of(engine: AnyEngine, error: Exception) -> str:
    """The last line of the game through which an error went, as file:line."""
    home = Path(inspect.getfile(engine.state)).parent
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).parent == home]
    return f"{home.name}/{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "core"
