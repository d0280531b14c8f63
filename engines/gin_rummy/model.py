"""The table of gin rummy, its setup, moves and options. Seats are 0 and 1; piles run from the top."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, TypeAlias

from engines.core import dealing, descriptions
from engines.core.shape import Doc, Drawn, Length, Null, OneOf, Player, Unknown, Whole, option
from engines.gin_rummy.melds import CARDS

Card: TypeAlias = Annotated[str, OneOf("GinRummyCard", CARDS)]
Seat: TypeAlias = Annotated[int, Whole(0, 1), Player()]
Points: TypeAlias = Annotated[int, Whole(0, 1_000_000_000)]
Bonus: TypeAlias = Annotated[int, Whole(0, 9_999)]
MOST_HANDS = 999_999  #: The highest number that hands are counted to: those after it change no count.
MOST_WON = 9_999  #: The same of those that a seat has won: with every bonus the points of a game stay within 32 bits.
Count: TypeAlias = Annotated[int, Whole(0, MOST_HANDS)]
Won: TypeAlias = Annotated[int, Whole(0, MOST_WON)]
CardOrUnknown: TypeAlias = Annotated[Card | None, Unknown()]
Pile: TypeAlias = Annotated[tuple[CardOrUnknown, ...], Length(0, 52)]
Deck: TypeAlias = Annotated[tuple[Card, ...], Length(52, 52)]
Cards: TypeAlias = Annotated[tuple[Card, ...], Length(0, 52)]
Melds: TypeAlias = Annotated[tuple[Cards, ...], Length(0, 11)]
Shown: TypeAlias = Annotated[tuple[Card, ...], Length(0, 11), Drawn()]
MeldIndex: TypeAlias = Annotated[int, Whole(0, 10)]

Phase: TypeAlias = Literal["upcard", "draw", "discard", "lay-off", "hand-over", "game-over"]
Kind: TypeAlias = Literal["knock", "undercut", "gin", "big-gin", "equal", "dead"]


@dataclass(frozen=True)
class Ruleset:
    """How the points on which the texts differ are settled, and what the bonuses come to."""

    name: Literal["standard", "wikipedia", "pagat", "bicycle"] = "standard"
    next_dealer: Literal["alternate", "winner", "loser"] = option(
        "alternate", "GR-1.4", why="texts-differ", published=("alternate", "winner", "loser")
    )
    stock_end: Literal["void-at-two", "void-at-zero", "last-discard"] = option(
        "void-at-two", "GR-4.3", why="texts-differ", published=("void-at-two", "last-discard"), houses=("void-at-zero",)
    )
    knock_limit: Bonus = option(10, "GR-5.2")
    oklahoma: bool = option(False, "GR-5.3")
    oklahoma_ace: Literal["one", "gin"] = option("one", "GR-5.3", why="texts-differ", published=("one", "gin"))
    oklahoma_spades: Literal["off", "double"] = option("off", "GR-5.3", why="texts-differ", published=("off", "double"))
    big_gin: Bonus = option(31, "GR-5.5", why="texts-differ", published=(31, 0))
    undercut_bonus: Bonus = option(25, "GR-7.2", why="texts-differ", published=(25, 10))
    equal_deadwood: Literal["undercut", "nobody"] = option(
        "undercut", "GR-7.3", why="texts-differ", published=("undercut", "nobody")
    )
    gin_bonus: Bonus = option(25, "GR-7.4", why="texts-differ", published=(25, 20))
    target: Annotated[int, Whole(1, 999_999)] = option(100, "GR-8.1")
    line_bonus: Bonus = option(0, "GR-8.2", why="texts-differ", published=(0, 20, 25))
    game_bonus: Bonus = option(0, "GR-8.2", why="texts-differ", published=(0, 100))
    shutout: Literal["none", "double", "plus-100"] = option(
        "none", "GR-8.2", why="texts-differ", published=("none", "double", "plus-100")
    )


_STANDARD = Ruleset()
_PAGAT = Ruleset(
    "pagat",
    next_dealer="loser",
    gin_bonus=20,
    undercut_bonus=10,
    game_bonus=100,
    line_bonus=20,
    shutout="plus-100",
)
RULESETS = {
    "standard": _STANDARD,
    "wikipedia": Ruleset("wikipedia", game_bonus=100, line_bonus=25, shutout="double"),
    "pagat": _PAGAT,
    "bicycle": replace(_PAGAT, name="bicycle", next_dealer="winner", big_gin=0),
}


@dataclass(frozen=True)
class Knocked:
    """A knock that waits for the lay-off: who knocked, and the melds shown."""

    seat: Annotated[Seat, Doc("Who knocked.")]
    melds: Annotated[Melds, Doc("The melds that the knocker shows.")]


@dataclass(frozen=True)
class LaidCard:
    """A card laid off; `meld`: index into the knocker's melds."""

    card: Annotated[Card, Doc("The card.")]
    meld: Annotated[MeldIndex, Doc("The index of the knocker's meld, from 0.")]


LaidCards: TypeAlias = Annotated[tuple[LaidCard, ...], Length(0, 11)]


@dataclass(frozen=True)
class LastHand:
    """How the last hand ended; `seat`: who won it, null if nobody did.

    `kind`, `seat` and `points` stay until the next hand ends, the others until the deal. `melds` and `deadwood` are by
    seat, `lay_offs` the defender's. These and `knocker` decide nothing; a dead hand has none of them.
    """

    kind: Annotated[Kind, Doc("How the hand ended.")]
    seat: Annotated[Seat | None, Doc("Who won it; null where nobody did.")]
    points: Annotated[Points, Doc("What it was worth.")]
    knocker: Annotated[Seat | None, Null(), Doc("Who knocked; null in a dead hand.")] = None
    melds: Annotated[tuple[Melds, Melds] | None, Null(), Doc("The melds of each seat; null in a dead hand.")] = None
    lay_offs: Annotated[
        LaidCards | None,
        Null(),
        Doc("The cards that the defender laid off; null in a dead hand."),
    ] = None
    deadwood: Annotated[
        tuple[Points, Points] | None, Null(), Doc("The points of each seat's unmatched cards; null in a dead hand.")
    ] = None


@dataclass(frozen=True)
class State:
    """A table. `taken`: the card just taken from the discard pile; `passes`: on the upcard, until the first draw."""

    phase: Annotated[
        Phase, Doc("Where the game stands: what the seat on turn has to do, or that the hand or the game is over.")
    ]
    turn: Annotated[Seat | None, Doc("Who is on turn; null between hands and after the game.")]
    hands: Annotated[tuple[Pile, Pile], Doc("The cards of each seat, null for a card that is not seen.")]
    ruleset: Annotated[Ruleset, descriptions.RULESET_OF_STATE] = _STANDARD
    hand: Annotated[int, Whole(1, MOST_HANDS), Doc("The number of the hand, from 1.")] = 1
    dealer: Annotated[Seat | None, Unknown(), descriptions.DEALER_OF_STATE] = None
    stock: Annotated[Pile | None, Unknown(), descriptions.CARDS_LEFT] = None
    discards: Annotated[
        Pile | None,
        Unknown(),
        Doc("The discard pile, top first; left out where it is not known."),
    ] = None
    upcard: Annotated[CardOrUnknown, Doc("The first card turned up in this hand; left out where it is not known.")] = (
        None
    )
    taken: Annotated[
        Card | None,
        Null(),
        Doc("The card just taken from the discard pile, which may not be discarded at once; null where there is none."),
    ] = None
    passes: Annotated[int, Whole(0, 2), Doc("How many have passed on the upcard.")] = 0
    knock: Annotated[Knocked | None, Doc("The knock that waits for the lay-off; left out where there is none.")] = None
    scores: Annotated[tuple[Points, Points], Doc("The points of each seat from finished hands.")] = (0, 0)
    hands_won: Annotated[tuple[Won, Won], Doc("How many hands each seat has won.")] = (0, 0)
    last_hand: Annotated[
        LastHand | None,
        Null(),
        Unknown(),
        Doc("How the last hand ended, until the next deal; null where there is none yet."),
    ] = None


@dataclass(frozen=True)
class TakeUpcard:
    """Take the upcard into hand."""

    type: ClassVar[str] = "take-upcard"

    seat: Annotated[Seat, Doc("Who takes the upcard.")]


@dataclass(frozen=True)
class Pass:
    """Leave the upcard; or, under `last-discard`, the last discard of a hand that is dead then."""

    type: ClassVar[str] = "pass"

    seat: Annotated[Seat, Doc("Who passes.")]


@dataclass(frozen=True)
class Draw:
    """Draw the top card of a pile; `drawn`: which it was, where that is unseen."""

    type: ClassVar[str] = "draw"

    seat: Annotated[Seat, Doc("Who draws.")]
    from_: Annotated[Literal["stock", "discards"], Doc("The pile: `stock` or `discards`.")]
    drawn: Annotated[Card | None, Drawn(), Doc("The card drawn, where the stock is not seen.")] = None


@dataclass(frozen=True)
class Discard:
    """End a turn with a card on the discard pile."""

    type: ClassVar[str] = "discard"

    seat: Annotated[Seat, Doc("Who discards.")]
    card: Annotated[Card, Doc("The card.")]


@dataclass(frozen=True)
class Knock:
    """End the hand: with a discard, or with none and `big`. `melds`: how the hand is laid out; else as is best."""

    type: ClassVar[str] = "knock"

    seat: Annotated[Seat, Doc("Who knocks.")]
    discard: Annotated[Card | None, Doc("The card discarded face down with the knock; left out in big gin.")] = None
    big: Annotated[
        Literal[True] | None, Doc("True for big gin: all eleven cards are melded, and none is discarded.")
    ] = None
    melds: Annotated[Melds | None, Doc("How the hand is laid out; left out: as is best.")] = None
    shown: Annotated[
        Shown | None, Doc("The cards of the own hand that are not seen, without the discard: they are turned up now.")
    ] = None


@dataclass(frozen=True)
class LayOff:
    """The defender's melds and cards laid off; what is left out is found as is best, an empty list says none."""

    type: ClassVar[str] = "lay-off"

    seat: Annotated[Seat, Doc("The defender.")]
    melds: Annotated[Melds | None, Doc("The defender's own melds; left out: as is best.")] = None
    lay_offs: Annotated[
        LaidCards | None, Doc("The cards laid off on the knocker's melds; left out: as is best, empty: none.")
    ] = None
    shown: Annotated[
        Shown | None, Doc("The cards of the own hand that are not seen: they lie open since the knock.")
    ] = None


@dataclass(frozen=True)
class Deal(dealing.Deal):
    """The table deals the next hand."""

    deck: Annotated[Deck | None, Drawn(), descriptions.DECK_OF_DEAL] = None


@dataclass(frozen=True)
class Setup:
    """What a first deal takes; the dealer is seat 1 unless named."""

    seats: Annotated[int, Whole(2, 2), Doc("How many play: two.")]
    ruleset: Annotated[Ruleset, descriptions.RULESET_OF_SETUP] = _STANDARD
    dealer: Annotated[Seat | None, Doc("The seat that deals; left out: seat 1.")] = None
    deck: Annotated[Deck | None, descriptions.DECK_OF_SETUP] = None
