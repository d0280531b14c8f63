"""The first state of a game or hand, from a deck in order (index 0 is the top)."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.dealing import dealt_out, deck_is_whole, first_dealer
from engines.core.records import changed
from engines.gin_rummy import rulings
from engines.gin_rummy.model import Setup, State
from engines.gin_rummy.table import EACH


def opening(setup: Setup) -> State:
    """GR-1: the dealer is seat 1 unless named."""
    assert setup.deck is not None
    return deal_hand(State("upcard", None, ((), ()), setup.ruleset), first_dealer(setup), setup.deck)


def deal_hand(state: State, dealer: int, cards: Sequence[str | None]) -> State:
    """GR-1.2: one card at a time, the other player first; then the upcard."""
    hands, (upcard, *stock) = dealt_out(cards, 2, dealer, EACH)
    return changed(
        state,
        phase="upcard",
        turn=1 - dealer,
        hands=hands,
        dealer=dealer,
        stock=tuple(stock),
        discards=(upcard,),
        upcard=upcard,
        passes=0,
    )


SETUP_AUDITS = (deck_is_whole(rulings.CARD_TWICE),)  #: GR-1.1.
