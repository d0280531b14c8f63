"""Twin it!, by Nathalie Saunier, Rémi Saunier and Tom Vuarchex: two-sided cards, and hands that fall at once."""

from engines.core.engine import Engine, Result, best, ranked
from engines.twin_it import rulings
from engines.twin_it.audit import AUDITS
from engines.twin_it.candidates import FACT_TYPES, candidates, canonical, facts
from engines.twin_it.checks import MOVES
from engines.twin_it.model import RULESETS, Setup, State
from engines.twin_it.moves import scores
from engines.twin_it.scoring import rating
from engines.twin_it.setup import SETUP_AUDITS, cards, opening
from engines.twin_it.table import ZONES, complete, to_act
from engines.twin_it.view import view

__all__ = ["ENGINE"]


def _result(state: State) -> Result | None:
    if state.phase != "game-over":
        return None
    by_side, name = scores(state), state.ruleset.name
    if name == "cooperative":
        points = by_side[0]
        return Result(rulings.RATED.rule, points=points, rating=rating(len(state.piles), points))
    ruling = rulings.WON if max(by_side) >= state.ruleset.sets_to_win else rulings.OUT_OF_CARDS
    return Result((rulings.TIME_IS_UP if name == "timed" else ruling).rule, winners=best(by_side))


ENGINE: Engine[State] = Engine(
    game="twin-it",
    seats=range(1, 7),
    rulesets=RULESETS,
    state=State,
    zones=ZONES,
    moves=MOVES,
    setup=Setup,
    rulings=rulings.RULINGS,
    audits=AUDITS,
    complete=complete,
    seats_of=lambda state: len(state.piles),
    no_such_seat=rulings.NO_SUCH_SEAT,
    to_act=to_act,
    candidates=candidates,
    canonical=canonical,
    facts=facts,
    fact_types=FACT_TYPES,
    standings=lambda state: ranked(scores(state)),
    result=_result,
    teams=lambda state: state.ruleset.name == "team",
    view=view,
    cards=cards,
    opening=opening,
    setup_audits=SETUP_AUDITS,
)
