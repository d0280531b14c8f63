"""Gin rummy: two players, melds and deadwood, in four rulesets."""

from engines.core.engine import Engine, Standing, ranked, won_by_most
from engines.core.rulings import rulings_of
from engines.gin_rummy import audit, candidates, checks, evidence, model, rulings, scoring, setup, table, view

__all__ = ["ENGINE"]


def _standings(state: model.State) -> tuple[Standing, ...]:
    """GR-8.2: bonuses count once the game is over."""
    if state.phase == "game-over":
        bonuses = scoring.of_game(state.ruleset, state.scores, state.hands_won)
        return ranked(scoring.totals(state.scores, bonuses))
    return ranked(state.scores)


ENGINE: Engine[model.State] = Engine(
    game="gin-rummy",
    version=3,
    rulesets=model.RULESETS,
    state=model.State,
    setup=model.Setup,
    rulings=rulings_of(rulings),
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
    standings=_standings,
    result=won_by_most(rulings.GAME_OVER, lambda state: state.scores),  # bonuses change totals, not the winner
    view_move=view.view_move,
    view_event=view.view_event,
)
