"""Laying off, and how both hands are best laid out (GR-5.6, GR-6).

The defender may lay off own cards that are the fourth of a shown set of three, or that continue a shown run, directly
or through other cards laid off. Cards laid off bear no points. So a card that can go, and that no own meld can use,
always goes; the only choice is whether the others stay with the own melds.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from engines.gin_rummy.deadwood import RANKS, SUIT, least_deadwood
from engines.gin_rummy.melds import (
    ACES,
    MELDS,
    REMEMBERED,
    RUNS,
    SETS,
    Arrangement,
    best_arrangement,
    best_arrangements,
    in_any_meld,
    singly,
)

FEWEST_FOR_CHAINS: Final = 4  #: With fewer cards than this every subset is tried.


class Placed(NamedTuple):
    """A card laid off, and the index of the meld that takes it."""

    card: int
    meld: int


class Reply(NamedTuple):
    """The defender's side of a knock: own melds, cards laid off in order, and the cards that are neither, as bits."""

    melds: Arrangement
    lay_offs: tuple[Placed, ...]
    unmatched: int


_NOT_ACES: Final = (1 << 52) - 1 - ACES
_NOT_KINGS: Final = (1 << 52) - 1 - (ACES << RANKS - 1)


def _around(cards: int) -> int:
    """The cards next to cards of one suit, above and below; no king is next to an ace."""
    return ((cards & _NOT_ACES) >> 1 | (cards & _NOT_KINGS) << 1) & ~cards


_RUN_OPENS: Final = {run: (_around(run), _around(run | _around(run))) for run in RUNS}
_OPENS: Final = _RUN_OPENS | {cards: (ACES << (cards.bit_length() - 1) % RANKS & ~cards, 0) for cards in SETS}
"""The cards that a meld takes as it stands, and those it takes upon these."""


def fits(card: int, meld: int) -> bool:
    """Whether a meld takes the card as it stands (GR-6.1)."""
    return bool(card & _OPENS[meld][0])


def reachable(cards: int, melds: Sequence[int]) -> int:
    """Those of the cards that can be laid off on the melds, one upon another if need be (GR-6.1)."""
    reached = 0
    for meld in melds:
        opens, beyond = _OPENS[meld]
        taken = opens & cards
        if taken:
            reached |= taken
            if beyond & cards:
                reached |= _chained(taken, cards)
    return reached


def _chained(chain: int, cards: int) -> int:
    """A chain of one suit with all of the `cards` that continue it at either end."""
    while beside := _around(chain) & cards:
        chain |= beside
    return chain


def least_after_laying_off(hand: int, melds: Sequence[int]) -> int:
    """The least deadwood a defender comes to against these melds, own melds and lay-offs taken together (GR-6.3)."""
    all_laid_off = reachable(hand, melds)
    if not all_laid_off:
        return least_deadwood(hand)
    least = least_deadwood(hand ^ all_laid_off)
    if not least:
        return 0
    for held_back in ways_to_keep(hand, all_laid_off & in_any_meld(hand), melds):
        points = least_deadwood(hand ^ reachable(hand ^ held_back, melds))
        if points < least:  # noqa: PLR1730 - min() is a call
            least = points
    return least


def ways_to_keep(hand: int, choice: int, melds: Sequence[int]) -> Collection[int]:
    """The subsets of `choice` worth keeping for own melds: one for each set of cards that can be laid off together.

    From a chain at an end of a run only its first cards can be laid off, so a few subsets stand for a thousand.
    """
    if choice.bit_count() < FEWEST_FOR_CHAINS:
        held_back = choice
        ways = [held_back]
        while held_back:
            held_back = held_back - 1 & choice  # the next smaller number whose bits are all in `choice`
            ways.append(held_back)
        return ways
    laid = {0}
    for meld in melds:
        for chain in _chains(meld, hand):
            laid = {cards | start for cards in laid for start in chain}
    return {choice & ~cards for cards in laid}


def _chains(meld: int, hand: int) -> Iterator[list[int]]:
    """For each end of a run: no card of the hand, the one that continues it, the next too, …; for a set: its fourth."""
    if meld not in _RUN_OPENS:
        yield [0, *singly(_OPENS[meld][0] & hand)]
        return
    suit = SUIT << (meld.bit_length() - 1) // RANKS * RANKS
    for end, step in ((meld & -meld, -1), (1 << meld.bit_length() - 1, 1)):
        chain = [0]
        card = _next(end, step)
        while card & hand & suit:
            chain.append(chain[-1] | card)
            card = _next(card, step)
        yield chain


def _next(card: int, step: int) -> int:
    """The next card of the suit: the higher one for a step of 1, the lower one for -1."""
    return card << 1 if step > 0 else card >> 1


def _best_lay_offs(hand: int, melds: Sequence[int]) -> set[int]:
    """Every set of cards that the defender may lay off to come to the least deadwood."""
    deadwood = {}
    for held_back in ways_to_keep(hand, reachable(hand, melds) & in_any_meld(hand), melds):
        laid = reachable(hand ^ held_back, melds)
        deadwood[laid] = least_deadwood(hand ^ laid)
    least = min(deadwood.values())
    return {laid for laid, points in deadwood.items() if points == least}


@lru_cache(REMEMBERED)
def best_reply(hand: int, melds: tuple[int, ...]) -> Reply:
    """The reply that leaves the least (GR-6.3); among equals the one that lays off fewest, then the first in order."""

    def order(laid: int) -> tuple[int, list[int], int]:
        return laid.bit_count(), [MELDS[meld] for meld in best_arrangement(hand ^ laid)], laid

    laid = min(_best_lay_offs(hand, melds), key=order)
    own = best_arrangement(hand ^ laid)
    return Reply(own, placed(laid, melds), hand ^ laid ^ sum(own))


def placed(cards: int, melds: Sequence[int]) -> tuple[Placed, ...]:
    """Where the cards go, one after another: on a run rather than on a set, the first card that fits first."""
    lay_offs = []
    shown = list(melds)
    for_runs = reachable(cards, [meld for meld in melds if meld in _RUN_OPENS])
    while cards:
        lay_off = next(
            Placed(card, index)
            for card in singly(cards)
            for index, meld in enumerate(shown)
            if fits(card, meld) and (meld in _RUN_OPENS or not card & for_runs)
        )
        lay_offs.append(lay_off)
        shown[lay_off.meld] |= lay_off.card
        cards ^= lay_off.card
    return tuple(lay_offs)


@lru_cache(REMEMBERED)
def knocker_layout(hand: int, defender: int) -> Arrangement:
    """The knocker's melds when none are stated: least deadwood, then most left to the defender (GR-5.6)."""
    arrangements = list(best_arrangements(hand))
    is_gin = not least_deadwood(hand)  # then the defender lays nothing off
    if is_gin or len(arrangements) == 1:
        return arrangements[0]
    return max(arrangements, key=lambda melds: least_after_laying_off(defender, melds))
