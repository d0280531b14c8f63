"""The table of Twins and what may be asked of it. Chips count ones; seats count from 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from engines.core import dealing
from engines.core.shape import Drawn, Length, Null, OneOf, Player, Unknown, Whole, option
from engines.twins.combinations import CARDS, COLOURS, Kind

Card: TypeAlias = Annotated[str, OneOf("TwinsCard", CARDS)]
Colour: TypeAlias = Annotated[str, OneOf("TwinsColour", COLOURS)]
Seat: TypeAlias = Annotated[int, Whole(0, 5), Player()]
Unseen: TypeAlias = Annotated[Card | None, Unknown()]
MOST_HANDS = 999_999
"""The highest number that hands are counted to: those after it have the same."""
Number: TypeAlias = Annotated[int, Whole(1, MOST_HANDS)]
Chips: TypeAlias = Annotated[int, Whole(0, 9_999)]
Seats: TypeAlias = Annotated[tuple[Seat, ...], Length(0, 6, unique=True)]
Pile: TypeAlias = Annotated[tuple[Unseen, ...], Length(0, 60)]
Hands: TypeAlias = Annotated[tuple[Pile, ...], Length(3, 6)]
Bought: TypeAlias = Annotated[tuple[Annotated[int, Whole(0, 2)] | None, ...], Length(3, 6)]
Placed: TypeAlias = tuple[Unseen, Unseen]
Deck: TypeAlias = Annotated[tuple[Card, ...], Length(60, 60)]

Phase: TypeAlias = Literal["buying", "trick", "hand-over", "game-over"]


@dataclass(frozen=True)
class Ruleset:
    """How the points on which the texts differ are settled."""

    name: Literal["standard"] = "standard"
    white_numerals: Annotated[tuple[Colour, ...], Length(3, 3, unique=True)] = option(
        ("blue", "yellow", "purple"), "TW-1.3"
    )
    second_trick_ties: Literal["tied-unpaid", "paid-if-covered"] = option(
        "tied-unpaid", "TW-5.2", published=("tied-unpaid", "paid-if-covered")
    )
    short_pot_ties: Literal["unpaid", "split"] = option("unpaid", "TW-6.2", published=("unpaid", "split"))


RULESETS = {"standard": Ruleset()}


@dataclass(frozen=True)
class LastTrick:
    """A trick as it was settled: what each seat showed, paid and won. It decides nothing."""

    trick: Annotated[int, Whole(1, 4)]
    plays: Annotated[tuple[tuple[Card, Card] | None, ...], Length(3, 6)]
    paid: Annotated[tuple[Chips, ...], Length(3, 6)]
    won: Annotated[tuple[Chips, ...], Length(3, 6)]


@dataclass(frozen=True)
class State:
    """A table. `out`: the seats that miss trick 4. `plays`: empty stands for a trick in which nobody has placed.

    `turn`: while cards are bought, who buys next; the seats before have bought, also where `bought` does not say how
    many. Without `turn`, no number in `bought` says that nothing was bought yet.
    """

    phase: Phase
    chips: Annotated[tuple[Chips, ...], Length(3, 6)]
    pot: Chips
    ruleset: Ruleset = RULESETS["standard"]
    hand: Number = 1
    dealer: Annotated[Seat | None, Unknown()] = None
    turn: Annotated[Seat | None, Unknown()] = None
    trick: Annotated[int, Whole(1, 4)] | None = None
    hands: Annotated[Hands | None, Unknown()] = None
    bought: Annotated[Bought | None, Unknown()] = None
    plays: Annotated[tuple[Placed | None, ...], Length(0, 6)] = ()
    out: Seats = ()
    bankrupt: Seats = ()
    stock: Annotated[Pile | None, Unknown()] = None
    discards: Annotated[Pile | None, Unknown()] = None
    last_trick: Annotated[LastTrick | None, Null()] = None


@dataclass(frozen=True)
class Shown:
    """A play turned up. `strength`: the value of Twins and Pairs, else the sum; `rank`: 1 is best, ties share it."""

    seat: Seat
    cards: tuple[Card, Card]
    combination: Kind
    strength: Annotated[int, Whole(1, 19)]
    rank: Annotated[int, Whole(1, 6)]


@dataclass(frozen=True)
class Buy:
    """Buy no card, one or two; `cards`: what was drawn, where the stock is unknown."""

    type: ClassVar[str] = "buy"

    seat: Seat
    count: Annotated[int, Whole(0, 2)]
    cards: Annotated[tuple[Card, ...], Length(0, 2), Drawn()] | None = None


@dataclass(frozen=True)
class Play:
    """Place two cards face down."""

    type: ClassVar[str] = "play"

    seat: Seat
    cards: tuple[Card, Card]


@dataclass(frozen=True)
class Deal(dealing.Deal):
    """The table deals the next hand."""

    deck: Annotated[Deck, Drawn()] | None = None


@dataclass(frozen=True)
class Setup:
    """What a first deal takes; the dealer is the last seat unless named."""

    seats: Annotated[int, Whole(3, 6)]
    ruleset: Ruleset = RULESETS["standard"]
    dealer: Seat | None = None
    deck: Deck | None = None
