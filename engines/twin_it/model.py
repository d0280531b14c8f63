"""The table of Twin it!, its setup, moves and options. A card is its number in the deck and the side that lies up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from engines.core import descriptions
from engines.core.shape import Doc, Drawn, Length, Null, OneOf, Player, Text, Unknown, Whole, option
from engines.twin_it.designs import CARDS, HOUSE_DECK, MOST_CARDS

Card: TypeAlias = Annotated[str, OneOf("TwinItCard", CARDS, "([1-9]?[0-9]|1[0-9][0-9])[AB]")]
Design: TypeAlias = Annotated[str, Text(1, 40)]
Designs: TypeAlias = Annotated[tuple[tuple[Design, Design], ...], Length(1, MOST_CARDS)]
Seat: TypeAlias = Annotated[int, Whole(0, 5), Player()]
Team: TypeAlias = Annotated[int, Whole(0, 1), Player("team")]
Cards: TypeAlias = Annotated[tuple[Card, ...], Length(0, MOST_CARDS)]
CardOrUnknown: TypeAlias = Annotated[Card | None, Unknown()]
Pile: TypeAlias = Annotated[tuple[CardOrUnknown, ...], Length(0, MOST_CARDS)]
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
        "others-only", "TI-3.2", why="one-text-two-readings", published=("others-only", "counts")
    )
    mistake_loses: Literal["pairs-only", "any-set"] = option(
        "pairs-only", "TI-5.1", why="one-text-two-readings", published=("pairs-only", "any-set")
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

    phase: Annotated[Phase, Doc("Whether the game goes on or is over.")]
    piles: Annotated[
        tuple[Pile, ...],
        Length(1, 6),
        Doc("The pile of each seat, top first, null for a card that is not seen; each empty where nobody has one."),
    ]
    table: Annotated[Cards, Doc("The cards on the table, each with the side that lies up.")]
    ruleset: Annotated[Ruleset, descriptions.RULESET_OF_STATE] = RULESETS["competitive"]
    turn: Annotated[Seat | None, Null(), Doc("Who flips next; null where that is open.")] = 0
    designs: Annotated[
        Designs, Doc("What the two sides of each card show, in the order of their numbers; left out: the house deck.")
    ] = HOUSE_DECK
    sets: Annotated[
        tuple[Groups, ...],
        Length(0, 6),
        Doc("The sets that each seat, or in team play each team, has won; empty where nobody has."),
    ] = ()
    teams: Annotated[Teams | None, Doc("The team of each seat, in team play; else left out.")] = None
    forbidden: Annotated[
        Beside, Doc("The cards beside the pile of each seat, or in team play of each team; empty where there are none.")
    ] = ()
    counts: Annotated[
        tuple[Groups | None, ...],
        Length(0, 6),
        Doc(
            "The groups counted when the minute was over: one entry for all in cooperative play, one a seat in timed "
            "play, null before; empty where nothing is counted."
        ),
    ] = ()


@dataclass(frozen=True)
class Hand:
    """A hand on a visible card."""

    seat: Annotated[Seat, Doc("Whose hand it is.")]
    card: Annotated[Card, Doc("The card that it fell on, with the side that lies up.")]


@dataclass(frozen=True)
class Loss:
    """Which of its side's sets a seat gives up for a mistake: the index before the claim."""

    seat: Annotated[Seat, Doc("Who gives up a set.")]
    set: Annotated[int, Whole(0, MOST_CARDS), Doc("The index of the set among its side's, before the claim, from 0.")]


@dataclass(frozen=True)
class Uncovered:
    """The new top of a seat's pile."""

    seat: Annotated[Seat, Doc("Whose pile it is.")]
    card: Annotated[Card, Doc("The card on top of it now, with the side that lies up.")]


@dataclass(frozen=True)
class Flip:
    """Turn the top of the own pile onto the table; `uncovered`: the next top, where the pile is not seen."""

    type: ClassVar[str] = "flip"

    seat: Annotated[Seat, Doc("Who turns the top of the own pile onto the table.")]
    uncovered: Annotated[
        Card | None,
        Drawn(),
        Doc("The card that comes to the top, where the pile is not seen."),
    ] = None


@dataclass(frozen=True)
class Claim:
    """An incident: every hand in the order they fell. No hands: the table turns every visible treble; with all piles
    empty it ends the game.
    """

    type: ClassVar[str] = "claim"

    hands: Annotated[
        tuple[Hand, ...],
        Length(0, 24),
        Doc(
            "Every hand of the incident in the order in which they fell; empty: the table itself turns trebles, or "
            "ends the game."
        ),
    ]
    seat: Annotated[None, Null(), Doc("Always null, or left out: the claim is the table's.")] = None
    lose: Annotated[
        tuple[Loss, ...] | None, Length(0, 6), Doc("The sets given up for mistakes; left out where none is.")
    ] = None
    uncovered: Annotated[
        tuple[Uncovered, ...] | None, Length(0, 6), Drawn(), Doc("The new tops of piles that are not seen.")
    ] = None


@dataclass(frozen=True)
class Count:
    """The groups made when the minute is over: of all together, or of a seat."""

    type: ClassVar[str] = "count"

    groups: Annotated[Groups, Doc("The pairs and trebles, each a list of cards.")]
    seat: Annotated[
        Seat | None,
        Null(),
        Doc("Who counted, in timed play; null, or left out, in cooperative play."),
    ] = None


@dataclass(frozen=True)
class Setup:
    """What a first deal takes. `deck`: the sides that lie up, the top first; without the cards beside the piles.

    `first`: the seat that begins.
    """

    seats: Annotated[int, Whole(1, 6), Doc("How many play.")]
    ruleset: Annotated[Ruleset, descriptions.RULESET_OF_SETUP] = RULESETS["competitive"]
    dealer: Annotated[Seat | None, descriptions.DEALER_OF_SETUP] = None
    deck: Annotated[
        Cards | None,
        Doc(
            "The sides that lie up, top first, without the cards beside the piles; left out: it is shuffled from the "
            "seed."
        ),
    ] = None
    designs: Annotated[
        Designs, Doc("What the two sides of each card show, in the order of their numbers; left out: the house deck.")
    ] = HOUSE_DECK
    teams: Annotated[Teams | None, Doc("The team of each seat, in team play; left out where there are none.")] = None
    forbidden: Annotated[
        Beside, Doc("The cards beside the pile of each seat, or in team play of each team; empty where there are none.")
    ] = ()
    first: Annotated[Seat | None, Doc("The seat that begins; left out: seat 0.")] = None
