"""Twins, by Reiner Knizia: three to six players, four tricks a hand."""

from engines.core.engine import Engine, ranked, won_by_most
from engines.core.records import changed
from engines.core.rulings import rulings_of
from engines.twins import audit, candidates, checks, evidence, model, rulings, setup, table, view

__all__ = ["ENGINE"]


def _complete(state: model.State) -> model.State:
    """The state with an entry for each seat in `plays`, also where nobody has placed."""
    return state if state.plays else changed(state, plays=(None,) * len(state.chips))


ENGINE: Engine[model.State] = Engine(
    game="twins",
    version=3,
    rulesets=model.RULESETS,
    state=model.State,
    setup=model.Setup,
    rulings=rulings_of(rulings),
    no_such_seat=rulings.NO_SUCH_SEAT,
    zones=table.ZONES,
    moves=checks.MOVES,
    audits=audit.AUDITS,
    setup_audits=setup.SETUP_AUDITS,
    cards=lambda setup: table.ZONES.deck,
    opening=setup.opening,
    to_act=table.to_act,
    candidates=candidates.candidates,
    canonical=candidates.canonical,
    facts=candidates.facts,
    fact_types=candidates.FACT_TYPES,
    evidence=evidence.EVIDENCE,
    view=view.view,
    standings=lambda state: ranked(state.chips),
    result=won_by_most(rulings.GAME_OVER, lambda state: state.chips),
    complete=_complete,
    seats_of=lambda state: len(state.chips),
    view_move=view.view_move,
    view_event=view.view_event,
)
