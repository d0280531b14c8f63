"""What follows from the facts of a state: who is next, what is finished, where cards are seen."""

from __future__ import annotations

from itertools import chain

from engines.take_that.model import State

EACH = {2: 9, 3: 9, 4: 8}
"""TT-1.4: cards dealt to each of so many players."""


def left_of(state: State, seat: int) -> int:
    """TT-1.5: whose turn follows."""
    return (seat + 1) % len(state.hands)


def opener(state: State, seat: int) -> int | None:
    """TT-6.1: from the left of `seat` round to it, the first with a card to lay."""
    seats = len(state.hands)
    around = ((seat + step) % seats for step in range(1, seats + 1))
    return next((other for other in around if state.hands[other]), None)


def cards_lying(state: State) -> list[int | None]:
    """Every card of every zone, the unseen ones as `None`."""
    return list(chain(state.row, *state.hands, state.pile or (), *state.face_up, *state.face_down))


def cards_seen(state: State) -> set[int]:
    """Every card that the state shows, wherever it lies."""
    return {card for card in cards_lying(state) if card is not None}


def totals(state: State) -> list[int]:
    """TT-7.3: the points of the finished rounds, by seat."""
    return [sum(points) for points in state.scores]


def to_act(state: State) -> tuple[int | None, ...]:
    """Who may move now."""
    if state.phase == "play":
        return (state.turn,)
    return (None,) if state.phase == "round-over" else ()
