"""The least deadwood that a hand can have of which some cards are not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engines.gin_rummy.deadwood import RANKS, points_of
from engines.gin_rummy.melds import CARDS, MELDS

Unmatched = tuple[int, int]  #: The points and the number of the cards in no meld.

_CHEAPEST_FIRST: Final = [1 << RANKS * suit + rank for rank in range(RANKS) for suit in range(len(CARDS) // RANKS)]
_EXACT: Final = 2  #: With more unseen cards than these, which may be a meld by themselves, there is only a lower bound.


def cheapest(pool: int, count: int) -> int:
    """The least points that so many cards of the pool can have."""
    return points_of(sum([card for card in _CHEAPEST_FIRST if card & pool][:count]))


def least_possible(seen: int, unseen: int, pool: int) -> Unmatched:
    """The least deadwood of a hand, whichever cards of the pool its `unseen` ones are.

    Exact for two unseen cards at most; for more, each seen card is matched that some meld could hold.
    """
    melds = [meld for meld in MELDS if not meld & ~(seen | pool) and (meld & ~seen).bit_count() <= unseen]
    if unseen <= _EXACT:
        worst = points_of(seen) + cheapest(pool, unseen), seen.bit_count() + unseen
        return _least(seen, unseen, pool, melds, (0, 0), worst)
    left = seen
    for meld in melds:
        left &= ~meld
    return points_of(left), left.bit_count()


def _least(rest: int, unseen: int, pool: int, melds: Sequence[int], unmatched: Unmatched, best: Unmatched) -> Unmatched:
    """The better of `best` and what a hand can be brought to, of which some cards are placed.

    `rest`: the seen cards that are not placed yet. `unmatched`: those that were placed in no meld. `melds`: those that
    may still be made.
    """
    points, count = unmatched
    if points >= best[0]:
        return best
    if not rest:
        return min(best, (points + cheapest(pool, unseen), count + unseen))
    card = 1 << rest.bit_length() - 1
    without_card = [meld for meld in melds if not meld & card]
    for meld in melds:
        needed = meld & ~rest
        if meld & card and not needed & ~pool and needed.bit_count() <= unseen:
            best = _least(rest & ~meld, unseen - needed.bit_count(), pool & ~needed, without_card, unmatched, best)
    return _least(rest ^ card, unseen, pool, without_card, (points + points_of(card), count + 1), best)
