"""The table of Take That, its setup, moves and options. Cards are their numbers; seats count from 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from engines.core import dealing, descriptions
from engines.core.shape import Doc, Drawn, Length, OneOf, Player, Unknown, Whole, option
from engines.take_that.row import CARDS

Card: TypeAlias = Annotated[int, OneOf("TakeThatCard", CARDS)]
Seat: TypeAlias = Annotated[int, Whole(0, 3), Player()]
Seats: TypeAlias = Annotated[tuple[Seat, ...], Length(0, 4, unique=True)]
Count: TypeAlias = Annotated[int, Whole(0, 9_999)]
Points: TypeAlias = Annotated[int, Whole(-107, 72)]
CardOrUnknown: TypeAlias = Annotated[Card | None, Unknown()]
Cards: TypeAlias = Annotated[tuple[CardOrUnknown, ...], Length(0, 79)]
Deck: TypeAlias = Annotated[tuple[Card, ...], Length(79, 79)]
InFront: TypeAlias = Annotated[tuple[Cards, ...], Length(0, 4)]
Places: TypeAlias = Annotated[tuple[Annotated[int, Whole(0, 78)], ...], Length(0, 79, unique=True)]

Phase: TypeAlias = Literal["play", "round-over", "game-over"]


@dataclass(frozen=True)
class Ruleset:
    """How the points on which the texts differ are settled. `expert` plays TT-5.5."""

    name: Literal["standard", "expert"] = "standard"
    voluntary_take: Literal["allowed", "forced-only"] = option(
        "allowed", "TT-5.1", published=("allowed",), houses=("forced-only",)
    )
    end_of_round: Literal["taken-or-emptied", "taken-only"] = option(
        "taken-or-emptied", "TT-6.1", published=("taken-or-emptied",), houses=("taken-only",)
    )
    rounds: Annotated[int, Whole(1, 10)] = option(2, "TT-7.3")


RULESETS = {"standard": Ruleset(), "expert": Ruleset("expert")}


@dataclass(frozen=True)
class State:
    """A table. `scores`: for each seat the points of each finished round.

    `extras`: for each seat which of its cards face down, by index, nobody has looked at (TT-5.5); left out: none.
    """

    phase: Annotated[Phase, Doc("Where the game stands: a round is played, the round or the game is over.")]
    turn: Annotated[Seat | None, Doc("Who is on turn; null between rounds and after the game.")]
    row: Annotated[Cards, Doc("The cards of the row, left to right.")]
    hands: Annotated[tuple[Cards, ...], Length(2, 4), Doc("The cards of each seat, null for a card that is not seen.")]
    ruleset: Annotated[Ruleset, descriptions.RULESET_OF_STATE] = RULESETS["standard"]
    round: Annotated[int, Whole(1, 9_999), Doc("The number of the round, from 1.")] = 1
    dealer: Annotated[Seat | None, Unknown(), descriptions.DEALER_OF_STATE] = None
    pile: Annotated[Cards | None, Unknown(), descriptions.CARDS_LEFT] = None
    face_up: Annotated[
        InFront, Doc("The cards face up in front of each seat, by seat; empty where nobody has any.")
    ] = ()
    face_down: Annotated[
        InFront,
        Doc("The cards face down in front of each seat, null for one that is not seen; empty where nobody has any."),
    ] = ()
    extras: Annotated[
        tuple[Places, ...] | None,
        Length(2, 4),
        Doc(
            "By seat, the places of those of its cards face down that nobody has looked at (TT-5.5), from 0; left "
            "out where there are none."
        ),
    ] = None
    scores: Annotated[
        tuple[Annotated[tuple[Points, ...], Length(0, 100)], ...],
        Length(0, 4),
        Doc("By seat, the points of each finished round; empty before the first is."),
    ] = ()


@dataclass(frozen=True)
class Line:
    """A seat's round, itemised: the numbers of cards face up, of toads and of other cards face down; their points."""

    seat: Annotated[Seat, Doc("Whose round it is.")]
    face_up: Annotated[Count, Doc("How many cards lie face up.")]
    toads: Annotated[Count, Doc("How many toads lie face down.")]
    others: Annotated[Count, Doc("How many other cards lie face down.")]
    points: Annotated[Points, Doc("What they come to.")]


@dataclass(frozen=True)
class Lay:
    """Lay a card at the right end of the row; `drawn`: the card drawn then, where the pile is not seen."""

    type: ClassVar[str] = "lay"

    seat: Annotated[Seat, Doc("Who lays the card.")]
    card: Annotated[Card, Doc("The card.")]
    drawn: Annotated[Card | None, Drawn(), Doc("The card drawn then, where the pile is not seen.")] = None


@dataclass(frozen=True)
class Twist:
    """Show a card from hand and remove its twisted partner from the row; `drawn` as in a lay."""

    type: ClassVar[str] = "twist"

    seat: Annotated[Seat, Doc("Who twists.")]
    card: Annotated[Card, Doc("The card shown from hand; its twisted partner leaves the row.")]
    drawn: Annotated[Card | None, Drawn(), Doc("The card drawn then, where the pile is not seen.")] = None


@dataclass(frozen=True)
class Take:
    """Take the whole row."""

    type: ClassVar[str] = "take"

    seat: Annotated[Seat, Doc("Who takes the row.")]


@dataclass(frozen=True)
class Deal(dealing.Deal):
    """The table deals the next round."""

    deck: Annotated[Deck | None, Drawn(), descriptions.DECK_OF_DEAL] = None


@dataclass(frozen=True)
class Setup:
    """What a first deal takes; the dealer is the last seat unless named."""

    seats: Annotated[int, Whole(2, 4), Doc("How many play.")]
    ruleset: Annotated[Ruleset, descriptions.RULESET_OF_SETUP] = RULESETS["standard"]
    dealer: Annotated[Seat | None, descriptions.DEALER_OF_SETUP] = None
    deck: Annotated[Deck | None, descriptions.DECK_OF_SETUP] = None
