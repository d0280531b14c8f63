"""The table of Twins, its setup, moves and options. Chips count ones; seats count from 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from engines.core import dealing, descriptions
from engines.core.shape import Doc, Drawn, Length, Null, OneOf, Player, Unknown, Whole, option
from engines.twins.combinations import CARDS, COLOURS, Kind

Card: TypeAlias = Annotated[str, OneOf("TwinsCard", CARDS)]
Colour: TypeAlias = Annotated[str, OneOf("TwinsColour", COLOURS)]
Seat: TypeAlias = Annotated[int, Whole(0, 5), Player()]
CardOrUnknown: TypeAlias = Annotated[Card | None, Unknown()]
MOST_HANDS = 999_999  #: The highest number that hands are counted to: those after it have the same.
Number: TypeAlias = Annotated[int, Whole(1, MOST_HANDS)]
Chips: TypeAlias = Annotated[int, Whole(0, 9_999)]
Seats: TypeAlias = Annotated[tuple[Seat, ...], Length(0, 6, unique=True)]
Pile: TypeAlias = Annotated[tuple[CardOrUnknown, ...], Length(0, 60)]
Hands: TypeAlias = Annotated[tuple[Pile, ...], Length(3, 6)]
Bought: TypeAlias = Annotated[tuple[Annotated[int, Whole(0, 2)] | None, ...], Length(3, 6)]
Placed: TypeAlias = tuple[CardOrUnknown, CardOrUnknown]
Deck: TypeAlias = Annotated[tuple[Card, ...], Length(60, 60)]

Phase: TypeAlias = Literal["buying", "trick", "hand-over", "game-over"]


@dataclass(frozen=True)
class Ruleset:
    """How the points on which the texts differ are settled."""

    name: Literal["standard", "italian", "french"] = "standard"
    white_numerals: Annotated[tuple[Colour, ...], Length(3, 3, unique=True)] = option(
        ("blue", "yellow", "purple"), "TW-1.3"
    )
    second_trick_ties: Literal["tied-unpaid", "paid-if-covered"] = option(
        "tied-unpaid", "TW-5.2", why="texts-differ", published=("tied-unpaid", "paid-if-covered")
    )
    short_pot_ties: Literal["unpaid", "split"] = option(
        "unpaid", "TW-6.2", why="one-text-two-readings", published=("unpaid", "split")
    )
    buying: Literal["each-hand", "first-hand"] = option(
        "each-hand", "TW-2.1", why="texts-differ", published=("each-hand", "first-hand")
    )


RULESETS = {
    "standard": Ruleset(),
    "italian": Ruleset("italian", second_trick_ties="paid-if-covered"),
    "french": Ruleset("french", buying="first-hand"),
}
"""`italian` and `french`: each text read literally."""


@dataclass(frozen=True)
class LastTrick:
    """A trick as it was settled: what each seat showed, paid and won. It decides nothing."""

    trick: Annotated[int, Whole(1, 4), Doc("Which trick of the hand it was, from 1 to 4.")]
    plays: Annotated[
        tuple[tuple[Card, Card] | None, ...],
        Length(3, 6),
        Doc("What each seat showed; null where it missed the trick."),
    ]
    paid: Annotated[tuple[Chips, ...], Length(3, 6), Doc("How many chips each seat paid.")]
    won: Annotated[tuple[Chips, ...], Length(3, 6), Doc("How many chips each seat won.")]


@dataclass(frozen=True)
class State:
    """A table. `out`: the seats that miss trick 4. `plays`: empty stands for a trick in which nobody has placed.

    `turn`: while cards are bought, who buys next; the seats before have bought, also where `bought` does not say how
    many. Without `turn`, no number in `bought` says that nothing was bought yet.
    """

    phase: Annotated[
        Phase, Doc("Where the game stands: cards are bought, a trick is played, the hand or the game is over.")
    ]
    chips: Annotated[tuple[Chips, ...], Length(3, 6), Doc("How many chips each seat has.")]
    pot: Annotated[Chips, Doc("How many chips lie in the pot.")]
    ruleset: Annotated[Ruleset, descriptions.RULESET_OF_STATE] = RULESETS["standard"]
    hand: Annotated[Number, Doc("The number of the hand, from 1.")] = 1
    dealer: Annotated[Seat | None, Unknown(), descriptions.DEALER_OF_STATE] = None
    turn: Annotated[
        Seat | None, Unknown(), Doc("Who buys next, while cards are bought; left out where it is not known.")
    ] = None
    trick: Annotated[int | None, Whole(1, 4), Doc("Which trick is played, from 1 to 4; left out where none is.")] = None
    hands: Annotated[
        Hands | None,
        Unknown(),
        Doc("The cards of each seat, null for a card that is not seen; left out where none is."),
    ] = None
    bought: Annotated[
        Bought | None,
        Unknown(),
        Doc(
            "How many cards each seat has bought, null where it has not been asked yet; left out where it is not known."
        ),
    ] = None
    plays: Annotated[
        tuple[Placed | None, ...],
        Length(0, 6),
        Doc(
            "What each seat has placed: null for nothing yet, two nulls for cards that lie face down; empty where "
            "nobody has placed."
        ),
    ] = ()
    out: Annotated[Seats, Doc("The seats that miss trick 4.")] = ()
    bankrupt: Annotated[Seats, Doc("The seats that could not pay in full.")] = ()
    stock: Annotated[Pile | None, Unknown(), descriptions.CARDS_LEFT] = None
    discards: Annotated[
        Pile | None, Unknown(), Doc("The cards of settled tricks; left out where they are not known.")
    ] = None
    last_trick: Annotated[
        LastTrick | None,
        Null(),
        Doc("The trick that was settled last, until the next is; null where there is none. It decides nothing."),
    ] = None


@dataclass(frozen=True)
class Shown:
    """A play turned up. `strength`: the value of Twins and Pairs, else the sum; `rank`: 1 is best, ties share it."""

    seat: Annotated[Seat, Doc("Whose play it is.")]
    cards: Annotated[tuple[Card, Card], Doc("The two cards.")]
    combination: Annotated[Kind, Doc("What they make.")]
    strength: Annotated[int, Whole(1, 19), Doc("The value of Twins and Pairs, else the sum of both cards.")]
    rank: Annotated[
        int, Whole(1, 6), Doc("The place in the trick, 1 for the best; equal plays share it, and the next is skipped.")
    ]


@dataclass(frozen=True)
class Buy:
    """Buy no card, one or two; `cards`: what was drawn, where the stock is unknown."""

    type: ClassVar[str] = "buy"

    seat: Annotated[Seat, Doc("Who buys.")]
    count: Annotated[int, Whole(0, 2), Doc("How many cards: none, one or two.")]
    cards: Annotated[
        tuple[Card, ...] | None, Length(0, 2), Drawn(), Doc("What was drawn, where the stock is not seen.")
    ] = None


@dataclass(frozen=True)
class Play:
    """Place two cards face down."""

    type: ClassVar[str] = "play"

    seat: Annotated[Seat, Doc("Who plays.")]
    cards: Annotated[tuple[Card, Card], Doc("The two cards.")]


@dataclass(frozen=True)
class Deal(dealing.Deal):
    """The table deals the next hand."""

    deck: Annotated[Deck | None, Drawn(), descriptions.DECK_OF_DEAL] = None


@dataclass(frozen=True)
class Setup:
    """What a first deal takes; the dealer is the last seat unless named."""

    seats: Annotated[int, Whole(3, 6), Doc("How many play.")]
    ruleset: Annotated[Ruleset, descriptions.RULESET_OF_SETUP] = RULESETS["standard"]
    dealer: Annotated[Seat | None, descriptions.DEALER_OF_SETUP] = None
    deck: Annotated[Deck | None, descriptions.DECK_OF_SETUP] = None
