"""Twins, by Reiner Knizia: three to six players, four tricks a hand."""

from engines.core.engine import Engine, ranked, won_by_most
from engines.core.records import changed
from engines.twins import rulings
from engines.twins.audit import AUDITS
from engines.twins.candidates import FACT_TYPES, candidates, facts
from engines.twins.checks import MOVES
from engines.twins.combinations import CARDS
from engines.twins.model import RULESETS, Setup, State
from engines.twins.setup import SETUP_AUDITS, opening
from engines.twins.table import ZONES, to_act
from engines.twins.view import view, view_move

__all__ = ["ENGINE"]


def _complete(state: State) -> State:
    return state if state.plays else changed(state, plays=(None,) * len(state.chips))


ENGINE: Engine[State] = Engine(
    game="twins",
    seats=range(3, 7),
    rulesets=RULESETS,
    state=State,
    zones=ZONES,
    moves=MOVES,
    setup=Setup,
    rulings=rulings.RULINGS,
    audits=AUDITS,
    complete=_complete,
    seats_of=lambda state: len(state.chips),
    no_such_seat=rulings.NO_SUCH_SEAT,
    to_act=to_act,
    candidates=candidates,
    facts=facts,
    fact_types=FACT_TYPES,
    standings=lambda state: ranked(state.chips),
    result=won_by_most(rulings.GAME_OVER, lambda state: state.chips),
    view=view,
    view_move=view_move,
    cards=lambda setup: CARDS,
    opening=opening,
    setup_audits=SETUP_AUDITS,
)
