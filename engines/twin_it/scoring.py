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
    """A group that scores nothing. `card`: the card that was counted before; None: it is another reason."""

    cards: tuple[str, ...]
    reason: Reason
    card: str | None


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
        twice = [card for at, card in enumerate(cards) if numbers[at] in used or numbers[at] in numbers[:at]]
        taken = [card for card, number in zip(cards, numbers, strict=True) if number in others]
        if not is_group(deck, cards):
            rejected.append(Rejected(cards, "unequal", None))
        elif twice:
            rejected.append(Rejected(cards, "card-twice", twice[0]))
        elif taken:
            rejected.append(Rejected(cards, "counted-by-another", taken[0]))
        else:
            used.update(numbers)
            good.append(cards)
    return Counted(tuple(good), rejected)


def tally(groups: Iterable[Sequence[str]]) -> tuple[int, int, int]:
    """TI-9.1: pairs, trebles and points; a pair is 1 point, a treble 2."""
    sizes = [len(cards) for cards in groups]
    pairs, trebles = sizes.count(2), sizes.count(3)
    return pairs, trebles, pairs + 2 * trebles


class Rated(NamedTuple):
    """TI-9.2: what players of a cooperative game may call themselves, and the points for it; `most` None: no bound."""

    rating: Rating
    least: int
    most: int | None


def rated(players: int, points: int) -> Rated:
    """TI-9.2: the rating of this many players with these points."""
    bounds = BOUNDS[players]
    at = bisect(bounds, points)
    return Rated(RATINGS[at], bounds[at - 1] if at else 0, bounds[at] - 1 if at < len(bounds) else None)
