"""Candidates for legal moves: `/legal-moves` lists those that pass the checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engines.core.engine import Candidates
from engines.take_that.model import Card, Lay, Points, State, Take, Twist
from engines.take_that.row import PARTNER, reach
from engines.take_that.scoring import cost


def candidates(state: State, seat: int) -> Candidates:
    """A lay of each known card of the hand, then a twist with each, then the take."""
    hand = state.hands[seat]
    known = sorted(card for card in hand if card is not None)
    moves: list[Any] = [Lay(seat, card) for card in known]
    moves += [Twist(seat, card) for card in known if card in PARTNER]
    return Candidates([*moves, Take(seat)], len(known) == len(hand))


def facts(state: State, move: Lay | Twist | Take) -> Mapping[str, Any]:
    """Of a lay the cards that may follow it, of a twist the partner, of a take the points if the whole row is seen."""
    if isinstance(move, Lay):
        return {"reach": reach(move.card)}
    if isinstance(move, Twist):
        return {"partner": PARTNER[move.card]}
    return {} if None in state.row else {"points": cost(state.row)}


FACT_TYPES: Mapping[str, Any] = {"partner": Card, "points": Points, "reach": tuple[Card, Card]}
