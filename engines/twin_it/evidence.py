"""What comes of a move, in the form of its facts: a law compares both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engines.core.engine import Applied

EVIDENCE: Mapping[str, Callable[[Applied], Any]] = {
    "left": lambda applied: len(applied.after.piles[applied.move.seat]),
    "design": lambda applied: applied.param("set-won", "design"),
    "from": lambda applied: applied.param("set-won", "from"),
    "pairs": lambda applied: applied.param("counted", "pairs"),
    "trebles": lambda applied: applied.param("counted", "trebles"),
    "points": lambda applied: applied.param("counted", "points"),
}
