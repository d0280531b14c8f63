"""The bodies and the answers of calls on sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from engines.core.shape import Doc, Length, Text, Whole
from service import bounds
from service.contract.answers import Digest, EncodedEvent, LeavesOut, Listing, Resolved, Result, RulesetUsed, Standing
from service.contract.codec import Codec, codecs, general, of_all_games
from service.contract.fields import ObjectField
from service.contract.of_game import AnyEngine
from service.contract.placeholders import (
    EncodedMove,
    EncodedState,
    GameName,
    M,
    PlayerNames,
    SameForAll,
    Seat,
    SeenMove,
    UnionName,
    WithoutChance,
    WithSetup,
)
from service.contract.requests import Seed

T = TypeVar("T")

Version: TypeAlias = Annotated[int, Whole(0, 999_999_999)]
Name: TypeAlias = Annotated[str, Text(32, 32, None)]
Fair: TypeAlias = Literal["committed", "joint"]
Counted: TypeAlias = Sequence[Sequence[str]]  #: Groups of cards.
CardOrGroup: TypeAlias = Annotated[str | Sequence[str], UnionName("CardOrGroup")]
"""A card of a group that a seat has counted; for a host who sees all, a group."""


@dataclass(frozen=True)
class EncodedSessionRequest(WithSetup):
    """The game to be dealt, and what its session promises: how fair it deals, and who may see what."""

    deck: ClassVar[None] = None  #: Always None, and no member of the body: a session shuffles its own decks.

    fair: Annotated[
        Fair,
        Doc("Whether the service alone commits to the seed, or every seat as well."),
    ] = "committed"
    host: Annotated[
        Literal["sees-all", "blind"], Doc("Whether the host sees all cards, or only what a spectator sees.")
    ] = "sees-all"
    public: Annotated[bool, Doc("Whether spectators need no token.")] = False
    invite: Annotated[
        bool,
        Doc("Whether seats are taken by invite: the host never holds their tokens."),
    ] = False
    names: PlayerNames | None = None
    # Only of games with moves for them: see `of_game.BY_RULESET`.
    gather_ms: Annotated[
        int | None,
        Whole(bounds.SHORTEST_WINDOW, bounds.LONGEST_WINDOW),
        Doc(
            "For how many milliseconds after the first hand others join it in one claim; left out: each claim is "
            "settled at once. Only where hands are claimed."
        ),
    ] = None
    clock_seconds: Annotated[
        int | None,
        Whole(bounds.SHORTEST_BINDING_CLOCK, bounds.LONGEST_CLOCK),
        Doc(
            "After how many seconds the clock ends, before which nothing is counted; left out: the players keep the "
            "time themselves. Only where groups are counted."
        ),
    ] = None


@dataclass(frozen=True)
class EncodedTestingRequest(EncodedSessionRequest, WithSetup):
    """An opening as only a service that was started for tests takes it. The published contract has none of this."""

    state: Annotated[EncodedState | None, Doc("The table to begin with, wholly known, in place of a deal.")] = None
    seed: Annotated[Digest | None, Doc("The server's seed, which all deals follow from: 64 hex digits.")] = None
    expires_in: Annotated[
        int | None,
        Whole(1, bounds.LONGEST_TEST),
        Doc("In how many seconds the session expires if nobody changes it."),
    ] = None

    @property
    def is_of_tests(self) -> bool:
        """Whether the session that it opens is one of tests."""
        return any(each is not None for each in (self.state, self.seed, self.expires_in))


@dataclass(frozen=True)
class Moves(WithoutChance, Generic[M]):
    """Moves to make, all or none. What chance brings is refused here: a session draws."""

    moves: Annotated[
        tuple[M, ...],
        Length(1, bounds.MOVES),
        Doc("The moves, made all or not at all; without what chance brings, which the service draws."),
    ]


@dataclass(frozen=True)
class SeatCommitment:
    """The SHA-256, in hex, of the seed that a seat will give."""

    commitment: Annotated[Digest, Doc("The SHA-256, in hex, of the seed that the seat will give.")]


@dataclass(frozen=True)
class SeatSeed:
    """A seat's part in a joint deal: the seed that it committed to."""

    seed: Annotated[Seed, Doc("The seed that the seat committed to, of 1 to 200 characters.")]


@dataclass(frozen=True)
class Invited:
    """The invite to a seat, as its opening gave it out."""

    invite: Annotated[str, Text(1, 200, None), Doc("The invite to this seat, as the opening gave it out.")]


@dataclass(frozen=True)
class Renewal:
    """Whose token is to be renewed: a seat's, or, without one, the bearer's own."""

    seat: Annotated[
        Seat | None,
        Doc(
            "The seat whose token is renewed, which only a host who sees all may ask; left out: the bearer's own. One "
            "beyond the table is 400."
        ),
    ] = None


@dataclass(frozen=True)
class ClockStart:
    """How long the game is to last, unless its opening has said so."""

    seconds: Annotated[
        int | None,
        Whole(1, bounds.LONGEST_CLOCK),
        Doc(
            "After so many seconds the clock ends; left out, or the same, where the session has `clock_seconds`, else "
            "it must be there: 400."
        ),
    ] = None


@dataclass
class IncidentHand(SameForAll):
    """A hand that fell, and has joined an incident."""

    seat: Annotated[Version, Doc("Whose hand it is.")]
    card: Annotated[str, Doc("The card that it fell on.")]


@dataclass
class EncodedIncident(SameForAll):
    """The hands that become one claim of the table when the incident closes."""

    hands: Annotated[Sequence[IncidentHand], Doc("The hands in the order in which they were taken.")]
    closes_in_ms: Annotated[Version, Doc("In how many milliseconds no more hands join it.")]


@dataclass
class RunningClock(SameForAll):
    """The clock of the game."""

    ends_in_ms: Annotated[Version, Doc("In how many milliseconds it ends; 0 once it has.")]


@dataclass
class Rematch(SameForAll):
    """The next table of the same people."""

    id: Annotated[Name, Doc("The name of its session.")]
    by: Annotated[Seat | None, Doc("The seat that opened it; null: the host.")]
    seated: Annotated[Sequence[Seat], Doc("The seats that have their token of it, in order.")]


@dataclass
class NextTable:
    """The next table, and the bearer's own token of it."""

    id: Annotated[Name, Doc("The name of its session.")]
    token: Annotated[str, Doc("What goes into `Authorization: Bearer …` there: of the same seat, or of the host.")]


@dataclass
class EncodedJoined:
    """The hands have joined the incident. They are settled when it closes, and the version stays until then."""

    incident: Annotated[EncodedIncident, Doc("The incident, these hands included.")]
    version: Annotated[Version, Doc("The version of the table.")]


@dataclass
class EncodedCounted(SameForAll):
    """The count of a seat is collected. It is made with those of all others, and the version stays until then."""

    counted: Annotated[Counted, Doc("The groups that the seat has counted.")]
    version: Annotated[Version, Doc("The version of the table.")]


@dataclass
class SessionTable:
    """What a session and its transcript both show."""

    id: Annotated[Name, Doc("The name of the session in every path.")]
    game: Annotated[GameName, Doc("The game that is played.")]
    ruleset: Annotated[RulesetUsed, Doc("The ruleset that is played by.")]
    version: Annotated[Version, Doc("How many changes there have been since the opening.")]
    commitment: Annotated[Digest, Doc("SHA-256 of the server's seed, in hex, before any move.")]
    commitments: Annotated[
        Sequence[Digest | None],
        Doc("The commitment of each seat, or null; empty where only the service commits."),
    ]
    names: Annotated[Sequence[str] | None, Doc("Names of the players, one a seat, or null.")]
    state: Annotated[EncodedState | None, Doc("The table as the bearer may see it; null before the deal.")]
    to_act: Annotated[Sequence[Seat | None], Doc("The seats that may act now; null is the table itself.")]
    standings: Annotated[
        Sequence[Standing],
        Doc("The ranking so far, by seats or teams; empty before the deal."),
    ]
    result: Result


@dataclass
class EncodedSession(SessionTable):
    """A session as its bearer may see it."""

    taken: Annotated[Sequence[bool], Doc("Whether each seat's invite has been used; empty where nobody is invited.")]
    gather_ms: Annotated[
        Version | None,
        Doc("Milliseconds in which others join a first hand; null where each claim is settled at once."),
    ]
    incident: Annotated[EncodedIncident | None, Doc("The hands to be settled as one claim; null where there are none.")]
    clock: Annotated[RunningClock | None, Doc("The clock of the game; null where none was started.")]
    legal_moves: Annotated[
        Listing | None, Doc("What the bearer may do now; left out unless asked for by `legal_moves`.")
    ] = field(default=None, init=False)
    rematch: Annotated[Rematch | None, Doc("The next table of the same people; null until one has opened it.")]
    clock_seconds: Annotated[Version | None, Doc("Seconds of a binding clock; null where the players keep the time.")]
    counted: Annotated[
        Sequence[Sequence[CardOrGroup] | None] | None,
        Doc(
            "Groups that the seat counted, not settled yet; for a host who sees all one entry a seat "
            "(null: not counted); else null."
        ),
    ]


@dataclass
class SessionTokens(SameForAll, LeavesOut):
    """One for the host, one for each seat, unless they are taken by invite."""

    host: Annotated[str, Doc("The host's token.")]
    seats: Annotated[
        Sequence[str] | None,
        Doc("The token of each seat; left out where seats are taken by invite."),
    ] = None


@dataclass
class SessionToken:
    """A token."""

    token: Annotated[str, Doc("What goes into `Authorization: Bearer …`; it is not shown again.")]


@dataclass
class SessionOpened(EncodedSession, LeavesOut):
    """A new session, and the tokens of its table, or the invites to its seats."""

    tokens: Annotated[SessionTokens, Doc("The tokens; they are not shown again.")]
    invites: Annotated[
        Sequence[str] | None, Doc("The invite to each seat; left out unless seats are taken by invite.")
    ] = None


@dataclass
class SessionDeal(SameForAll):
    """A deal and the seed that it was made from."""

    number: Annotated[Version, Doc("Which deal of the session it was, from 1.")]
    seed: Annotated[Digest, Doc("The seed that its deck was shuffled from, in hex.")]


@dataclass
class EncodedEntry:
    """One accepted request as its bearer saw it: what is hidden from it reads null."""

    version: Annotated[Version, Doc("The version that this change made.")]
    moves: Annotated[Sequence[SeenMove], Doc("The moves as the bearer saw them; empty for a change that is no move.")]
    events: Annotated[Sequence[EncodedEvent], Doc("What happened, as the bearer saw it.")]


@dataclass
class EncodedLog:
    """A part of the log. `next`: the `after` of the next part; null where there is none yet."""

    game: Annotated[GameName, Doc("The game that is played.")]
    entries: Annotated[Sequence[EncodedEntry], Doc("The entries of this part, oldest first.")]
    next: Annotated[Version | None, Doc("The `after` of the next part; null where there is none yet.")]


@dataclass
class Transcript(SessionTable):
    """A whole game, for /deal and /resolve.

    `moves` and `entries` are those of a page. `next`: the `after` of the next page, or null.
    """

    fair: Annotated[Fair, Doc("Who committed to the seed: the service alone, or every seat as well.")]
    server_seed: Annotated[
        Digest | None, Doc("The seed that the service committed to, in hex; null until the game is over.")
    ]
    seeds: Annotated[
        Sequence[Seed | None],
        Doc("The seed of each seat, or null; empty where only the service committed."),
    ]
    deals: Annotated[Sequence[SessionDeal], Doc("Every deal with its seed.")]
    deal: Annotated[
        Mapping[str, object] | None,
        Doc("What to post to `/deal`, with a seed of `deals`, to get the first table; null before the deal."),
    ]
    moves: Annotated[Sequence[EncodedMove], Doc("The moves of this page, to be posted to `/resolve`.")]
    entries: Annotated[Sequence[EncodedEntry], Doc("The entries of the log of this page.")]
    next: Annotated[Version | None, Doc("The `after` of the next page; null where there is none.")]


@dataclass
class EncodedMoved(Resolved):
    """What the moves came to as their bearer may see it, and their version."""

    version: Annotated[Version, Doc("The version that the moves made.")]


@dataclass
class Ticket:
    """Opens one stream of events, once, within so many seconds."""

    ticket: Annotated[str, Doc("What goes into the parameter `ticket` of the stream.")]
    expires_in: Annotated[int, Whole(1, bounds.TICKET_SECONDS), Doc("In how many seconds it is void.")]


@cache
def opening_codec() -> Codec[EncodedSessionRequest]:
    """The codec of an opening."""
    return Codec(of_all_games(EncodedSessionRequest, tagged=True))


@cache
def testing_codec() -> Codec[EncodedTestingRequest]:
    """The codec of an opening where a service was started for tests."""
    return Codec(of_all_games(EncodedTestingRequest, tagged=True))


@cache
def moves_codec(engine: AnyEngine) -> Codec[Moves[Any]]:
    """The codec of `{"moves": [...]}`, the body of a request for moves in a session of this game."""
    return Codec(ObjectField(codecs(engine).shapes.record(Moves)))


@cache
def codec_of(body: type[T]) -> Codec[T]:
    """The codec of a body that is the same for all games."""
    return Codec(general().field(body))
