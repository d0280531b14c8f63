"""Effect: one function a move, from a state and a legal move to the next state and what happened."""

from __future__ import annotations

from typing import Any

from engines.core.dealing import counts
from engines.core.engine import Step, best
from engines.core.hidden import drawn
from engines.core.records import changed, replaced
from engines.core.rulings import Event, Happens, Undetermined
from engines.core.seats import left_of
from engines.take_that import rulings
from engines.take_that.model import Lay, State, Take, Twist
from engines.take_that.row import PARTNER
from engines.take_that.scoring import line
from engines.take_that.setup import deal_round
from engines.take_that.table import HANDS, opener, pile, totals


def lay(state: State, move: Lay) -> Step:
    """TT-3: the card goes to the right end."""
    ruling = rulings.LAID if state.row else rulings.OPENED
    return draw(
        changed(state, row=(*state.row, move.card), hands=_hand_without(state, move)),
        move,
        [ruling.happened(seat=move.seat, card=move.card, index=len(state.row))],
    )


def twist(state: State, move: Twist) -> Step | Undetermined:
    """TT-4: the partner leaves the row, which closes up; with an empty pile the last card may end the round."""
    partner = PARTNER[move.card]
    if partner not in state.row:
        return rulings.ROW_UNSEEN.undetermined(f"/row/{state.row.index(None)}", partner=partner)
    pair = (*state.face_up[move.seat], move.card, partner)
    after = changed(
        state,
        row=tuple(card for card in state.row if card != partner),
        hands=_hand_without(state, move),
        face_up=replaced(state.face_up, move.seat, pair),
    )
    index = state.row.index(partner)
    events = [rulings.TWISTED.happened(seat=move.seat, shown=move.card, removed=partner, index=index)]
    if not after.row and state.pile == ():
        return row_emptied(state, after, move.seat, events)
    if not after.row and state.pile is None and move.drawn is None:
        return rulings.PILE_UNSEEN.undetermined("/pile")
    return draw(after, move, events)


def row_emptied(before: State, after: State, seat: int, events: list[Event]) -> Step | Undetermined:
    """TT-6.1: the last card was twisted away while the pile was empty; `end_of_round` says what follows."""
    next_opener = opener(after, seat) if before.ruleset.end_of_round == "taken-only" else None
    if next_opener is None:
        return end_round(before, after, events, rulings.ROUND_OVER_EMPTIED)
    return changed(after, turn=next_opener), events


def draw(state: State, move: Lay | Twist, events: list[Event]) -> Step:
    """TT-2.2, TT-2.3: a card from the pile, if it has any; then the turn passes to the left."""
    following = left_of(move.seat, len(state.hands))
    if state.pile == ():
        return changed(state, turn=following), events
    cards, rest = drawn(state.pile, 1, None if move.drawn is None else (move.drawn,))
    hands = replaced(state.hands, move.seat, state.hands[move.seat] + cards)
    after = changed(state, turn=following, hands=hands, pile=rest)
    return changed(after, pile=pile(after)), [*events, rulings.DREW.happened(seat=move.seat, card=cards[0])]


def take(state: State, move: Take) -> Step | Undetermined:
    """TT-5: the row goes face down; the same player then opens a new one, unless the pile was empty (TT-6.1)."""
    pile = state.pile
    if pile is None:
        return rulings.PILE_UNSEEN.undetermined("/pile")
    seat = move.seat
    extra = pile[:1] if state.ruleset.name == "expert" and len(state.row) == 1 else ()
    before = state.face_down[seat]
    face_down = before + state.row + extra
    after = changed(state, row=(), pile=pile[len(extra) :], face_down=replaced(state.face_down, seat, face_down))
    if extra:
        extras = state.extras or ((),) * len(state.hands)
        after = changed(after, extras=replaced(extras, seat, (*extras[seat], len(face_down) - 1)))
    indexes = tuple(range(len(before), len(face_down)))
    took = _took(state, seat, bool(extra))
    events = [took.happened(seat=seat, cards=state.row, extra=len(extra), indexes=indexes)]
    return (after, events) if pile else end_round(state, after, events, rulings.ROUND_OVER_TAKEN)


def _took(state: State, seat: int, extra: bool) -> Happens:
    """TT-5.1, TT-5.4, TT-5.5: the ruling on a row that is taken, with an extra card or without."""
    if extra:
        return rulings.TOOK_EXTRA
    return rulings.TOOK if state.hands[seat] else rulings.TOOK_EMPTY_HANDED


def end_round(before: State, after: State, events: list[Event], ruling: Happens) -> Step | Undetermined:
    """TT-7: every seat's line; after the last round the highest total wins."""
    for seat, cards in enumerate(after.face_down):
        if None in cards:
            pointer = _pointer_before(before, seat, cards.index(None))
            return rulings.FACE_DOWN_UNSEEN.undetermined(pointer, seat=seat)
    lines = tuple(line(seat, after.face_up[seat], cards) for seat, cards in enumerate(after.face_down))
    scores = tuple((*points, each.points) for points, each in zip(after.scores, lines, strict=True))
    state = changed(after, phase="round-over", turn=None, extras=None, scores=scores)
    parts = {name: tuple([getattr(each, name) for each in lines]) for name in ("points", "face_up", "toads", "others")}
    events.append(ruling.happened(lines=lines, **parts))
    if state.round < state.ruleset.rounds:
        return state, events
    sums = totals(state)
    events.append(rulings.GAME_OVER.happened(winners=best(sums), totals=tuple(sums)))
    return changed(state, phase="game-over"), events


def _pointer_before(before: State, seat: int, index: int) -> str:
    """The pointer, in the state before the move, to the card that lies face down at this index after it.

    It may have been in the row.
    """
    index_in_row = index - len(before.face_down[seat])
    return f"/face_down/{seat}/{index}" if index_in_row < 0 else f"/row/{index_in_row}"


def deal(state: State, cards: tuple[int | None, ...]) -> Step | Undetermined:
    """TT-1.5: the deal passes to the left, and with it who begins. `cards`: in order, None for an unseen card."""
    if state.dealer is None:
        return rulings.DEALER_UNSEEN.undetermined("/dealer")
    dealer = left_of(state.dealer, len(state.hands))
    dealt = deal_round(changed(state, round=state.round + 1), dealer, cards)
    return dealt, [rulings.DEALT.happened(dealer=dealer, round=dealt.round, counts=counts(dealt.hands))]


def _hand_without(state: State, move: Lay | Twist) -> tuple[Any, ...]:
    """All hands, after the card of the move has left its own.

    TT-1.4: if the move names the card drawn, the pile had a card, so that the hand has as many as were dealt.
    """
    if state.pile is None and move.drawn is not None:
        state = changed(state, pile=(move.drawn,))
    return replaced(state.hands, move.seat, HANDS.without(state, move.seat, [move.card]))
