"""Twins, by Reiner Knizia: three to six players, four tricks a hand."""

from engines.core.engine import Engine, ranked, won_by_most
from engines.core.game import Modules, game
from engines.core.records import changed
from engines.twins import audit, candidates, checks, model, rulings, setup, table, view

__all__ = ["ENGINE"]


def _complete(state: model.State) -> model.State:
    return state if state.plays else changed(state, plays=(None,) * len(state.chips))


ENGINE: Engine[model.State] = game(
    "twins",
    Modules(model, rulings, table, checks, setup, audit, candidates, view),
    standings=lambda state: ranked(state.chips),
    result=won_by_most(rulings.GAME_OVER, lambda state: state.chips),
    complete=_complete,
    seats_of=lambda state: len(state.chips),
    view_move=view.view_move,
    view_event=view.view_event,
)
