"""Candidates for legal moves: `/legal-moves` lists those that pass the checks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from engines.core.engine import Candidates, without_chance
from engines.twins.combinations import ORDER, Kind, combination
from engines.twins.model import Buy, Play, State
from engines.twins.rulings import Strength
from engines.twins.table import price


def candidates(state: State, seat: int) -> Candidates:
    """Every purchase, or every two known cards of the hand in deck order."""
    if state.phase == "buying":
        return Candidates([Buy(seat, count) for count in range(3)])
    hand = (None,) if state.hands is None else state.hands[seat]
    known = sorted((card for card in hand if card is not None), key=ORDER.__getitem__)
    return Candidates([Play(seat, pair) for pair in combinations(known, 2)], len(known) == len(hand))


def canonical(state: State, move: Any) -> Any:
    """TW-4.1: a play is listed with its cards in deck order, a purchase without what is drawn."""
    if not isinstance(move, Play):
        return without_chance(state, move)
    first, second = sorted(move.cards, key=ORDER.__getitem__)
    return Play(move.seat, (first, second))


def facts(state: State, move: Buy | Play) -> Mapping[str, Any]:
    """The price of a purchase, or the worth of two cards."""
    if isinstance(move, Buy):
        return {"price": price(move.count)}
    kind, strength, _rank = combination(*move.cards, state.ruleset.white_numerals)
    return {"combination": kind, "strength": strength}


FACT_TYPES: Mapping[str, Any] = {"price": int, "combination": Kind, "strength": Strength}
