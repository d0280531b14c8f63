"""Twin it!, by Nathalie Saunier, Rémi Saunier and Tom Vuarchex: two-sided cards, and hands that fall at once."""

from engines.core.engine import Engine, Result, best, ranked
from engines.core.rulings import rulings_of
from engines.twin_it import audit, candidates, checks, evidence, model, moves, rulings, scoring, setup, table, view

__all__ = ["ENGINE"]


def _result(state: model.State) -> Result | None:
    """TI-2.2, TI-6.1, TI-9.2, TI-10.1: the winners of a game that is over; of a cooperative one points and rating."""
    if state.phase != "game-over":
        return None
    by_side, name = moves.scores(state), state.ruleset.name
    if name == "cooperative":
        points = by_side[0]
        return Result(rulings.RATED.rule, points=points, rating=scoring.rated(len(state.piles), points).rating)
    ruling = rulings.WON if max(by_side) >= state.ruleset.sets_to_win else rulings.OUT_OF_CARDS
    return Result((rulings.TIME_IS_UP if name == "timed" else ruling).rule, winners=best(by_side))


ENGINE: Engine[model.State] = Engine(
    game="twin-it",
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
    cards=setup.cards,
    opening=setup.opening,
    to_act=table.to_act,
    candidates=candidates.candidates,
    facts=candidates.facts,
    fact_types=candidates.FACT_TYPES,
    evidence=evidence.EVIDENCE,
    particulars=candidates.particulars,
    particular_types=candidates.PARTICULAR_TYPES,
    view=view.view,
    standings=lambda state: ranked(moves.scores(state)),
    result=_result,
    most_cards=table.MOST_IN_ALL,
    complete=table.complete,
    seats_of=lambda state: len(state.piles),
    canonical=candidates.canonical,
    table_claims=True,
    owed=table.owed,
    teams=lambda state: state.teams if state.ruleset.name == "team" else None,
    deck=lambda setup: setup.designs,
)
