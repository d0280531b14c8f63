"""Take That, by Andreas Spies and Reinhard Staupe: two to four players, a row of cards, twisted partners."""

from engines.core.engine import Engine, ranked, won_by_most
from engines.core.records import changed
from engines.core.rulings import rulings_of
from engines.take_that import audit, candidates, checks, evidence, model, rulings, setup, table, view

__all__ = ["ENGINE"]


def _complete(state: model.State) -> model.State:
    """The state with an empty list for each seat where none are given, and with the pile if it must be empty."""
    nothing = ((),) * len(state.hands)
    return changed(
        state,
        face_up=state.face_up or nothing,
        face_down=state.face_down or nothing,
        scores=state.scores or nothing,
        pile=table.pile(state),
    )


ENGINE: Engine[model.State] = Engine(
    game="take-that",
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
    facts=candidates.facts,
    fact_types=candidates.FACT_TYPES,
    evidence=evidence.EVIDENCE,
    view=view.view,
    standings=lambda state: ranked(table.totals(state)),
    result=won_by_most(rulings.GAME_OVER, table.totals),
    complete=_complete,
    view_move=view.view_move,
    view_event=view.view_event,
)
