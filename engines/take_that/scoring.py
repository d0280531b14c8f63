"""What the cards in front of a player are worth (TT-7.1, TT-7.2)."""

from __future__ import annotations

from collections.abc import Sequence

from engines.take_that.model import Line
from engines.take_that.row import TOADS

FACE_UP = 1
TOAD = -5
OTHER = -1


def line(seat: int, face_up: Sequence[object], face_down: Sequence[int | None]) -> Line:
    """A seat's round, itemised. Every card face down must be seen; of the cards face up only the number counts."""
    toads = _toads(face_down)
    points = FACE_UP * len(face_up) + cost(face_down)
    return Line(seat, len(face_up), toads, others=len(face_down) - toads, points=points)


def cost(face_down: Sequence[int | None]) -> int:
    """TT-7.2: the points, never above 0, of cards taken."""
    toads = _toads(face_down)
    return TOAD * toads + OTHER * (len(face_down) - toads)


def _toads(cards: Sequence[int | None]) -> int:
    """How many of the cards are toads."""
    return sum(card in TOADS for card in cards)
