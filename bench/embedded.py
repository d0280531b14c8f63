"""The engines in process, compared with libraries that a client could embed: `python -m bench.embedded`."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from statistics import median
from time import process_time
from typing import Any

import engines
from bench.gin_rummy_melds import UTILS, places, rlcard_min_deadwood
from bench.peers import NODE
from bench.results import Table, figure, micros
from bench.verdicts import KNOCK, TWINS
from engines.core.judge import resolve
from engines.gin_rummy.deadwood import least_deadwood
from engines.gin_rummy.melds import bits_of
from service.contract import codecs
from tests.engines.gin_rummy import hands
from tests.server import ROOT

ROUNDS = 9
HANDS = 2_000
"""Hands in a round. Each round has new ones, so that no cached result helps."""


def spent(function: Callable[[Any], object], arguments: Sequence[Any]) -> float:
    """Microseconds of CPU for each of the arguments."""
    began = process_time()
    for each in arguments:
        function(each)
    return (process_time() - began) / len(arguments) * 1e6


def deadwood() -> dict[str, list[float]]:
    """Microseconds of CPU to find the least deadwood of ten random cards, by library and round."""
    rng = random.Random("bench")
    times: dict[str, list[float]] = {"ours": [], "pyspiel": [], "RLCard": []}
    rlcard = rlcard_min_deadwood()
    for _ in range(ROUNDS):
        drawn = [hands.plain(rng, 10) for _ in range(HANDS)]
        numbers = [bits_of(hand) for hand in drawn]
        times["ours"].append(spent(least_deadwood, numbers))
        times["pyspiel"].append(spent(UTILS.min_deadwood, [rng.sample(places(hand), 10) for hand in numbers]))
        if rlcard is not None:
            card = rlcard.card  # type: ignore[attr-defined]
            times["RLCard"].append(spent(rlcard, [[card(name[1], name[0]) for name in hand] for hand in drawn[:100]]))
    return times


def judged(body: Any) -> Callable[[Any], object]:
    """A function that judges a body of `/resolve`, which has been decoded beforehand."""
    engine = engines.registry()[body["game"]]
    state = engine.complete(codecs(engine).state.load(body["state"]))
    moves = [codecs(engine).move.load(move) for move in body["moves"]]
    assert resolve(engine, state, moves).legal
    return lambda _: resolve(engine, state, moves)


def embedded() -> Table:
    """The table in bench/RESULTS.md."""
    times = deadwood()
    rows = [[f"the least deadwood of ten random cards, {name}", micros(each)] for name, each in times.items() if each]
    for name, body in (("a trick of Twins, six, our engine", TWINS), ("a knock and its lay-off, our engine", KNOCK)):
        verdict = judged(body)
        spent(verdict, range(HANDS))
        rows.append([name, micros([spent(verdict, range(300)) for _ in range(ROUNDS)])])
    if shutil.which("node"):
        command = ["node", str(ROOT / "bench/rivals/boardgame.js"), str(NODE)]
        least = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rows.append(["a trick of six without combinations, boardgame.io's reducer (the least)", figure(float(least))])
    ratio = median([theirs / own for own, theirs in zip(times["ours"], times["pyspiel"], strict=True)])
    return Table(
        "In process, beside what could be embedded",
        "CPU of one call, state and moves ready in memory.",
        ("", "µs CPU"),
        rows,
        f"pyspiel, compiled from C++ and called from Python, takes {ratio:.2f} times as long for a hand as our engine.",
    )


if __name__ == "__main__":
    print(embedded().written())
