"""What each seat may see: everything but the piles below their tops, its own among them."""

from __future__ import annotations

from engines.core.records import changed
from engines.twin_it.model import State


def view(state: State, seat: int | None) -> State:
    """TI-1.2: a pile lies visible, that is its top; order and sides below are hidden from all alike."""
    return changed(state, piles=tuple((*pile[:1], *(None,) * (len(pile) - 1)) for pile in state.piles))
