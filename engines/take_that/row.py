"""The cards of Take That, which may follow which, and which twist which. Nothing here depends on states or players."""

from __future__ import annotations

from collections.abc import Sequence

CARDS = tuple(number for number in range(12, 99) if number % 10)  #: TT-1.2: the deck in order.
TOADS = frozenset(card for card in CARDS if card // 10 == card % 10)  #: TT-1.3: the cards of two equal digits.
PARTNER = {card: card % 10 * 10 + card // 10 for card in CARDS if card not in TOADS}
"""TT-1.3: the twisted partner of each card that has one."""
REACH = 10  #: TT-3.1: how far a card may be from the right end of the row.


def farthest(card: int) -> tuple[int, int]:
    """TT-3.1: the least and the greatest number that is not too far from a card, which may be the card's own."""
    return max(card - REACH, CARDS[0]), min(card + REACH, CARDS[-1])


def reach(card: int) -> tuple[int, int]:
    """TT-3.1: the least and the greatest card that may follow a card at the right end, which cannot follow itself."""
    least, most = farthest(card)
    return CARDS[1] if least == card else least, CARDS[-2] if most == card else most


def may_follow(card: int, row: Sequence[int | None]) -> bool | None:
    """TT-3.1, TT-3.2: whether the card may be laid at the right end. None: what lies there is not seen."""
    if not row:
        return True
    end = row[-1]
    return None if end is None else abs(card - end) <= REACH


def twists(card: int, row: Sequence[int | None]) -> bool:
    """TT-4.1, TT-4.2: whether the card's twisted partner is seen in the row."""
    return card in PARTNER and PARTNER[card] in row


def playable(hand: Sequence[int | None], row: Sequence[int | None]) -> tuple[int, ...]:
    """TT-3.1, TT-4.1: the cards of a hand that may follow the right end or whose twisted partner lies in the row.

    They are in ascending order. Unseen cards, of the hand as of the row, make no card playable.
    """
    return tuple(sorted(card for card in hand if card is not None and (may_follow(card, row) or twists(card, row))))
