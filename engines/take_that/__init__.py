"""Take That, by Andreas Spies and Reinhard Staupe: two to four players, a row of cards, twisted partners."""

from engines.core.engine import Engine, ranked, won_by_most
from engines.core.records import changed
from engines.take_that import rulings
from engines.take_that.audit import AUDITS
from engines.take_that.candidates import FACT_TYPES, candidates, facts
from engines.take_that.checks import MOVES
from engines.take_that.model import RULESETS, Setup, State
from engines.take_that.row import CARDS
from engines.take_that.setup import SETUP_AUDITS, opening
from engines.take_that.table import ZONES, to_act, totals
from engines.take_that.view import view, view_event, view_move

__all__ = ["ENGINE"]


def _complete(state: State) -> State:
    nothing = ((),) * len(state.hands)
    return changed(
        state,
        face_up=state.face_up or nothing,
        face_down=state.face_down or nothing,
        scores=state.scores or nothing,
    )


ENGINE: Engine[State] = Engine(
    game="take-that",
    seats=range(2, 5),
    rulesets=RULESETS,
    state=State,
    zones=ZONES,
    moves=MOVES,
    setup=Setup,
    rulings=rulings.RULINGS,
    audits=AUDITS,
    complete=_complete,
    no_such_seat=rulings.NO_SUCH_SEAT,
    to_act=to_act,
    candidates=candidates,
    facts=facts,
    fact_types=FACT_TYPES,
    standings=lambda state: ranked(totals(state)),
    result=won_by_most(rulings.GAME_OVER, totals),
    view=view,
    view_move=view_move,
    view_event=view_event,
    cards=lambda setup: CARDS,
    opening=opening,
    setup_audits=SETUP_AUDITS,
)
