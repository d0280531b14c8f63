"""The first state of a game or hand, from a deck in order (index 0 is the top)."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.places import doubled
from engines.core.records import changed
from engines.core.rulings import Fault
from engines.gin_rummy import rulings
from engines.gin_rummy.model import Setup, State

EACH = 10
"""GR-1.2: cards dealt to each player."""


def opening(setup: Setup) -> State:
    """GR-1: the dealer is seat 1 unless told."""
    assert setup.deck is not None
    dealer = 1 if setup.dealer is None else setup.dealer
    return deal_hand(State("upcard", None, ((), ()), setup.ruleset), dealer, setup.deck)


def deal_hand(state: State, dealer: int, deck: Sequence[str | None]) -> State:
    """GR-1.2: one card at a time, the other player first; then the upcard."""
    dealt = 2 * EACH
    first, second = tuple(deck[0:dealt:2]), tuple(deck[1:dealt:2])
    return changed(
        state,
        phase="upcard",
        turn=1 - dealer,
        hands=(first, second) if dealer else (second, first),
        dealer=dealer,
        stock=tuple(deck[dealt + 1 :]),
        discards=(deck[dealt],),
        upcard=deck[dealt],
        passes=0,
    )


def deck_is_whole(setup: Setup) -> list[Fault]:
    """GR-1.1: fifty-two cards, each once."""
    return [
        rulings.CARD_TWICE.found(*(f"/deck/{place}" for place in places), card=card)
        for card, places in doubled(enumerate(setup.deck or ())).items()
    ]


SETUP_AUDITS = (deck_is_whole,)
