"""What follows from a state: who may move, which cards are seen, how light a knock must be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from engines.core.hands import Hands, Size
from engines.core.zones import Zones
from engines.gin_rummy.deadwood import POINTS, RANKS, least_deadwood
from engines.gin_rummy.melds import BITS, CARDS, bits_of
from engines.gin_rummy.model import Ruleset, State

POINTS_OF = {card: POINTS[place % RANKS] for place, card in enumerate(CARDS)}
"""GR-1.3."""
ZONES = Zones(State, "hands", "stock", "discards", deck=CARDS)
"""GR-1.1: fifty-two cards, each once."""
EACH = 10
"""GR-1.2: cards dealt to each player."""
BIG = 11
"""GR-4.1, GR-5.5: the cards of a hand after a draw, and of big gin."""
OVER = frozenset({"hand-over", "game-over"})


class Limit(NamedTuple):
    """The most deadwood that a knock may have; `by_upcard`: whether the upcard sets it (GR-5.3)."""

    points: int
    by_upcard: bool


def to_act(state: State) -> tuple[int | None, ...]:
    """The seats that may move now; None: the table."""
    if state.phase == "game-over":
        return ()
    return (state.turn,)


def sizes(state: State) -> tuple[Size, Size]:
    """GR-1.2, GR-4.1, GR-5.5: ten cards; eleven after a draw, and after big gin until the next deal."""
    return _size(state, 0), _size(state, 1)


def _size(state: State, seat: int) -> Size:
    least = most = EACH
    last = state.last_hand
    if state.phase == "discard" and state.turn in (seat, None):
        least, most = (BIG if state.turn == seat else EACH), BIG
    elif state.phase in OVER and last is not None:
        least = most = BIG if (last.kind, last.seat) == ("big-gin", seat) else EACH
    elif state.phase in OVER and state.ruleset.big_gin and len(state.hands[1 - seat]) <= EACH:
        most = BIG
    return Size(least, most)


HANDS = Hands(sizes)


def top_of(pile: Sequence[str | None] | None) -> str | None:
    """The card on top of a pile, where it is seen."""
    return pile[0] if pile else None


def face_up(state: State) -> str | None:
    """GR-3.1: the card on offer in the upcard round, where it is seen."""
    return top_of(state.discards) or state.upcard


def laid_open(hand: Sequence[str | None], named: Iterable[str] = ()) -> tuple[str, ...] | None:
    """The hand with its unseen cards replaced by those named that are not seen in it; None if some stay unseen."""
    if None not in hand:
        return cast("tuple[str, ...]", tuple(hand))
    hidden = iter([card for card in named if card not in hand])
    known = [next(hidden, None) if card is None else card for card in hand]
    return None if None in known else cast("tuple[str, ...]", tuple(known))


LAST = 2
"""GR-4.3: the cards in the stock at which a hand ends, or its last turn begins."""


def last_turn(state: State) -> bool | None:
    """GR-4.3: under `last-discard`, whether this turn is the last: after it, without a knock, the hand is dead.

    None: it may be, but the stock is not seen.
    """
    begun = (state.phase == "draw" and state.passes < 2) or (state.phase == "discard" and state.taken is not None)
    if state.ruleset.stock_end != "last-discard" or not begun:
        return False
    return None if state.stock is None else len(state.stock) == LAST


def a_knock_is_possible(state: State, seat: int, drawn: str | None, taken: str | None) -> bool | None:
    """GR-4.3, GR-5: whether a seat can knock, after it has `drawn` a card, if any; None: too little is seen.

    `taken`: the card that it may not discard (GR-4.2).
    """
    hand = laid_open((*HANDS.filled(state, seat), *(() if drawn is None else (drawn,))))
    if hand is None:
        return None
    cards = bits_of(hand)
    if state.ruleset.big_gin and not least_deadwood(cards):
        return True
    least = min(least_deadwood(cards ^ BITS[card]) for card in hand if card != taken)
    most = limit(state.ruleset, state.upcard)
    if most is not None:
        return least <= most.points
    return True if not least else None if least <= state.ruleset.knock_limit else False


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
