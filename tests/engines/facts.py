"""The law of facts: what the facts of a listed move say is what comes of it when it is made.

Each game says in `evidence`, for each of its facts, where that is to be seen. A fact without evidence breaks the law,
and so does one that no table shows.
"""

import random
from collections.abc import Iterator
from typing import Any

from engines.core.engine import Applied
from engines.core.judge import legal_moves, resolve
from tests.engines.laws import AnyEngine, text_of_move
from tests.engines.sample_tables import sample_tables
from tests.engines.shrinking import as_json, shrink

MOST_MOVES = 20  #: How many of the moves that are listed on a table are made.


def wrong_fact(engine: AnyEngine, seed: int | str = 0, times: int = 1) -> str | None:
    """The first wrong fact of a game, in one line, with a small table that shows it; None: there is none.

    `times`: how many times as many tables as in `make check`.
    """
    for name in engine.fact_types.keys() ^ engine.evidence.keys():
        lacks = (
            "is compared with nothing: say in `evidence` what comes of it" if name in engine.fact_types else "is none"
        )
        return f"{engine.game}: the fact {name!r} {lacks}"
    rng = random.Random(seed)
    unseen = set(engine.fact_types)
    for sample in sample_tables(engine, rng, times):
        listed, _complete = legal_moves(engine, sample.state)
        for move in rng.sample(listed, min(MOST_MOVES, len(listed))):
            for name, fact, came in facts_and_evidence(engine, sample.state, move):
                unseen.discard(name)
                if fact != came:
                    return _in_words(engine, sample.state, move, name)
    for name in sorted(unseen):
        return f"{engine.game}: no table shows what comes of the fact {name!r}: its evidence is None everywhere"
    return None


def facts_and_evidence(engine: AnyEngine, state: Any, move: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield for each fact of a move its name, its value, and what came of the move where `evidence` shows it."""
    facts = {} if engine.row[type(move)].deals else engine.facts(state, move)
    resolution = resolve(engine, state, [move])
    if resolution.applied:
        applied = Applied(state, move, facts, resolution.state, [event for _move, event in resolution.events])
        for name, fact in facts.items():
            came = engine.evidence[name](applied)
            if came is not None:
                yield name, fact, came


def _in_words(engine: AnyEngine, state: Any, move: Any, name: str) -> str:
    """A wrong fact in one line."""

    def shows(smaller: Any) -> bool:
        return any(other == name and fact != came for other, fact, came in facts_and_evidence(engine, smaller, move))

    smallest = shrink(engine, state, shows)
    fact, came = next((fact, came) for other, fact, came in facts_and_evidence(engine, smallest, move) if other == name)
    return (
        f"{engine.game}: the fact {name!r} of {text_of_move(engine, move)} is {fact!r}, but {came!r} comes of it; "
        f"table: {as_json(engine, smallest)}"
    )
