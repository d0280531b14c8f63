"""Cards, melds and arrangements of a hand (GR-2): which exist, which are best, which come first.

A set of cards is a 52-bit integer, as in `deadwood`: thirteen bits a suit, S H D C, ace lowest. So the canonical
order of cards is the order of bits. A meld comes before another if it is a set and the other a run, else if its cards
do, compared one by one; arrangements compare meld by meld.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import Final

from engines.gin_rummy.deadwood import RANKS, least_deadwood, points_of

CARDS: Final = tuple(rank + suit for suit in "SHDC" for rank in "A23456789TJQK")  #: The pack in canonical order.
BITS: Final = {card: 1 << place for place, card in enumerate(CARDS)}

REMEMBERED: Final = 1_024
"""How many hands are cached with their best arrangements: the same cards come again, under other rulesets too."""

Arrangement = tuple[int, ...]  #: Melds, each a set of cards, in canonical order.


def bits_of(cards: Iterable[str]) -> int:
    """A set of cards from their names, which are all different."""
    return sum(map(BITS.__getitem__, cards))


def singly(cards: int) -> list[int]:
    """The cards one by one, in canonical order."""
    single = []
    while cards:
        single.append(cards & -cards)
        cards &= cards - 1
    return single


@lru_cache(REMEMBERED)
def names_of(cards: int) -> tuple[str, ...]:
    """The names of these cards, in canonical order."""
    return tuple([CARDS[card.bit_length() - 1] for card in singly(cards)])


def _every_set() -> Iterator[int]:
    """Three or four cards of one rank."""
    for rank in range(RANKS):
        cards = [1 << RANKS * suit + rank for suit in range(4)]
        for size in (3, 4):
            yield from map(sum, combinations(cards, size))


def _every_run() -> Iterator[int]:
    """Three or more cards of one suit in a row."""
    for suit in range(4):
        for first in range(RANKS - 2):
            for length in range(3, RANKS + 1 - first):
                yield (1 << length) - 1 << RANKS * suit + first


def _by_cards(cards: int) -> list[int]:
    """The places of the cards in the pack: melds compare card by card."""
    return [place for place in range(52) if cards >> place & 1]


SETS: Final = tuple(sorted(_every_set(), key=_by_cards))
RUNS: Final = tuple(sorted(_every_run(), key=_by_cards))
MELDS: Final = {meld: place for place, meld in enumerate(SETS + RUNS)}
"""Every meld there is (GR-2.1), with its place in canonical order."""


def meld_of(cards: Sequence[str]) -> int | None:
    """The meld that the cards make, in whatever order; None if they make none (GR-2.1)."""
    meld = 0
    for card in cards:
        meld |= BITS[card]
    return meld if meld in MELDS and meld.bit_count() == len(cards) else None


def ace_would_be_high(cards: Sequence[str]) -> bool:
    """GR-1.1: whether the cards would be a run if a king could be followed by an ace."""
    ranks = {CARDS.index(card) % RANKS for card in cards}
    suits = {CARDS.index(card) // RANKS for card in cards}
    if len(cards) < 3 or len(ranks) < len(cards) or len(suits) > 1:
        return False
    highest = [rank for rank in ranks if (rank + 1) % RANKS not in ranks]  #: Of each row of ranks, round the corner.
    return len(highest) == 1 and {0, RANKS - 1} <= ranks


ACES: Final = sum(1 << RANKS * suit for suit in range(4))
_RUN_STARTS: Final = ACES * ((1 << RANKS - 2) - 1)
_LINES: Final = (
    *(ACES << rank for rank in range(RANKS)),
    *((1 << RANKS) - 1 << RANKS * suit for suit in range(4)),
)
"""The cards of each rank and of each suit: every meld lies in one of them."""


def in_any_meld(hand: int) -> int:
    """The cards of a hand that some meld of the hand holds."""
    starts = hand & hand >> 1 & hand >> 2 & _RUN_STARTS  #: The lowest card of each three in a row.
    low, high = hand & 0x3FFFFFF, hand >> 26  #: Spades and hearts, diamonds and clubs.
    pairs, either = low & high, low | high
    sets = pairs & either >> 13 | pairs >> 13 & either  #: The ranks held three or four times, as spades.
    return starts | starts << 1 | starts << 2 | sets * ACES & hand


@cache
def _melds_in_line(cards: int) -> tuple[int, ...]:
    """The melds among cards of one rank or one suit, in canonical order."""
    return tuple(meld for meld in MELDS if not meld & ~cards)


def melds_in(hand: int) -> list[int]:
    """The melds that a hand holds, each by itself, in canonical order."""
    cards = in_any_meld(hand)
    melds: list[int] = []
    for line in _LINES:
        melds += _melds_in_line(cards & line)
    return sorted(melds, key=MELDS.__getitem__)


def best_arrangements(hand: int) -> Iterator[Arrangement]:
    """Every arrangement that leaves the least deadwood, in canonical order: also the same cards cut differently."""
    target = least_deadwood(hand)

    def extend(chosen: Arrangement, rest: int, candidates: list[int]) -> Iterator[Arrangement]:
        """The best arrangements that begin with these melds. `candidates`: the melds that may follow."""
        if points_of(rest) == target:
            yield chosen
        for place, meld in enumerate(candidates, start=1):
            if not meld & ~rest and least_deadwood(rest ^ meld) == target:
                yield from extend((*chosen, meld), rest ^ meld, candidates[place:])

    return extend((), hand, melds_in(hand))


@lru_cache(REMEMBERED)
def best_arrangement(hand: int) -> Arrangement:
    """The first of the best arrangements."""
    return next(best_arrangements(hand))
