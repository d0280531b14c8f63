"""Placeholders in the annotations of requests and answers, for types that differ by game or are defined later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, TypeAlias, TypeVar

from engines.core.shape import Doc

S = TypeVar("S")  #: The game's state.
M = TypeVar("M")  #: Any of the game's moves.


@dataclass(frozen=True)
class UnionName:
    """The name of a union of plain types in the published contract, after the game's prefix."""

    name: str


class TakesNull:
    """Marks a body whose members named in `NULL_IS_LEFT_OUT` may be null, which means "left out"."""


NULL_IS_LEFT_OUT = frozenset({"compare", "views", "names", "seed", "deck", "dealer", "first", "ruleset", "id"})
"""Optional members that many clients send as null."""

Placeholder = Enum(
    "Placeholder",
    "GAME SEAT CLAUSE RULESET SOME_RULESETS VIEWPOINTS NAMES OPTIONS STATE MOVE SEEN_MOVE FACTS RANK "
    "LANGUAGE PATH BODY ANSWER",
)
"""A type that `Shapes` fills in."""

GameName: TypeAlias = Annotated[str, Placeholder.GAME]
Seat: TypeAlias = Annotated[int, Placeholder.SEAT]  #: A seat at the largest table of the game.
Clause: TypeAlias = Annotated[str, Placeholder.CLAUSE]  #: A clause of the game's rulebook that a ruling cites.
RulesetName: TypeAlias = Annotated[str, Placeholder.RULESET]
SomeRulesets: TypeAlias = Annotated[tuple[str, ...], Placeholder.SOME_RULESETS]
"""One or more of the game's rulesets, none twice."""
Viewpoints: TypeAlias = Annotated[tuple[int | None, ...], Placeholder.VIEWPOINTS]
"""Seats, and None for spectators, none twice."""
PlayerNames: TypeAlias = Annotated[tuple[str, ...], Placeholder.NAMES, Doc("Names of the players, one a seat.")]
Rank: TypeAlias = Annotated[
    int, Placeholder.RANK, Doc("The place, 1 for the best; equal scores share it, and the next is skipped.")
]

Language: TypeAlias = Annotated[str, Placeholder.LANGUAGE]
Path: TypeAlias = Annotated[str, Placeholder.PATH]  #: The path of a stateless call.
Body: TypeAlias = Annotated[object, Placeholder.BODY]  #: The body that is posted there.

EncodedOptions: TypeAlias = Annotated[Mapping[str, object], Placeholder.OPTIONS]  #: Every option of a ruleset.
EncodedState: TypeAlias = Annotated[Mapping[str, object], Placeholder.STATE]  #: A state as JSON.
EncodedMove: TypeAlias = Annotated[Mapping[str, object], Placeholder.MOVE]  #: A move as JSON.
SeenMove: TypeAlias = Annotated[Mapping[str, object], Placeholder.SEEN_MOVE]
"""A move as JSON; members that its reader may not see are null."""
EncodedFacts: TypeAlias = Annotated[Mapping[str, object], Placeholder.FACTS]  #: The facts beside a legal move.
EncodedAnswer: TypeAlias = Annotated[object, Placeholder.ANSWER]
"""The answer of any stateless call, or the problem that refuses it."""


class SameForAll:
    """Marks a part of answers that is published once, for all games."""


class WithoutChance:
    """Marks a body whose `moves` may not say what chance brings: a session draws."""


class WithSetup(TakesNull):
    """Marks a body that has the members of the game's `Setup` before its own."""
