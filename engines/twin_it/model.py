"""The table of Twin it! and what may be asked of it. A card is its number in the deck and the side that lies up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from engines.core.shape import Drawn, Length, Null, OneOf, Player, Text, Unknown, Whole, option
from engines.twin_it.designs import CARDS, HOUSE_DECK, MOST_CARDS

Card: TypeAlias = Annotated[str, OneOf("TwinItCard", CARDS)]
Design: TypeAlias = Annotated[str, Text(1, 40)]
Designs: TypeAlias = Annotated[tuple[tuple[Design, Design], ...], Length(1, MOST_CARDS)]
Seat: TypeAlias = Annotated[int, Whole(0, 5), Player()]
Team: TypeAlias = Annotated[int, Whole(0, 1), Player("team")]
Cards: TypeAlias = Annotated[tuple[Card, ...], Length(0, MOST_CARDS)]
Unseen: TypeAlias = Annotated[Card | None, Unknown()]
Pile: TypeAlias = Annotated[tuple[Unseen, ...], Length(0, MOST_CARDS)]
Groups: TypeAlias = Annotated[tuple[Cards, ...], Length(0, MOST_CARDS)]
Teams: TypeAlias = Annotated[tuple[Team, ...], Length(1, 6)]
Beside: TypeAlias = Annotated[tuple[Cards, ...], Length(0, 6)]

Phase: TypeAlias = Literal["play", "game-over"]
Play: TypeAlias = Literal["competitive", "team", "cooperative", "timed"]


@dataclass(frozen=True)
class Ruleset:
    """Which of the four games is played, and how the points that can be chosen are settled."""

    name: Play = "competitive"
    sets_to_win: Annotated[int, Whole(1, 20)] = option(5, "TI-6.1")
    own_pile_top: Literal["others-only", "counts"] = option(
        "others-only", "TI-3.2", published=("others-only", "counts")
    )
    mistake_loses: Literal["pairs-only", "any-set"] = option(
        "pairs-only", "TI-5.1", published=("pairs-only", "any-set")
    )


RULESETS = {
    "competitive": Ruleset("competitive"),
    "team": Ruleset("team"),
    "cooperative": Ruleset("cooperative"),
    "timed": Ruleset("timed"),
}


@dataclass(frozen=True)
class State:
    """A table. `sets` and `forbidden` have one entry a seat, in team play one a team; `turn`: `null` where it is open.

    `forbidden`: the cards beside a pile. `counts`: what was counted, the rejected groups left out; one entry for all
    in cooperative play, one a seat in timed play. The cards counted stay where they lie.
    """

    phase: Phase
    piles: Annotated[tuple[Pile, ...], Length(1, 6)]
    table: Cards
    ruleset: Ruleset = RULESETS["competitive"]
    turn: Annotated[Seat | None, Null()] = 0
    designs: Designs = HOUSE_DECK
    sets: Annotated[tuple[Groups, ...], Length(0, 6)] = ()
    teams: Teams | None = None
    forbidden: Beside = ()
    counts: Annotated[tuple[Groups | None, ...], Length(0, 6)] = ()


@dataclass(frozen=True)
class Hand:
    """A hand on a visible card."""

    seat: Seat
    card: Card


@dataclass(frozen=True)
class Loss:
    """Which of its side's sets a seat gives up for a mistake: the index before the claim."""

    seat: Seat
    set: Annotated[int, Whole(0, MOST_CARDS)]


@dataclass(frozen=True)
class Uncovered:
    """The new top of a seat's pile."""

    seat: Seat
    card: Card


@dataclass(frozen=True)
class Flip:
    """Turn the top of the own pile onto the table; `uncovered`: the next top, where the pile is not seen."""

    type: ClassVar[str] = "flip"

    seat: Seat
    uncovered: Annotated[Card, Drawn()] | None = None


@dataclass(frozen=True)
class Claim:
    """An incident: every hand in the order they fell. No hands: the table turns every visible treble; with all piles
    empty it ends the game.
    """

    type: ClassVar[str] = "claim"

    hands: Annotated[tuple[Hand, ...], Length(0, 24)]
    seat: Annotated[None, Null()] = None
    lose: Annotated[tuple[Loss, ...], Length(0, 6)] | None = None
    uncovered: Annotated[tuple[Uncovered, ...], Length(0, 6), Drawn()] | None = None


@dataclass(frozen=True)
class Count:
    """The groups made when the minute is over: of all together, or of a seat."""

    type: ClassVar[str] = "count"

    groups: Groups
    seat: Annotated[Seat | None, Null()] = None


@dataclass(frozen=True)
class Setup:
    """What a first deal takes. `deck`: the sides that lie up, the top first; without the cards beside the piles.

    `first`: the seat that begins.
    """

    seats: Annotated[int, Whole(1, 6)]
    ruleset: Ruleset = RULESETS["competitive"]
    dealer: Seat | None = None
    deck: Cards | None = None
    designs: Designs = HOUSE_DECK
    teams: Teams | None = None
    forbidden: Beside = ()
    first: Seat | None = None
