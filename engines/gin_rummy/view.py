"""What each seat may see: everything but the other hand, until a knock, and the stock."""

from __future__ import annotations

from engines.core.hidden import only_own, unknown
from engines.core.records import changed
from engines.core.rulings import Event
from engines.gin_rummy import rulings
from engines.gin_rummy.model import Deal, Discard, Draw, Knock, LayOff, Pass, State, TakeUpcard


def view(state: State, seat: int | None) -> State:
    """GR-5.7: from the knock on both hands lie open; a dead hand is never shown."""
    knocked = state.last_hand is not None and state.last_hand.kind != "dead"
    lie_open = state.phase == "lay-off" or (knocked and state.phase in ("hand-over", "game-over"))
    hands = state.hands if lie_open else only_own(state.hands, seat)
    return changed(state, hands=hands, stock=unknown(state.stock))


def view_move(
    state: State, move: TakeUpcard | Pass | Draw | Discard | Knock | LayOff | Deal, seat: int | None
) -> TakeUpcard | Pass | Draw | Discard | Knock | LayOff | Deal:
    """The move as a seat may see it: a card from the stock is seen by the seat that drew it."""
    hidden = isinstance(move, Draw) and move.from_ == "stock" and move.seat != seat
    return changed(move, drawn=None) if hidden else move


def view_event(state: State, event: Event, seat: int | None) -> Event:
    """A card from the stock is seen by the seat that drew it."""
    params = event.params
    if event.ruling is not rulings.DREW or params["from"] != "stock" or params["seat"] == seat:
        return event
    return event._replace(params={**params, "card": None})
