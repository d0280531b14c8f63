"""What it saves that a worker knows the tables that it judged last: `python -m bench.tables`. In process, by turns."""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Iterator, Sequence
from statistics import median
from time import process_time
from typing import Any

from flask import Flask

import engines
from bench.fast_path import answered, environment
from bench.results import Table, figure, micros
from bench.verdicts import KNOCK, TAKE_THAT, TWINS, twin_it
from service.app import create_app
from service.config import Settings
from service.contract import codecs
from service.judging import tables
from tests.engines.games import random_game

ROUNDS = 15
TIMES = 100
"""How often a call is made in a round."""
TURNS = 60
"""That are played of a game."""

Asked = tuple[str, bytes]
"""Path and body."""


def resolved(body: Any) -> list[Asked]:
    """One resolution, again and again."""
    return [("/resolve", json.dumps(body).encode())] * TIMES


def played(game: str) -> list[Asked]:
    """A random game as a client plays it by stateless calls: at each turn the legal moves, then one of them.

    Every table but the first is the one that was answered.
    """
    engine = engines.registry()[game]
    codec = codecs(engine)

    def turn_by_turn() -> Iterator[Asked]:
        for turn in random_game(engine, random.Random("bench"), TURNS, next(iter(engine.rulesets.values()))):
            table = {"game": game, "state": codec.state.dump(turn.before)}
            yield "/legal-moves", json.dumps(table).encode()
            yield "/resolve", json.dumps(table | {"moves": [codec.move.dump(turn.move)]}).encode()

    return list(turn_by_turn())


def cost(app: Flask, asked: Sequence[Asked], *, knows: bool) -> float:
    """Microseconds of CPU a call. A worker that does not know tables has forgotten them before each call."""
    spent = 0.0
    for path, body in asked:
        request = environment("POST", path, body)
        if not knows:
            tables.KNOWN = tables.Tables()
        began = process_time()
        answered(app, request)
        spent += process_time() - began
    return spent / len(asked) * 1e6


def saved() -> Table:
    """The table of the page."""
    kinds = {
        "a resolution without moves": resolved({**TWINS, "moves": []}),
        "a twist of Take That": resolved(TAKE_THAT),
        "a trick of Twins, six": resolved(TWINS),
        "a knock and its lay-off": resolved(KNOCK),
        "a claim at Twin it!, 135 cards": resolved(twin_it()),
        **{f"a game of {game}, a call": played(game) for game in engines.registry()},
    }
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Settings(store_url=f"sqlite:///{folder}/sessions.sqlite3"))
        for name, asked in kinds.items():
            rounds = [(cost(app, asked, knows=False), cost(app, asked, knows=True)) for _ in range(ROUNDS)]
            new, known = zip(*rounds, strict=True)
            ratio = median([one / other for one, other in zip(known, new, strict=True)])
            rows.append([name, micros(new), micros(known), figure(ratio)])
    return Table(
        "With a table that comes again",
        "CPU of a whole call in process, when its table has never been posted or answered before, and when it has: "
        "a worker knows the tables that it judged last (docs/decisions/0006). The games are played as clients do: at "
        "each turn the legal moves and then one of them, on the table that was answered.",
        ("", "never posted, µs", "known, µs", "known / never posted"),
        rows,
    )


if __name__ == "__main__":
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(saved().written())
