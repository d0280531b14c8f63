"""Candidates for legal moves: `/legal-moves` lists those that pass the checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from engines.core.engine import Candidates, without_chance
from engines.core.sides import side_of
from engines.twin_it import rulings
from engines.twin_it.designs import NUMBER, design
from engines.twin_it.incident import Incident, settled_incident
from engines.twin_it.model import Card, Claim, Count, Design, Flip, Hand, Seat, State
from engines.twin_it.rulings import From, Seats, Side, Times
from engines.twin_it.scoring import sifted, tally
from engines.twin_it.table import (
    COUNTING_RULESETS,
    counted_by_others,
    flippers,
    forbidden_designs,
    in_one_set,
    is_own_top,
    openings,
    own_tops_count,
    trebles,
    unseen_tops,
    won_pair,
)

Place: TypeAlias = Literal["table", "pile", "set"]


def candidates(state: State, seat: int | None) -> Candidates:
    """A flip, one claim for each opening, the table's claims; or a count of the groups on the table.

    A team claims with two seats, so its claims are the table's: for each opening and each seat one, in which the next
    seat of its team touches the other card.
    """
    if state.ruleset.name in COUNTING_RULESETS:
        return Candidates([Count(_groups(state, seat), seat)], complete=False)
    moves: list[Any] = []
    by_team = state.ruleset.name == "team"
    if seat is not None and seat in flippers(state):
        moves.append(Flip(seat))
    if seat is not None and not by_team:
        moves += _claims(state, seat, seat)
    if seat is None and by_team:
        for first in range(len(state.piles)):
            moves += _claims(state, first, _next_of_team(state, first))
    if seat is None and (trebles(state) or not any(state.piles)):
        moves.append(Claim(()))
    return Candidates(moves, complete=not unseen_tops(state))


def canonical(state: State, move: Any) -> Any:
    """TI-3.1, TI-8.1: of the claims that win a set by two hands, the one that is listed for this set and first hand.

    No other claim with hands is listed, and of counts only the one with all groups.
    """
    if isinstance(move, Count):
        listed = Count(_groups(state, move.seat), move.seat)
        return listed if Counter(map(frozenset, move.groups)) == Counter(map(frozenset, listed.groups)) else None
    if not isinstance(move, Claim) or not move.hands:
        return without_chance(state, move)
    wins = _wins_a_set(state, move)
    if wins is False:
        return None
    first = move.hands[0].seat
    second = _next_of_team(state, first) if state.ruleset.name == "team" else first
    cards = _opened(state, move)
    listed_claims = (listed for listed in _claims(state, first, second) if _opened(state, listed) == cards)
    return next(listed_claims, move if wins else None)


def _wins_a_set(state: State, move: Claim) -> bool | None:
    """Whether two hands win a set, also by robbery; None: that is not seen."""
    if len(move.hands) != 2 or len({design(state.designs, hand.card) for hand in move.hands}) > 1:
        return False
    incident = settled_incident(state, move)
    if not isinstance(incident, Incident):
        return None
    return any(event.ruling.code == rulings.SET_WON.code for event in incident.events)


def _opened(state: State, move: Claim) -> set[str]:
    """The cards under the hands of a claim; of a pair that was won the first, whichever the hand is on."""
    pair_of = {card: cards[0] for sets in state.sets for cards in sets for card in cards}
    return {pair_of.get(hand.card, hand.card) for hand in move.hands}


def _claims(state: State, first: int, second: int) -> Iterator[Claim]:
    """TI-3.1, TI-8.1: for each opening a claim of two seats, which may be one.

    Neither touches the top of its own pile where that has no effect (TI-3.2).
    """
    forbidden = forbidden_designs(state, side_of(state.teams, first))
    for opening in openings(state):
        if opening.design not in forbidden:
            one, other = opening.cards
            hands, exchanged = (Hand(first, one), Hand(second, other)), (Hand(first, other), Hand(second, one))
            if not _in_vain(state, hands):
                yield Claim(hands)
            elif not _in_vain(state, exchanged):
                yield Claim(exchanged)


def _in_vain(state: State, hands: Iterable[Hand]) -> bool:
    """TI-3.2: whether one of the hands is on the top of its own pile, where that does not count."""
    return not own_tops_count(state) and any(is_own_top(state, hand) for hand in hands)


def _next_of_team(state: State, seat: int) -> int:
    """The next seat of the same team, to the left."""
    seats = len(state.piles)
    others = ((seat + step) % seats for step in range(1, seats))
    return next(other for other in others if side_of(state.teams, other) == side_of(state.teams, seat))


def _groups(state: State, seat: int | None) -> tuple[tuple[str, ...], ...]:
    """The cards on the table in twos and threes of one design, without those that others have counted."""
    counted = counted_by_others(state, seat or 0)
    groups: dict[str, tuple[str, ...]] = {}
    for card in state.table:
        if NUMBER[card] not in counted:
            name = design(state.designs, card)
            groups[name] = (*groups.get(name, ()), card)
    return tuple(cards for cards in groups.values() if len(cards) > 1)


def facts(state: State, move: Any) -> Mapping[str, Any]:
    """How many cards a flip leaves in the pile; what a claim wins and where; what a count is worth."""
    if isinstance(move, Flip):
        return {"left": len(state.piles[move.seat]) - 1}
    if isinstance(move, Count):
        counted = sifted(state.designs, move.groups, counted_by_others(state, move.seat or 0))
        return dict(zip(("pairs", "trebles", "points"), tally(counted.groups), strict=True))
    if len(move.hands) != 2 or _in_vain(state, move.hands):  # it wins nothing
        return {}
    first, second = move.hands
    name = design(state.designs, first.card)
    if name != design(state.designs, second.card) or in_one_set(state, first.card, second.card):
        return {}
    owner = won_pair(state, name)
    source: From = "table"
    if owner is not None:
        source = "own-pair" if owner == side_of(state.teams, first.seat) else "robbery"
    return {"design": name, "from": source}


def particulars(state: State, move: Any) -> Mapping[str, Any]:
    """Of two hands whose they are, and where both cards lie; of none whether the claim ends the game (TI-2.2)."""
    if not isinstance(move, Claim):
        return {}
    if len(move.hands) != 2:
        return {"ends": not any(state.piles)}
    one, other = [_lies(state, hand.card) for hand in move.hands]
    return {
        "by": tuple(dict.fromkeys(hand.seat for hand in move.hands)),
        **dict(zip(("card", "place", "owner", "side"), one, strict=True)),
        **dict(zip(("other", "other_place", "other_owner", "other_side"), other, strict=True)),
    }


def _lies(state: State, card: str) -> tuple[str, Place | None, int | None, int | None]:
    """A card, where it shows, the seat if that is a pile, the side if it is a set; None: not seen, or not there."""
    if card in state.table:
        return card, "table", None, None
    for seat, pile in enumerate(state.piles):
        if pile and pile[0] == card:
            return card, "pile", seat, None
    side = next((side for side, sets in enumerate(state.sets) if any(card in cards for cards in sets)), None)
    return card, None if side is None else "set", None, side


_LIES: Mapping[str, Any] = {"place": Place | None, "owner": Seat | None, "side": Side | None}
PARTICULAR_TYPES: Mapping[str, Any] = {
    "ends": bool,
    "by": Seats,
    "card": Card,
    "other": Card,
    **_LIES,
    **{f"other_{name}": hint for name, hint in _LIES.items()},
}
FACT_TYPES: Mapping[str, Any] = {
    "left": Times,
    "design": Design,
    "from": From,
    "pairs": Times,
    "trebles": Times,
    "points": Times,
}
