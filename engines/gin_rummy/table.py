"""What follows from the facts of a state: who may move, where cards are seen, how light a knock must be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engines.core.zones import Zones
from engines.gin_rummy.deadwood import POINTS, RANKS
from engines.gin_rummy.melds import CARDS
from engines.gin_rummy.model import Ruleset, State

POINTS_OF = {card: POINTS[place % RANKS] for place, card in enumerate(CARDS)}
"""GR-1.3."""
ZONES = Zones(State, "hands", "stock", "discards", deck=CARDS)
"""GR-1.1: fifty-two cards, each once."""


class Limit(NamedTuple):
    """The most deadwood a knock may have; `by_upcard`: it is the upcard that says so (GR-5.3)."""

    points: int
    by_upcard: bool


def to_act(state: State) -> tuple[int | None, ...]:
    """Who may move now."""
    if state.phase == "game-over":
        return ()
    return (state.turn,)


def top_of(pile: Sequence[str | None] | None) -> str | None:
    """The card that is next to be drawn, where it is seen."""
    return pile[0] if pile else None


def face_up(state: State) -> str | None:
    """GR-3.1: the card on offer in the upcard round, where it is seen."""
    return top_of(state.discards) or state.upcard


def laid_open(hand: Sequence[str | None], named: Iterable[str] = ()) -> tuple[str, ...] | None:
    """The hand with its unseen cards replaced by those named that are not seen in it; None if some stay unseen."""
    if None in hand:
        hidden = iter([card for card in named if card not in hand])
        hand = [next(hidden, None) if card is None else card for card in hand]
    known = tuple([card for card in hand if card is not None])
    return known if len(known) == len(hand) else None


def limit(ruleset: Ruleset, upcard: str | None) -> Limit | None:
    """GR-5.2, GR-5.3: None where the upcard decides and is unseen."""
    if not ruleset.oklahoma:
        return Limit(ruleset.knock_limit, by_upcard=False)
    if upcard is None:
        return None
    points = 0 if upcard[0] == "A" and ruleset.oklahoma_ace == "gin" else POINTS_OF[upcard]
    return Limit(min(points, ruleset.knock_limit), by_upcard=points < ruleset.knock_limit)


def ace_decides(ruleset: Ruleset, upcard: str | None, points: int) -> bool:
    """GR-5.3: whether the knock would go otherwise if `oklahoma_ace` were set otherwise."""
    return ruleset.oklahoma and upcard is not None and upcard[0] == "A" and points == 1 <= ruleset.knock_limit
