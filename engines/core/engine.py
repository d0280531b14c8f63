"""A game as a table: an `Engine` of dataclasses, rulings and small functions, and the types that they return.

Nothing here knows any game. `judge` is the way in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, cast, get_args, get_type_hints

from engines.core.places import repeated
from engines.core.records import changed
from engines.core.rulings import Decides, Event, Fault, Happens, Refutes, Ruling, Undetermined, Unverified, Violation
from engines.core.seats import seats_at_the_table
from engines.core.shape import Drawn, Option, Whole, Why, inside
from engines.core.zones import Zones

S = TypeVar("S")
M = TypeVar("M")

Seat: TypeAlias = int
Objections: TypeAlias = (
    Violation | Unverified | list[Violation] | list[Unverified] | list[Violation | Unverified] | None
)
"""What a check returns: no objection, one or several."""
Audit: TypeAlias = Callable[[Any], Fault | Unverified | list[Fault] | None]
"""(state) → where the state contradicts one clause."""
Step: TypeAlias = tuple[Any, list[Event]]  #: The effect of a move: the next state, and the events in order.


@dataclass(frozen=True, eq=False)
class Move(Generic[S, M]):
    """One kind of move, a row in the game's table: its class, its checks and its effect.

    Assign each row to a variable first, and put the variable into the table. Only then does a type checker compare the
    checks and the effect with the class.
    """

    kind: type[M]  #: The class; its `type` is the name on the wire.
    tiers: tuple[tuple[Callable[[S, M], Objections], ...], ...]
    """Checks, one function for each clause, in tiers: the phase, whose turn, what is held, the rules of the move."""
    effect: Callable[[S, M], Step | Undetermined]  #: What the move does; called only with a legal move.
    deals: bool = False  #: Whether it deals cards from a `seed`, which a session fills in (see `dealing`).
    gathers: str = ""
    """The field whose entries several seats may bring, each in a part of its own (see `gathering`); "": none."""
    counts: str = ""
    """The field with what is counted once the time is up (see `owed`); "": the move is no count."""

    @property
    def name(self) -> str:
        """The name on the wire."""
        kind: Any = self.kind
        name: str = kind.type
        return name


class Standing(NamedTuple):
    """The score of a seat or a team, and its rank. Equal scores share a rank (1, 1, 3)."""

    side: int
    score: int
    rank: int


@dataclass(frozen=True)
class Result:
    """How a game ended: its winners (seats or teams, several if equal), or points and rating of a cooperative one."""

    rule: str
    winners: tuple[int, ...] | None = None
    points: int | None = None
    rating: str | None = None


class Judgement(NamedTuple):
    """The result of a move's checks. Without violations it is legal. `unverified`: clauses that need an unseen card."""

    violations: Sequence[Violation]
    unverified: Sequence[str]


CLEAN = Judgement((), ())


class Candidates(NamedTuple):
    """Moves to be tried, in canonical form. `complete`: every legal canonical move is among them."""

    moves: Iterable[Any]
    complete: bool = True


class Applied(NamedTuple):
    """A legal move that was made, and what came of it."""

    state: Any  #: The table before it.
    move: Any
    facts: Mapping[str, Any]  #: Those of the move.
    after: Any  #: The table after it.
    events: Sequence[Event]

    def param(self, code: str, name: str) -> Any:
        """A parameter of the first event of this code; None where nothing of the kind happened."""
        return next((event.params[name] for event in self.events if event.ruling.code == code), None)


Happening: TypeAlias = tuple[int, Event]  #: The index of a move, and an event that it caused.


class Contested(NamedTuple):
    """A ruling that a contested option decided."""

    rule: str
    option: str
    value: Any
    alternatives: tuple[Any, ...]
    why: Why


class Resolution(NamedTuple, Generic[S]):
    """The outcome of a series of moves, applied up to the first that is illegal or undetermined."""

    state: S
    applied: int
    after: tuple[S, ...]  #: The state after each move that was applied.
    events: tuple[Happening, ...]
    contested: tuple[Contested, ...]
    violations: tuple[Violation, ...] = ()
    unverified: tuple[str, ...] = ()
    undetermined: Undetermined | None = None

    @property
    def legal(self) -> bool:
        """Whether none of the moves is illegal, as far as the seen cards show."""
        return not self.violations


def without_chance(state: Any, move: Any) -> Any:
    """The move without the members that chance decides, such as the card that is drawn: as listings have it.

    Use it as `canonical` of a game that lists all its moves.
    """
    return changed(move, **_parts_of_chance(move.__class__))


@cache
def _parts_of_chance(kind: type) -> Mapping[str, Any]:
    """The members of a move that are marked `Drawn()` and may be left out, with their defaults."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        each.name: each.default
        for each in fields(kind)
        if each.default is not MISSING and any(isinstance(word, Drawn) for word in inside(hints[each.name]))
    }


def seen_by_all(state: Any, event: Event, seat: Seat | None) -> Event:
    """The event unchanged: the `view_event` of a game without secrets in its events."""
    return event


@dataclass(frozen=True, kw_only=True, eq=False)
class Engine(Generic[S]):
    """One game. Dataclasses define what may be posted (see `shape`); functions apply the rules to it.

    Raises `ValueError` if the author of the game has forgotten something.
    """

    game: str  #: The name on the wire.
    rulesets: Mapping[str, Any]
    """Presets by name; the first is the default. All fields of their class except `name` are options."""
    state: type[S]
    zones: Zones[S]  #: Where the cards lie.
    most_cards: int = 1_000  #: The most cards, unseen ones included, in all lists of a posted state together.
    moves: tuple[Move[S, Any], ...]  #: One row for each kind of move.
    setup: type
    """What `/deal` takes: `seats`, whose bounds say how many may play, `ruleset`, `dealer`, `deck` and more."""
    rulings: tuple[Ruling, ...]  #: Everything that the referee can say: `rulings_of` the game's `rulings` module.
    version: int = 1

    audits: tuple[Audit, ...]
    """One function for each way in which a posted state can contradict itself, in rulebook order."""
    complete: Callable[[S], S] = lambda state: state
    """Fills in defaults that depend on other fields (one empty list a seat)."""
    seats_of: Callable[[S], int] = lambda state: len(cast("Any", state).hands)
    """How many play at a table; by default, as many as it has hands."""
    no_such_seat: Refutes | None = None
    """The fault for a seat, or a setup's dealer, that the table does not have. Its parameters: `seat` and `seats`.

    None: every table has the same number of seats.
    """
    to_act: Callable[[S], tuple[Seat | None, ...]]
    """The seats that may move now; (None,): only the table; (): nobody, the game is over."""
    table_claims: bool = False
    """Whether the table may move at any time, in `to_act` or not. Its moves are listed with those of all seats."""
    candidates: Callable[[S, Any], Candidates]
    """(state, seat to act): moves to be tried. Seat None is the table; if a game has a deal, the table only deals."""
    owed: Callable[[S], Sequence[Any]] = lambda state: ()
    """The counts that the table makes for seats that are late, so that the game ends. Each counts nothing.

    An empty list where no seat has to act within a time.
    """
    canonical: Callable[[S, Any], Any | None] = without_chance
    """The form in which a legal move is listed; None: it never is, as a knock that states its melds.

    Of several moves that come to the same, such as two cards in either order, one is listed: that one.
    """
    facts: Callable[[S, Any], Mapping[str, Any]] = lambda state, move: {}
    """Facts beside a legal move of a seat, such as its price."""
    fact_types: Mapping[str, Any] = field(default_factory=dict)  #: The type of each fact, annotated as in `shape`.
    evidence: Mapping[str, Callable[[Applied], Any]] = field(default_factory=dict)
    """By the name of a fact: what came of a move, in the form of the fact; None where nothing shows it.

    A law makes moves, and compares.
    """
    particulars: Callable[[S, Any], Mapping[str, Any]] = lambda state, move: {}
    """What the words of a legal move may say beside its members and facts, such as where its cards lie.

    Only words have it; answers do not.
    """
    particular_types: Mapping[str, Any] = field(default_factory=dict)
    standings: Callable[[S], tuple[Standing, ...]]
    result: Callable[[S], Result | None]
    teams: Callable[[S], tuple[int, ...] | None] | None = None
    """The team of each seat, or None where standings and winners list seats. No function: the game has no teams."""
    view: Callable[[S, Seat | None], S]  #: The state as a seat (None: a spectator) may see it.
    view_move: Callable[[S, Any, Seat | None], Any] = lambda state, move, seat: move
    """(state after the move, move, seat): the move as this seat may see it."""
    view_event: Callable[[S, Event, Seat | None], Event] = seen_by_all
    """(state after the move that caused it, event, seat): the event as this seat may see it."""
    cards: Callable[[Any], Sequence[Any]] = lambda setup: ()
    """(setup): the deck before it is shuffled; two-sided cards as (side, side). A game without cards has none."""
    deck: Callable[[Any], Sequence[Any]] | None = None
    """(setup): what is printed on the cards of its deck, in order; None where a card's name says it."""
    opening: Callable[[Any], S]  #: (setup with its deck): the first state of a game.
    setup_audits: tuple[Audit, ...] = ()  #: One function for each way in which a setup can contradict itself.

    seats: range = field(init=False)  #: How many may play.
    kinds: Mapping[str, type] = field(init=False)  #: Move classes by their name on the wire.
    row: Mapping[type, Move[S, Any]] = field(init=False)  #: The row of each move class.
    checks: Mapping[type, tuple[Callable[[S, Any], Objections], ...]] = field(init=False)
    """The checks of each move class, of all tiers."""
    deal: Move[S, Any] | None = field(init=False)  #: The row of the deal; None in a game without.
    asked_of_setups: tuple[Audit, ...] = field(init=False)
    """All audits of a setup: that its dealer has a seat, then `setup_audits`."""
    options: Mapping[str, Option] = field(init=False)
    rank: Mapping[str, int] = field(init=False)  #: The place of each clause in the rulebook.

    def __post_init__(self) -> None:
        mistakes = list(_missing_fields(self))
        if not mistakes:
            object.__setattr__(self, "seats", _seats_of(self.setup))
            mistakes = list(_mistakes(self))
        if mistakes:
            raise ValueError(f"{self.game}: {'; '.join(mistakes)}")
        ruleset = type(next(iter(self.rulesets.values())))
        rules = sorted({ruling.rule for ruling in self.rulings}, key=clause_order)
        derived = {
            "kinds": {row.name: row.kind for row in self.moves},
            "row": {row.kind: row for row in self.moves},
            "checks": {row.kind: tuple(chain.from_iterable(row.tiers)) for row in self.moves},
            "deal": next((row for row in self.moves if row.deals), None),
            "options": {each.name: each.metadata["option"] for each in fields(ruleset) if "option" in each.metadata},
            "rank": {rule: place for place, rule in enumerate(rules)},
            "asked_of_setups": (*_audits_of_dealer(self), *self.setup_audits),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @property
    def deal_name(self) -> str | None:
        """The deal's name on the wire; None in a game without."""
        return None if self.deal is None else self.deal.name

    def in_order(self, rules: Iterable[str]) -> list[str]:
        """These clauses in the order of the rulebook, each once."""
        return sorted(set(rules), key=self.rank.__getitem__)


def _seats_of(setup: type) -> range:
    """How many may play: the bounds of the setup's field `seats`; empty if it has none."""
    words = getattr(get_type_hints(setup, include_extras=True)["seats"], "__metadata__", ())
    bounds = [range(word.least, word.most + 1) for word in words if isinstance(word, Whole)]
    return bounds[0] if bounds else range(0)


def _audits_of_dealer(engine: Engine[Any]) -> list[Audit]:
    """The audit of a setup that its dealer has a seat; none in a game without dealers, or with tables of one size."""
    if engine.no_such_seat is None or "dealer" not in {each.name for each in fields(engine.setup)}:
        return []
    return [seats_at_the_table(engine.no_such_seat, "seats", "dealer")]


def _missing_fields(engine: Engine[Any]) -> Iterator[str]:
    """A sentence for each field that every game has and this one lacks."""
    needed = {
        type(next(iter(engine.rulesets.values()))): ("name",),
        engine.state: ("phase", "ruleset"),
        engine.setup: ("seats",),
    }
    for record, names in needed.items():
        hints = get_type_hints(record)
        yield from (f"{record.__name__} has no field {name!r}" for name in names if name not in hints)


def _mistakes(engine: Engine[Any]) -> Iterator[str]:
    """A sentence for each thing that the author of a game has forgotten."""
    if not engine.seats:
        yield "seats of the setup say nothing of how many may play: say Annotated[int, Whole(least, most)]"
    for row in engine.moves:
        yield from _mistakes_of_row(row)
    kinds = [row.kind for row in engine.moves]
    names = [getattr(kind, "type", None) for kind in kinds]
    for place in repeated(names):
        first = kinds[names.index(names[place])].__name__
        yield f"two rows for the move {names[place]!r}, of {first} and of {kinds[place].__name__}"
    if sum(row.deals for row in engine.moves) > 1:
        yield "more than one move deals"
    module = engine.state.__module__
    for value in vars(sys.modules[module]).values():
        own = isinstance(value, type) and is_dataclass(value) and value.__module__ == module
        if own and hasattr(value, "type") and value not in kinds:
            yield f"no row for the move {value.type!r}, the class {value.__name__} of {module}"
    yield from _mistakes_of_options(engine)
    if engine.no_such_seat is None and len(engine.seats) > 1:
        yield "no_such_seat is missing: where tables differ in size, a seat beyond one of them can be named"
    if engine.no_such_seat is not None and engine.no_such_seat.params.keys() != {"seat", "seats"}:
        yield "no_such_seat takes the parameters seat and seats, and no more"


def _mistakes_of_options(engine: Engine[Any]) -> Iterator[str]:
    """A sentence for each ruling that names an option which nothing contests, or none where it has to."""
    ruleset = type(next(iter(engine.rulesets.values())))
    contested = {each.name for each in fields(ruleset) if getattr(each.metadata.get("option"), "why", None)}
    for ruling in engine.rulings:
        what = f"the ruling {ruling.code!r} ({ruling.rule})"
        if ruling.option is None and isinstance(ruling, Decides):
            yield f"{what} is made by `decides`: name its option with `.decided_by(…)`"
        elif ruling.option is not None and ruling.option not in contested:
            yield f"{what} names the option {ruling.option!r}: {ruleset.__name__} has none of this name with a `why`"


def _mistakes_of_row(row: Move[Any, Any]) -> Iterator[str]:
    """A sentence for each mistake in the row of a move. Its members may have any type: some authors check none."""
    members = vars(row)
    kind, tiers, effect = members["kind"], members["tiers"], members["effect"]
    if not isinstance(getattr(kind, "type", None), str):
        yield f"the move {kind.__name__} has no `type`, its name on the wire"
    for verb, name in (("gathers", row.gathers), ("counts", row.counts)):
        if name and {each.name for each in fields(kind) if each.default is MISSING} != {name}:
            yield f"the move {kind.__name__} {verb} {name!r}: that has to be its one field without a default"
    if not tiers or not all(tiers):
        yield f"the move {kind.__name__} has a tier without checks, or no tier at all"
    if not callable(effect) or not all(callable(check) for tier in tiers for check in tier):
        yield f"the effect of the move {kind.__name__}, or one of its checks, is no function"
        return
    for what, function in [("an effect", effect), *(("a check", check) for tier in tiers for check in tier)]:
        hints = list(get_type_hints(function).values())
        hints_of_move = hints[1:2]  # that of the second parameter, if it has one
        moves = [each for hint in hints_of_move for each in (hint, *get_args(hint)) if hasattr(each, "type")]
        if moves and kind not in moves:
            yield f"{function.__name__} is {what} of the move {kind.__name__}, but takes {moves[0].__name__}"


def clause_order(rule: str) -> tuple[int, ...]:
    """The key that sorts clauses as in their rulebook: GR-5.10 after GR-5.9."""
    return tuple(int(part) for part in rule.rpartition("-")[2].split("."))


def ranked(scores: Sequence[int]) -> tuple[Standing, ...]:
    """Standings by side. The highest score has rank 1; equal scores share a rank."""
    return _ranked(tuple(scores))


@lru_cache(1024)  # most moves leave the scores as they were: saves 1.6 of the 50 µs of a move
def _ranked(scores: tuple[int, ...]) -> tuple[Standing, ...]:
    order = sorted(scores, reverse=True)
    return tuple([Standing(side, score, 1 + order.index(score)) for side, score in enumerate(scores)])


def best(scores: Sequence[int]) -> tuple[int, ...]:
    """The sides with the highest score."""
    top = max(scores)
    return tuple(side for side, score in enumerate(scores) if score == top)


def won_by_most(ruling: Happens, scores: Callable[[Any], Sequence[int]]) -> Callable[[Any], Result | None]:
    """The `result` of a game that ends in the phase `game-over` and is won by the highest score."""

    def result(state: Any) -> Result | None:
        return Result(ruling.rule, winners=best(scores(state))) if state.phase == "game-over" else None

    return result
