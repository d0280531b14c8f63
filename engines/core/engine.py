"""A game as a table of functions, and `resolve`: the only door into it.

A game is an `Engine`: its dataclasses, its rulings and its functions, each small. Nothing here knows any game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from engines.core.rulings import Awaits, Decides, Event, Fault, Refutes, Ruling, Undetermined, Unverified, Violation
from engines.core.shape import Option

S = TypeVar("S")
M = TypeVar("M")
T = TypeVar("T")

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


def changed(record: T, **fields_: Any) -> T:
    """A copy of a frozen record with some fields replaced: `dataclasses.replace`, ten times faster."""
    new = object.__new__(record.__class__)
    object.__setattr__(new, "__dict__", record.__dict__ | fields_)
    return new


def audit(engine: Engine[S], state: S) -> tuple[list[Fault], list[str]]:
    """Every fault of a state, and the clauses that could not be asked, in rulebook order."""
    return _findings(engine, engine.audits, state)


def audit_setup(engine: Engine[S], setup: Any) -> list[Fault]:
    """Every fault of what was asked to be dealt."""
    return _findings(engine, engine.setup_audits, setup)[0]


def judge(engine: Engine[S], state: S, move: Any) -> Judgement:
    """Ask the checks of a move, tier by tier; the first tier that objects is the last one asked."""
    violations: list[Violation] = []
    unverified: list[str] = []
    for tier in engine.checks[type(move)]:
        for check in tier:
            found = check(state, move)
            if found is None:
                continue
            for finding in found if isinstance(found, list) else (found,):
                if isinstance(finding, Violation):
                    violations.append(finding)
                else:
                    unverified.append(finding.ruling.rule)
        if violations:
            break
    return Judgement(violations, unverified) if violations or unverified else CLEAN


def apply(engine: Engine[S], state: S, move: Any) -> Step | Undetermined:
    """What a legal move does."""
    return engine.effects[type(move)](state, move)


def resolve(engine: Engine[S], state: S, moves: Sequence[Any]) -> Resolution[S]:
    """Apply moves in order to a state without faults, up to the first that is illegal or undetermined."""
    events: list[Happening] = []
    decided: list[Ruling] = []
    unverified: list[str] = []
    violations: Sequence[Violation] = ()
    awaited = None
    applied = 0
    ruleset = state.ruleset  # type: ignore[attr-defined]
    for move in moves:
        violations, unseen = judge(engine, state, move)
        unverified += unseen
        if violations:
            decided += [each.ruling for each in violations if each.ruling.option]
            break
        step = engine.effects[type(move)](state, move)
        if isinstance(step, Undetermined):
            awaited = step
            break
        state = step.state
        for event in step.events:
            if event.ruling.option:
                decided.append(event.ruling)
                if isinstance(event.ruling, Decides):
                    continue
            events.append(Happening(applied, event))
        applied += 1
    return Resolution(
        state=state,
        applied=applied,
        events=tuple(events),
        contested=_contested(engine, ruleset, decided) if decided else (),
        violations=tuple(violations),
        unverified=tuple(engine.in_order(unverified)) if unverified else (),
        undetermined=awaited,
    )


def legal_moves(engine: Engine[S], state: S, seat: Seat | None = None, *, every: bool = True) -> tuple[list[Any], bool]:
    """The candidates that pass the checks, of everyone to act (`every`) or of one seat; and whether these are all."""
    moves: list[Any] = []
    complete = True
    for actor in engine.to_act(state):
        if every or actor == seat:
            asked = engine.candidates(state, actor)
            complete = complete and asked.complete
            moves += [move for move in asked.moves if not judge(engine, state, move).violations]
    return moves, complete


def ranked(scores: Sequence[int]) -> tuple[Standing, ...]:
    """Standings by side, the highest score first in rank, equal scores sharing it."""
    order = sorted(scores, reverse=True)
    return tuple([Standing(side, score, 1 + order.index(score)) for side, score in enumerate(scores)])


def best(scores: Sequence[int]) -> tuple[int, ...]:
    """The sides with the highest score."""
    top = max(scores)
    return tuple(side for side, score in enumerate(scores) if score == top)


def _contested(engine: Engine[S], ruleset: Any, decided: Sequence[Ruling]) -> tuple[Contested, ...]:
    entries = {}
    for ruling in decided:
        assert ruling.option is not None
        value = getattr(ruleset, ruling.option)
        others = tuple(other for other in engine.options[ruling.option].published if other != value)
        entries[ruling.rule, ruling.option] = Contested(ruling.rule, ruling.option, value, others)
    return tuple(sorted(entries.values(), key=lambda entry: (engine.rank[entry.rule], entry.option)))


def _findings(engine: Engine[S], audits: tuple[Audit, ...], subject: Any) -> tuple[list[Fault], list[str]]:
    faults: list[Fault] = []
    unseen: set[str] = set()
    for ask in audits:
        found = ask(subject)
        if found is None:
            continue
        if isinstance(found, Unverified):
            unseen.add(found.ruling.rule)
        elif isinstance(found, Fault):
            faults.append(found)
        else:
            faults += found
    faults.sort(key=lambda fault: engine.rank[fault.ruling.rule])
    return faults, engine.in_order(unseen)


__all__ = [
    "Audit", "Awaits", "Candidates", "Check", "Contested", "Engine", "Found", "Happening", "Judgement", "Resolution",
    "Result", "Seat", "Standing", "Step", "apply", "audit", "audit_setup", "best", "changed", "clause_order", "judge",
    "legal_moves", "ranked", "resolve",
]  # fmt: skip
