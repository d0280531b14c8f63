"""A game put together from its modules: what each of them holds by name, and the `Engine` that they come to.

A type checker holds every module to its class here: a name that is missing, or is of another type, is an error where
the game is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, Protocol, TypedDict, TypeVar, Unpack, get_type_hints

from engines.core.engine import Audit, Candidates, Engine, Move, Result, Seat, Standing
from engines.core.rulings import Event, rulings_of
from engines.core.shape import Whole
from engines.core.zones import Zones

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
S_contra = TypeVar("S_contra", contravariant=True)


class ModelModule(Protocol[S_co]):
    """`model.py`: what may be posted."""

    @property
    def RULESETS(self) -> Mapping[str, Any]: ...
    @property
    def State(self) -> type[S_co]: ...
    @property
    def Setup(self) -> type: ...


class TableModule(Protocol[S]):
    """`table.py`: what follows from a state."""

    @property
    def ZONES(self) -> Zones[S]: ...
    def to_act(self, state: S, /) -> tuple[Seat | None, ...]: ...


class ChecksModule(Protocol[S]):
    """`checks.py`: the rows of the moves."""

    @property
    def MOVES(self) -> tuple[Move[S, Any], ...]: ...


class SetupModule(Protocol[S_co]):
    """`setup.py`: from a setup to the first state."""

    @property
    def opening(self) -> Callable[[Any], S_co]: ...
    @property
    def SETUP_AUDITS(self) -> tuple[Audit, ...]: ...


class AuditModule(Protocol):
    """`audit.py`: what a posted state cannot be."""

    @property
    def AUDITS(self) -> tuple[Audit, ...]: ...


class CandidatesModule(Protocol[S_contra]):
    """`candidates.py`: the moves worth asking about, and what a player would want to know of them."""

    @property
    def FACT_TYPES(self) -> Mapping[str, Any]: ...
    @property
    def facts(self) -> Callable[[S_contra, Any], Mapping[str, Any]]: ...
    @property
    def candidates(self) -> Callable[[S_contra, Any], Candidates]: ...


class ViewModule(Protocol[S]):
    """`view.py`: who may see what."""

    def view(self, state: S, seat: Seat | None, /) -> S: ...


@dataclass(frozen=True)
class Modules(Generic[S]):
    """The modules of a game, in the order in which they are written."""

    model: ModelModule[S]
    rulings: ModuleType
    """`rulings.py`: its constants are what the referee can say; `NO_SUCH_SEAT`, if it is there, the engine's."""
    table: TableModule[S]
    checks: ChecksModule[S]
    setup: SetupModule[S]
    audit: AuditModule
    candidates: CandidatesModule[S]
    view: ViewModule[S]


class Own(TypedDict, Generic[S], total=False):
    """What only some games need; each as in `Engine`."""

    version: int
    most_cards: int
    complete: Callable[[S], S]
    seats_of: Callable[[S], int]
    canonical: Callable[[S, Any], bool]
    table_claims: bool
    teams: Callable[[S], tuple[int, ...] | None]
    view_move: Callable[[S, Any, Seat | None], Any]
    view_event: Callable[[S, Event, Seat | None], Event]
    cards: Callable[[Any], Sequence[Any]]
    deck: Callable[[Any], Sequence[Any]]


def game(
    name: str,
    modules: Modules[S],
    standings: Callable[[S], tuple[Standing, ...]],
    result: Callable[[S], Result | None],
    **own: Unpack[Own[S]],
) -> Engine[S]:
    """The game of this name on the wire. Its `Setup` says how many may play; its deck is its zones', unless told.

    Raises `ValueError` for what its author has forgotten.
    """
    model, table, checks, setup = modules.model, modules.table, modules.checks, modules.setup
    (around,) = (
        word
        for word in get_type_hints(model.Setup, include_extras=True)["seats"].__metadata__
        if isinstance(word, Whole)
    )
    own.setdefault("cards", lambda setup: table.ZONES.deck)
    return Engine(
        game=name,
        seats=range(around.least, around.most + 1),
        rulesets=model.RULESETS,
        state=model.State,
        zones=table.ZONES,
        moves=checks.MOVES,
        setup=model.Setup,
        rulings=rulings_of(modules.rulings),
        audits=modules.audit.AUDITS,
        no_such_seat=getattr(modules.rulings, "NO_SUCH_SEAT", None),
        to_act=table.to_act,
        candidates=modules.candidates.candidates,
        facts=modules.candidates.facts,
        fact_types=modules.candidates.FACT_TYPES,
        standings=standings,
        result=result,
        view=modules.view.view,
        opening=setup.opening,
        setup_audits=setup.SETUP_AUDITS,
        **own,
    )
