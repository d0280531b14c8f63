"""The hands of an incident on the cards, and what is known of where they fell. Nothing here changes a table."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from engines.core.records import changed
from engines.twin_it.model import Hand, State
from engines.twin_it.table import in_one_set, is_visible, own_tops_count, unseen_tops


class Fallen(NamedTuple):
    """A hand: in which place it fell, and on what. `free`: no hand that counted lay on the card."""

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

    def holders(self, name: str, gone: Container[str]) -> list[Fallen]:
        """The lowest hand on each card of a design, but for the cards that are `gone`, in the order they fell."""
        lowest = [stack[0] for stack in self._on.values() if stack]
        return sorted(hand for hand in lowest if hand.design == name and hand.card not in gone)

    def all(self) -> list[list[Fallen]]:
        """The hands on each card, the lowest first."""
        return [stack for stack in self._on.values() if stack]

    def mistaken(self, hand: Fallen, gone: Container[str], *, forbidden: bool) -> Fallen | None:
        """TI-7.1, TI-8.1: the first hand of a claim that this second one makes a mistake of its side, if it does.

        Only hands on cards that were free when they fell make one.
        """
        if not hand.free or hand.card in gone or not (forbidden or self._state.ruleset.name == "team"):
            return None
        for other in self.holders(hand.design, gone):
            theirs = other.side == hand.side if forbidden else other.seat == hand.seat
            if other.free and theirs and other is not hand and self._make_a_claim(other, hand):
                return other
        return None

    def set_held(self, name: str, gone: Container[str]) -> tuple[Fallen, Fallen] | None:
        """TI-3.3, TI-3.4, TI-8.1: the first two hands of one side that hold a set, in a team of two of its players."""
        by_team = self._state.ruleset.name == "team"
        for one, other in combinations(self.holders(name, gone), 2):
            if one.side == other.side and self._make_a_claim(one, other) and not (by_team and one.seat == other.seat):
                return one, other
        return None

    def _make_a_claim(self, one: Fallen, other: Fallen) -> bool:
        """TI-3.5: two cards of one won set make none."""
        return not in_one_set(self._state, one.card, other.card)


def as_touched(state: State, hands: Sequence[Hand]) -> tuple[State, str | None]:
    """TI-3.2: the table, in which the one unseen top is the card that a hand is on; and that card, if there is one."""
    tops = unseen_tops(state)
    under = unseen_cards(state, hands)
    if len(tops) != 1 or not under:
        return state, None
    (seat,) = tops
    piles = (*state.piles[:seat], (under[0], *state.piles[seat][1:]), *state.piles[seat + 1 :])
    return changed(state, piles=piles), under[0]


def unsure_hand(state: State, hands: Sequence[Hand]) -> Hand | None:
    """TI-3.2: a hand that may be on the unseen top of its own pile, where that decides something."""
    if own_tops_count(state):
        return None
    tops = unseen_tops(state)
    return next((hand for hand in hands if hand.seat in tops and not is_visible(state, hand.card)), None)


def unseen_cards(state: State, hands: Iterable[Hand]) -> list[str]:
    """The cards, each once, that hands are on and that are seen nowhere: they must be unseen tops."""
    return list(dict.fromkeys(hand.card for hand in hands if not is_visible(state, hand.card)))
