"""A game of fishing for two, with lists of cards in its moves: mistakes are planted in it, which the laws have to see.

Thirty cards, three of each number from 1 to 10: three in each hand, two on the table. A card takes cards of the table
that add up to its number; the option `one_first` says whether a single card of that number goes before several. A card
that takes nothing is laid on the table. With empty hands three more are dealt from the stock.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal

from engines.core import (
    Applied,
    Candidates,
    Doc,
    Engine,
    Length,
    Move,
    OneOf,
    Player,
    Step,
    Unknown,
    Whole,
    Zones,
    changed,
    dealt_out,
    forbids,
    happens,
    only_own,
    option,
    ranked,
    refused_in,
    refutes,
    replaced,
    unknown,
    without,
    won_by_most,
)  # fmt: skip

CARDS = tuple(range(1, 31))
Card = Annotated[int, OneOf("FishingCard", CARDS)]
Hidden = Annotated[Card | None, Unknown()]
Seat = Annotated[int, Whole(0, 1), Player()]
Seats = Annotated[tuple[Seat, ...], Length(1, 2)]
Hand = Annotated[tuple[Hidden, ...], Length(0, 3)]
Cards = Annotated[tuple[Card, ...], Length(0, 30)]


@dataclass(frozen=True)
class Ruleset:
    """Whether a single card goes before several."""

    name: Literal["standard"] = "standard"
    one_first: Literal["yes", "no"] = option("yes", "FI-1.2")


@dataclass(frozen=True)
class State:
    """A table."""

    phase: Literal["play", "game-over"]
    turn: Seat
    hands: Annotated[tuple[Hand, Hand], Doc("The hands.")]
    table: Cards
    stock: Annotated[tuple[Hidden, ...], Length(0, 30)]
    won: tuple[Cards, Cards] = ((), ())
    ruleset: Ruleset = Ruleset()


@dataclass(frozen=True)
class Fish:
    """Play a card from hand, and take cards with it; none where it takes none."""

    type: ClassVar[str] = "fish"

    seat: Seat
    card: Card
    cards: Cards


@dataclass(frozen=True)
class Setup:
    """Two play."""

    seats: Annotated[int, Whole(2, 2)]
    ruleset: Ruleset = Ruleset()
    deck: Annotated[tuple[Card, ...], Length(30, 30)] | None = None


OVER = forbids("FI-1.4", "over")
NOT_YOUR_TURN = forbids("FI-1.1", "not-your-turn", seat=Seat)
NOT_HELD = forbids("FI-1.1", "not-held", seat=Seat, card=Card)
NOT_A_CATCH = forbids("FI-1.2", "not-a-catch", cards=Cards)
CAUGHT = happens("FI-1.2", "caught", seat=Seat, cards=Cards)
ENDED = happens("FI-1.4", "ended", winners=Seats)
TWICE = refutes("FI-1.1", "twice", card=Card)
TOO_MANY = refutes("FI-1.1", "too-many", count=Annotated[int, Whole(0, 99)])
ZONES = Zones(State, "hands", "table", "stock", "won", deck=CARDS)


def number_on(card: int) -> int:
    """The number on a card."""
    return (card - 1) % 10 + 1


def possible_catches(state: State, card: int) -> Iterator[tuple[int, ...]]:
    """FI-1.2: what a card may take, by number of cards and in order; nothing, where it takes nothing."""
    table = sorted(state.table)
    sets = [
        cards
        for size in range(1, len(table) + 1)
        for cards in combinations(table, size)
        if sum(map(number_on, cards)) == number_on(card)
    ]
    ones = [cards for cards in sets if len(cards) == 1]
    yield from (ones if ones and state.ruleset.one_first == "yes" else sets) or [()]


def turn_is_kept(state: State, move: Fish) -> Any:
    """FI-1.1."""
    return None if move.seat == state.turn else NOT_YOUR_TURN.violated("/seat", seat=move.seat)


def catch_adds_up(state: State, move: Fish) -> Any:
    """FI-1.2."""
    if tuple(sorted(move.cards)) in possible_catches(state, move.card):
        return None
    return NOT_A_CATCH.violated("/cards", cards=move.cards)


def fish(state: State, move: Fish) -> Step:
    """FI-1.2, FI-1.3, FI-1.4."""
    seat, cards = move.seat, move.cards
    hands = replaced(state.hands, seat, without(state.hands[seat], move.card))
    table = tuple(card for card in state.table if card not in cards)
    if cards:
        won = replaced(state.won, seat, (*state.won[seat], move.card, *cards))
        after = changed(state, hands=hands, table=table, won=won, turn=1 - seat)
    else:
        after = changed(state, hands=hands, table=(*table, move.card), turn=1 - seat)
    events = [CAUGHT.happened(seat=seat, cards=cards)]
    if not any(hands) and state.stock:
        dealt, stock = dealt_out(state.stock, 2, seat, 3)
        after = changed(after, hands=dealt, stock=stock)
    if any(after.hands):
        return after, events
    most = max(scores(after))
    winners = tuple(seat for seat in (0, 1) if scores(after)[seat] == most)
    return changed(after, phase="game-over"), [*events, ENDED.happened(winners=winners)]


def scores(state: State) -> Sequence[int]:
    """FI-1.4: how many cards each has."""
    return tuple(map(len, state.won))


def candidates(state: State, seat: int) -> Candidates:
    """Each catch of each known card."""
    known = [card for card in state.hands[seat] if card is not None]
    return Candidates(
        [Fish(seat, card, cards) for card in known for cards in possible_catches(state, card)],
        complete=len(known) == len(state.hands[seat]),
    )


def canonical(state: State, move: Fish) -> Fish:
    """The cards in order."""
    return changed(move, cards=tuple(sorted(move.cards)))


def facts(state: State, move: Fish) -> Mapping[str, Any]:
    """How many cards are taken, and whether that empties the table."""
    return {"count": len(move.cards), "sweep": bool(move.cards) and len(move.cards) == len(state.table)}


EVIDENCE: Mapping[str, Callable[[Applied], Any]] = {
    "count": lambda applied: len(applied.param("caught", "cards")),
    "sweep": lambda applied: not applied.after.table,
}


def opening(setup: Setup) -> State:
    """FI-1.1."""
    hands, rest = dealt_out(setup.deck or (), 2, 1, 3)
    return State("play", 0, (hands[0], hands[1]), rest[:2], rest[2:], ruleset=setup.ruleset)


ROW = Move(
    Fish, ((refused_in({"game-over": OVER}),), (turn_is_kept,), (ZONES.card_held(NOT_HELD),), (catch_adds_up,)), fish
)
ENGINE: Engine[State] = Engine(
    game="fishing",
    rulesets={"standard": Ruleset()},
    state=State,
    setup=Setup,
    rulings=(OVER, NOT_YOUR_TURN, NOT_HELD, NOT_A_CATCH, CAUGHT, ENDED, TWICE, TOO_MANY),
    zones=ZONES,
    moves=(ROW,),
    audits=(ZONES.each_card_once(TWICE, TOO_MANY),),
    cards=lambda setup: CARDS,
    opening=opening,
    to_act=lambda state: (state.turn,) if state.phase == "play" else (),
    candidates=candidates,
    canonical=canonical,
    facts=facts,
    fact_types={"count": int, "sweep": bool},
    evidence=EVIDENCE,
    view=lambda state, seat: changed(state, hands=only_own(state.hands, seat), stock=unknown(state.stock)),
    standings=lambda state: ranked(scores(state)),
    result=won_by_most(ENDED, scores),
)
