"""What each seat may see: everything but other hands, the pile and, while the round lasts, the extra cards."""

from __future__ import annotations

from engines.core.hidden import only_own, owners_only, unknown
from engines.core.records import changed
from engines.take_that import rulings
from engines.take_that.model import Deal, Lay, State, Take, Twist


def view(state: State, seat: int | None) -> State:
    """TT-5.5: not even its owner has looked at an extra card."""
    face_down = state.face_down
    if state.extras is not None:
        face_down = tuple(
            tuple(None if index in places else card for index, card in enumerate(cards))
            for cards, places in zip(face_down, state.extras, strict=True)
        )
    return changed(state, hands=only_own(state.hands, seat), pile=unknown(state.pile), face_down=face_down)


def view_move(state: State, move: Lay | Twist | Take | Deal, seat: int | None) -> Lay | Twist | Take | Deal:
    """The move as a seat may see it: a card drawn is seen by the seat that drew it."""
    return changed(move, drawn=None) if isinstance(move, Lay | Twist) and move.seat != seat else move


view_event = owners_only(rulings.DREW, "card")  #: A card drawn is seen by the seat that drew it.
