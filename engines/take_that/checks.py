"""Legality: one function a clause, and the rows that order them."""

from __future__ import annotations

from engines.core.dealing import dealing
from engines.core.engine import Move, Objections
from engines.core.judge import refused_in
from engines.take_that import rulings
from engines.take_that.model import Deal, Lay, State, Take, Twist
from engines.take_that.moves import deal, lay, take, twist
from engines.take_that.row import CARDS, PARTNER, TOADS, farthest, may_follow, playable
from engines.take_that.table import ZONES


def player_is_on_turn(state: State, move: Lay | Twist | Take) -> Objections:
    """TT-2.5."""
    if move.seat == state.turn:
        return None
    return rulings.NOT_YOUR_TURN.violated("/seat", seat=move.seat, turn=state.turn)


def player_without_cards_takes(state: State, move: Lay | Twist) -> Objections:
    """TT-5.4."""
    return rulings.MUST_TAKE.violated(seat=move.seat) if state.row and not state.hands[move.seat] else None


def drawn_card_lies_nowhere_else(state: State, move: Lay | Twist) -> Objections:
    """TT-1.2: each card is there once."""
    top_of_pile = (state.pile or ())[:1]
    if move.drawn is None or move.drawn in top_of_pile:
        return None
    if move.drawn == move.card or move.drawn in ZONES.seen(state):
        return rulings.DRAWN_ELSEWHERE.violated("/drawn", card=move.drawn)
    return None


def drawn_card_is_the_top_of_the_pile(state: State, move: Lay | Twist) -> Objections:
    """TT-2.2: the card that the move says was drawn agrees with the pile, where it is seen."""
    if state.pile is None:
        return rulings.DREW.unverified()
    if move.drawn is None or not state.pile:
        return None
    top = state.pile[0]
    return None if top in (None, move.drawn) else rulings.DRAWN_OTHERWISE.violated("/drawn", card=move.drawn, top=top)


def pile_is_there_to_draw_from(state: State, move: Lay | Twist) -> Objections:
    """TT-2.3."""
    if move.drawn is None or state.pile != ():
        return None
    return rulings.NOTHING_TO_DRAW.violated("/drawn", card=move.drawn)


def card_is_near_the_right_end(state: State, move: Lay) -> Objections:
    """TT-3.1, TT-3.2: at most 10 up or down; on an empty row any card."""
    near = may_follow(move.card, state.row)
    if near:
        return None
    end = state.row[-1]
    if end is None:
        return rulings.TOO_FAR.unverified()
    least, most = farthest(end)
    return rulings.TOO_FAR.violated("/card", card=move.card, end=end, least=least, most=most)


def empty_row_admits_only_a_lay(state: State, move: Twist) -> Objections:
    """TT-3.2."""
    return None if state.row else rulings.ONLY_A_LAY.violated()


def partner_lies_in_the_row(state: State, move: Twist) -> Objections:
    """TT-4.1."""
    partner = PARTNER.get(move.card)
    if partner is None or not state.row:  # other clauses forbid to twist a toad, and on an empty row
        return None
    if partner in state.row:
        return None
    if None in state.row and partner not in ZONES.seen(state):
        return rulings.PARTNER_NOT_IN_ROW.unverified()
    return rulings.PARTNER_NOT_IN_ROW.violated("/card", card=move.card, partner=partner)


def toads_are_not_twisted(state: State, move: Twist) -> Objections:
    """TT-4.2."""
    return rulings.TOAD_STAYS.violated("/card", card=move.card) if move.card in TOADS else None


def taker_has_no_other_move(state: State, move: Take) -> Objections:
    """TT-5.1: where `voluntary_take` is `forced-only`, a seat that can play a card must not take the row."""
    if not state.row or state.ruleset.voluntary_take == "allowed":
        return None
    hand = state.hands[move.seat]
    cards = playable(hand, state.row)
    if not cards:
        is_unsure = hand and None in (*hand, *state.row)
        return rulings.TAKE_NOT_FORCED.unverified() if is_unsure else None
    return rulings.TAKE_NOT_FORCED.violated(seat=move.seat, cards=cards)


def row_is_there_to_take(state: State, move: Take) -> Objections:
    """TT-5.2."""
    return None if state.row else rulings.NOTHING_TO_TAKE.violated()


IN_PLAY = (refused_in({"round-over": rulings.ONLY_THE_DEAL, "game-over": rulings.GAME_IS_OVER}),)
BETWEEN_ROUNDS = {"play": rulings.ROUND_NOT_OVER, "game-over": rulings.GAME_IS_OVER}
"""TT-7.4: the phase decides first."""
TURN = (player_is_on_turn,)
HELD = (ZONES.card_held(rulings.NOT_HELD), player_without_cards_takes)
"""TT-2.5: a card is played from the own hand. TT-5.4."""
DRAW = (drawn_card_lies_nowhere_else, drawn_card_is_the_top_of_the_pile, pile_is_there_to_draw_from)

LAY = Move(Lay, (IN_PLAY, TURN, HELD, (*DRAW, card_is_near_the_right_end)), lay)
TWIST = Move(
    Twist,
    (IN_PLAY, TURN, HELD, (*DRAW, empty_row_admits_only_a_lay, partner_lies_in_the_row, toads_are_not_twisted)),
    twist,
)
TAKE = Move(Take, (IN_PLAY, TURN, (taker_has_no_other_move, row_is_there_to_take)), take)
DEAL = dealing(Deal, CARDS, deal, refused=BETWEEN_ROUNDS, not_a_deck=rulings.NOT_A_DECK)
MOVES = (LAY, TWIST, TAKE, DEAL)
