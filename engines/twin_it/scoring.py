"""What a count is worth (TI-9, TI-10): groups, points and the rating, from cards and designs alone."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from engines.twin_it.designs import NUMBER, Deck, alike
from engines.twin_it.rulings import Rating, Reason

RATINGS: tuple[Rating, ...] = ("beginners", "prospects", "experts", "geniuses")
BOUNDS = {1: (5, 7, 10), 2: (10, 13, 18), 3: (15, 19, 27), 4: (20, 25, 36), 5: (25, 31, 45), 6: (30, 37, 54)}
"""TI-9.2: by the number of players, the points from which on they are prospects, experts, geniuses."""


class Rejected(NamedTuple):
    """A group that scores nothing."""

    cards: tuple[str, ...]
    reason: Reason


class Counted(NamedTuple):
    """The groups that score, and those that do not."""

    groups: tuple[tuple[str, ...], ...]
    rejected: list[Rejected]


def is_group(deck: Deck, cards: Sequence[str]) -> bool:
    """TI-9.1: two or three cards of one design."""
    return len(cards) in (2, 3) and alike(deck, cards)


def sifted(deck: Deck, groups: Iterable[tuple[str, ...]], others: Container[int]) -> Counted:
    """TI-9.1, TI-10.1: one group after the other. `others`: the numbers of the cards that others have counted."""
    used: set[int] = set()
    good, rejected = [], []
    for cards in groups:
        numbers = [NUMBER[card] for card in cards]
        reason: Reason | None = None
        if not is_group(deck, cards):
            reason = "unequal"
        elif len(set(numbers)) < len(numbers) or not used.isdisjoint(numbers):
            reason = "card-twice"
        elif any(number in others for number in numbers):
            reason = "counted-by-another"
        if reason is None:
            used.update(numbers)
            good.append(cards)
        else:
            rejected.append(Rejected(cards, reason))
    return Counted(tuple(good), rejected)


def tally(groups: Iterable[Sequence[str]]) -> tuple[int, int, int]:
    """TI-9.1: pairs, trebles and points; a pair is 1 point, a treble 2."""
    sizes = [len(cards) for cards in groups]
    pairs, trebles = sizes.count(2), sizes.count(3)
    return pairs, trebles, pairs + 2 * trebles


def rating(players: int, points: int) -> Rating:
    """TI-9.2: what players of a cooperative game may call themselves, by their points."""
    return RATINGS[bisect(BOUNDS[players], points)]
