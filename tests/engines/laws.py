"""The laws that each step of a game keeps. Each function here yields a sentence for each law that a step breaks."""

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engines.core.engine import Engine, Resolution, Step
from engines.core.judge import audit, facts, judge, legal_moves, resolve
from engines.core.rulings import Fault, Undetermined, Violation
from engines.core.shape import OneOf, Whole
from service import strict_json
from service.contract import codecs
from tests.engines.partial_tables import partial_table, wrong_answers
from tests.secrecy import as_sent, card_of, cards_among, faults_of_log, faults_of_view

AnyEngine = Engine[Any]
CLAUSE = re.compile(r"\b[A-Z]{2}-\d+\.\d+\b")


@dataclass(frozen=True)
class Turn:
    """One move of a game: the table before it, the move, what came of it."""

    before: Any
    move: Any
    resolution: Resolution[Any]


def broken_laws(
    engine: AnyEngine, sound: Turn, turn: Turn, earlier: Sequence[Any], rng: random.Random
) -> Iterator[str]:
    """Yield what is wrong with a step, the cause before its consequences.

    `sound`: the table and the move as they were before the step, to see whether the engine changed them. `earlier`:
    moves of earlier steps, of which one at random is tried where less is seen; it may be illegal now.
    """
    clauses, after = clauses_of(engine.row[type(turn.move)].effect), turn.resolution.state
    copy_of_after = copy.deepcopy(after)
    for wrong in _wrong_in_effect(engine, sound, turn):
        yield f"{clauses}: {wrong}"
    yield from _wrong_in_rulings(turn.resolution)
    faults, _unverified = audit(engine, after)
    for fault in faults:
        yield f"{text_of(fault)}; it changed {', '.join(differing_paths(turn.before, after)) or 'nothing'}"
    if bool(engine.to_act(after)) == (engine.result(after) is not None):
        acting = list(engine.to_act(after))
        yield f"{clauses}: to_act is {acting}, result is {engine.result(after)}: one of them is wrong"
    yield from _wrong_in_json(engine, turn)
    yield from _wrong_in_views(engine, turn)
    for path in (*differing_paths(sound.before, turn.before), *differing_paths(copy_of_after, after)):
        yield f"a view or an audit changed the table that it was given, {path}"
    another = rng.sample(earlier, min(1, len(earlier)))
    yield from _wrong_where_less_is_seen(engine, turn, another, rng)


def _wrong_in_effect(engine: AnyEngine, sound: Turn, turn: Turn) -> Iterator[str]:
    """An effect changes nothing that it is given, sets only fields, keeps all cards unless it deals, is repeatable."""
    after = turn.resolution.state
    for name, one, other in (("table", sound.before, turn.before), ("move", sound.move, turn.move)):
        yield from (f"the referee changed the {name} that it was given, {path}" for path in differing_paths(one, other))
    for name in vars(after).keys() - {each.name for each in fields(after)}:
        yield f"the effect sets {name!r}, which is no field of {type(after).__name__}"
    if not engine.row[type(turn.move)].deals:
        yield from changed_cards(engine, sound.before, after)
    again = resolve(engine, turn.before, [turn.move])
    if again != turn.resolution:
        places = ", ".join(differing_paths(after, again.state)) or "in events"
        yield f"asked again, the referee answers otherwise, {places}"


def _wrong_in_rulings(resolution: Resolution[Any]) -> Iterator[str]:
    """A listed move is legal, and its outcome certain; parameters of events have their declared types."""
    for violation in resolution.violations:
        yield f"a listed move is refused: {text_of(violation)}"
    if resolution.undetermined is not None:
        yield f"every card is shown, but the outcome is left open: {text_of(resolution.undetermined)}"
    for rule in resolution.unverified:
        yield f"{rule}: left open, though every card is shown"
    for _move, event in resolution.events:
        for name, value in event.params.items():
            if not has_type(event.ruling.params[name], value):
                yield f"{event.ruling.rule} {event.ruling.code}: {name!r} is {value!r}, not as declared"


def _wrong_in_json(engine: AnyEngine, turn: Turn) -> Iterator[str]:
    """Table and move are the same after they were sent as JSON and read again."""
    codec = codecs(engine).move
    move = codec.load(strict_json.loads(strict_json.dumps(codec.dump(turn.move))))
    for name, sent, read in (
        ("table", turn.before, sent_and_read_again(engine, turn.before)),
        ("move", turn.move, move),
    ):
        yield from (
            f"sent as JSON and read again, the {name} is another: {path}" for path in differing_paths(sent, read)
        )


def _wrong_in_views(engine: AnyEngine, turn: Turn) -> Iterator[str]:
    """Views show no secret and have no fault; a view of a view is the same; what is legal on a view is legal."""
    after, events = turn.resolution.state, [event for _move, event in turn.resolution.events]
    leaks = [*faults_of_view(engine, turn.before), *faults_of_log(engine, turn.before, turn.move, events, after)]
    yield from (each.removeprefix(f"{engine.game}: ") for each in leaks)
    for seat in (None, *range(engine.seats_of(after))):
        seen, who = engine.view(after, seat), "a spectator" if seat is None else f"seat {seat}"
        faults, _unverified = audit(engine, seen)
        for fault in faults:
            yield f"the view of {who} has a fault: {text_of(fault)}"
        yield from (
            f"the view of {who}, seen again, is another: {path}"
            for path in differing_paths(seen, engine.view(seen, seat))
        )
        moves, _complete = legal_moves(engine, seen, seat, every=False)
        for move in moves:
            for violation in judge(engine, after, move).violations:
                yield f"{who} has {text_of_move(engine, move)} listed as legal, but it is refused: {text_of(violation)}"


def _wrong_where_less_is_seen(
    engine: AnyEngine, turn: Turn, others: Sequence[Any], rng: random.Random
) -> Iterator[str]:
    """Where some cards are hidden, answers are the same or unknown: no fault, no other violation, event or table."""
    table = turn.before
    less = engine.complete(partial_table(table, rng))
    shown = f"where less is shown ({', '.join(differing_paths(table, less)) or 'nothing less'})"
    faults, _unverified = audit(engine, less)
    yield from (f"{text_of(fault)}: a fault only {shown}" for fault in faults)
    if engine.standings(less) != engine.standings(table):
        yield f"other standings {shown}"
    of_move = facts(engine, table, turn.move)
    of_core = {"takes"} if engine.row[type(turn.move)].deals else set()
    for name in of_move.keys() - engine.fact_types.keys() - of_core:
        yield f"the fact {name!r} has no type: give it one in `fact_types`"
    if not facts(engine, less, turn.move).items() <= of_move.items():
        yield f"other facts of {text_of_move(engine, turn.move)} {shown}"
    for move in (turn.move, *others):
        for wrong in wrong_answers(engine, table, less, move):
            yield f"{text_of_move(engine, move)}: {wrong}, {shown}"
    moves, _complete = legal_moves(engine, less)
    for move in rng.sample(moves, min(3, len(moves))):
        after = resolve(engine, less, [move]).state
        faults, _unverified = audit(engine, after)
        yield from (f"{text_of(fault)}: after {text_of_move(engine, move)}, {shown}" for fault in faults)
        for path in differing_paths(after, sent_and_read_again(engine, after)):
            yield f"after {text_of_move(engine, move)} the table cannot be posted, {shown}: {path}"


def sent_and_read_again(engine: AnyEngine, state: Any) -> Any:
    """A state after its way to a client and back."""
    return engine.complete(codecs(engine).state.load(as_sent(engine, state)))


def clauses_of(effect: Step | Any) -> str:
    """The clauses that the docstring of an effect names."""
    clauses = list(dict.fromkeys(CLAUSE.findall(effect.__doc__ or "")))
    return ", ".join(clauses) or str(getattr(effect, "__name__", effect))


def text_of(ruling: Violation | Fault | Undetermined) -> str:
    """A ruling in a line: clause, code, parameters, pointers."""
    pointers: Iterable[str] = ruling.pointers if isinstance(ruling, Fault) else (ruling.pointer,)
    text = f"{ruling.ruling.rule} {ruling.ruling.code} {json.dumps(dict(ruling.params), default=str)}"
    return f"{text} at {', '.join(pointers)}"


def text_of_move(engine: AnyEngine, move: Any) -> str:
    """A move as JSON, without its seed."""
    dumped = codecs(engine).move.dump(move)
    return json.dumps({name: value for name, value in dumped.items() if name != "seed"})


def changed_cards(engine: AnyEngine, before: Any, after: Any) -> Iterator[str]:
    """The cards that a move has made or lost, with the places where they lay or lie."""
    lay, lie = (Counter(engine.zones.lying(state)) for state in (before, after))
    for counts, state, other, what in (
        (lay - lie, before, after, "is gone; it lay at"),
        (lie - lay, after, before, "is new; it lies at"),
    ):
        for card in counts:
            if outside := next(_places_outside_zones(engine, other, card), None):
                yield f"the card {card!r} lies in {outside!r}, which is no zone: name it in `Zones`"
                continue
            places = [pointer for pointer, name in engine.zones.places(state) if engine.zones.card_of(name) == card]
            yield f"the card {card!r} {what} {', '.join(places) or 'a place that is not seen'}"


def _places_outside_zones(engine: AnyEngine, state: Any, card: Any) -> Iterator[str]:
    """The members of a state that show a card and are no zones."""
    hints, table = get_type_hints(engine.state, include_extras=True), as_sent(engine, state)
    for each in fields(state):
        name = each.name.removesuffix("_")
        if each.name not in engine.zones.names:
            shown = cards_among(hints[each.name], table.get(name), card_of(engine))
            yield from {name for _place, side in shown if engine.zones.card_of(side) == card}


def differing_paths(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """The places at which two records differ, with what each has there."""
    if one == other:
        return
    if is_dataclass(one) and type(one) is type(other):
        for each in fields(one):
            yield from differing_paths(getattr(one, each.name), getattr(other, each.name), f"{path}/{each.name}")
    elif isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from differing_paths(*pair, f"{path}/{index}")
    else:
        yield f"{path}: {_brief(one)} became {_brief(other)}"


def _brief(value: Any) -> str:
    """A value as text of at most 60 characters."""
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}..."


def has_type(hint: Any, value: Any) -> bool:
    """Whether a parameter of a ruling has its declared type. Lists and records always fit: other tests try them."""
    if isinstance(value, tuple | Mapping) or is_dataclass(value):
        return True
    words = getattr(hint, "__metadata__", ())
    plain = get_args(hint)[0] if words else hint
    if get_origin(plain) is Literal:
        return value in get_args(plain)
    if get_args(plain) and get_origin(plain) is not tuple:
        return any(has_type(member, value) for member in get_args(plain)) and all(
            _allows(word, value) for word in words
        )
    if plain is type(None):
        return value is None
    return type(value) is plain and all(_allows(word, value) for word in words)


def _allows(word: Any, value: Any) -> bool:
    """Whether a word of an annotation allows a value; None is the type's affair."""
    if value is None or not isinstance(word, Whole | OneOf):
        return True
    return word.least <= value <= word.most if isinstance(word, Whole) else value in word.values
