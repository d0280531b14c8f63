"""Words in the annotations of requests and answers for what differs by game, or is known only further up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, TypeAlias, TypeVar

S = TypeVar("S")
"""The game's state."""
M = TypeVar("M")
"""Any of the game's moves."""


@dataclass(frozen=True)
class Doc:
    """The published description of every member of this type that has no docstring of its own."""

    text: str


class Placeholder(Enum):
    """A word in an annotation, for what is not known where the annotation stands."""

    GAME = auto()
    SEAT = auto()
    CLAUSE = auto()
    RULESET = auto()
    SOME_RULESETS = auto()
    VIEWPOINTS = auto()
    NAMES = auto()
    OPTIONS = auto()
    STATE = auto()
    MOVE = auto()
    SEEN_MOVE = auto()
    FACTS = auto()
    RANK = auto()
    LANGUAGE = auto()
    PATH = auto()
    BODY = auto()
    ANSWER = auto()


GameName: TypeAlias = Annotated[str, Placeholder.GAME]
Seat: TypeAlias = Annotated[int, Placeholder.SEAT]
"""A seat at the largest table of the game."""
Clause: TypeAlias = Annotated[str, Placeholder.CLAUSE]
"""A clause of the game's rulebook that a ruling cites."""
RulesetName: TypeAlias = Annotated[str, Placeholder.RULESET]
SomeRulesets: TypeAlias = Annotated[tuple[str, ...], Placeholder.SOME_RULESETS]
"""One or more of the game's rulesets, none twice."""
Viewpoints: TypeAlias = Annotated[tuple[int | None, ...], Placeholder.VIEWPOINTS]
"""Seats, and None for spectators, none twice."""
PlayerNames: TypeAlias = Annotated[
    tuple[str, ...], Placeholder.NAMES, Doc("What sentences call the players, one name a seat, of 1 to 40 characters.")
]
Rank: TypeAlias = Annotated[
    int, Placeholder.RANK, Doc("The place, 1 for the best; equal scores share it, and the next is skipped.")
]

Language: TypeAlias = Annotated[str, Placeholder.LANGUAGE]
Path: TypeAlias = Annotated[str, Placeholder.PATH]
"""Where a stateless call is made."""
Body: TypeAlias = Annotated[object, Placeholder.BODY]
"""What is posted there."""

EncodedOptions: TypeAlias = Annotated[Mapping[str, object], Placeholder.OPTIONS]
"""Every option of a ruleset."""
EncodedState: TypeAlias = Annotated[Mapping[str, object], Placeholder.STATE]
"""A state as JSON."""
EncodedMove: TypeAlias = Annotated[Mapping[str, object], Placeholder.MOVE]
"""A move as JSON."""
SeenMove: TypeAlias = Annotated[Mapping[str, object], Placeholder.SEEN_MOVE]
"""A move as JSON, in which what its reader may not see is null."""
EncodedFacts: TypeAlias = Annotated[Mapping[str, object], Placeholder.FACTS]
"""What a player would want to know of a legal move."""
EncodedAnswer: TypeAlias = Annotated[object, Placeholder.ANSWER]
"""What any of the calls answers, or the problem that refuses one."""


class SameForAll:
    """A part of an answer that is published once, for all games."""


class WithSetup:
    """A body that takes the members of the game's `Setup` before its own."""
