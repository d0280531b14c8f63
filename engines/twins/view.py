"""What each seat may see: everything but other hands, other plays before they are turned up, and the stock."""

from __future__ import annotations

from engines.core.hidden import only_own, owners_only, unknown
from engines.core.records import changed
from engines.twins import rulings
from engines.twins.model import Buy, Play, State

FACE_DOWN = (None, None)


def view(state: State, seat: int | None) -> State:
    """TW-4.1: nobody sees another's choice before all have placed."""
    hands = None if state.hands is None else only_own(state.hands, seat)
    plays = tuple(play if play is None or owner == seat else FACE_DOWN for owner, play in enumerate(state.plays))
    return changed(state, hands=hands, plays=plays, stock=unknown(state.stock))


def view_move(state: State, move: Buy | Play, seat: int | None) -> Buy | Play:
    """The move as a seat may see it. Others see a play face down while it is open in `state`, the table after it."""
    if move.seat == seat:
        return move
    if isinstance(move, Play) and state.plays[move.seat] is not None:
        return changed(move, cards=FACE_DOWN)
    return changed(move, cards=None) if isinstance(move, Buy) and move.cards is not None else move


view_event = owners_only(rulings.BOUGHT, "cards")  #: What was bought is seen by its buyer alone.
