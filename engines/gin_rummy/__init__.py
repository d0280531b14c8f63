"""Gin rummy: two players, melds and deadwood, in four rulesets."""

from engines.core.engine import Engine, Standing, ranked, won_by_most
from engines.gin_rummy import rulings
from engines.gin_rummy.audit import AUDITS
from engines.gin_rummy.candidates import FACT_TYPES, candidates, facts
from engines.gin_rummy.checks import MOVES
from engines.gin_rummy.melds import CARDS
from engines.gin_rummy.model import RULESETS, Setup, State
from engines.gin_rummy.scoring import of_game
from engines.gin_rummy.setup import SETUP_AUDITS, opening
from engines.gin_rummy.table import ZONES, to_act
from engines.gin_rummy.view import view, view_event, view_move

__all__ = ["ENGINE"]


def _standings(state: State) -> tuple[Standing, ...]:
    """GR-8.2: bonuses count once the game is over."""
    totals = list(state.scores)
    for line in of_game(state.ruleset, state.scores, state.hands_won) if state.phase == "game-over" else ():
        totals[line.seat] += line.points
    return ranked(totals)


ENGINE: Engine[State] = Engine(
    game="gin-rummy",
    seats=range(2, 3),
    rulesets=RULESETS,
    state=State,
    zones=ZONES,
    moves=MOVES,
    setup=Setup,
    rulings=rulings.RULINGS,
    audits=AUDITS,
    to_act=to_act,
    candidates=candidates,
    facts=facts,
    fact_types=FACT_TYPES,
    standings=_standings,
    result=won_by_most(rulings.GAME_OVER, lambda state: state.scores),  # whatever the bonuses make of the totals
    view=view,
    view_move=view_move,
    view_event=view_event,
    cards=lambda setup: CARDS,
    opening=opening,
    setup_audits=SETUP_AUDITS,
)
