"""Our melds and deadwood of gin rummy against open_spiel and RLCard: new hands, in turn, within one process.

    uv sync --group bench            # open-spiel and rlcard; any other environment that has them will do
    python -m bench.gin_rummy_melds [--hands 2000] [--rounds 9]

Our functions take a hand as a 52-bit integer, `pyspiel` and RLCard take a list. For eleven cards pyspiel's answer is
the deadwood after a card of its best arrangement is discarded. It is compared with two of our functions: the least
deadwood of all cards, and after the best discard. Each round times all functions in turn over the same new hands, in
CPU time, since machines are shared. Printed are the median over the rounds in microseconds a hand, the ratio within
each round (median, least and most), and the slowest single hand (each hand timed by itself, many times over).
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import pyspiel

from engines.gin_rummy.deadwood import least_deadwood, least_deadwood_after_discard
from engines.gin_rummy.lay_off import best_reply, least_after_laying_off
from engines.gin_rummy.melds import SETS, best_arrangement, bits_of
from tests.engines.gin_rummy import hands

UTILS = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
KINDS = (hands.plain, hands.overlapping, hands.melded, hands.crowded)


def places(cards: int) -> list[int]:
    """A set of cards in pyspiel's form: a list of places in the pack. It orders the pack as we do."""
    return [place for place in range(52) if cards >> place & 1]


def joint_optimum_glued(hand: list[int], melds: list[list[int]]) -> int:
    """The defender's least deadwood over all ways to lay off cards, found with pyspiel's functions."""
    least: int = UTILS.min_deadwood(hand)
    seen = set()
    todo = [(hand, melds)]
    while todo:
        held, shown = todo.pop()
        for index, meld in enumerate(shown):
            if UTILS.is_rank_meld(meld):
                fitting = [UTILS.rank_meld_layoff(meld)] if len(meld) == 3 else []
            else:
                fitting = UTILS.suit_meld_layoffs(meld)
            for card in fitting:
                if card not in held:
                    continue
                table = [*shown[:index], sorted([*meld, card]), *shown[index + 1 :]]
                after = tuple(map(tuple, table))
                if after not in seen:
                    seen.add(after)
                    rest = [other for other in held if other != card]
                    least = min(least, UTILS.min_deadwood(rest))
                    todo.append((rest, table))
    return least


def rlcard_min_deadwood() -> Callable[[Any], int] | None:
    """RLCard's least deadwood of a list of ten of its cards, if it is installed."""
    try:
        from rlcard.games.base import Card
        from rlcard.games.gin_rummy.utils import melding, utils
    except ImportError:
        return None

    def least(hand: list[Any]) -> int:
        clusters = [[], *melding.get_meld_clusters(hand)]
        counts: list[int] = [utils.get_deadwood_count(hand, cluster) for cluster in clusters]
        return min(counts)

    least.card = Card  # type: ignore[attr-defined]
    return least


def seconds_spent(function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> float:
    """Seconds of CPU to call the function with each of the arguments, one or two a call."""
    if len(arguments[0]) == 1:
        single = [argument for (argument,) in arguments]
        begun = time.process_time()
        for argument in single:
            function(argument)
        return time.process_time() - begun
    begun = time.process_time()
    for one, other in arguments:
        function(one, other)
    return time.process_time() - begun


def yielding(rivals: dict[str, tuple[Callable[..., Any], list[list[tuple[Any, ...]]]]]) -> None:
    """Time each rival on the same hands in its own form, one list a round. Print times, and ratios to the first."""
    spent: dict[str, list[float]] = {name: [] for name in rivals}
    rounds = len(next(iter(rivals.values()))[1])
    for turn in range(rounds):
        order = list(rivals) if turn % 2 else list(reversed(rivals))
        for name in order:
            function, arguments = rivals[name]
            spent[name].append(seconds_spent(function, arguments[turn]) / len(arguments[turn]) * 1e6)
    yardstick = spent[next(iter(rivals))]
    for name, times in spent.items():
        ratios = [base / own for base, own in zip(yardstick, times, strict=True)]
        print(
            f"    {name:34} {statistics.median(times):8.3f} us   {statistics.median(ratios):6.2f}x"
            f"   (rounds {min(ratios):.2f}x to {max(ratios):.2f}x)"
        )


def slowest(function: Callable[[int], int], cards: Sequence[int]) -> float:
    """Microseconds of the slowest hand. A hand's time is the least of seven means of a hundred calls each."""
    worst = 0.0
    for hand in cards:
        best = min(seconds_spent(function, [(hand,)] * 100) for _ in range(7)) / 100
        worst = max(worst, best * 1e6)
    return worst


def compare_deadwood(rng: random.Random, size: int, count: int, rounds: int) -> None:
    rlcard = rlcard_min_deadwood()
    for kind in KINDS:
        print(f"  {kind.__name__}, {size} cards")
        drawn = [[kind(rng, size) for _ in range(count)] for _ in range(rounds)]
        numbers = [[(bits_of(hand),) for hand in batch] for batch in drawn]
        lists = [[(rng.sample(places(number), size),) for (number,) in batch] for batch in numbers]
        rivals: dict[str, Any] = {"pyspiel min_deadwood": (UTILS.min_deadwood, lists)}
        rivals["ours, least deadwood"] = (least_deadwood, numbers)
        if size == 11:
            rivals["ours, after the best discard"] = (least_deadwood_after_discard, numbers)
        if size == 10 and rlcard is not None:
            card = rlcard.card  # type: ignore[attr-defined]
            few = [[([card(name[1], name[0]) for name in hand],) for hand in batch[: count // 20]] for batch in drawn]
            rivals["RLCard (a twentieth of the hands)"] = (rlcard, few)
        yielding(rivals)
        some = [number for (number,) in numbers[0][:300]]
        print(f"    slowest of 300 hands: {slowest(least_deadwood, some):.2f} us")


def compare_lay_offs(rng: random.Random, count: int, rounds: int) -> None:
    def random_knock(rng: random.Random) -> tuple[list[str], list[str]]:
        while True:
            cards = hands.plain(rng, 20)
            if 0 < least_deadwood(bits_of(cards[:10])) <= 10:
                return cards[:10], cards[10:]

    for name, knock in (("any hands that may knock", random_knock), ("defenders with cards that fit", hands.knock)):
        print(f"  joint optimum, {name}")
        ours, theirs = [], []
        for _ in range(rounds):
            drawn = [knock(rng) for _ in range(count)]
            shown = [(bits_of(defender), best_arrangement(bits_of(knocker))) for knocker, defender in drawn]
            ours.append(shown)
            theirs.append([(places(hand), [places(meld) for meld in melds]) for hand, melds in shown])
            for one, other in zip(ours[-1], theirs[-1], strict=True):
                assert least_after_laying_off(*one) == joint_optimum_glued(*other)
        yielding(
            {
                "glued from pyspiel": (joint_optimum_glued, theirs),
                "ours, points": (least_after_laying_off, ours),
                "ours, melds and lay-offs in order": (best_reply, ours),
            }
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=2000, help="hands a round")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seed", default="gin", help="of the hands")
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {options.rounds} rounds of {options.hands} fresh hands each")
    assert all(UTILS.is_rank_meld(places(meld)) for meld in SETS)
    for size in (10, 11):
        compare_deadwood(random.Random(options.seed), size, options.hands, options.rounds)
    compare_lay_offs(random.Random(options.seed), options.hands // 4, options.rounds)


if __name__ == "__main__":
    main()
