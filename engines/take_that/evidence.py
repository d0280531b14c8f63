"""What comes of a move, in the form of its facts: a law compares both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engines.core.engine import Applied
from engines.take_that.checks import card_is_near_the_right_end
from engines.take_that.model import Lay
from engines.take_that.row import CARDS
from engines.take_that.scoring import line


def followers(applied: Applied) -> tuple[int, int]:
    """TT-3.1: the least and the greatest card that may be laid next, which is not the card itself."""
    others = [card for card in CARDS if card != applied.move.card]
    near = [card for card in others if not card_is_near_the_right_end(applied.after, Lay(0, card))]
    return near[0], near[-1]


def cost(applied: Applied) -> int:
    """TT-7.2: the points of the cards that lie in front of the taker now, but for an extra one."""
    front = applied.after.face_down[applied.move.seat]
    places = applied.param("took", "indexes")[: len(applied.state.row)]
    return line(applied.move.seat, (), [front[place] for place in places]).points


EVIDENCE: Mapping[str, Callable[[Applied], Any]] = {
    "partner": lambda applied: applied.param("twisted", "removed"),
    "points": cost,
    "reach": followers,
}
