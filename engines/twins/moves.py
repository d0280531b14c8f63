"""Effect: one function a move, from a state and a legal move to the next state and what happened."""

from __future__ import annotations

from typing import Any

from engines.core.dealing import counts
from engines.core.engine import Step, best
from engines.core.hidden import drawn
from engines.core.records import changed, replaced
from engines.core.rulings import Event, Undetermined
from engines.core.seats import left_of
from engines.twins import rulings
from engines.twins.combinations import Combination, combination
from engines.twins.model import MOST_HANDS, Buy, LastTrick, Play, State
from engines.twins.scoring import SETTLEMENTS, Trick, Worth
from engines.twins.setup import deal_hand
from engines.twins.table import HANDS, players, price

PLACED = [rulings.PLACED.happened(seat=seat) for seat in range(6)]  #: TW-4.1: the event of each seat.


def buy(state: State, move: Buy) -> Step | Undetermined:
    """TW-2: pay the price, draw; the last purchase opens the first trick."""
    last = _is_last_purchase(state, move)
    if last is None:
        return rulings.LAST_PURCHASE_UNSEEN.undetermined("/bought")
    due = price(move.count)
    cards, stock = drawn(state.stock, move.count, move.cards)
    hands = state.hands
    state = changed(
        state,
        phase="trick" if last else "buying",
        turn=None if last else _next_buyer(state, move.seat),
        trick=1 if last else None,
        chips=replaced(state.chips, move.seat, state.chips[move.seat] - due),
        pot=state.pot + due,
        hands=None if hands is None else replaced(hands, move.seat, hands[move.seat] + cards),
        bought=None if state.bought is None else replaced(state.bought, move.seat, move.count),
        stock=stock,
    )
    return state, [rulings.BOUGHT.happened(seat=move.seat, count=move.count, price=due, cards=cards)]


def _is_last_purchase(state: State, move: Buy) -> bool | None:
    """Whether this purchase ends the buying; None: that cannot be known."""
    if state.bought is not None and None not in replaced(state.bought, move.seat, move.count):
        return True
    if state.dealer is not None:
        return move.seat == state.dealer
    if state.bought is None or state.turn is not None:
        return None
    return False


def _next_buyer(state: State, seat: int) -> int | None:
    """TW-2.1: the seat to the left; None where only `bought` shows which is next: neither dealer nor turn is known."""
    if state.dealer is None and state.turn is None:
        return None
    return left_of(seat, len(state.chips))


def play(state: State, move: Play) -> Step | Undetermined:
    """TW-4.1: place two cards; the last play turns all plays up and settles the trick."""
    hands, seat = state.hands, move.seat
    placed = PLACED[seat]
    if hands is not None:
        hands = replaced(hands, seat, HANDS.without(state, seat, move.cards))
    plays = replaced(state.plays, seat, move.cards)
    state = changed(state, hands=hands, plays=plays)
    if plays.count(None) > len(
        {*state.bankrupt, *state.out}
    ):  # TW-7.6: not all have placed; before trick 4 nobody is out
        return state, [placed]
    playing = [seat for seat, cards in enumerate(plays) if cards is not None]
    for seat in playing:
        if None in plays[seat]:
            return rulings.PLAY_UNSEEN.undetermined(f"/plays/{seat}", seat=seat)
    return settle(state, playing, placed)


def settle(state: State, playing: list[int], placed: Event) -> Step:
    """TW-4.3 to TW-7.3: turn the plays up, move the chips, go on to the next trick or end the hand."""
    assert state.trick is not None
    white = state.ruleset.white_numerals
    plays: Any = state.plays  # all of them seen
    shown: list[tuple[int, tuple[str, str], Combination]] = []
    worth: list[Worth] = []
    for seat in playing:
        cards = plays[seat]
        first, second = cards
        shown_combination = combination(first, second, white)
        shown.append((seat, cards, shown_combination))
        worth.append((seat, shown_combination.rank))
    ranked = _ranked(shown)
    settled = SETTLEMENTS[state.trick](Trick(state.trick, state.ruleset, worth, state.chips, state.pot))
    revealed = rulings.REVEALED.happened(plays=ranked)
    discards = state.discards
    if discards is not None:
        discards = (*(card for _seat, cards, _combination in shown for card in cards), *discards)
    chips = list(zip(state.chips, settled.chips, strict=True))
    paid = tuple([before - after if after < before else 0 for before, after in chips])
    won = tuple([after - before if after > before else 0 for before, after in chips])
    state = changed(
        state,
        last_trick=LastTrick(state.trick, plays, paid, won),
        chips=settled.chips,
        pot=settled.pot,
        plays=(None,) * len(state.chips),
        out=settled.losers if state.trick == 3 else state.out,
        bankrupt=tuple(sorted({*state.bankrupt, *settled.bankrupt})) if settled.bankrupt else state.bankrupt,
        discards=discards,
    )
    return go_on(state, [placed, revealed, *settled.events])


def go_on(state: State, events: list[Event]) -> Step:
    """TW-4.1, TW-5.5, TW-7.2: the next trick, or the end of the hand, or the end of the game."""
    assert state.trick is not None
    if state.trick < 4:
        if players(state, state.trick + 1):
            return changed(state, trick=state.trick + 1), events
        events.append(rulings.POT_KEPT_EMPTY_TRICK.happened(pot=state.pot, seats=()))
    events.append(rulings.HAND_OVER.happened())
    if not state.bankrupt:
        return changed(state, phase="hand-over", trick=None), events
    events.append(rulings.GAME_OVER.happened(winners=best(state.chips), chips=max(state.chips), totals=state.chips))
    return changed(state, phase="game-over", trick=None), events


def deal(state: State, cards: tuple[str | None, ...]) -> Step | Undetermined:
    """TW-1.5: the deal passes to the left; chips and pot stay. `cards`: the deck in order, None for an unseen card."""
    if state.dealer is None and None not in cards:
        return rulings.DEALER_UNSEEN.undetermined("/dealer")
    dealer = None if state.dealer is None else left_of(state.dealer, len(state.chips))
    state = deal_hand(changed(state, hand=min(state.hand + 1, MOST_HANDS), dealer=dealer), cards)
    return state, [
        rulings.DEALT.happened(dealer=dealer, hand=state.hand, counts=counts(state.hands or ())),
        rulings.NEXT_HAND_BEGINS.happened(),
    ]


def _ranked(shown: list[tuple[int, tuple[str, str], Combination]]) -> tuple[dict[str, Any], ...]:
    """Each play as a `Shown`, in the form it has on the wire."""
    ranks = sorted([shown_combination.rank for _seat, _cards, shown_combination in shown], reverse=True)
    return tuple(
        [
            {"seat": seat, "cards": cards, "combination": kind, "strength": strength, "rank": 1 + ranks.index(rank)}
            for seat, cards, (kind, strength, rank) in shown
        ]
    )
