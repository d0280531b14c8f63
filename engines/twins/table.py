"""What follows from the facts of a state: who buys, who plays, where cards are seen."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from engines.twins.model import State

PRICES = (0, 1, 3)
START = 12


def price(count: int) -> int:
    """TW-2.2: one card costs 1, two cost 3 together."""
    return PRICES[count]


def around(state: State) -> Iterator[int]:
    """The seats in the order of the deal: from the dealer's left to the dealer. The dealer must be known."""
    assert state.dealer is not None
    seats = len(state.chips)
    return ((state.dealer + 1 + step) % seats for step in range(seats))


def buyer(state: State) -> int | None:
    """TW-2.1: whose purchase is next, where dealer and purchases are known; None when all have bought."""
    assert state.bought is not None
    return next((seat for seat in around(state) if state.bought[seat] is None), None)


def missing(state: State, trick: int) -> Collection[int]:
    """TW-7.6: the seats that play no part in this trick: bankrupt or, in trick 4, missing it."""
    return {*state.bankrupt, *state.out} if trick == 4 else state.bankrupt


def players(state: State, trick: int) -> list[int]:
    """The seats that play in this trick."""
    absent = missing(state, trick)
    return [seat for seat in range(len(state.chips)) if seat not in absent]


def cards_seen(state: State) -> set[str]:
    """Every card that the state shows, wherever it lies."""
    seen: set[str | None] = {*(state.stock or ()), *(state.discards or ())}
    seen.update(*(state.hands or ()))
    seen.update(*(play for play in state.plays if play is not None))
    return {card for card in seen if card is not None}


def to_act(state: State) -> tuple[int | None, ...]:
    """Who may move now. In a trick everyone who has still to place; while buying, all that may be next."""
    if state.phase == "trick":
        assert state.trick is not None
        return tuple(seat for seat in players(state, state.trick) if state.plays[seat] is None)
    if state.phase == "buying":
        if state.bought is None:
            return tuple(range(len(state.chips)))
        if state.dealer is None:
            return tuple(seat for seat, count in enumerate(state.bought) if count is None)
        return (buyer(state),)
    return (None,) if state.phase == "hand-over" else ()
