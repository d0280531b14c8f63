"""What the stateless calls take, each once for all games; and how much of it at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Generic, TypeAlias

from engines.core.shape import Length, Null, Text, Whole
from service import bounds
from service.contract.fields import SAFE
from service.contract.placeholders import Body, M, Path, PlayerNames, S, Seat, SomeRulesets, Viewpoints, WithSetup

Seed: TypeAlias = Annotated[str, Text(1, 200)]
BatchId: TypeAlias = Annotated[str, Text(1, 200)] | Annotated[int, Whole(-SAFE, SAFE)]


@dataclass(frozen=True)
class ResolveBody(Generic[S, M]):
    """A table and the moves to apply to it, in order."""

    state: S
    moves: Annotated[tuple[M, ...], Length(0, bounds.MOVES)]
    compare: bool | SomeRulesets | None = None
    views: Viewpoints | None = None
    names: PlayerNames | None = None


@dataclass(frozen=True)
class ValidateBody(Generic[S, M]):
    """A table and one move to judge."""

    state: S
    move: M
    names: PlayerNames | None = None


@dataclass(frozen=True)
class LegalMovesBody(Generic[S]):
    """A table; a seat, or nothing or null for everyone who is to act."""

    state: S
    seat: Annotated[Seat | None, Null()] = None
    names: PlayerNames | None = None


@dataclass(frozen=True)
class AuditBody(Generic[S]):
    """A table to be searched for contradictions."""

    state: S
    names: PlayerNames | None = None


@dataclass(frozen=True)
class ViewBody(Generic[S]):
    """A table, and the seat that looks at it; null is a spectator."""

    state: S
    seat: Seat | None
    names: PlayerNames | None = None


@dataclass(frozen=True)
class DealBody(WithSetup):
    """What a first deal takes: a seed or a deck, or neither for a random seed."""

    exclusive = ("seed", "deck")

    seed: Seed | None = None
    names: PlayerNames | None = None


@dataclass(frozen=True)
class BatchEntry:
    """One call of a batch. `id` comes back with its answer; `body` is judged alone, by the schema of `path`."""

    path: Path
    body: Body
    id: BatchId | None = None


@dataclass(frozen=True)
class BatchRequest:
    """Calls to be answered one by one."""

    requests: Annotated[tuple[BatchEntry, ...], Length(1, bounds.REQUESTS)]


BatchRequest.__doc__ = f"Up to {bounds.REQUESTS:,} calls, with at most {bounds.MOVES_IN_BATCH:,} moves in all."
