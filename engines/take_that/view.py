"""What each seat may see: everything but other hands, the pile and, while the round lasts, the extra cards."""

from __future__ import annotations

from engines.core.hidden import movers_only, only_own, owners_only, unknown
from engines.core.records import changed
from engines.take_that import rulings
from engines.take_that.model import Lay, State, Twist


def view(state: State, seat: int | None) -> State:
    """TT-5.5: not even its owner has looked at an extra card."""
    face_down = state.face_down
    if state.extras is not None:
        face_down = tuple(
            tuple(None if index in places else card for index, card in enumerate(cards))
            for cards, places in zip(face_down, state.extras, strict=True)
        )
    return changed(state, hands=only_own(state.hands, seat), pile=unknown(state.pile), face_down=face_down)


view_move = movers_only("drawn", Lay, Twist)
view_event = owners_only(rulings.DREW, "card")
"""A card drawn is seen by the seat that drew it."""
