"""Effect: one function a move, from a state and a legal move to the next state and what happened."""

from __future__ import annotations

from collections.abc import Mapping

from engines.core.engine import Step, best
from engines.core.records import changed
from engines.core.rulings import Event, Happens, Undetermined
from engines.twin_it import rulings
from engines.twin_it.designs import NUMBER, TURNED, design, designs_of
from engines.twin_it.incident import settled_incident
from engines.twin_it.model import Claim, Count, Flip, State
from engines.twin_it.rulings import Ending
from engines.twin_it.scoring import Rejected, rated, sifted, tally
from engines.twin_it.table import COUNTING_RULESETS, counted_by_others, is_spent, next_with_cards

ENDINGS: dict[Happens, Ending] = {
    rulings.OUT_OF_CARDS: "most-sets",
    rulings.WON: "winning-number",
    rulings.TIME_IS_UP: "most-points",
}


def flip(state: State, move: Flip) -> Step | Undetermined:
    """TI-2.1: the top goes onto the table and shows its other side; the next seat with a pile has the turn."""
    seat = move.seat
    top, *rest = state.piles[seat]
    if top is None:
        return rulings.TOP_UNSEEN.undetermined(f"/piles/{seat}/0", seat=seat)
    if move.uncovered is not None:
        rest[0] = move.uncovered
    piles = (*state.piles[:seat], tuple(rest), *state.piles[seat + 1 :])
    state = changed(state, piles=piles, table=(*state.table, TURNED[top]), turn=next_with_cards(piles, seat + 1))
    uncovered = rest[0] if rest else None
    flipped = rulings.FLIPPED.happened(
        seat=seat,
        card=TURNED[top],
        design=design(state.designs, TURNED[top]),
        uncovered=uncovered,
        uncovered_design=None if uncovered is None else design(state.designs, uncovered),
    )
    return _going_on(state, [flipped])


def claim(state: State, move: Claim) -> Step | Undetermined:
    """TI-4.6: the incident is settled; TI-3.6, TI-8.3: which seat may flip next.

    Without hands the table ends the game (TI-2.2), or turns trebles over and leaves the turn as it is (TI-4.5).
    """
    if not move.hands and not any(state.piles):
        return _over(state, [], rulings.OUT_OF_CARDS)
    incident = settled_incident(state, move)
    if isinstance(incident, Undetermined):
        return incident
    after = incident.after()
    if incident.champion is not None:
        return _over(after, incident.events, rulings.WON)
    is_open_to_all = state.ruleset.name == "team" and bool(move.hands)
    restarting = None if is_open_to_all else incident.restarts
    turn = None if restarting is None else next_with_cards(after.piles, restarting)
    return _going_on(changed(after, turn=turn), incident.events)


def count(state: State, move: Count) -> Step:
    """TI-9.1, TI-10.1: the groups score; the last count ends the game."""
    seat, entry = move.seat, move.seat or 0
    others = counted_by_others(state, entry)
    counted = sifted(state.designs, move.groups, others)
    pairs, trebles, points = tally(counted.groups)
    events = [_rejection(state, group, others) for group in counted.rejected]
    ruling = rulings.COUNTED if seat is None else rulings.COUNTED_BY_SEAT
    events.append(ruling.happened(seat=seat, pairs=pairs, trebles=trebles, points=points))
    counts = (*state.counts[:entry], counted.groups, *state.counts[entry + 1 :])
    state = changed(state, counts=counts)
    if None in counts:
        return state, events
    if seat is None:
        players = len(state.piles)
        events.append(rulings.RATED.happened(points=points, players=players, **rated(players, points)._asdict()))
        return changed(state, phase="game-over", turn=None), events
    return _over(state, events, rulings.TIME_IS_UP)


def scores(state: State) -> tuple[int, ...]:
    """The score of each side: its sets, or its points; in cooperative play every seat has the points of all."""
    if state.ruleset.name not in COUNTING_RULESETS or not state.counts:
        return tuple(len(sets) for sets in state.sets)
    points = tuple(tally(groups or ())[2] for groups in state.counts)
    return points[:1] * len(state.piles) if state.ruleset.name == "cooperative" else points


def _rejection(state: State, group: Rejected, others: Mapping[int, int]) -> Event:
    """TI-9.1, TI-10.1: the group that does not count, and why. `others`: `counted_by_others`."""
    by_another = group.reason == "counted-by-another"
    designs = tuple(designs_of(state.designs, group.cards)) if group.reason == "unequal" else ()
    return (rulings.REJECTED_COUNTED if by_another else rulings.REJECTED).happened(
        cards=group.cards,
        reason=group.reason,
        designs=designs or None,
        card=group.card,
        by=others[NUMBER[group.card]] if by_another and group.card is not None else None,
    )


def _going_on(state: State, events: list[Event]) -> Step:
    """TI-2.2: the game ends when nothing is left to turn or to claim."""
    return _over(state, events, rulings.OUT_OF_CARDS) if is_spent(state) else (state, events)


def _over(state: State, events: list[Event], ruling: Happens) -> Step:
    """The end of the game, by this ruling: the sides with the highest score have won."""
    totals = scores(state)
    events.append(ruling.happened(winners=best(totals), because=ENDINGS[ruling], totals=totals))
    return changed(state, phase="game-over", turn=None), events
