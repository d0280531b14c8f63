"""A check that forbids a move in some phases of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engines.core.rulings import Forbids, Violation


def refused_in(phases: Mapping[str, Forbids]) -> Callable[[Any, Any], Violation | None]:
    """A check that forbids the move in each of these phases, and in no other.

    A ruling that has the parameter `phase` gets it.
    """
    violations = {
        phase: ruling.violated(**({"phase": phase} if "phase" in ruling.params else {}))
        for phase, ruling in phases.items()
    }

    def phase_admits_the_move(state: Any, move: object) -> Violation | None:
        return violations.get(state.phase)

    return phase_admits_the_move
