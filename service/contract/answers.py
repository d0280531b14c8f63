"""The answers as dataclasses. Their published schemas follow from the classes, docstrings and `#:` comments.

orjson writes the members of an instance in order. Classes with slots would cost more than plain dicts, and so would
frozen ones, so only instances that are cached are frozen. There are many events, so events are dicts. A member that
`__init__` does not take is left out unless it is set afterwards. `Encoded…` is the answer's form of something that the
engines have a class for; it is published without the prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, TypeAlias, TypedDict

from engines.core.shape import Null, Text, Whole, Why
from service import bounds
from service.contract.placeholders import (
    Clause,
    Doc,
    EncodedAnswer,
    EncodedFacts,
    EncodedMove,
    EncodedOptions,
    EncodedState,
    GameName,
    Language,
    Rank,
    RulesetName,
    Seat,
    UnionName,
)
from service.contract.requests import BatchId, Seed

Count: TypeAlias = Annotated[int, Whole(0, 1_000_000)]
Status: TypeAlias = Annotated[int, Whole(100, 599)]
Digest: TypeAlias = Annotated[str, Text(64, 64, "[0-9a-fA-F]{64}")]  #: A SHA-256 in hex.
Setting: TypeAlias = Annotated[bool | int | str | tuple[str, ...], UnionName("Setting")]  #: A value of an option.
MoveIndex: TypeAlias = Annotated[int, Whole(0, bounds.MOVES - 1)]
JudgedGame: TypeAlias = Annotated[GameName, Doc("The game that was judged.")]
TableGame: TypeAlias = Annotated[GameName, Doc("The game of the table.")]
Title: TypeAlias = Annotated[str, Doc("What it is called, in the language asked for.")]
Unverified: TypeAlias = Annotated[
    Sequence[Clause], Doc("The clauses that were not checked because what they need is not seen.")
]
ToAct: TypeAlias = Annotated[
    Sequence[Seat | None], Doc("The seats that may move now; null in the list stands for the table itself.")
]


class LeavesOut:
    """An answer that leaves out its optional members that are None."""

    _optional: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._optional = tuple([name for name in cls.__annotations__ if name in vars(cls)])

    def __post_init__(self) -> None:
        for name in self._optional:
            if getattr(self, name) is None:
                delattr(self, name)


# Rulings. A game publishes one shape for each code, with its clauses and parameters.

Params: TypeAlias = Annotated[Mapping[str, object], Doc("The particulars; which there are depends on the code.")]
Sentence: TypeAlias = Annotated[str, Doc("The same as a sentence, in the language asked for.")]


class EncodedEvent(TypedDict):
    """It happened."""

    rule: str  #: The clause that made it happen, such as `TW-5.2`.
    code: str  #: What happened, as a code that never changes; decide by it.
    move: MoveIndex  #: The index, in the moves of the request, of the move that caused it.
    params: Params
    text: Sentence


@dataclass
class EncodedViolation:
    """It forbids the move."""

    rule: str  #: The clause that forbids it, such as `TW-5.2`.
    code: str  #: What is wrong, as a code that never changes; decide by it.
    params: Params
    text: Sentence
    pointer: str  #: The part of the request at fault, as a JSON pointer, such as `/moves/0/cards/1`.


@dataclass
class EncodedFault:
    """It makes the state impossible."""

    rule: str  #: The clause that is contradicted, such as `TW-5.2`.
    code: str  #: What is wrong, as a code that never changes; decide by it.
    params: Params
    text: Sentence
    pointers: Sequence[str]  #: The parts of the request that contradict one another or the clause, as JSON pointers.


@dataclass(kw_only=True)
class EncodedUndetermined(LeavesOut):
    """The effect of the move depends on what is not seen."""

    move: MoveIndex | None = None
    """The index of the move that cannot be applied; left out where only one was asked about."""
    rule: str  #: The clause whose effect depends on what is not seen.
    code: str  #: What is not known, as a code that never changes; decide by it.
    params: Params
    text: Sentence
    pointer: str  #: What is not seen, as a JSON pointer from the request.


# Parts of several answers.


@dataclass
class RulesetUsed:
    """The ruleset that was judged by, every option spelled out."""

    name: RulesetName  #: What the ruleset is called.
    version: Annotated[int, Whole(1, 1_000_000)]
    """How often decisions of this game have changed; it goes up when the same request would get another verdict."""
    options: EncodedOptions  #: Every option of the ruleset, spelled out.


Ruleset: TypeAlias = Annotated[RulesetUsed, Doc("The ruleset that was judged by.")]


@dataclass(frozen=True)
class EncodedStanding:
    """A place in the ranking; equal scores share a rank (1, 1, 3)."""

    seat: Seat  #: Whose place it is.
    score: int  #: The points, or chips, so far.
    rank: Rank


@dataclass(frozen=True)
class TeamStanding:
    """A team's place in the ranking."""

    team: Seat  #: Whose place it is, in team play; else left out.
    score: int  #: The points so far.
    rank: Rank


Standing: TypeAlias = EncodedStanding | TeamStanding
"""Published as one shape: of a seat, or of a team where the game knows teams."""
Ranking: TypeAlias = Annotated[Sequence[Standing], Doc("The ranking after them.")]


@dataclass(kw_only=True)
class EncodedResult(LeavesOut):
    """How the game ended: the winners (seats or teams), or the points and rating of a game played together."""

    winners: Sequence[Seat] | None = None
    """The seats, or in team play the teams, that have won; left out where all played together."""
    points: int | None = None  #: The points of all together, in a game played together; else left out.
    rating: str | None = None  #: How good that is, in a word, in a game played together; else left out.
    rule: Clause  #: The clause by which the game is over.


Result: TypeAlias = Annotated[EncodedResult | None, Doc("How the game ended; null while it goes on.")]
OtherResult: TypeAlias = Annotated[EncodedResult | None, Doc("How the game would have ended; null while it goes on.")]


@dataclass
class OtherOutcome:
    """What the same moves come to under another value of the option."""

    value: Setting  #: The value of the option that is assumed here.
    legal: bool  #: Whether all the moves would have been legal.
    applied: Count  #: How many moves would have been applied.
    standings: Ranking
    result: OtherResult
    changed: bool  #: Whether this outcome differs from the actual one.


@dataclass
class EncodedContested:
    """A ruling of this resolution that rests on an option on which published texts disagree, or are silent."""

    rule: str  #: The clause that the option settles.
    option: str  #: The option of the ruleset that decided.
    value: Setting  #: Its value here.
    alternatives: Sequence[Setting]  #: Its other values.
    why: Why
    """Why it is contested: texts differ, one text can be read in two ways, or no text prints the other values."""
    outcomes: Sequence[OtherOutcome] | None = field(default=None, init=False)
    """What the moves would have come to under each of them; left out unless `compare` is true."""


@dataclass
class Comparison:
    """What the same moves come to under another ruleset; where the table is impossible under it, only its `faults`."""

    ruleset: RulesetName  #: The ruleset that is assumed here.
    legal: bool | None = field(default=None, init=False)
    """Whether all the moves would have been legal; left out where there are faults."""
    standings: Ranking | None = field(default=None, init=False)
    """The ranking after them; left out where there are faults."""
    result: Annotated[OtherResult, Null()] = field(default=None, init=False)
    """How the game would have ended; null while it goes on, left out where there are faults."""
    events: Sequence[EncodedEvent] | None = field(default=None, init=False)
    """What would have happened, in order; left out where there are faults."""
    faults: Sequence[EncodedFault] | None = field(default=None, init=False)
    """What of the table is impossible under it; left out where nothing is."""


# The answers of the calls.

More: TypeAlias = Literal[True]  #: Comes beside a list that is cut; left out where all are listed.


@dataclass
class PlayerView:
    """What one seat, or a spectator, may see of it: the table, and what happened."""

    seat: Seat | None  #: Who sees this; null for a spectator.
    state: EncodedState  #: The table as it may be seen from there.
    events: Sequence[EncodedEvent]
    """What happened as it may be seen from there, each event by the table after its own move."""


@dataclass
class Resolved:
    """What moves came to."""

    game: JudgedGame
    ruleset: Ruleset
    legal: bool  #: Whether nothing visible forbids any of the moves.
    applied: Annotated[int, Whole(0, bounds.MOVES)]  #: How many of the moves were applied, from the first.
    violations: Sequence[EncodedViolation]
    """What forbids the first move that is not legal, in the order of the rulebook; empty where all are."""
    unverified: Unverified
    undetermined: EncodedUndetermined | None
    """Why the resolution stopped before a legal move whose effect depends on what is not seen; null where it did not.
    """
    events: Sequence[EncodedEvent]  #: What happened, in order, one entry a visible step.
    contested: Sequence[EncodedContested]
    """The rulings that rest on options on which published texts disagree, or are silent."""
    state: EncodedState  #: The table after the moves that were applied.
    to_act: ToAct
    standings: Sequence[Standing]  #: The ranking as the table stands, in the order of the seats or teams.
    result: Result


@dataclass
class EncodedResolution(Resolved):
    """What the moves came to: applied in order, up to the first that is not."""

    more: More | None = field(default=None, init=False)
    """True where there were more violations than are listed; else left out."""
    comparison: Sequence[Comparison] | None = field(default=None, init=False)
    """What the moves would have come to under each ruleset named in `compare`; else left out."""
    views: Sequence[PlayerView] | None = field(default=None, init=False)
    """What each of those named in `views` may see; else left out."""


@dataclass
class EncodedJudgement(LeavesOut):
    """Whether one move may be made, and what forbids it."""

    game: JudgedGame
    ruleset: Ruleset
    legal: bool  #: Whether nothing visible forbids the move.
    violations: Sequence[EncodedViolation]  #: What forbids it, in the order of the rulebook; empty where it is legal.
    unverified: Unverified
    undetermined: EncodedUndetermined | None  #: Why the effect of the move cannot be known; null where it can.
    more: More | None = None
    """True where there were more violations than are listed; else left out."""


@dataclass
class LegalMove:
    """A move that may be made, in canonical form, and what there is to know of it."""

    move: EncodedMove  #: The move, to be posted as it stands.
    facts: EncodedFacts  #: What a player would want to know of it.


@dataclass
class LegalMoves:
    """The moves that may be made now."""

    game: TableGame
    ruleset: Ruleset
    to_act: ToAct
    moves: Sequence[LegalMove]  #: The moves in canonical form, optional parts left out.
    complete: bool  #: Whether every legal move in canonical form is listed.


@dataclass
class EncodedAudit(LeavesOut):
    """Everything in a table that contradicts the rulebook."""

    game: TableGame
    consistent: bool  #: Whether nothing that is shown contradicts the rulebook.
    faults: Sequence[EncodedFault]  #: Everything that does, in the order of the rulebook.
    unverified: Unverified
    more: More | None = None
    """True where there were more faults than are listed; else left out."""


@dataclass
class View:
    """The table as one seat may see it."""

    game: TableGame
    seat: Seat | None  #: Who sees this; null for a spectator.
    state: EncodedState  #: The table as it may be seen from there: a state that can be posted again.


@dataclass
class EncodedOpening:
    """A table as it stands after the deal."""

    game: GameName  #: The game that was dealt.
    state: EncodedState  #: The table after the deal, with every card in it.
    to_act: ToAct
    seed: Seed | None  #: The seed that the deck was shuffled from; null where the deck was given.
    commitment: Digest | None  #: The SHA-256 of the seed, in hex; null where the deck was given.


@dataclass(kw_only=True)
class BatchAnswer(LeavesOut):
    """The answer to one call of a batch: what the call alone would have answered."""

    id: Annotated[BatchId, UnionName("AnsweredId")] | None = None
    """The `id` of the entry that this answers; left out where it had none."""
    status: Status  #: The status with which the call alone would have been answered.
    body: EncodedAnswer  #: The body with which the call alone would have been answered: a problem where it is refused.


@dataclass
class BatchAnswers:
    """The answers, in the order of the calls."""

    responses: Sequence[BatchAnswer]  #: One answer an entry, in their order.


# Games, rulebooks, problems and probes.

RulingKind: TypeAlias = Literal["violation", "event", "fault", "undetermined"]
Source: TypeAlias = Literal["S", "S/P", "S/D", "S/P/D", "P", "P/D", "D"]


@dataclass
class GameSummary:
    """A game: how many may play, and its rulesets, the default first."""

    game: GameName  #: The name of the game in every request and path.
    title: str  #: What the game is called, in the language asked for.
    seats: Sequence[Count]  #: The numbers of players that can play it.
    rulesets: Sequence[str]  #: The names of its rulesets, the default first.


@dataclass
class Games:
    """Every game that is refereed here."""

    games: Sequence[GameSummary]  #: The games, in the order of their names.


@dataclass
class OptionValues(LeavesOut):
    """What an option may be: `one_of` these, an integer from `least` to `most`, or a list of values in `list_of`."""

    one_of: Sequence[Setting] | None = None  #: The values, where it is one of a list; else left out.
    least: int | None = None  #: The least, where it is an integer; else left out.
    most: int | None = None  #: The greatest, where it is an integer; else left out.
    list_of: Sequence[str] | None = None  #: The values that it may list, none twice; else left out.


@dataclass
class Named:
    """A word of the wire, and what it is called in the language asked for."""

    name: str  #: The word as it stands in requests and answers.
    title: Title


@dataclass
class NamedValue:
    """A value of an option, or an item of one that is a list, and what it is called in the language asked for."""

    value: Setting  #: The value as it stands in requests and answers.
    title: Title


@dataclass
class NamedCard:
    """A card, and what it is called in the language asked for; a side of a two-sided one with its design."""

    card: Annotated[
        int | str, UnionName("AnyCard")
    ]  #: The card as it stands in requests and answers: a string or an integer.
    title: Title


@dataclass
class Zone:
    """A member of a state in which cards lie, and the JSON pointers of its cards."""

    name: str  #: The member of the state.
    pointer: str
    """The pattern of its cards' JSON pointers, from the state: `/row/{place}`, `/hands/{seat}/{place}`. Each word in
    braces stands for an index from 0: `{seat}` for a seat, `{side}` for a seat or, in team play, a team, any other for
    a place in a list. Without `{seat}` and `{side}` the cards belong to the whole table. A list that is null or left
    out has none.
    """


@dataclass
class Names:
    """What the words of the wire are called in the language asked for: to label what is drawn."""

    rulesets: Sequence[Named]  #: The names of rulesets.
    phases: Sequence[Named]  #: The phases of a table.
    moves: Sequence[Named]  #: The types of moves.
    facts: Sequence[Named]  #: The facts that stand beside legal moves.
    zones: Sequence[Named]  #: The places where cards lie.
    terms: Sequence[Named]  #: Other words that stand in answers.


@dataclass
class EncodedOption:
    """A point that a ruleset settles. `title` and `text` say it to a player."""

    name: str  #: The member of `options` in a ruleset.
    title: Title
    text: str  #: What it settles, in a sentence, in the language asked for.
    rule: str  #: The clause that it settles.
    values: OptionValues  #: What it may be.
    titles: Sequence[NamedValue]  #: What its values are called; numbers are not named.
    default: Setting  #: Its value where nothing is said: a boolean, an integer, a string or a list of strings.
    contested: bool  #: Whether published texts disagree on it, or are silent.
    why: Why | None
    """Why it is contested: texts differ, one text can be read in two ways, or no text prints its other values; null
    where it is not.
    """
    published: Sequence[Setting]  #: The values that published texts print; empty where it is not contested.
    texts: Sequence[NamedValue]  #: The texts that print each of them, in words.


@dataclass
class EncodedRuling:
    """One thing that the referee can say, with the clause that makes it say so, and its sentence with placeholders."""

    rule: str  #: The clause that makes the referee say it.
    code: str  #: The word by which it is known on the wire.
    kind: RulingKind  #: What it is a ruling on.
    params: Sequence[str]  #: The names of its particulars.
    option: str | None  #: The option on which it rests; null where none decides it.
    text: str  #: Its sentence in the language asked for, with the names of particulars in braces.


@dataclass
class Game:
    """All that can be known of a game beforehand. `deck`: its cards in order; of two-sided ones both designs."""

    game: GameName  #: The name of the game in every request and path.
    title: str  #: What the game is called, in the language asked for.
    seats: Sequence[Count]  #: The numbers of players that can play it.
    rulesets: Sequence[RulesetUsed]  #: Its rulesets with every option, the default first.
    options: Sequence[EncodedOption]  #: What a ruleset can settle.
    moves: Sequence[str]  #: The types of its moves.
    phases: Sequence[str]  #: The phases of its table.
    zones: Sequence[Zone]  #: Where its cards lie: to find every card of a state without knowing the game.
    deck: Sequence[Annotated[str | int | tuple[str, str], UnionName("DeckCard")]]
    """The cards in order, each a string or an integer; of two-sided ones both designs."""
    cards: Sequence[NamedCard]  #: What its cards are called, in the order of the deck.
    names: Names  #: What its other words are called.
    rulings: Sequence[EncodedRuling]  #: All that the referee can say of it.


@dataclass
class Example:
    """An example that a text prints."""

    text: str  #: The example in this project's words, in the language asked for.
    vector: str  #: The `id` of the conformance vector that plays it.


@dataclass
class Note:
    """What a text says that no ruling rests on: what is in the box, how players behave."""

    section: str  #: The part of the rulebook at whose beginning it stands.
    text: str  #: What it says, in the language asked for.


@dataclass
class EncodedClause:
    """A clause in this project's words."""

    id: str  #: The number by which rulings cite it.
    section: str  #: The part of the rulebook in which it stands.
    text: str  #: What it says, in the language asked for.
    source: Source
    """Where it comes from: S the text that the rulebook was read from, P another published text, D a decision of this
    project.
    """
    texts: Sequence[str]  #: The texts that P stands for, in words.
    options: Sequence[str]  #: The options that settle it; empty where it is not open.
    examples: Sequence[Example]  #: The examples that the texts print for it.


@dataclass
class Rulebook:
    """Every clause of a game."""

    game: GameName  #: The game of which it is the rulebook.
    title: str  #: What the game is called, in the language asked for.
    language: Language  #: The language of its sentences: `en`, `it` or `fr`.
    clauses: Sequence[EncodedClause]  #: Its clauses in order.
    notes: Sequence[Note]  #: What the texts say besides, without rulings.


@dataclass
class ProblemKind:
    """What a problem means."""

    type: str  #: The path of this page, which is the `type` of such problems.
    title: Title
    status: Status  #: The status that it comes with.
    meaning: str  #: What it means and how to mend it, in the language asked for.


@dataclass
class Alive:
    """The process answers."""

    status: Literal["alive"]  #: It always is, where there is an answer.


Readiness: TypeAlias = Literal["ready", "away"]


@dataclass
class Checks(LeavesOut):
    """The parts of the service, and whether they are ready."""

    sessions: Readiness | None = None  #: Whether the store of the sessions is there.
    token_keys: Literal["ready", "missing", "differ"] | None = None
    """Whether the keys that sign tokens are there, and the same everywhere."""
    eviction: Literal["may-drop"] | None = None  #: Comes where the store may drop sessions when it is full.
    room: Literal["for-play", "full"] | None = None  #: Comes where the store takes moves only, or nothing.
    unreadable: int | None = None  #: Comes with the number of kept sessions that this version cannot read.
    durability: Literal["in-memory"] | None = None  #: Comes where the store keeps sessions in memory alone.


@dataclass
class Ready:
    """Whether all that the service needs is there."""

    status: Readiness  #: Whether all that is needed is there.
    games: Sequence[GameName]  #: The games that are refereed here.
    checks: Checks  #: The state of each part of the service.
