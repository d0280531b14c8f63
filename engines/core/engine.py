"""A game as a table: an `Engine` of dataclasses, rulings and small functions, and what those functions answer.

Nothing here knows any game. `judge` is the way in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from engines.core.rulings import Event, Fault, Refutes, Ruling, Undetermined, Unverified, Violation
from engines.core.shape import Option

S = TypeVar("S")
M = TypeVar("M")

Seat: TypeAlias = int
Found: TypeAlias = Violation | Unverified | list[Violation] | list[Unverified] | list[Violation | Unverified] | None
"""What a check answers: nothing to object, one finding or several."""
Check: TypeAlias = Callable[[Any, Any], Found]
"""(state, move): one clause, asked of one move."""
Audit: TypeAlias = Callable[[Any], Fault | Unverified | list[Fault] | None]
"""(state): one clause, asked of a whole table."""


class Step(NamedTuple):
    """What a move makes of the table: the next state, and what happened, in order."""

    state: Any
    events: list[Event]


class Standing(NamedTuple):
    """A seat's or a team's place. `score` counts as the game counts; equal scores share a rank (1, 1, 3)."""

    side: int
    score: int
    rank: int


@dataclass(frozen=True)
class Result:
    """How a finished game ended: winners (seats or teams, equal ones all); a cooperative one: points and rating."""

    rule: str
    winners: tuple[int, ...] | None = None
    points: int | None = None
    rating: str | None = None


class Judgement(NamedTuple):
    """Whether a move is legal: no violations. `unverified`: the clauses whose check would need what is not seen."""

    violations: Sequence[Violation]
    unverified: Sequence[str]


CLEAN = Judgement((), ())


class Candidates(NamedTuple):
    """Moves worth asking about, canonical form. `complete`: every legal canonical move is among them."""

    moves: Iterable[Any]
    complete: bool = True


class Happening(NamedTuple):
    """An event and the index of the move that caused it."""

    move: int
    event: Event


class Contested(NamedTuple):
    """A ruling that a contested option decided."""

    rule: str
    option: str
    value: Any
    alternatives: tuple[Any, ...]


@dataclass(frozen=True)
class Resolution(Generic[S]):
    """What a series of moves came to: applied up to the first that is illegal or undetermined."""

    state: S
    applied: int
    events: tuple[Happening, ...]
    contested: tuple[Contested, ...]
    violations: tuple[Violation, ...] = ()
    unverified: tuple[str, ...] = ()
    undetermined: Undetermined | None = None

    @property
    def legal(self) -> bool:
        """Nothing visible forbids any of the moves."""
        return not self.violations


@dataclass(frozen=True, kw_only=True, eq=False)
class Engine(Generic[S]):
    """One game. Dataclasses say what may be posted (see `shape`), functions say what the rules make of it."""

    game: str
    """The name on the wire."""
    seats: range
    """How many may play."""
    rulesets: Mapping[str, Any]
    """Presets by name; the first is the default. Their class's fields but `name` are the options."""
    state: type[S]
    moves: Mapping[str, type]
    """Move classes by their `type`."""
    setup: type
    """What `/deal` takes: `seats`, `ruleset`, `dealer`, `deck` and what the game adds."""
    rulings: tuple[Ruling, ...]
    version: int = 1

    audits: tuple[Audit, ...]
    """Every way in which a posted state can contradict itself, in rulebook order."""
    checks: Mapping[type, tuple[tuple[Check, ...], ...]]
    """For each move class the tiers of its checks: phase, turn, what is held, the rules of the move."""
    effects: Mapping[type, Callable[[S, Any], Step | Undetermined]]
    """For each move class what it does; called only with a legal move."""
    complete: Callable[[S], S] = lambda state: state
    """Fill in defaults that depend on other fields (one empty list a seat)."""
    seats_of: Callable[[S], int]
    no_such_seat: Refutes | None = None
    """What is said of a seat beyond the table (`seat`, `seats`). None: every table has the same number of seats."""
    to_act: Callable[[S], tuple[Seat | None, ...]]
    """Who may move now; (None,): only the table; (): nobody, the game is over."""
    candidates: Callable[[S, Seat | None], Candidates]
    """Moves that this seat (None: the table) may think of now; asked for those who are to act."""
    canonical: Callable[[S, Any], bool] = lambda state, move: True
    """Whether a legal move is of the kind that is listed: a claim that wins nothing is judged, but never listed."""
    facts: Callable[[S, Any], Mapping[str, Any]] = lambda state, move: {}
    """What a player would want to know of a legal move."""
    fact_types: Mapping[str, Any] = field(default_factory=dict)
    """The types of `facts`, in the words of `shape`."""
    standings: Callable[[S], tuple[Standing, ...]]
    result: Callable[[S], Result | None]
    teams: Callable[[S], bool] = lambda state: False
    """Whether standings and winners speak of teams instead of seats."""
    view: Callable[[S, Seat | None], S]
    """The state as a seat (None: a spectator) may see it."""
    view_move: Callable[[S, Any, Seat | None], Any] = lambda state, move, seat: move
    """(state after it, move, seat): the move as this seat may see it."""
    view_event: Callable[[Event, Seat | None], Event] = lambda event, seat: event
    """The event as this seat may see it."""
    cards: Callable[[Any], Sequence[Any]]
    """The deck of a setup before it is shuffled; two-sided cards as (side, side)."""
    opening: Callable[[Any], S]
    """(setup with its deck): the first state of a game."""
    setup_audits: tuple[Audit, ...] = ()
    """Every way in which a setup can contradict itself."""

    options: Mapping[str, Option] = field(init=False)
    rank: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        if self.no_such_seat is None:
            assert len(self.seats) == 1, "no_such_seat is missing: where tables differ, a seat beyond one can be named"
        else:
            assert set(self.no_such_seat.params) == {"seat", "seats"}, "no_such_seat takes seat and seats, no more"
        ruleset = type(next(iter(self.rulesets.values())))
        options = {each.name: each.metadata["option"] for each in fields(ruleset) if "option" in each.metadata}
        object.__setattr__(self, "options", options)
        rules = sorted({ruling.rule for ruling in self.rulings}, key=clause_order)
        object.__setattr__(self, "rank", {rule: place for place, rule in enumerate(rules)})

    def in_order(self, rules: Iterable[str]) -> list[str]:
        """Clauses as the rulebook has them, each once."""
        return sorted(set(rules), key=self.rank.__getitem__)


def clause_order(rule: str) -> tuple[int, ...]:
    """Where a clause stands in its rulebook: GR-5.10 after GR-5.9."""
    return tuple(int(part) for part in rule.rpartition("-")[2].split("."))


def ranked(scores: Sequence[int]) -> tuple[Standing, ...]:
    """Standings by side, the highest score first in rank, equal scores sharing it."""
    order = sorted(scores, reverse=True)
    return tuple([Standing(side, score, 1 + order.index(score)) for side, score in enumerate(scores)])


def best(scores: Sequence[int]) -> tuple[int, ...]:
    """The sides with the highest score."""
    top = max(scores)
    return tuple(side for side, score in enumerate(scores) if score == top)
