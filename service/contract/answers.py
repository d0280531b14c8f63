"""The answers as dataclasses. Their published schemas follow from the classes: annotations and docstrings.

orjson writes the members of an instance in order. Classes with slots would cost more than plain dicts, and so would
frozen ones, so only instances that are cached are frozen. There are many events, so events are dicts. A member that
`__init__` does not take is left out unless it is set afterwards. `Encoded…` is the answer's form of something that the
engines have a class for; it is published without the prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, TypeAlias, TypedDict

from engines.core.shape import Doc, Null, Text, Whole, Why
from service import bounds
from service.contract.placeholders import (
    Clause,
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
Unverified: TypeAlias = Annotated[Sequence[Clause], Doc("Clauses not checked: what they need is not seen.")]
ToAct: TypeAlias = Annotated[Sequence[Seat | None], Doc("The seats that may move now; null is the table itself.")]


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

Params: TypeAlias = Annotated[Mapping[str, object], Doc("The particulars, which depend on the code.")]
Sentence: TypeAlias = Annotated[str, Doc("The same as a sentence in the language asked for.")]


class EncodedEvent(TypedDict):
    """It happened."""

    rule: Annotated[str, Doc("The clause that made it happen, such as `TW-5.2`.")]
    code: Annotated[str, Doc("What happened, as a code that never changes; decide by it.")]
    move: Annotated[MoveIndex, Doc("The index, in the moves of the request, of the move that caused it.")]
    params: Params
    text: Sentence


@dataclass
class EncodedViolation:
    """It forbids the move."""

    rule: Annotated[str, Doc("The clause that forbids it, such as `TW-5.2`.")]
    code: Annotated[str, Doc("What is wrong, as a code that never changes; decide by it.")]
    params: Params
    text: Sentence
    pointer: Annotated[str, Doc("The part of the request at fault, as a JSON pointer, such as `/moves/0/cards/1`.")]


@dataclass
class EncodedFault:
    """It makes the state impossible."""

    rule: Annotated[str, Doc("The clause that is contradicted, such as `TW-5.2`.")]
    code: Annotated[str, Doc("What is wrong, as a code that never changes; decide by it.")]
    params: Params
    text: Sentence
    pointers: Annotated[Sequence[str], Doc("The parts of the request at fault, as JSON pointers.")]


@dataclass(kw_only=True)
class EncodedUndetermined(LeavesOut):
    """The effect of the move depends on what is not seen."""

    move: Annotated[MoveIndex | None, Doc("The index of the move; left out where only one was asked about.")] = None
    rule: Annotated[str, Doc("The clause whose effect depends on what is not seen.")]
    code: Annotated[str, Doc("What is not known, as a code that never changes; decide by it.")]
    params: Params
    text: Sentence
    pointer: Annotated[str, Doc("What is not seen, as a JSON pointer from the request.")]


# Parts of several answers.

ButtonText: TypeAlias = Annotated[str, Doc("What a button for the move says, in at most 120 characters.")]


@dataclass
class RulesetUsed:
    """The ruleset that was judged by, every option spelled out."""

    name: Annotated[RulesetName, Doc("What the ruleset is called.")]
    version: Annotated[
        int,
        Whole(1, 1_000_000),
        Doc("The version of the rules: it goes up when the same request would get another verdict."),
    ]
    options: Annotated[EncodedOptions, Doc("Every option of the ruleset, spelled out.")]


Ruleset: TypeAlias = Annotated[RulesetUsed, Doc("The ruleset that was judged by.")]


@dataclass(frozen=True)
class EncodedStanding:
    """A place in the ranking; equal scores share a rank (1, 1, 3)."""

    seat: Annotated[Seat, Doc("Whose place it is.")]
    score: Annotated[int, Doc("The points, or chips, so far.")]
    rank: Rank


@dataclass(frozen=True)
class TeamStanding:
    """A team's place in the ranking."""

    team: Annotated[Seat, Doc("Whose place it is, in team play; else left out.")]
    score: Annotated[int, Doc("The points so far.")]
    rank: Rank


Standing: TypeAlias = EncodedStanding | TeamStanding
"""Published as one shape: of a seat, or of a team where the game knows teams."""
Ranking: TypeAlias = Annotated[Sequence[Standing], Doc("The ranking after them.")]


@dataclass(kw_only=True)
class EncodedResult(LeavesOut):
    """How the game ended: who won, or the points and rating of a game played together."""

    winners: Annotated[
        Sequence[Seat] | None,
        Doc("The seats or teams that have won; left out where all played together."),
    ] = None
    points: Annotated[int | None, Doc("The points of all together, in a game played together; else left out.")] = None
    rating: Annotated[str | None, Doc("How good that is, in a word, in a game played together; else left out.")] = None
    rule: Annotated[Clause, Doc("The clause by which the game is over.")]


Result: TypeAlias = Annotated[EncodedResult | None, Doc("How the game ended; null while it goes on.")]
OtherResult: TypeAlias = Annotated[EncodedResult | None, Doc("How the game would have ended; null while it goes on.")]


@dataclass
class OtherOutcome:
    """What the same moves come to under another value of the option."""

    value: Annotated[Setting, Doc("The value of the option that is assumed here.")]
    legal: Annotated[bool, Doc("Whether all the moves would have been legal.")]
    applied: Annotated[Count, Doc("How many moves would have been applied.")]
    standings: Ranking
    result: OtherResult
    changed: Annotated[bool, Doc("Whether this outcome differs from the actual one.")]


@dataclass
class EncodedContested:
    """A ruling that rests on an option on which published texts disagree, or are silent."""

    rule: Annotated[str, Doc("The clause that the option settles.")]
    option: Annotated[str, Doc("The option of the ruleset that decided.")]
    value: Annotated[Setting, Doc("Its value here.")]
    alternatives: Annotated[Sequence[Setting], Doc("Its other values.")]
    why: Annotated[
        Why,
        Doc("Why it is contested."),
    ]
    outcomes: Annotated[
        Sequence[OtherOutcome] | None,
        Doc("What the moves come to under each of them; left out unless `compare` is true."),
    ] = field(default=None, init=False)


@dataclass
class Comparison:
    """What the same moves come to under another ruleset; where the table is impossible, its `faults` alone."""

    ruleset: Annotated[RulesetName, Doc("The ruleset that is assumed here.")]
    legal: Annotated[
        bool | None, Doc("Whether all the moves would have been legal; left out where there are faults.")
    ] = field(default=None, init=False)
    standings: Annotated[Ranking | None, Doc("The ranking after them; left out where there are faults.")] = field(
        default=None, init=False
    )
    result: Annotated[
        OtherResult,
        Null(),
        Doc("How the game would have ended; null while it goes on, left out where there are faults."),
    ] = field(default=None, init=False)
    events: Annotated[
        Sequence[EncodedEvent] | None, Doc("What would have happened, in order; left out where there are faults.")
    ] = field(default=None, init=False)
    faults: Annotated[
        Sequence[EncodedFault] | None, Doc("What of the table is impossible under it; left out where nothing is.")
    ] = field(default=None, init=False)


# The answers of the calls.

More: TypeAlias = Literal[True]  #: Comes beside a list that is cut; left out where all are listed.


@dataclass
class Listing:
    """Moves that may be made at the table shown."""

    moves: Annotated[Sequence[LegalMove], Doc("The moves in canonical form, optional parts left out.")]
    complete: Annotated[bool, Doc("Whether every legal move in canonical form is listed.")]


@dataclass
class PlayerView:
    """What one seat, or a spectator, may see of it: the table, and what happened."""

    seat: Annotated[Seat | None, Doc("Who sees this; null for a spectator.")]
    state: Annotated[EncodedState, Doc("The table as it may be seen from there.")]
    events: Annotated[
        Sequence[EncodedEvent],
        Doc("What happened, as seen from there by the table after each move."),
    ]
    legal_moves: Annotated[
        Listing | None,
        Doc(
            "What this seat could post in a session: its own moves, and the table's that it may make; left out unless "
            "asked for."
        ),
    ] = field(default=None, init=False)


@dataclass
class Resolved:
    """What moves came to."""

    game: JudgedGame
    ruleset: Ruleset
    legal: Annotated[bool, Doc("Whether nothing visible forbids any of the moves.")]
    applied: Annotated[int, Whole(0, bounds.MOVES), Doc("How many of the moves were applied, from the first.")]
    violations: Annotated[
        Sequence[EncodedViolation],
        Doc("What forbids the first move that is not legal, in rulebook order; empty where all are."),
    ]
    unverified: Unverified
    undetermined: Annotated[
        EncodedUndetermined | None,
        Doc("Why it stopped before a legal move whose effect depends on what is not seen, or null."),
    ]
    events: Annotated[Sequence[EncodedEvent], Doc("What happened, in order, one entry a visible step.")]
    contested: Annotated[
        Sequence[EncodedContested],
        Doc("The rulings that rest on contested options."),
    ]
    state: Annotated[EncodedState, Doc("The table after the moves that were applied.")]
    to_act: ToAct
    standings: Annotated[Sequence[Standing], Doc("The ranking so far, in the order of the seats or teams.")]
    result: Result


@dataclass
class EncodedResolution(Resolved):
    """What the moves came to: applied in order, up to the first that is not."""

    more: Annotated[More | None, Doc("True where there were more violations; else left out.")] = field(
        default=None, init=False
    )
    comparison: Annotated[
        Sequence[Comparison] | None,
        Doc("What the moves come to under each ruleset in `compare`; else left out."),
    ] = field(default=None, init=False)
    views: Annotated[
        Sequence[PlayerView] | None, Doc("What each of those named in `views` may see; else left out.")
    ] = field(default=None, init=False)
    legal_moves: Annotated[
        Listing | None,
        Doc("The legal moves at the table in `state`; left out unless asked for."),
    ] = field(default=None, init=False)


@dataclass
class EncodedJudgement(LeavesOut):
    """Whether one move may be made, and what forbids it."""

    game: JudgedGame
    ruleset: Ruleset
    legal: Annotated[bool, Doc("Whether nothing visible forbids the move.")]
    text: ButtonText
    violations: Annotated[
        Sequence[EncodedViolation], Doc("What forbids it, in rulebook order; empty where it is legal.")
    ]
    unverified: Unverified
    undetermined: Annotated[
        EncodedUndetermined | None, Doc("Why the effect of the move cannot be known; null where it can.")
    ]
    more: Annotated[More | None, Doc("True where there were more violations; else left out.")] = None


@dataclass
class LegalMove:
    """A move that may be made, in canonical form, and what there is to know of it."""

    move: Annotated[EncodedMove, Doc("The move, to be posted as it stands.")]
    text: ButtonText
    facts: Annotated[EncodedFacts, Doc("What a player would want to know of it.")]


@dataclass
class LegalMoves:
    """The moves that may be made now."""

    game: TableGame
    ruleset: Ruleset
    to_act: ToAct
    moves: Annotated[Sequence[LegalMove], Doc("The moves in canonical form, optional parts left out.")]
    complete: Annotated[bool, Doc("Whether every legal move in canonical form is listed.")]


@dataclass
class EncodedAudit(LeavesOut):
    """Everything in a table that contradicts the rulebook."""

    game: TableGame
    consistent: Annotated[bool, Doc("Whether nothing that is shown contradicts the rulebook.")]
    faults: Annotated[Sequence[EncodedFault], Doc("Everything that does, in rulebook order.")]
    unverified: Unverified
    more: Annotated[More | None, Doc("True where there were more faults; else left out.")] = None


@dataclass
class View:
    """The table as one seat may see it."""

    game: TableGame
    seat: Annotated[Seat | None, Doc("Who sees this; null for a spectator.")]
    state: Annotated[EncodedState, Doc("The table as it may be seen from there: a state that can be posted again.")]


@dataclass
class EncodedOpening:
    """A table as it stands after the deal."""

    game: Annotated[GameName, Doc("The game that was dealt.")]
    state: Annotated[EncodedState, Doc("The table after the deal, with every card in it.")]
    to_act: ToAct
    seed: Annotated[Seed | None, Doc("The seed that the deck was shuffled from; null where the deck was given.")]
    commitment: Annotated[Digest | None, Doc("The SHA-256 of the seed, in hex; null where the deck was given.")]


@dataclass(kw_only=True)
class BatchAnswer(LeavesOut):
    """The answer to one call of a batch: what the call alone would have answered."""

    id: Annotated[
        BatchId | None,
        UnionName("AnsweredId"),
        Doc("The `id` of the entry that this answers; left out where it had none."),
    ] = None
    status: Annotated[Status, Doc("The status with which the call alone would have been answered.")]
    body: Annotated[
        EncodedAnswer,
        Doc("The body with which the call alone would have been answered: a problem where it is refused."),
    ]


@dataclass
class BatchAnswers:
    """The answers, in the order of the calls."""

    responses: Annotated[Sequence[BatchAnswer], Doc("One answer an entry, in their order.")]


# Games, rulebooks, problems and probes.


@dataclass
class OfferedRuleset(RulesetUsed):
    """A ruleset of a game with every option, and how many can play by it."""

    seats: Annotated[Sequence[Count], Doc("The numbers of players that can play by it.")]
    teams: Annotated[bool, Doc("Whether it is played in teams.")]


RulingKind: TypeAlias = Literal["violation", "event", "fault", "undetermined"]
Source: TypeAlias = Literal["S", "S/P", "S/D", "S/P/D", "P", "P/D", "D"]


@dataclass
class GameSummary:
    """A game: how many may play, and its rulesets, the default first."""

    game: Annotated[GameName, Doc("The name of the game in every request and path.")]
    title: Annotated[str, Doc("What the game is called, in the language asked for.")]
    seats: Annotated[Sequence[Count], Doc("The numbers of players that can play it.")]
    rulesets: Annotated[Sequence[str], Doc("The names of its rulesets, the default first.")]


@dataclass
class Games:
    """Every game that is refereed here."""

    games: Annotated[Sequence[GameSummary], Doc("The games, in the order of their names.")]


@dataclass
class OptionValues(LeavesOut):
    """What an option may be: `one_of` these, an integer from `least` to `most`, or a list of values in `list_of`."""

    one_of: Annotated[Sequence[Setting] | None, Doc("The values, where it is one of a list; else left out.")] = None
    least: Annotated[int | None, Doc("The least, where it is an integer; else left out.")] = None
    most: Annotated[int | None, Doc("The greatest, where it is an integer; else left out.")] = None
    list_of: Annotated[Sequence[str] | None, Doc("The values that it may list, none twice; else left out.")] = None


@dataclass
class Named:
    """A word of the wire, and what it is called in the language asked for."""

    name: Annotated[str, Doc("The word as it stands in requests and answers.")]
    title: Title


@dataclass
class NamedValue:
    """A value of an option, or an item of one that is a list, and what it is called in the language asked for."""

    value: Annotated[Setting, Doc("The value as it stands in requests and answers.")]
    title: Title


@dataclass
class NamedCard:
    """A card, and what it is called in the language asked for; a side of a two-sided one with its design."""

    card: Annotated[
        int | str, UnionName("AnyCard"), Doc("The card as it stands in requests and answers: a string or an integer.")
    ]
    title: Title


@dataclass
class Zone:
    """A member of a state in which cards lie, and the JSON pointers of its cards."""

    name: Annotated[str, Doc("The member of the state.")]
    pointer: Annotated[
        str,
        Doc(
            "The pattern of its cards' JSON pointers, from the state: `/row/{place}`, `/hands/{seat}/{place}`. Each "
            "word in braces stands for an index from 0: `{seat}` for a seat, `{side}` for a seat or, in team play, a "
            "team, any other for a place in a list. Without `{seat}` and `{side}` the cards belong to the whole "
            "table. A list that is null or left out has none."
        ),
    ]


@dataclass
class Names:
    """What the words of the wire are called in the language asked for: to label what is drawn."""

    rulesets: Annotated[Sequence[Named], Doc("The names of rulesets.")]
    phases: Annotated[Sequence[Named], Doc("The phases of a table.")]
    moves: Annotated[Sequence[Named], Doc("The types of moves.")]
    facts: Annotated[Sequence[Named], Doc("The facts that stand beside legal moves.")]
    zones: Annotated[Sequence[Named], Doc("The places where cards lie.")]
    terms: Annotated[Sequence[Named], Doc("Other words that stand in answers.")]


@dataclass
class EncodedOption:
    """A point that a ruleset settles. `title` and `text` say it to a player."""

    name: Annotated[str, Doc("The member of `options` in a ruleset.")]
    title: Title
    text: Annotated[str, Doc("What it settles, in a sentence, in the language asked for.")]
    rule: Annotated[str, Doc("The clause that it settles.")]
    values: Annotated[OptionValues, Doc("What it may be.")]
    titles: Annotated[Sequence[NamedValue], Doc("What its values are called; numbers are not named.")]
    default: Annotated[
        Setting, Doc("Its value where nothing is said: a boolean, an integer, a string or a list of strings.")
    ]
    contested: Annotated[bool, Doc("Whether published texts disagree on it, or are silent.")]
    why: Annotated[
        Why | None,
        Doc(
            "Why it is contested: texts differ, one text can be read in two ways, or no text prints its other "
            "values; null where it is not."
        ),
    ]
    published: Annotated[
        Sequence[Setting], Doc("The values that published texts print; empty where it is not contested.")
    ]
    texts: Annotated[Sequence[NamedValue], Doc("The texts that print each of them, in words.")]


@dataclass
class EncodedRuling:
    """One thing that the referee can say, with the clause that makes it say so, and its sentence with placeholders."""

    rule: Annotated[str, Doc("The clause that makes the referee say it.")]
    code: Annotated[str, Doc("The word by which it is known on the wire.")]
    kind: Annotated[RulingKind, Doc("What it is a ruling on.")]
    params: Annotated[Sequence[str], Doc("The names of its particulars.")]
    option: Annotated[str | None, Doc("The option on which it rests; null where none decides it.")]
    text: Annotated[str, Doc("Its sentence in the language asked for, with the names of particulars in braces.")]


@dataclass
class Game:
    """All that can be known of a game beforehand. `deck`: its cards in order; of two-sided ones both designs."""

    game: Annotated[GameName, Doc("The name of the game in every request and path.")]
    title: Annotated[str, Doc("What the game is called, in the language asked for.")]
    seats: Annotated[Sequence[Count], Doc("The numbers of players that can play it.")]
    rulesets: Annotated[
        Sequence[OfferedRuleset],
        Doc("Its rulesets with every option, and how many can play by each, the default first."),
    ]
    options: Annotated[Sequence[EncodedOption], Doc("What a ruleset can settle.")]
    moves: Annotated[Sequence[str], Doc("The types of its moves.")]
    phases: Annotated[Sequence[str], Doc("The phases of its table.")]
    zones: Annotated[
        Sequence[Zone], Doc("Where its cards lie: to find every card of a state without knowing the game.")
    ]
    deck: Annotated[
        Sequence[Annotated[str | int | tuple[str, str], UnionName("DeckCard")]],
        Doc("The cards in order, each a string or an integer; of two-sided ones both designs."),
    ]
    cards: Annotated[Sequence[NamedCard], Doc("What its cards are called, in the order of the deck.")]
    names: Annotated[Names, Doc("What its other words are called.")]
    rulings: Annotated[Sequence[EncodedRuling], Doc("All that the referee can say of it.")]


@dataclass
class Example:
    """An example that a text prints."""

    text: Annotated[str, Doc("The example in this project's words, in the language asked for.")]
    vector: Annotated[str, Doc("The `id` of the conformance vector that plays it.")]


@dataclass
class Note:
    """What a text says that no ruling rests on: what is in the box, how players behave."""

    section: Annotated[str, Doc("The part of the rulebook at whose beginning it stands.")]
    text: Annotated[str, Doc("What it says, in the language asked for.")]


@dataclass
class EncodedClause:
    """A clause in this project's words."""

    id: Annotated[str, Doc("The number by which rulings cite it.")]
    section: Annotated[str, Doc("The part of the rulebook in which it stands.")]
    text: Annotated[str, Doc("What it says, in the language asked for.")]
    source: Annotated[
        Source,
        Doc(
            "Where it comes from: S the text that the rulebook was read from, P another published text, D a decision "
            "of this project."
        ),
    ]
    texts: Annotated[Sequence[str], Doc("The texts that P stands for, in words.")]
    options: Annotated[Sequence[str], Doc("The options that settle it; empty where it is not open.")]
    examples: Annotated[Sequence[Example], Doc("The examples that the texts print for it.")]


@dataclass
class Rulebook:
    """Every clause of a game."""

    game: Annotated[GameName, Doc("The game of which it is the rulebook.")]
    title: Annotated[str, Doc("What the game is called, in the language asked for.")]
    language: Annotated[Language, Doc("The language of its sentences, such as `en`.")]
    clauses: Annotated[Sequence[EncodedClause], Doc("Its clauses in order.")]
    notes: Annotated[Sequence[Note], Doc("What the texts say besides, without rulings.")]


@dataclass
class ProblemKind:
    """What a problem means."""

    type: Annotated[str, Doc("The path of this page, which is the `type` of such problems.")]
    title: Title
    status: Annotated[Status, Doc("The status that it comes with.")]
    meaning: Annotated[str, Doc("What it means and how to mend it, in the language asked for.")]


@dataclass
class Alive:
    """The process answers."""

    status: Annotated[Literal["alive"], Doc("It always is, where there is an answer.")]


Readiness: TypeAlias = Literal["ready", "away"]


@dataclass
class Checks(LeavesOut):
    """The parts of the service, and whether they are ready."""

    sessions: Annotated[
        Literal["ready", "away", "off"] | None,
        Doc("Whether the store of the sessions is there; `off`: there are no sessions here, and no store."),
    ] = None
    token_keys: Annotated[
        Literal["ready", "missing", "differ"] | None,
        Doc("Whether the keys that sign tokens are there, and the same everywhere."),
    ] = None
    eviction: Annotated[
        Literal["may-drop"] | None,
        Doc("Comes where the store may drop sessions when it is full."),
    ] = None
    room: Annotated[
        Literal["for-play", "full"] | None,
        Doc("Comes where the store takes moves only, or nothing."),
    ] = None
    unreadable: Annotated[
        int | None,
        Doc("Comes with the number of kept sessions that this version cannot read."),
    ] = None
    durability: Annotated[
        Literal["in-memory"] | None,
        Doc("Comes where the store keeps sessions in memory alone."),
    ] = None
    writes: Annotated[
        Literal["slow"] | None,
        Doc("Comes where the disk of the store is slow: changes may wait, or be refused for a moment."),
    ] = None
    older_tokens: Annotated[
        int | None,
        Doc(
            "Comes while tokens of a key that no longer signs are in use: seconds until none is, if none is sent again."
        ),
    ] = None


@dataclass
class Ready:
    """Whether all that the service needs is there."""

    status: Annotated[Readiness, Doc("Whether all that is needed is there.")]
    version: Annotated[str, Doc("The version that runs.")]
    commit: Annotated[str | None, Doc("The commit that it is of; null where that is not known.")]
    games: Annotated[Sequence[GameName], Doc("The games that are refereed here.")]
    checks: Annotated[Checks, Doc("The state of each part of the service.")]
