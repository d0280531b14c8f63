"""What differs by game in a request or an answer: placeholders in its annotations, which `of_game` fills in."""

from __future__ import annotations

from enum import Enum, auto
from typing import Annotated, TypeAlias, TypeVar

S = TypeVar("S")
"""The game's state."""
M = TypeVar("M")
"""Any of the game's moves."""


class ByGame(Enum):
    """A word in an annotation: each game puts an annotation of its own in this place."""

    SEAT = auto()
    SOME_RULESETS = auto()


Seat: TypeAlias = Annotated[int, ByGame.SEAT]
"""A seat at the largest table of the game."""
SomeRulesets: TypeAlias = Annotated[tuple[str, ...], ByGame.SOME_RULESETS]
"""One or more of the game's rulesets, none twice."""


class WithSetup:
    """A body that takes the members of the game's `Setup` before its own."""
