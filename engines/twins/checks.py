"""Legality: one function a clause, and the rows that order them."""

from __future__ import annotations

from typing import Any

from engines.core.dealing import dealing
from engines.core.engine import Move, Objections
from engines.core.hidden import not_held
from engines.core.judge import refused_in
from engines.twins import rulings
from engines.twins.combinations import CARDS
from engines.twins.model import Buy, Deal, Play, State
from engines.twins.moves import buy, deal, play
from engines.twins.table import HANDS, ZONES, buyer, has_bought, price


def buyer_is_at_the_table(state: State, move: Buy) -> Objections:
    """TW-7.6: only players make moves."""
    return rulings.NOT_AT_TABLE.violated("/seat", seat=move.seat) if move.seat >= len(state.chips) else None


def buyer_has_not_bought(state: State, move: Buy) -> Objections:
    """TW-2.1: once a hand."""
    if move.seat >= len(state.chips) or not has_bought(state, move.seat):
        return None
    return rulings.HAS_BOUGHT.violated("/seat", seat=move.seat)


def buyer_is_next(state: State, move: Buy) -> Objections:
    """TW-2.1: in turn, beginning left of the dealer."""
    if move.seat >= len(state.chips) or has_bought(state, move.seat):
        return None
    turn = buyer(state)
    if turn is None:
        return rulings.NOT_YOUR_PURCHASE.unverified()
    if turn == move.seat:
        return None
    return rulings.NOT_YOUR_PURCHASE.violated("/seat", seat=move.seat, turn=turn)


def player_is_in_the_trick(state: State, move: Play) -> Objections:
    """TW-7.6: a player, not bankrupt, not missing the trick, not placed already."""
    seat = move.seat
    if seat >= len(state.chips):
        return rulings.NOT_AT_TABLE.violated("/seat", seat=seat)
    if seat in state.bankrupt:
        return rulings.IS_BANKRUPT.violated("/seat", seat=seat)
    if state.trick == 4 and seat in state.out:
        return rulings.MISSES_TRICK.violated("/seat", seat=seat)
    if state.plays[seat] is not None:
        return rulings.HAS_PLACED.violated("/seat", seat=seat)
    return None


def stock_has_the_cards(state: State, move: Buy) -> Objections:
    """TW-2.1: what is bought comes from the stock."""
    if state.stock is None or len(state.stock) >= move.count:
        return None
    return rulings.STOCK_TOO_SHORT.violated("/count", count=move.count, stock=len(state.stock))


def drawn_cards_are_the_top_of_the_stock(state: State, move: Buy) -> Objections:
    """TW-2.1: the cards that the move says were drawn agree with the stock, where it is seen."""
    if move.cards is None:
        return None
    if len(move.cards) != move.count:
        return rulings.DRAWN_COUNT.violated("/cards", count=move.count, named=len(move.cards))
    stock = (*(state.stock or ()), None, None)
    return [
        rulings.DRAWN_OTHERWISE.violated(f"/cards/{index}", card=card, top=top)
        for index, (card, top) in enumerate(zip(move.cards, stock, strict=False))
        if top is not None and top != card
    ]


def drawn_cards_lie_nowhere_else(state: State, move: Buy) -> Objections:
    """TW-1.2: each card is there once."""
    if not move.cards:
        return None
    tops = (state.stock or ())[: len(move.cards)]
    seen = ZONES.seen(state)
    return [
        rulings.DRAWN_ELSEWHERE.violated(f"/cards/{index}", card=card, **_where(state, card))
        for index, card in enumerate(move.cards)
        if (card in seen and card not in tops) or card in move.cards[:index]
    ]


def _where(state: State, card: str) -> dict[str, Any]:
    """TW-1.2: where a card is seen to lie, as the parameters `lies` and `owner`."""
    lies, owner = ZONES.place_of(state, card) or (None, None)
    return {"lies": lies, "owner": owner}


def buyer_can_pay(state: State, move: Buy) -> Objections:
    """TW-2.3: a purchase is paid in full or refused."""
    due, chips = price(move.count), state.chips[move.seat]
    return rulings.CANNOT_PAY.violated("/count", price=due, chips=chips) if due > chips else None


def cards_are_two(state: State, move: Play) -> Objections:
    """TW-1.2: each card is there once."""
    first, second = move.cards
    return rulings.NAMED_TWICE.violated("/cards/1", card=second) if first == second else None


def cards_are_held(state: State, move: Play) -> Objections:
    """TW-7.6: a card is played from the own hand."""
    first, second = move.cards
    hand = None if state.hands is None else state.hands[move.seat]
    if hand is not None and first in hand and second in hand:
        return None
    cards = (first,) if first == second else move.cards
    whole_hand = None if hand is None else HANDS.filled(state, move.seat)
    missing = not_held(cards, whole_hand, ZONES.seen(state))
    if missing is None:
        return [rulings.PLACED.unverified(), rulings.NOT_HELD.unverified()]
    return [
        rulings.NOT_HELD.violated(f"/cards/{index}", seat=move.seat, card=cards[index], **_where(state, cards[index]))
        for index in missing
    ]


IN_PURCHASES = refused_in(
    {"trick": rulings.BUYING_IS_OVER, "hand-over": rulings.NOT_BETWEEN_HANDS, "game-over": rulings.GAME_IS_OVER}
)
IN_TRICKS = refused_in(
    {"buying": rulings.BUYING_FIRST, "hand-over": rulings.NOT_BETWEEN_HANDS, "game-over": rulings.GAME_IS_OVER}
)
BETWEEN_HANDS = {"buying": rulings.HAND_NOT_OVER, "trick": rulings.HAND_NOT_OVER, "game-over": rulings.GAME_IS_OVER}
"""TW-2.1, TW-7.5: purchases, then tricks, then the deal, then purchases again."""

BUY = Move(
    Buy,
    (
        (IN_PURCHASES,),
        (buyer_has_not_bought, buyer_is_next, buyer_is_at_the_table),
        (drawn_cards_lie_nowhere_else, stock_has_the_cards, drawn_cards_are_the_top_of_the_stock, buyer_can_pay),
    ),
    buy,
)
PLAY = Move(Play, ((IN_TRICKS,), (player_is_in_the_trick,), (cards_are_two, cards_are_held)), play)
DEAL = dealing(Deal, CARDS, deal, refused=BETWEEN_HANDS, not_a_deck=rulings.NOT_A_DECK)
MOVES = (BUY, PLAY, DEAL)
