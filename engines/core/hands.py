"""Hands that may list fewer cards than they have.

`None` in a hand is an unseen card. A hand without `None` is shown whole. A hand with `None` may list fewer cards than
the rules give, never more. Then its last `None` stands for all cards that are not listed: it stays in the hand when
one of them leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from engines.core.rulings import Fault, Refutes, Unverified

R = TypeVar("R")


class HandSize(NamedTuple):
    """The least and the most cards that a hand can have."""

    least: int
    most: int


class Hands(Generic[R]):
    """The hands of a table, in its field `hands`. `sizes`: how many cards the rules can have given, by seat."""

    def __init__(self, sizes: Callable[[R], Sequence[HandSize]]) -> None:
        self._sizes = sizes

    def are_whole(self, too_small: Refutes, too_big: Refutes) -> Callable[[R], list[Fault] | Unverified | None]:
        """An audit: no hand has more cards than the rules can give, and no hand that is shown whole has fewer.

        Both rulings have the parameters `seat`, `count`, `least` and `most`.
        """

        def hands_have_the_cards_that_the_rules_give(record: R) -> list[Fault] | Unverified | None:
            hands = _hands(record)
            if hands is None:
                return too_big.unverified()
            faults = []
            for seat, (count, (least, most)) in enumerate(zip(map(len, hands), self._sizes(record), strict=False)):
                if count > most or (count < least and None not in hands[seat]):
                    ruling = too_big if count > most else too_small
                    faults.append(ruling.found(f"/hands/{seat}", seat=seat, count=count, least=least, most=most))
            return faults or None

        return hands_have_the_cards_that_the_rules_give

    def filled(self, record: R, seat: int) -> tuple[Any, ...]:
        """The hand, with a `None` added for each card that it can have and does not list."""
        hand: tuple[Any, ...] = _hands(record)[seat]
        return (*hand, *(None,) * self._not_shown(record, seat)) if None in hand else hand

    def _not_shown(self, record: R, seat: int) -> int:
        """How many cards a hand with a `None` may have beyond those in its list."""
        cards, size = len(_hands(record)[seat]), self._sizes(record)[seat]
        return size.most - cards if cards < size.least else 0

    def without(self, record: R, seat: int, cards: Sequence[Any]) -> tuple[Any, ...]:
        """The hand after these cards have left it. A card that it does not list leaves as one of the unseen cards."""
        rest = list(_hands(record)[seat])
        not_listed = 0
        for card in cards:
            try:
                rest.remove(card)
            except ValueError:
                not_listed += 1
        if not_listed:
            beyond = self._not_shown(record, seat)
            for _ in range(not_listed):
                if rest.count(None) > 1 or not beyond:
                    rest.remove(None)
                else:  # the last `None` stands for the cards beyond the list, too, and stays as long as there are any
                    beyond -= 1
        return tuple(rest)


def _hands(record: Any) -> Any:
    """The hands of a table of any game."""
    return record.hands
