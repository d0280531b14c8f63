"""What the stateless calls take, each once for all games; and how much of it at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Generic, TypeAlias

from engines.core.shape import Length, Null, Text
from service.contract.placeholders import M, S, Seat, SomeRulesets, WithSetup

MOST_MOVES = 500
"""Moves in one request."""

Seed: TypeAlias = Annotated[str, Text(1, 200)]


@dataclass(frozen=True)
class ResolveBody(Generic[S, M]):
    """A table and the moves to apply to it, in order."""

    state: S
    moves: Annotated[tuple[M, ...], Length(0, MOST_MOVES)]
    compare: bool | SomeRulesets | None = None


@dataclass(frozen=True)
class ValidateBody(Generic[S, M]):
    """A table and one move to judge."""

    state: S
    move: M


@dataclass(frozen=True)
class LegalMovesBody(Generic[S]):
    """A table; a seat, or nothing or null for everyone who is to act."""

    state: S
    seat: Annotated[Seat | None, Null()] = None


@dataclass(frozen=True)
class AuditBody(Generic[S]):
    """A table to be searched for contradictions."""

    state: S


@dataclass(frozen=True)
class ViewBody(Generic[S]):
    """A table, and the seat that looks at it; null is a spectator."""

    state: S
    seat: Seat | None


@dataclass(frozen=True)
class DealBody(WithSetup):
    """What a first deal takes: a seed or a deck, or neither for a random seed."""

    exclusive = ("seed", "deck")

    seed: Seed | None = None
