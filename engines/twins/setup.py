"""The first state of a game or hand, from a deck in order (index 0 is the top)."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.dealing import dealt_out, deck_is_whole, first_dealer
from engines.core.records import changed
from engines.core.seats import left_of
from engines.twins import rulings
from engines.twins.model import Setup, State
from engines.twins.table import EACH, START, buys_in


def opening(setup: Setup) -> State:
    """TW-1: chips worth 12 each, eight cards each; the dealer is the last seat unless named."""
    assert setup.deck is not None
    chips = (START,) * setup.seats
    state = State(phase="buying", chips=chips, pot=0, ruleset=setup.ruleset, dealer=first_dealer(setup))
    return deal_hand(state, setup.deck)


def deal_hand(state: State, cards: Sequence[str | None]) -> State:
    """TW-1.5: one card at a time, beginning left of the dealer, who may be unknown if no card is seen.

    TW-2.1: purchases come next, or the first trick.
    """
    seats = len(state.chips)
    buying = buys_in(state.ruleset, state.hand)
    hands, stock = dealt_out(cards, seats, state.dealer, EACH)
    return changed(
        state,
        phase="buying" if buying else "trick",
        turn=left_of(state.dealer, seats) if buying and state.dealer is not None else None,
        trick=None if buying else 1,
        hands=hands,
        bought=(None if buying else 0,) * seats,
        plays=(None,) * seats,
        out=(),
        stock=stock,
        discards=(),
        last_trick=None,
    )


SETUP_AUDITS = (deck_is_whole(rulings.CARD_TWICE),)  #: TW-1.2.
