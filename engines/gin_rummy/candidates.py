"""Moves worth asking about; the legal ones among them are what `/legal-moves` lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engines.core.engine import Candidates
from engines.core.hidden import without
from engines.gin_rummy.deadwood import least_deadwood
from engines.gin_rummy.lay_off import least_after_laying_off
from engines.gin_rummy.melds import BITS, bits_of
from engines.gin_rummy.model import Discard, Draw, Knock, LayOff, Pass, Points, State, TakeUpcard
from engines.gin_rummy.table import laid_open


def candidates(state: State, seat: int) -> Candidates:
    """What the phase admits; with all cards of a hand seen, knocks too."""
    return CANDIDATES[state.phase](state, seat)


def _to_discard(state: State, seat: int) -> Candidates:
    """Every known card in canonical order as a discard, then as a knock, then big gin."""
    hand = state.hands[seat]
    known = sorted((card for card in hand if card is not None), key=BITS.__getitem__)
    moves: list[Any] = [Discard(seat, card) for card in known]
    if len(known) < len(hand):
        return Candidates(moves, complete=False)
    return Candidates([*moves, *(Knock(seat, card) for card in known), Knock(seat, big=True)])


CANDIDATES: Mapping[str, Callable[[State, int], Candidates]] = {
    "upcard": lambda state, seat: Candidates([TakeUpcard(seat), Pass(seat)]),
    "draw": lambda state, seat: Candidates([Draw(seat, "stock"), Draw(seat, "discards")]),
    "discard": _to_discard,
    "lay-off": lambda state, seat: Candidates([LayOff(seat)]),
}


def facts(state: State, move: Any) -> Mapping[str, Any]:
    """The least deadwood that a discard, a knock or the best lay-off leaves, where all the cards are seen."""
    if isinstance(move, Discard | Knock):
        card = move.card if isinstance(move, Discard) else move.discard
        hand = state.hands[move.seat]
        rest = laid_open(hand if card is None else without(hand, card) or ())
        return {} if rest is None else {"deadwood": least_deadwood(bits_of(rest))}
    if isinstance(move, LayOff) and state.knock is not None:
        hand_ = laid_open(state.hands[move.seat])
        shown = [bits_of(meld) for meld in state.knock.melds]
        return {} if hand_ is None else {"deadwood": least_after_laying_off(bits_of(hand_), shown)}
    return {}


FACT_TYPES: Mapping[str, Any] = {"deadwood": Points}
