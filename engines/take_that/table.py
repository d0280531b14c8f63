"""What follows from a state: who is next, what is finished, which cards are seen."""

from __future__ import annotations

from engines.core.hands import Hands, HandSize
from engines.core.zones import Zones
from engines.take_that.model import State
from engines.take_that.row import CARDS

EACH = {2: 9, 3: 9, 4: 8}  #: TT-1.4: how many cards each player is dealt, by the number of players.
ZONES = Zones(State, "row", "hands", "pile", "face_up", "face_down", deck=CARDS)
"""TT-1.2: seventy-nine cards, each once."""


def sizes(state: State) -> list[HandSize]:
    """TT-1.4, TT-2.2: as many cards as were dealt while the pile has cards, then as many or fewer.

    TT-3.2: the seat that opens a row has at least one.
    """
    seats = len(state.hands)
    each = EACH[seats]
    if state.pile:
        return [HandSize(each, each)] * seats
    opener = state.turn if state.phase == "play" and not state.row else None
    return [HandSize(1 if seat == opener else 0, each) for seat in range(seats)]


HANDS = Hands(sizes)


def pile(state: State) -> tuple[int | None, ...] | None:
    """TT-1.2, TT-1.4: the pile as posted. If it is not, it is empty where all cards lie elsewhere or a hand is short.

    None: it is not known.
    """
    if state.pile is None and (_a_hand_is_short(state) or ZONES.have_all(state)):
        return ()
    return state.pile


def _a_hand_is_short(state: State) -> bool:
    """TT-2.3: whether some hand, seen whole, has fewer cards than were dealt, so that it could not draw again."""
    each = EACH[len(state.hands)]
    return any(len(hand) < each and None not in hand for hand in state.hands)


def opener(state: State, seat: int) -> int | None:
    """TT-6.1: the first seat with a card to lay, from the left of `seat` round to `seat` itself."""
    seats = len(state.hands)
    around = ((seat + step) % seats for step in range(1, seats + 1))
    return next((other for other in around if state.hands[other]), None)


def totals(state: State) -> list[int]:
    """TT-7.3: the points of the finished rounds, by seat."""
    return [sum(points) for points in state.scores]


def to_act(state: State) -> tuple[int | None, ...]:
    """The seats that may move now; None: the table."""
    if state.phase == "play":
        return (state.turn,)
    return (None,) if state.phase == "round-over" else ()
