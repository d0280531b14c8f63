"""The hands of an incident on the cards, and what is known of where they fell. Nothing here changes a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from engines.core.records import changed
from engines.twin_it.model import Hand, State
from engines.twin_it.table import in_one_set, is_visible, own_tops_count, unseen_tops


class Fallen(NamedTuple):
    """A hand: its place in the order in which they fell, and its card. `free`: no hand that counted lay on the card."""

    at: int
    seat: int
    side: int
    card: str
    design: str
    free: bool


class Stacks:
    """The hands that count, stacked on the cards; the lowest holds a card (TI-4.1)."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._on: dict[str, list[Fallen]] = {}  #: By card.

    def free(self, card: str) -> bool:
        """Whether no hand lies on a card."""
        return not self._on.get(card)

    def put(self, hand: Fallen) -> None:
        """Put a hand on its card."""
        self._on.setdefault(hand.card, []).append(hand)

    def lift(self, *hands: Fallen) -> None:
        """TI-4.6: take hands off their cards; the next on each card holds it."""
        for hand in hands:
            self._on[hand.card].remove(hand)

    def clear(self, cards: Sequence[str]) -> list[Fallen]:
        """Take all hands off these cards, and return them."""
        return [hand for card in cards for hand in self._on.pop(card, ())]

    def lowest(self, card: str) -> Fallen | None:
        """The hand that holds a card; None: no hand lies on it."""
        return next(iter(self._on.get(card, ())), None)

    def holders(self, name: str) -> list[Fallen]:
        """The lowest hand on each card of a design, in the order they fell."""
        lowest = [stack[0] for stack in self._on.values() if stack]
        return sorted(hand for hand in lowest if hand.design == name)

    def all(self) -> list[list[Fallen]]:
        """The hands on each card, the lowest first."""
        return [stack for stack in self._on.values() if stack]

    def mistaken(self, hand: Fallen, *, forbidden: bool) -> Fallen | None:
        """TI-7.1, TI-8.1: the earlier hand with which this one makes a claim that is a mistake; None: there is none.

        It is one if the design is `forbidden` to their side, and in team play if both hands are of one seat. Only hands
        on cards that were free when they fell make such a claim.
        """
        may_be_mistaken = forbidden or self._state.ruleset.name == "team"
        if not may_be_mistaken or not hand.free:
            return None
        for other in self.holders(hand.design):
            together = other.side == hand.side if forbidden else other.seat == hand.seat
            if together and other.free and other is not hand and self._make_a_claim(other, hand):
                return other
        return None

    def set_held(self, name: str) -> tuple[Fallen, Fallen] | None:
        """TI-3.3, TI-3.4, TI-8.1: the first two hands of one side that hold a set, in a team of two of its players."""
        by_team = self._state.ruleset.name == "team"
        for one, other in combinations(self.holders(name), 2):
            if one.side == other.side and self._make_a_claim(one, other) and not (by_team and one.seat == other.seat):
                return one, other
        return None

    def makes_a_claim(self, hand: Fallen) -> bool:
        """Whether a hand that holds its card makes a claim with another of its side."""
        others = [other for other in self.holders(hand.design) if other.side == hand.side and other is not hand]
        return any(self._make_a_claim(other, hand) for other in others)

    def _make_a_claim(self, one: Fallen, other: Fallen) -> bool:
        """TI-3.5: whether two hands make a claim: not on cards of one set that was won."""
        return not in_one_set(self._state, one.card, other.card)


def as_touched(state: State, hands: Sequence[Hand]) -> tuple[State, str | None]:
    """TI-3.2: the state with the card under a hand as the only unseen top, and that card.

    None, and the state as it is, if several tops are unseen, or none, or if all cards under hands are seen.
    """
    tops = unseen_tops(state)
    under = unseen_cards(state, hands)
    if len(tops) != 1 or not under:
        return state, None
    (seat,) = tops
    piles = (*state.piles[:seat], (under[0], *state.piles[seat][1:]), *state.piles[seat + 1 :])
    return changed(state, piles=piles), under[0]


def unsure_hand(state: State, hands: Sequence[Hand]) -> Hand | None:
    """TI-3.2: a hand that may be on the unseen top of its own pile, where such a hand has no effect; None: no hand."""
    if own_tops_count(state):
        return None
    tops = unseen_tops(state)
    return next((hand for hand in hands if hand.seat in tops and not is_visible(state, hand.card)), None)


def unseen_cards(state: State, hands: Iterable[Hand]) -> list[str]:
    """The cards, each once, that hands are on and that are seen nowhere: they must be unseen tops."""
    return list(dict.fromkeys(hand.card for hand in hands if not is_visible(state, hand.card)))
