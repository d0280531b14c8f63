"""Random games of any registered game, for the laws. Each step is checked; the first broken law ends the game."""

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from engines.core.engine import Engine, Resolution, Step
from engines.core.judge import audit, audit_setup, legal_moves, resolve
from engines.core.records import changed
from engines.core.rulings import Fault, Undetermined, Violation
from engines.core.shape import OneOf, Whole
from engines.core.shuffle import in_order
from service.contract import codecs
from tests.secrecy import faults_of_log, faults_of_view

AnyEngine = Engine[Any]
SEEDS = range(4)
CLAUSE = re.compile(r"\b[A-Z]{2}-\d+\.\d+\b")


class Broken(AssertionError):
    """A random game broke a law. The first line names the game, the clauses of the move, and what is wrong."""


@dataclass(frozen=True)
class Turn:
    """One move of a random game: the table before it, the move, what came of it."""

    before: Any
    move: Any
    resolution: Resolution[Any]


def random_ruleset(engine: AnyEngine, rng: random.Random, preset_name: str = "", share: float = 0.3) -> Any:
    """A preset, any unless one is named, with a share of its options changed to any value of their type."""
    preset = engine.rulesets[preset_name or rng.choice(list(engine.rulesets))]
    hints = get_type_hints(type(preset), include_extras=True)
    for name in engine.options:
        if rng.random() < share:
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
    if not moves:
        acting = list(engine.to_act(state))
        raise Broken(f"{engine.game}: to_act is {acting}, but no move is legal in {codecs(engine).state.dump(state)}")
    kind = rng.choice(sorted({type(move).__name__ for move in moves}))
    move = rng.choice([move for move in moves if type(move).__name__ == kind])
    return changed(move, seed=str(rng.random())) if engine.row[type(move)].deals else move


def random_game(
    engine: AnyEngine, rng: random.Random, most: int = 400, ruleset: Any = None, *, checked: bool = True
) -> Iterator[Turn]:
    """A game played by random legal moves, to its end or for `most` moves. Raises `Broken` at the first broken law."""
    state = engine.complete(random_opening(engine, rng, ruleset))
    for number in range(1, most + 1):
        if not engine.to_act(state):
            return
        turn = _turn(engine, state, rng, number) if checked else _unchecked(engine, state, rng)
        yield turn
        state = turn.resolution.state


@cache
def played(engine: AnyEngine, seed: int) -> list[Turn] | Broken:
    """The random game of a seed, or the law that it broke."""
    try:
        return list(random_game(engine, random.Random(seed), 120))
    except Broken as error:
        return error


def sound(engine: AnyEngine) -> None:
    """Skip a test whose failure would only repeat that a random game broke a law."""
    if any(isinstance(played(engine, seed), Broken) for seed in SEEDS):
        pytest.skip(f"{engine.game}: a random game broke a law; see test_every_step_of_a_random_game_keeps_the_laws")


def _unchecked(engine: AnyEngine, state: Any, rng: random.Random) -> Turn:
    move = random_move(engine, state, rng)
    return Turn(state, move, resolve(engine, state, [move]))


def _turn(engine: AnyEngine, state: Any, rng: random.Random, number: int) -> Turn:
    before = copy.deepcopy(state)
    move = random_move(engine, state, rng)
    made = copy.deepcopy(move)
    try:
        turn = Turn(state, move, resolve(engine, state, [move]))
    except Exception as error:
        raise Broken(f"{engine.game}: {error!r} after {short(engine, made)}") from error
    for wrong in broken_laws(engine, Turn(before, made, turn.resolution), turn):
        rules = json.dumps({name: getattr(before.ruleset, name) for name in ("name", *engine.options)})
        raise Broken(f"{engine.game}: {wrong} (move {number}: {short(engine, made)}; ruleset {rules})")
    return turn


# --- the laws of one step ------------------------------------------------------------------------------------------


def broken_laws(engine: AnyEngine, sound: Turn, turn: Turn) -> Iterator[str]:
    """What is wrong with a step, the cause before its consequences. `sound`: copies of what it was given."""
    after, clauses = turn.resolution.state, clauses_of(engine.row[type(turn.move)].effect)
    for name, one, other in (("table", sound.before, turn.before), ("move", sound.move, turn.move)):
        for path in paths_apart(one, other):
            yield f"{clauses}: the referee changed the {name} that it was given, {path}"
    for violation in turn.resolution.violations:
        yield f"a listed move is refused: {said(violation)}"
    if turn.resolution.undetermined is not None:
        yield f"every card is shown, but the outcome is left open: {said(turn.resolution.undetermined)}"
    for rule in turn.resolution.unverified:
        yield f"{rule}: left open, though every card is shown"
    for _, event in turn.resolution.events:
        for name, value in event.params.items():
            if not fits(event.ruling.params[name], value):
                yield f"{event.ruling.rule} {event.ruling.code}: {name!r} is {value!r}, not as declared"
    if not engine.row[type(turn.move)].deals:
        yield from (f"{clauses}: {each}" for each in cards_apart(engine, sound.before, after))
    for fault in audit(engine, after)[0]:
        yield f"{said(fault)}; it changed {', '.join(paths_apart(turn.before, after)) or 'nothing'}"
    if bool(engine.to_act(after)) == (engine.result(after) is not None):
        acting = list(engine.to_act(after))
        yield f"{clauses}: to_act is {acting}, result is {engine.result(after)}: one of them is wrong"
    yield from faults_of_view(engine, turn.before)
    events = [event for _, event in turn.resolution.events]
    yield from faults_of_log(engine, turn.before, turn.move, events, after)
    for seat in (None, *range(engine.seats_of(after))):
        seen = engine.view(after, seat)
        for fault in audit(engine, seen)[0]:
            yield f"the view of {'a spectator' if seat is None else f'seat {seat}'} has a fault: {said(fault)}"


def clauses_of(effect: Step | Any) -> str:
    """The clauses that the docstring of an effect names."""
    found = list(dict.fromkeys(CLAUSE.findall(effect.__doc__ or "")))
    return ", ".join(found) or str(getattr(effect, "__name__", effect))


def said(ruling: Violation | Fault | Undetermined) -> str:
    """A ruling in a line: clause, code, particulars, pointers."""
    pointers: Iterable[str] = ruling.pointers if isinstance(ruling, Fault) else (ruling.pointer,)
    told = f"{ruling.ruling.rule} {ruling.ruling.code} {json.dumps(dict(ruling.params), default=str)}"
    return f"{told} at {', '.join(pointers)}"


def short(engine: AnyEngine, move: Any) -> str:
    """A move as JSON, without what is left out."""
    dumped = codecs(engine).move.dump(move)
    return json.dumps({name: value for name, value in dumped.items() if name != "seed"})


def cards_apart(engine: AnyEngine, before: Any, after: Any) -> Iterator[str]:
    """The cards that a move has made or lost, with the places where they lay or lie."""
    lay, lie = (Counter(engine.zones.lying(state)) for state in (before, after))
    for counts, state, what in ((lay - lie, before, "is gone; it lay at"), (lie - lay, after, "is new; it lies at")):
        for card in counts:
            places = [pointer for pointer, name in engine.zones.places(state) if engine.zones.one(name) == card]
            yield f"the card {card!r} {what} {', '.join(places) or 'a place that is not seen'}"


def paths_apart(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """The places at which two records differ, with what each has there."""
    if is_dataclass(one) and type(one) is type(other):
        for each in fields(one):
            yield from paths_apart(getattr(one, each.name), getattr(other, each.name), f"{path}/{each.name}")
    elif isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from paths_apart(*pair, f"{path}/{index}")
    elif one != other:
        yield f"{path}: {_brief(one)} became {_brief(other)}"


def _brief(value: Any) -> str:
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}..."


def fits(hint: Any, value: Any) -> bool:
    """Whether a particular is of its declared type."""
    if isinstance(value, tuple | Mapping) or is_dataclass(value):
        return True  # of lists and records the contract's schemas are asked
    words = getattr(hint, "__metadata__", ())
    plain = get_args(hint)[0] if words else hint
    if get_origin(plain) is Literal:
        return value in get_args(plain)
    if get_args(plain) and get_origin(plain) is not tuple:
        return any(fits(member, value) for member in get_args(plain)) and all(_bounds(word, value) for word in words)
    return (
        (value is None) if plain is type(None) else type(value) is plain and all(_bounds(word, value) for word in words)
    )


def _bounds(word: Any, value: Any) -> bool:
    if value is None or not isinstance(word, Whole | OneOf):
        return True
    return word.least <= value <= word.most if isinstance(word, Whole) else value in word.values
