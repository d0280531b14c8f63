"""The deal, for every game: the row of the move, dealing cards one at a time, and what can be wrong with a deck.

Each game says for itself how many cards a seat gets, what lies beside the hands, and who deals next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar

from engines.core import descriptions
from engines.core.engine import Move, Step
from engines.core.judge import refused_in
from engines.core.places import doubled, repeated
from engines.core.rulings import Fault, Forbids, Refutes, Undetermined, Violation
from engines.core.seats import left_of
from engines.core.shape import Doc, Drawn, Null, Text
from engines.core.shuffle import shuffled

Card = TypeVar("Card")
S = TypeVar("S")


@dataclass(frozen=True)
class Deal:
    """The table deals the next hand. A game derives its own from this one, with its own type of `deck`."""

    type: ClassVar[str] = "deal"
    exclusive: ClassVar[tuple[str, ...]] = ("seed", "deck")

    seat: Annotated[None, Null(), Doc("Always null, or left out: the table deals.")] = None
    seed: Annotated[str | None, Text(1, 200, None), Drawn(), Doc("What the deck is shuffled from.")] = None
    deck: Annotated[tuple[Any, ...] | None, descriptions.DECK_OF_DEAL] = None


D = TypeVar("D", bound=Deal)


def dealing(
    kind: type[D],
    cards: Sequence[Any] | Callable[[S], Sequence[Any]],
    hand_out: Callable[[S, tuple[Any, ...]], Step | Undetermined],
    *,
    refused: Mapping[str, Forbids],
    not_a_deck: Forbids,
) -> Move[S, D]:
    """The deal as a move: its class, its checks in two tiers, and its effect.

    `cards`: the deck before the shuffle, or a function from a state to that deck. `hand_out` deals from a deck in its
    order: the move's own, or the one shuffled by its seed. Without both it gets as many `None`, cards that nobody
    sees, as the deck has cards. `refused`: what forbids the deal, by phase. `not_a_deck`: what forbids a deck with a
    wrong card; its only parameter is `card`.
    """
    pack_of = cards if callable(cards) else lambda state: cards

    def deal(state: S, move: D) -> Step | Undetermined:
        if move.deck is not None:
            return hand_out(state, move.deck)
        pack = pack_of(state)
        return hand_out(state, (None,) * len(pack) if move.seed is None else shuffled(pack, move.seed))

    def deck_is_whole(state: S, move: D) -> list[Violation]:
        if move.deck is None:
            return []
        twice = [(f"/deck/{place}", move.deck[place]) for place in repeated(move.deck)]
        wrong = twice or _missing_or_strange(move.deck, pack_of(state))
        return [not_a_deck.violated(pointer, card=card) for pointer, card in wrong]

    return Move(kind, ((refused_in(refused),), (deck_is_whole,)), deal, deals=True)


def dealt_out(
    cards: Sequence[Card], seats: int, dealer: int | None, each: int | None = None
) -> tuple[tuple[tuple[Card, ...], ...], tuple[Card, ...]]:
    """The hands by seat, and the cards left over. Cards are dealt one at a time, from the dealer's left.

    `each`: the cards of a hand; None: all cards are dealt. Without a dealer the first card goes to seat 0.
    """
    first = 0 if dealer is None else left_of(dealer, seats)
    end = len(cards) if each is None else each * seats
    return tuple(tuple(cards[(seat - first) % seats : end : seats]) for seat in range(seats)), tuple(cards[end:])


def counts(hands: Sequence[Sequence[object]]) -> tuple[int, ...]:
    """How many cards each seat was dealt: the parameter `counts` of the event of a deal."""
    return tuple(map(len, hands))


def first_dealer(setup: Any) -> int:
    """The seat that deals the first hand: the last one, unless the setup names another."""
    last: int = setup.seats - 1
    return last if setup.dealer is None else setup.dealer


def _missing_or_strange(deck: Sequence[Any], pack: Sequence[Any]) -> list[tuple[str, Any]]:
    """The pointer and the name of each card of the deck that the pack lacks, then of the pack that the deck lacks."""
    if set(deck) == set(pack):
        return []
    strange = [(f"/deck/{place}", card) for place, card in enumerate(deck) if card not in pack]
    return strange + [("/deck", card) for card in pack if card not in deck]


def deck_is_the_pack(cards: Callable[[Any], Sequence[Any]], astray: Refutes) -> Callable[[Any], list[Fault] | None]:
    """An audit: a setup's deck has exactly the `cards` of this setup. `astray` has the parameter `card`."""

    def deck_has_the_cards_of_the_game(setup: Any) -> list[Fault] | None:
        if setup.deck is None:
            return None
        return [astray.found(pointer, card=card) for pointer, card in _missing_or_strange(setup.deck, cards(setup))]

    return deck_has_the_cards_of_the_game


def deck_is_whole(twice: Refutes) -> Callable[[Any], list[Fault]]:
    """An audit: no card is twice in the setup's deck, whose length is fixed. `twice` has the parameter `card`."""

    def each_card_is_dealt_once(setup: Any) -> list[Fault]:
        places = ((f"/deck/{place}", card) for place, card in enumerate(setup.deck or ()))
        return [twice.found(*pointers, card=card) for card, pointers in doubled(places).items()]

    return each_card_is_dealt_once
