"""The table of Take That and what may be asked of it. Cards are their numbers; seats count from 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from engines.core import dealing
from engines.core.shape import Drawn, Length, OneOf, Player, Unknown, Whole, option
from engines.take_that.row import CARDS

Card: TypeAlias = Annotated[int, OneOf("TakeThatCard", CARDS)]
Seat: TypeAlias = Annotated[int, Whole(0, 3), Player()]
Seats: TypeAlias = Annotated[tuple[Seat, ...], Length(0, 4, unique=True)]
Count: TypeAlias = Annotated[int, Whole(0, 9_999)]
Points: TypeAlias = Annotated[int, Whole(-107, 72)]
Unseen: TypeAlias = Annotated[Card | None, Unknown()]
Cards: TypeAlias = Annotated[tuple[Unseen, ...], Length(0, 79)]
Deck: TypeAlias = Annotated[tuple[Card, ...], Length(79, 79)]
InFront: TypeAlias = Annotated[tuple[Cards, ...], Length(0, 4)]
Places: TypeAlias = Annotated[tuple[Annotated[int, Whole(0, 78)], ...], Length(0, 79, unique=True)]

Phase: TypeAlias = Literal["play", "round-over", "game-over"]


@dataclass(frozen=True)
class Ruleset:
    """How the points on which the texts differ are settled. `expert` plays TT-5.5."""

    name: Literal["standard", "expert"] = "standard"
    voluntary_take: Literal["allowed", "forced-only"] = option(
        "allowed", "TT-5.1", published=("allowed", "forced-only")
    )
    end_of_round: Literal["taken-or-emptied", "taken-only"] = option(
        "taken-or-emptied", "TT-6.1", published=("taken-or-emptied", "taken-only")
    )
    rounds: Annotated[int, Whole(1, 10)] = option(2, "TT-7.3")


RULESETS = {"standard": Ruleset(), "expert": Ruleset("expert")}


@dataclass(frozen=True)
class State:
    """A table. `scores`: for each seat the points of each finished round.

    `extras`: for each seat which of its cards face down, by index, nobody has looked at (TT-5.5); left out: none.
    """

    phase: Phase
    turn: Seat | None
    row: Cards
    hands: Annotated[tuple[Cards, ...], Length(2, 4)]
    ruleset: Ruleset = RULESETS["standard"]
    round: Annotated[int, Whole(1, 9_999)] = 1
    dealer: Annotated[Seat | None, Unknown()] = None
    pile: Annotated[Cards | None, Unknown()] = None
    face_up: InFront = ()
    face_down: InFront = ()
    extras: Annotated[tuple[Places, ...], Length(2, 4)] | None = None
    scores: Annotated[tuple[Annotated[tuple[Points, ...], Length(0, 100)], ...], Length(0, 4)] = ()


@dataclass(frozen=True)
class Line:
    """A seat's round, itemised: the numbers of cards face up, of toads and of other cards face down; their points."""

    seat: Seat
    face_up: Count
    toads: Count
    others: Count
    points: Points


@dataclass(frozen=True)
class Lay:
    """Lay a card at the right end of the row; `drawn`: the card drawn then, where the pile is not seen."""

    type: ClassVar[str] = "lay"

    seat: Seat
    card: Card
    drawn: Annotated[Card, Drawn()] | None = None


@dataclass(frozen=True)
class Twist:
    """Show a card from hand and remove its twisted partner from the row; `drawn` as in a lay."""

    type: ClassVar[str] = "twist"

    seat: Seat
    card: Card
    drawn: Annotated[Card, Drawn()] | None = None


@dataclass(frozen=True)
class Take:
    """Take the whole row."""

    type: ClassVar[str] = "take"

    seat: Seat


@dataclass(frozen=True)
class Deal(dealing.Deal):
    """The table deals the next round."""

    deck: Annotated[Deck, Drawn()] | None = None


@dataclass(frozen=True)
class Setup:
    """What a first deal takes; the dealer is the last seat unless named."""

    seats: Annotated[int, Whole(2, 4)]
    ruleset: Ruleset = RULESETS["standard"]
    dealer: Seat | None = None
    deck: Deck | None = None
