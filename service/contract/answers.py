"""What comes back, each shape once: what is written is an instance, and what is published follows from its class.

orjson writes an instance as its members in order. So these classes are neither frozen nor slotted: both would cost more
than the dicts that they stand for. A member that `__init__` does not take is left out unless it is set afterwards. What
an engine has a name for is called `Written…` here; components have the plain
name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, TypeAlias

from engines.core.shape import Text, Whole
from service import bounds
from service.contract.placeholders import (
    Clause,
    GameName,
    Language,
    Rank,
    RulesetName,
    Seat,
    WrittenAnswer,
    WrittenFacts,
    WrittenMove,
    WrittenOptions,
    WrittenState,
)
from service.contract.requests import BatchId, Seed

Count: TypeAlias = Annotated[int, Whole(0, 1_000_000)]
Status: TypeAlias = Annotated[int, Whole(100, 599)]
Digest: TypeAlias = Annotated[str, Text(64, 64)]
"""A SHA-256 in hex."""
MoveIndex: TypeAlias = Annotated[int, Whole(0, bounds.MOVES - 1)]


class LeavesOut:
    """An answer that leaves out members which are None by default, where they are None."""

    _optional: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._optional = tuple([name for name in cls.__annotations__ if name in vars(cls)])

    def __post_init__(self) -> None:
        for name in self._optional:
            if getattr(self, name) is None:
                delattr(self, name)


# What rulings say. A game publishes one shape for each code, with its clauses and particulars.


@dataclass
class WrittenEvent:
    """It happened."""

    rule: str
    code: str
    move: MoveIndex
    params: Mapping[str, object]
    text: str


@dataclass
class WrittenViolation:
    """It forbids the move."""

    rule: str
    code: str
    params: Mapping[str, object]
    text: str
    pointer: str


@dataclass
class WrittenFault:
    """It makes the state impossible."""

    rule: str
    code: str
    params: Mapping[str, object]
    text: str
    pointers: Sequence[str]


@dataclass(kw_only=True)
class WrittenUndetermined(LeavesOut):
    """The effect of the move depends on what is not seen."""

    move: MoveIndex | None = None
    rule: str
    code: str
    params: Mapping[str, object]
    text: str
    pointer: str


# What stands in several answers.


@dataclass
class RulesetUsed:
    """The ruleset that was judged by, every option spelled out."""

    name: RulesetName
    version: Annotated[int, Whole(1, 1_000_000)]
    options: WrittenOptions


@dataclass
class WrittenStanding:
    """A place in the ranking; equal scores share a rank (1, 1, 3)."""

    seat: Seat
    score: int
    rank: Rank


@dataclass
class TeamStanding:
    """As a seat's, a team's."""

    team: Seat
    score: int
    rank: Rank


Standing: TypeAlias = WrittenStanding | TeamStanding
"""Published as one shape: of a seat, or of a team where the game knows teams."""


@dataclass(kw_only=True)
class WrittenResult(LeavesOut):
    """How the game ended: the winners (seats or teams), or the points and rating of a game played together."""

    winners: Sequence[Seat] | None = None
    points: int | None = None
    rating: str | None = None
    rule: Clause


@dataclass
class OtherOutcome:
    """What the same moves come to under another value of the option."""

    value: object
    legal: bool
    applied: Count
    standings: Sequence[Standing]
    result: WrittenResult | None
    changed: bool


@dataclass
class WrittenContested:
    """A ruling of this resolution that rests on an option on which published texts disagree."""

    rule: str
    option: str
    value: object
    alternatives: Sequence[object]
    outcomes: Sequence[OtherOutcome] | None = field(default=None, init=False)


@dataclass
class Comparison:
    """What the same moves come to under another ruleset."""

    ruleset: RulesetName
    legal: bool
    standings: Sequence[Standing]
    result: WrittenResult | None
    events: Sequence[WrittenEvent]


# What the calls answer.

More: TypeAlias = Literal[True]
"""Beside a list that is cut: there were others. Left out where all are listed."""


@dataclass
class PlayerView:
    """What one seat, or a spectator, may see of it: the table, and what happened."""

    seat: Seat | None
    state: WrittenState
    events: Sequence[WrittenEvent]


@dataclass
class Resolved:
    """What moves came to."""

    game: GameName
    ruleset: RulesetUsed
    legal: bool
    applied: Annotated[int, Whole(0, bounds.MOVES)]
    violations: Sequence[WrittenViolation]
    unverified: Sequence[Clause]
    undetermined: WrittenUndetermined | None
    events: Sequence[WrittenEvent]
    contested: Sequence[WrittenContested]
    state: WrittenState
    to_act: Sequence[Seat | None]
    standings: Sequence[Standing]
    result: WrittenResult | None


@dataclass
class WrittenResolution(Resolved):
    """What the moves came to: applied in order, up to the first that is not."""

    more: More | None = field(default=None, init=False)
    comparison: Sequence[Comparison] | None = field(default=None, init=False)
    views: Sequence[PlayerView] | None = field(default=None, init=False)


@dataclass
class WrittenJudgement:
    """Whether one move may be made, and what forbids it."""

    game: GameName
    ruleset: RulesetUsed
    legal: bool
    violations: Sequence[WrittenViolation]
    unverified: Sequence[Clause]
    undetermined: WrittenUndetermined | None
    more: More | None = field(default=None, init=False)


@dataclass
class LegalMove:
    """A move that may be made, in canonical form, and what there is to know of it."""

    move: WrittenMove
    facts: WrittenFacts


@dataclass
class LegalMoves:
    """The moves that may be made now."""

    game: GameName
    ruleset: RulesetUsed
    to_act: Sequence[Seat | None]
    moves: Sequence[LegalMove]
    complete: bool


@dataclass
class WrittenAudit:
    """Everything in a table that contradicts the rulebook."""

    game: GameName
    consistent: bool
    faults: Sequence[WrittenFault]
    unverified: Sequence[Clause]
    more: More | None = field(default=None, init=False)


@dataclass
class View:
    """The table as one seat may see it."""

    game: GameName
    seat: Seat | None
    state: WrittenState


@dataclass
class WrittenOpening:
    """A table as it stands after the deal."""

    game: GameName
    state: WrittenState
    to_act: Sequence[Seat | None]
    seed: Seed | None
    commitment: Digest | None


@dataclass(kw_only=True)
class BatchAnswer(LeavesOut):
    """The answer to one call of a batch: what the call alone would have answered."""

    id: BatchId | None = None
    status: Status
    body: WrittenAnswer


@dataclass
class BatchAnswers:
    """The answers, in the order of the calls."""

    responses: Sequence[BatchAnswer]


# What there is.

Setting: TypeAlias = bool | int | str | tuple[str, ...]
RulingKind: TypeAlias = Literal["violation", "event", "fault", "undetermined"]
Source: TypeAlias = Literal["S", "S/P", "S/D", "S/P/D", "P", "P/D", "D"]


@dataclass
class GameSummary:
    """A game: how many may play, and its rulesets, the default first."""

    game: GameName
    title: str
    seats: Sequence[Count]
    rulesets: Sequence[str]


@dataclass
class Games:
    """Every game that is refereed here."""

    games: Sequence[GameSummary]


@dataclass
class OptionValues(LeavesOut):
    """What an option may be: one of a list, an integer in a range, or a list of different values of a list."""

    one_of: Sequence[Setting] | None = None
    least: int | None = None
    most: int | None = None
    list_of: Sequence[str] | None = None


@dataclass
class Named:
    """A word of the wire, and what it is called in the language asked for."""

    name: str
    title: str


@dataclass
class NamedValue:
    """A value of an option, or an item of one that is a list, and what it is called in the language asked for."""

    value: Setting
    title: str


@dataclass
class NamedCard:
    """A card, and what it is called in the language asked for; a side of a two-sided one with its design."""

    card: int | str
    title: str


@dataclass
class Names:
    """What the words of the wire are called in the language asked for: to label what is drawn."""

    rulesets: Sequence[Named]
    phases: Sequence[Named]
    moves: Sequence[Named]
    facts: Sequence[Named]
    zones: Sequence[Named]
    terms: Sequence[Named]


@dataclass
class WrittenOption:
    """A point that a ruleset settles. `contested`: published texts disagree on it; `published`: what they say.

    `title` and `text` say it to a player; `titles` name its values, but for those that are numbers.
    """

    name: str
    title: str
    text: str
    rule: str
    values: OptionValues
    titles: Sequence[NamedValue]
    default: Setting
    contested: bool
    published: Sequence[Setting]


@dataclass
class WrittenRuling:
    """One thing that the referee can say, with the clause that makes it say so, and its sentence with placeholders."""

    rule: str
    code: str
    kind: RulingKind
    params: Sequence[str]
    option: str | None
    text: str


@dataclass
class Game:
    """All that can be known of a game beforehand. `deck`: its cards in order; of two-sided ones both designs."""

    game: GameName
    title: str
    seats: Sequence[Count]
    rulesets: Sequence[RulesetUsed]
    options: Sequence[WrittenOption]
    moves: Sequence[str]
    phases: Sequence[str]
    deck: Sequence[str | int | tuple[str, str]]
    cards: Sequence[NamedCard]
    names: Names
    rulings: Sequence[WrittenRuling]


@dataclass
class WrittenClause:
    """A clause in this project's words. `source`: S the published text, P practice, D a decision of this project."""

    id: str
    section: str
    text: str
    source: Source
    options: Sequence[str]


@dataclass
class Rulebook:
    """Every clause of a game."""

    game: GameName
    title: str
    language: Language
    clauses: Sequence[WrittenClause]


@dataclass
class ProblemKind:
    """What a problem means."""

    type: str
    title: str
    status: Status
    meaning: str


@dataclass
class Alive:
    """The process answers."""

    status: Literal["alive"]


Readiness: TypeAlias = Literal["ready", "away"]


@dataclass
class Checks(LeavesOut):
    """What was asked whether it is ready."""

    sessions: Readiness | None = None
    token_keys: Literal["ready", "missing", "differ"] | None = None
    eviction: Literal["may-drop"] | None = None
    durability: Literal["in-memory"] | None = None


@dataclass
class Ready:
    """Whether all that the service needs is there."""

    status: Readiness
    games: Sequence[GameName]
    checks: Checks
