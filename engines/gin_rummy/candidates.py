"""Candidates for legal moves: `/legal-moves` lists those that pass the checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from engines.core.engine import Candidates, without_chance
from engines.core.hidden import without
from engines.core.shape import Length
from engines.gin_rummy import layouts
from engines.gin_rummy.melds import BITS
from engines.gin_rummy.model import (
    Cards,
    Discard,
    Draw,
    Knock,
    LaidCard,
    LaidCards,
    LayOff,
    Melds,
    Pass,
    Points,
    State,
    TakeUpcard,
)
from engines.gin_rummy.table import HANDS, laid_open


def candidates(state: State, seat: int) -> Candidates:
    """The moves that the phase admits; knocks only where the whole hand is seen."""
    return CANDIDATES[state.phase](state, seat)


def _to_discard(state: State, seat: int) -> Candidates:
    """Every known card in canonical order as a discard, then as a knock, then big gin."""
    hand = state.hands[seat]
    known = sorted((card for card in hand if card is not None), key=BITS.__getitem__)
    discards = [Discard(seat, card) for card in known]
    if len(known) < len(hand):
        return Candidates(discards, complete=False)
    return Candidates([*discards, *(Knock(seat, card) for card in known), Knock(seat, big=True)])


CANDIDATES: Mapping[str, Callable[[State, int], Candidates]] = {
    "upcard": lambda state, seat: Candidates([TakeUpcard(seat), Pass(seat)]),
    "draw": lambda state, seat: Candidates([Draw(seat, "stock"), Draw(seat, "discards"), Pass(seat)]),
    "discard": _to_discard,
    "lay-off": lambda state, seat: Candidates([LayOff(seat)]),
}


def canonical(state: State, move: Any) -> Any:
    """GR-5.6, GR-6.3: a move that states its melds or lay-offs is not listed; others are, without what is drawn."""
    return None if _is_laid_out(move) else without_chance(state, move)


def _is_laid_out(move: Any) -> bool:
    """Whether a move states melds or lay-offs."""
    return getattr(move, "melds", None) is not None or getattr(move, "lay_offs", None) is not None


def facts(state: State, move: Any) -> Mapping[str, Any]:
    """The melds and the deadwood that a discard, a knock or the best lay-off leaves, where all these cards are seen.

    Of a lay-off also the cards that each shown meld takes, directly or upon others. A move that states its melds or
    lay-offs has no facts: they are those of the best.
    """
    if _is_laid_out(move):
        return {}
    if isinstance(move, Discard | Knock):
        card = move.card if isinstance(move, Discard) else move.discard
        hand = HANDS.filled(state, move.seat)
        rest = laid_open(hand if card is None else without(hand, card))
        return {} if rest is None else _facts_of(layouts.without_lay_offs(rest))
    if isinstance(move, LayOff) and state.knock is not None:
        defender = laid_open(HANDS.filled(state, move.seat))
        shown = state.knock.melds
        if defender is None:
            return {}
        best = layouts.of_defender(defender, shown, melds=None, lay_offs=None)
        possible = layouts.possible_lay_offs(defender, shown)
        return {**_facts_of(best), "lay_offs": best.lay_offs, "possible": possible}
    return {}


def _facts_of(layout: layouts.Layout) -> dict[str, Any]:
    """The melds of a layout, its unmatched cards and their points."""
    return {"melds": layout.melds, **layout.deadwood_params()}


FACT_TYPES: Mapping[str, Any] = {
    "melds": Melds,
    "deadwood_cards": Cards,
    "deadwood": Points,
    "lay_offs": LaidCards,
    "possible": Annotated[tuple[LaidCard, ...], Length(0, 40)],
}
