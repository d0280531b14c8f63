"""The law of listings: what is listed are the canonical forms of the legal moves, each once.

Legal moves are not taken from a listing, but built from the annotations of their classes (`built_moves`) and judged, on
tables of random games under each value of each option, and on those of the vectors (`sample_tables`). Where a listing
is not complete, only what it lists is tried. Where checks and candidates disagree, the smallest table that shows it is
given: of all that did, the one on which the fewest cards are known, and of that as little as still shows it (`shrink`).
"""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from engines.core.gathering import entries
from engines.core.judge import judge, legal_moves, resolve
from tests.engines.built_moves import Sight, built_moves, used_members
from tests.engines.games import place_of
from tests.engines.laws import AnyEngine, text_of_move
from tests.engines.sample_tables import Sample, sample_tables
from tests.engines.shrinking import as_json, is_whole, known_cards, shrink, size
from tests.secrecy import as_sent

MOST_BUILT = 200  #: How many moves of a class are built for a table: so many likely ones, and so many others.
MOST_COMPARED = 20  #: Of the moves that are listed in another form, how many are made in both.
MOST_DISAGREEMENTS = 60  #: After so many disagreements no other table is tried.


class Disagreement(NamedTuple):
    """A move on which checks and candidates disagree, on a table. `seat`: whose own listing was looked at, too."""

    how: str
    move: Any
    sample: Sample
    seat: int | None


def first_disagreement(engine: AnyEngine, seed: int = 0, times: int = 1) -> str | None:
    """The first disagreement of checks and candidates, in one line; None: there is none on the tables of a seed.

    `times`: how many times as many tables as in `make check`.
    """
    rng = random.Random(seed)
    differences: list[Disagreement] = []
    for _ in range(times):
        samples = list(sample_tables(engine, rng))
        used = used_members(move for sample in samples for move in legal_moves(engine, sample.state)[0])
        for sample in samples:
            differences += islice(_disagreements_on(engine, sample, used, rng), 3)
            if len(differences) >= MOST_DISAGREEMENTS:
                break
        if differences:
            first = differences[0]
            alike = [each for each in differences if (each.how, type(each.move)) == (first.how, type(first.move))]
            return _in_words(engine, min(alike, key=lambda each: size(engine, each.sample.state)))
    return None


def _disagreements_on(
    engine: AnyEngine, sample: Sample, used: dict[type, set[str]], rng: random.Random
) -> Iterator[Disagreement]:
    """The disagreements on one table. Raises `AssertionError` where the game fails on a move that its classes allow."""
    listed, _complete = legal_moves(engine, sample.state)
    built = built_moves(engine, Sight(engine, sample.state, listed), listed, used, rng, MOST_BUILT)
    moves = list(dict.fromkeys((*listed, *built)))
    acting = [seat for seat in engine.to_act(sample.state) if seat is not None]
    seat = rng.choice(acting) if acting else None
    for how, move in disagreements(engine, sample.state, moves, seat):
        yield Disagreement(how, move, sample, seat)


def disagreements(engine: AnyEngine, state: Any, moves: Iterable[Any], seat: int | None) -> Iterator[tuple[str, Any]]:
    """How checks and candidates disagree on a table, each with the move on which they do.

    `moves`: those that are judged. `seat`: what is listed for it on its own view is looked at, too.
    """
    moves = list(moves)
    listed, complete = legal_moves(engine, state)
    yield from (("listed twice", move) for move, times in Counter(listed).items() if times > 1)
    for move in listed:
        if _canonical(engine, state, move) != move:
            yield "listed, but not in its canonical form", move
    yield from _unlisted(engine, state, moves, listed, complete)
    if seat is None or not is_whole(engine, state):
        return
    view = engine.view(state, seat)
    own, complete = legal_moves(engine, view, seat, every=False)
    for move in own:
        if _actors(engine, move) != {seat}:
            yield f"listed for seat {seat}, but not its move", move
        elif judge(engine, state, move).violations:
            yield f"listed for seat {seat} on its view, but not legal", move
    moves_of_seat = [move for move in moves if _actors(engine, move) == {seat}]
    for how, move in _unlisted(engine, view, moves_of_seat, own, complete):
        yield f"{how} for seat {seat} on its view", move


def _unlisted(
    engine: AnyEngine, state: Any, moves: Iterable[Any], listed: list[Any], complete: bool
) -> Iterator[tuple[str, Any]]:
    """The legal ones of these moves whose canonical form is not listed."""
    forms = set(listed)
    compared = 0
    for move in moves:
        if _violations(engine, state, move):
            continue
        form = _canonical(engine, state, move)
        if form != move and compared < MOST_COMPARED:
            compared += 1
            if wrong := _wrong_in_outcome(engine, state, move, form):
                yield wrong, move
                continue
        if form is None or form in forms:
            continue
        if _violations(engine, state, form):
            yield "legal, but its canonical form is not", move
        elif complete:
            yield "legal, but not listed", move


def _wrong_in_outcome(engine: AnyEngine, state: Any, move: Any, form: Any) -> str | None:
    """What is wrong where a legal move is made that is listed in another form, or not: None, if nothing is.

    It is applied, where all is seen, and leads to the table of its form, but for the order in lists.
    """
    one = resolve(engine, state, [move])
    if one.undetermined:
        return "legal, but not applied" if is_whole(engine, state) else None
    if form is None:
        return None
    other = resolve(engine, state, [form])
    if not other.applied or _unordered(as_sent(engine, one.state)) == _unordered(as_sent(engine, other.state)):
        return None
    return "legal, but its canonical form comes to another table"


def _unordered(value: Any) -> Any:
    """A JSON value with every list of texts or numbers in it sorted."""
    if isinstance(value, dict):
        return {name: _unordered(item) for name, item in value.items()}
    if isinstance(value, list):
        return sorted(map(_unordered, value), key=json.dumps)
    return value


def _violations(engine: AnyEngine, state: Any, move: Any) -> bool:
    """Whether a move is refused."""
    try:
        return bool(judge(engine, state, move).violations)
    except Exception as error:
        where = f"{place_of(engine, error)}, at {text_of_move(engine, move)}"
        raise AssertionError(f"{engine.game}: {error!r} in {where} on {as_json(engine, state)}") from error


def _canonical(engine: AnyEngine, state: Any, move: Any) -> Any:
    """The listed form of a legal move."""
    try:
        return engine.canonical(state, move)
    except Exception as error:
        where = f"{place_of(engine, error)}, at the canonical form of {text_of_move(engine, move)}"
        raise AssertionError(f"{engine.game}: {error!r} in {where} on {as_json(engine, state)}") from error


def _actors(engine: AnyEngine, move: Any) -> set[Any]:
    """Whose move it is: its seat, or the seats of the entries that it gathers; None is the table."""
    seat = getattr(move, "seat", None)
    return {seat} if seat is not None else {entry.seat for entry in entries(engine, move)} or {None}


def _in_words(engine: AnyEngine, disagreement: Disagreement) -> str:
    """A disagreement in one line, with the smallest table that shows it."""
    how, move, sample, seat = disagreement
    smallest = shrink(engine, sample.state, lambda state: (how, move) in disagreements(engine, state, [move], seat))
    return (
        f"{engine.game}: {how}: {text_of_move(engine, move)}; known cards: {known_cards(engine, smallest)}; "
        f"table: {as_json(engine, smallest)} ({sample.source}; see `candidates` and `canonical` of the engine)"
    )
