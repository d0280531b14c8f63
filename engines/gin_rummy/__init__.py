"""Gin rummy: two players, melds and deadwood, in four rulesets."""

from engines.core.engine import Engine, Standing, ranked, won_by_most
from engines.core.game import Modules, game
from engines.gin_rummy import audit, candidates, checks, model, rulings, scoring, setup, table, view

__all__ = ["ENGINE"]


def _standings(state: model.State) -> tuple[Standing, ...]:
    """GR-8.2: bonuses count once the game is over."""
    totals = list(state.scores)
    for line in scoring.of_game(state.ruleset, state.scores, state.hands_won) if state.phase == "game-over" else ():
        totals[line.seat] += line.points
    return ranked(totals)


ENGINE: Engine[model.State] = game(
    "gin-rummy",
    Modules(model, rulings, table, checks, setup, audit, candidates, view),
    standings=_standings,
    result=won_by_most(rulings.GAME_OVER, lambda state: state.scores),  # whatever the bonuses make of the totals
    view_move=view.view_move,
    view_event=view.view_event,
)
