"""The first state of a game or round, from a deck in order (index 0 is the top)."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.places import doubled
from engines.core.records import changed
from engines.core.rulings import Fault
from engines.take_that import rulings
from engines.take_that.model import Setup, State
from engines.take_that.table import EACH


def opening(setup: Setup) -> State:
    """TT-1: the first round; the dealer is the last seat unless told."""
    assert setup.deck is not None
    dealer = setup.seats - 1 if setup.dealer is None else setup.dealer
    hands: tuple[tuple[int, ...], ...] = ((),) * setup.seats
    table = State(phase="play", turn=None, row=(), hands=hands, ruleset=setup.ruleset, scores=((),) * setup.seats)
    return deal_round(table, dealer, setup.deck)


def deal_round(state: State, dealer: int, deck: Sequence[int | None]) -> State:
    """TT-1.4, TT-1.5: one card at a time, beginning left of the dealer, who then begins."""
    seats = len(state.hands)
    first = (dealer + 1) % seats
    dealt = EACH[seats] * seats
    return changed(
        state,
        phase="play",
        turn=first,
        hands=tuple(tuple(deck[(seat - first) % seats : dealt : seats]) for seat in range(seats)),
        dealer=dealer,
        pile=tuple(deck[dealt:]),
        face_up=((),) * seats,
        face_down=((),) * seats,
    )


def dealer_is_at_the_table(setup: Setup) -> Fault | None:
    """TT-1.1."""
    if setup.dealer is None or setup.dealer < setup.seats:
        return None
    return rulings.NO_SUCH_SEAT.found("/dealer", "/seats", seat=setup.dealer, seats=setup.seats)


def deck_is_whole(setup: Setup) -> list[Fault]:
    """TT-1.2: seventy-nine cards, each once."""
    return [
        rulings.CARD_TWICE.found(*(f"/deck/{place}" for place in places), card=card)
        for card, places in doubled(enumerate(setup.deck or ())).items()
    ]


SETUP_AUDITS = (dealer_is_at_the_table, deck_is_whole)
