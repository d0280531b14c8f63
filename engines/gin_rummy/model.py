"""The table of gin rummy and what may be asked of it. Seats are 0 and 1; piles run from the top."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, TypeAlias

from engines.core import dealing
from engines.core.shape import Drawn, Length, Null, OneOf, Player, Unknown, Whole, option
from engines.gin_rummy.melds import CARDS

Card: TypeAlias = Annotated[str, OneOf("GinRummyCard", CARDS)]
Seat: TypeAlias = Annotated[int, Whole(0, 1), Player()]
Points: TypeAlias = Annotated[int, Whole(0, 99_999_999_999)]
Bonus: TypeAlias = Annotated[int, Whole(0, 9_999)]
MOST_HANDS = 999_999
"""The highest number that hands are counted to: those after it change no count."""
Count: TypeAlias = Annotated[int, Whole(0, MOST_HANDS)]
Unseen: TypeAlias = Annotated[Card | None, Unknown()]
Pile: TypeAlias = Annotated[tuple[Unseen, ...], Length(0, 52)]
Deck: TypeAlias = Annotated[tuple[Card, ...], Length(52, 52)]
Cards: TypeAlias = Annotated[tuple[Card, ...], Length(0, 52)]
Melds: TypeAlias = Annotated[tuple[Cards, ...], Length(0, 11)]
MeldIndex: TypeAlias = Annotated[int, Whole(0, 10)]

Phase: TypeAlias = Literal["upcard", "draw", "discard", "lay-off", "hand-over", "game-over"]
Kind: TypeAlias = Literal["knock", "undercut", "gin", "big-gin", "equal", "dead"]


@dataclass(frozen=True)
class Ruleset:
    """How the points on which the texts differ are settled, and what the bonuses come to."""

    name: Literal["standard", "wikipedia", "pagat", "bicycle"] = "standard"
    next_dealer: Literal["alternate", "winner", "loser"] = option(
        "alternate", "GR-1.4", published=("alternate", "winner", "loser")
    )
    stock_end: Literal["void-at-two", "void-at-zero", "last-discard"] = option(
        "void-at-two", "GR-4.3", published=("void-at-two", "void-at-zero", "last-discard")
    )
    knock_limit: Bonus = option(10, "GR-5.2")
    oklahoma: bool = option(False, "GR-5.3")
    oklahoma_ace: Literal["one", "gin"] = option("one", "GR-5.3", published=("one", "gin"))
    oklahoma_spades: Literal["off", "double"] = option("off", "GR-5.3", published=("off", "double"))
    big_gin: Bonus = option(31, "GR-5.5", published=(31, 0))
    undercut_bonus: Bonus = option(25, "GR-7.2", published=(25, 10))
    equal_deadwood: Literal["undercut", "nobody"] = option("undercut", "GR-7.3", published=("undercut", "nobody"))
    gin_bonus: Bonus = option(25, "GR-7.4", published=(25, 20))
    target: Annotated[int, Whole(1, 999_999)] = option(100, "GR-8.1")
    line_bonus: Bonus = option(0, "GR-8.2", published=(0, 20, 25))
    game_bonus: Bonus = option(0, "GR-8.2", published=(0, 100))
    shutout: Literal["none", "double", "plus-100"] = option("none", "GR-8.2", published=("none", "double", "plus-100"))


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

    seat: Seat
    melds: Melds


@dataclass(frozen=True)
class LaidCard:
    """A card laid off; `meld`: index into the knocker's melds."""

    card: Card
    meld: MeldIndex


LaidCards: TypeAlias = Annotated[tuple[LaidCard, ...], Length(0, 11)]


@dataclass(frozen=True)
class LastHand:
    """How the last hand ended; `seat`: who won it, null if nobody did.

    `melds` and `deadwood` are by seat, `lay_offs` the defender's. These and `knocker` decide nothing; a dead hand has
    none of them.
    """

    kind: Kind
    seat: Seat | None
    points: Points
    knocker: Annotated[Seat | None, Null()] = None
    melds: Annotated[tuple[Melds, Melds] | None, Null()] = None
    lay_offs: Annotated[LaidCards | None, Null()] = None
    deadwood: Annotated[tuple[Points, Points] | None, Null()] = None


@dataclass(frozen=True)
class State:
    """A table. `taken`: the card just taken from the discard pile; `passes`: on the upcard, until the first draw."""

    phase: Phase
    turn: Seat | None
    hands: tuple[Pile, Pile]
    ruleset: Ruleset = _STANDARD
    hand: Annotated[int, Whole(1, MOST_HANDS)] = 1
    dealer: Annotated[Seat | None, Unknown()] = None
    stock: Annotated[Pile | None, Unknown()] = None
    discards: Annotated[Pile | None, Unknown()] = None
    upcard: Unseen = None
    taken: Annotated[Card | None, Null()] = None
    passes: Annotated[int, Whole(0, 2)] = 0
    knock: Knocked | None = None
    scores: tuple[Points, Points] = (0, 0)
    hands_won: tuple[Count, Count] = (0, 0)
    last_hand: Annotated[LastHand | None, Null(), Unknown()] = None


@dataclass(frozen=True)
class TakeUpcard:
    """Take the upcard into hand."""

    type: ClassVar[str] = "take-upcard"

    seat: Seat


@dataclass(frozen=True)
class Pass:
    """Leave the upcard; or, under `last-discard`, the last discard of a hand that is dead then."""

    type: ClassVar[str] = "pass"

    seat: Seat


@dataclass(frozen=True)
class Draw:
    """Draw the top card of a pile; `drawn`: which it was, where that is unseen."""

    type: ClassVar[str] = "draw"

    seat: Seat
    from_: Literal["stock", "discards"]
    drawn: Annotated[Card, Drawn()] | None = None


@dataclass(frozen=True)
class Discard:
    """End a turn with a card on the discard pile."""

    type: ClassVar[str] = "discard"

    seat: Seat
    card: Card


@dataclass(frozen=True)
class Knock:
    """End the hand: with a discard, or with none and `big`. `melds`: how the hand is laid out; else as is best."""

    type: ClassVar[str] = "knock"

    seat: Seat
    discard: Card | None = None
    big: Literal[True] | None = None
    melds: Melds | None = None


@dataclass(frozen=True)
class LayOff:
    """The defender's melds and cards laid off; what is left out is found as is best, an empty list says none."""

    type: ClassVar[str] = "lay-off"

    seat: Seat
    melds: Melds | None = None
    lay_offs: LaidCards | None = None


@dataclass(frozen=True)
class Deal(dealing.Deal):
    """The table deals the next hand."""

    deck: Annotated[Deck, Drawn()] | None = None


@dataclass(frozen=True)
class Setup:
    """What a first deal takes; the dealer is seat 1 unless named."""

    seats: Annotated[int, Whole(2, 2)]
    ruleset: Ruleset = _STANDARD
    dealer: Seat | None = None
    deck: Deck | None = None
