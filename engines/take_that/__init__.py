"""Take That, by Andreas Spies and Reinhard Staupe: two to four players, a row of cards, twisted partners."""

from engines.core.engine import Engine, ranked, won_by_most
from engines.core.game import Modules, game
from engines.core.records import changed
from engines.take_that import audit, candidates, checks, model, rulings, setup, table, view

__all__ = ["ENGINE"]


def _complete(state: model.State) -> model.State:
    nothing = ((),) * len(state.hands)
    return changed(
        state,
        face_up=state.face_up or nothing,
        face_down=state.face_down or nothing,
        scores=state.scores or nothing,
    )


ENGINE: Engine[model.State] = game(
    "take-that",
    Modules(model, rulings, table, checks, setup, audit, candidates, view),
    standings=lambda state: ranked(table.totals(state)),
    result=won_by_most(rulings.GAME_OVER, table.totals),
    complete=_complete,
    view_move=view.view_move,
    view_event=view.view_event,
)
