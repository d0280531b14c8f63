"""The first state of a game or round, from a deck in order (index 0 is the top)."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.dealing import dealt_out, deck_is_whole, first_dealer
from engines.core.records import changed
from engines.core.seats import left_of
from engines.take_that import rulings
from engines.take_that.model import Setup, State
from engines.take_that.table import EACH


def opening(setup: Setup) -> State:
    """TT-1: the first round; the dealer is the last seat unless named."""
    assert setup.deck is not None
    nothing: tuple[tuple[int, ...], ...] = ((),) * setup.seats
    table = State(phase="play", turn=None, row=(), hands=nothing, ruleset=setup.ruleset, scores=nothing)
    return deal_round(table, first_dealer(setup), setup.deck)


def deal_round(state: State, dealer: int, cards: Sequence[int | None]) -> State:
    """TT-1.4, TT-1.5: one card at a time, to the seat left of the dealer first. That seat also begins to play."""
    seats = len(state.hands)
    hands, pile = dealt_out(cards, seats, dealer, EACH[seats])
    return changed(
        state,
        phase="play",
        turn=left_of(dealer, seats),
        hands=hands,
        dealer=dealer,
        pile=pile,
        face_up=((),) * seats,
        face_down=((),) * seats,
    )


SETUP_AUDITS = (deck_is_whole(rulings.CARD_TWICE),)  #: TT-1.2.
