"""Random hands, plain and structured, for tests and benchmarks."""

import random
from collections.abc import Callable
from typing import TypeAlias

from engines.gin_rummy.deadwood import least_deadwood
from engines.gin_rummy.lay_off import fits
from engines.gin_rummy.melds import BITS, CARDS, MELDS, best_arrangement, bits_of, names_of

Kind: TypeAlias = Callable[[random.Random, int], list[str]]  #: A way to make up a hand of so many cards.

SHORT_MELDS = [meld for meld in map(names_of, MELDS) if len(meld) <= 5]


def random_cards(rng: random.Random, size: int) -> list[str]:
    """So many random cards."""
    return rng.sample(CARDS, size)


def cards_of_overlapping_melds(rng: random.Random, size: int) -> list[str]:
    """Runs and sets that grow out of each other's cards, so that cards fit two melds and more."""
    hand = set(rng.choice(SHORT_MELDS))
    while len(hand) < size:
        card = rng.choice(sorted(hand))
        hand.update(rng.choice([meld for meld in SHORT_MELDS if card in meld]))
    return rng.sample(sorted(hand), size)


def cards_of_near_ranks(rng: random.Random, size: int) -> list[str]:
    """So many cards of four to six neighbouring ranks (ace low): many sets and runs share cards."""
    width = rng.randint(4, 6)
    lowest = rng.randint(0, 13 - width)
    return rng.sample([card for card in CARDS if lowest <= "A23456789TJQK".index(card[0]) < lowest + width], size)


def cards_of_melds(rng: random.Random, size: int) -> list[str]:
    """Melds thrown together, whether or not they share cards."""
    hand: set[str] = set()
    while len(hand) < size:
        hand.update(rng.choice(SHORT_MELDS))
    return rng.sample(sorted(hand), size)


STRUCTURED_HANDS = (cards_of_overlapping_melds, cards_of_near_ranks, cards_of_melds)


def knocker_and_defender(rng: random.Random) -> tuple[list[str], list[str]]:
    """A hand that may knock with deadwood, and a defender's, of which cards fit or nearly fit its melds."""
    while True:
        hand = cards_of_melds(rng, 10) if rng.random() < 0.7 else cards_of_overlapping_melds(rng, 10)
        if 0 < least_deadwood(bits_of(hand)) <= 10:
            break
    rest = [card for card in CARDS if card not in hand]
    shown = best_arrangement(bits_of(hand))
    defender = {card for card in rest if any(fits(BITS[card], meld) for meld in shown) and rng.random() < 0.7}
    for card in sorted(defender):
        near = [other for meld in SHORT_MELDS if card in meld for other in meld if other in rest]
        defender.update(rng.sample(near, min(len(near), rng.randint(0, 3))))
    defender.update(rng.sample(rest, 10))
    return hand, rng.sample(sorted(defender), 10)
