"""What comes of a move, in the form of its facts: a law compares both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engines.core.engine import Applied


def paid(applied: Applied) -> int:
    """TW-2.2: the chips that a buyer has less than before."""
    seat = applied.move.seat
    chips: int = applied.state.chips[seat] - applied.after.chips[seat]
    return chips


def _shown(name: str) -> Callable[[Applied], Any]:
    """TW-3.5: a member of the play as it is turned up, which the last play of a trick does."""

    def shown(applied: Applied) -> Any:
        plays = applied.param("revealed", "plays") or ()
        return next((each[name] for each in plays if each["seat"] == applied.move.seat), None)

    return shown


EVIDENCE: Mapping[str, Callable[[Applied], Any]] = {
    "price": paid,
    "combination": _shown("combination"),
    "strength": _shown("strength"),
}
