"""The first state of a game or hand, from a deck in order (index 0 is the top)."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.places import doubled
from engines.core.records import changed
from engines.core.rulings import Fault
from engines.twins import rulings
from engines.twins.model import Setup, State
from engines.twins.table import EACH, START


def opening(setup: Setup) -> State:
    """TW-1: chips worth 12 each, eight cards each; the dealer is the last seat unless told."""
    assert setup.deck is not None
    dealer = setup.seats - 1 if setup.dealer is None else setup.dealer
    state = State(phase="buying", chips=(START,) * setup.seats, pot=0, ruleset=setup.ruleset, dealer=dealer)
    return deal_hand(state, setup.deck)


def deal_hand(state: State, deck: Sequence[str | None]) -> State:
    """TW-1.5: one card at a time, beginning left of the dealer; who deals matters only where cards are seen."""
    seats = len(state.chips)
    first = 0 if state.dealer is None else (state.dealer + 1) % seats
    dealt = EACH * seats
    return changed(
        state,
        phase="buying",
        trick=None,
        hands=tuple(tuple(deck[(seat - first) % seats : dealt : seats]) for seat in range(seats)),
        bought=(None,) * seats,
        plays=(None,) * seats,
        out=(),
        stock=tuple(deck[dealt:]),
        discards=(),
    )


def dealer_is_at_the_table(setup: Setup) -> Fault | None:
    """TW-1.1."""
    if setup.dealer is None or setup.dealer < setup.seats:
        return None
    return rulings.NO_SUCH_SEAT.found("/dealer", "/seats", seat=setup.dealer, seats=setup.seats)


def deck_is_whole(setup: Setup) -> list[Fault]:
    """TW-1.2: sixty cards, each once."""
    return [
        rulings.CARD_TWICE.found(*(f"/deck/{place}" for place in places), card=card)
        for card, places in doubled(enumerate(setup.deck or ())).items()
    ]


SETUP_AUDITS = (dealer_is_at_the_table, deck_is_whole)
