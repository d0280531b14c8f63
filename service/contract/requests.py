"""The bodies of the stateless calls, each once for all games, with their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Generic, TypeAlias

from engines.core.shape import Doc, Length, Text, Whole
from service import bounds
from service.contract.fields import SAFE_INTEGER
from service.contract.placeholders import (
    Body,
    M,
    Path,
    PlayerNames,
    S,
    Seat,
    SomeRulesets,
    TakesNull,
    UnionName,
    Viewpoints,
    WithSetup,
)

Seed: TypeAlias = Annotated[str, Text(1, 200, None)]
BatchId: TypeAlias = Annotated[
    Annotated[str, Text(1, 200, None)] | Annotated[int, Whole(-SAFE_INTEGER, SAFE_INTEGER)], UnionName("BatchId")
]


@dataclass(frozen=True)
class ResolveBody(TakesNull, Generic[S, M]):
    """A table and the moves to apply to it, in order."""

    state: Annotated[S, Doc("The table before the moves.")]
    moves: Annotated[
        tuple[M, ...], Length(0, bounds.MOVES), Doc("The moves, applied in order up to the first that is not legal.")
    ]
    compare: Annotated[
        bool | SomeRulesets | None,
        UnionName("Compare"),
        Doc(
            "True to get the outcomes of contested rulings under their other values; or rulesets by which to judge "
            "as well."
        ),
    ] = None
    views: Annotated[
        Viewpoints | None, Doc("Whose views of the outcome are wanted: seats, and null for a spectator, none twice.")
    ] = None
    legal_moves: Annotated[
        bool, Doc("Whether to list the legal moves after them, and in each view those of its seat.")
    ] = False
    names: PlayerNames | None = None


@dataclass(frozen=True)
class ValidateBody(TakesNull, Generic[S, M]):
    """A table and one move to judge."""

    state: Annotated[S, Doc("The table before the move.")]
    move: Annotated[M, Doc("The move that is asked about.")]
    names: PlayerNames | None = None


@dataclass(frozen=True)
class LegalMovesBody(TakesNull, Generic[S]):
    """A table, and the seat whose moves to list."""

    state: Annotated[S, Doc("The table as it stands.")]
    seat: Annotated[Seat | None, Doc("Whose moves to list; left out: of everyone who is to act.")] = None
    names: PlayerNames | None = None


@dataclass(frozen=True)
class AuditBody(TakesNull, Generic[S]):
    """A table to be searched for contradictions."""

    state: Annotated[S, Doc("The table to be searched.")]
    names: PlayerNames | None = None


@dataclass(frozen=True)
class ViewBody(TakesNull, Generic[S]):
    """A table, and the seat that looks at it; null is a spectator."""

    state: Annotated[S, Doc("The table with all that is known of it.")]
    seat: Annotated[Seat | None, Doc("Who looks at it; null is a spectator.")]
    names: PlayerNames | None = None


@dataclass(frozen=True)
class DealBody(WithSetup):
    """A first deal: with a seed or a deck, or with neither for a random seed."""

    exclusive = ("seed", "deck")

    seed: Annotated[
        Seed | None,
        Doc("What the deck is shuffled from; without it and `deck` one is drawn and returned."),
    ] = None
    names: PlayerNames | None = None


@dataclass(frozen=True)
class BatchEntry(TakesNull):
    """One call of a batch. `id` comes back with its answer; `body` is judged alone, by the schema of `path`."""

    path: Annotated[Path, Doc("Where the call would be made alone, such as `/resolve` or `/games/twins/resolve`.")]
    body: Annotated[Body, Doc("What would be posted there; it is judged alone.")]
    id: Annotated[BatchId | None, Doc("Comes back with the answer: a string or an integer.")] = None


@dataclass(frozen=True)
class BatchRequest:
    """Calls to be answered one by one."""

    requests: Annotated[tuple[BatchEntry, ...], Length(1, bounds.REQUESTS), Doc("The calls.")]


BatchRequest.__doc__ = f"Up to {bounds.REQUESTS:,} calls, with at most {bounds.OUTCOMES_IN_BATCH:,} outcomes in all."
