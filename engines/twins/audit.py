"""Every fault that a posted state can have: one function a clause, each fault by itself."""

from __future__ import annotations

from engines.core.engine import Audit
from engines.core.rulings import Fault, Unverified
from engines.core.seats import one_entry_a_seat, seats_at_the_table
from engines.twins import rulings
from engines.twins.combinations import CARDS
from engines.twins.model import State
from engines.twins.table import EACH, HANDS, START, ZONES, buyer, buys_in, dealer, has_bought, players, tricks_played


def chips_sum_to_what_was_given_out(state: State) -> Fault | None:
    """TW-1.4."""
    total, due = sum(state.chips) + state.pot, START * len(state.chips)
    return None if total == due else rulings.CHIPS_ASTRAY.found("/chips", "/pot", sum=total, due=due)


def piles_are_no_bigger_than_the_deal_leaves(state: State) -> list[Fault] | None:
    """TW-1.5, TW-4.2: the stock is what was neither dealt nor bought, the discards what was played."""
    seats = len(state.chips)
    faults = []
    if state.stock is not None:
        most = len(CARDS) - EACH * seats - sum(count or 0 for count in state.bought or ())
        if len(state.stock) > most:
            faults.append(rulings.STOCK_TOO_BIG.found("/stock", count=len(state.stock), most=most))
    if state.discards:
        most = sum(2 * tricks_played(state, seat)[1] for seat in range(seats))
        if len(state.discards) > most:
            faults.append(rulings.DISCARDS_TOO_MANY.found("/discards", count=len(state.discards), most=most))
    return faults or None


def purchases_come_in_turn(state: State) -> list[Fault] | Fault | Unverified | None:
    """TW-2.1: from the dealer's left; when all have bought, the first trick begins."""
    seats = len(state.chips)
    has_wrong_length = state.bought is not None and len(state.bought) != seats  # another audit names that fault
    if state.phase != "buying" or has_wrong_length:
        return None
    if state.turn is not None:
        return _none_bought_before_their_turn(state, state.turn)
    if all(has_bought(state, seat) for seat in range(seats)):
        return rulings.ALL_HAVE_BOUGHT.found("/phase", "/hands" if state.bought is None else "/bought")
    dealing = dealer(state)
    if state.bought is None or dealing is None:
        return rulings.BOUGHT_OUT_OF_TURN.unverified()
    if dealing >= seats:
        return None
    next_buyer = buyer(state)
    assert next_buyer is not None, "somebody has not bought"
    left = (dealing - next_buyer) % seats  #: How many seats buy after the next one; the dealer is the last.
    later = [(next_buyer + step) % seats for step in range(1, left + 1)]
    return [
        rulings.BOUGHT_OUT_OF_TURN.found(f"/bought/{seat}", "/dealer", seat=seat)
        for seat in later
        if state.bought[seat] is not None
    ] or None


def _none_bought_before_their_turn(state: State, turn: int) -> list[Fault] | Unverified | None:
    """TW-2.1: neither the seat on turn nor a later one. Which seats are later shows only where the dealer is seen."""
    seats, dealing, bought = len(state.chips), state.dealer, state.bought
    if turn >= seats or (dealing is not None and dealing >= seats):  # another audit names that fault
        return None
    if bought is None:
        return rulings.BOUGHT_OUT_OF_TURN.unverified()
    to_come = 1 if dealing is None else 1 + (dealing - turn) % seats
    faults = [
        rulings.BOUGHT_OUT_OF_TURN.found(f"/bought/{seat}", "/turn", seat=seat)
        for seat in ((turn + step) % seats for step in range(to_come))
        if bought[seat] is not None
    ]
    if faults:
        return faults
    return rulings.BOUGHT_OUT_OF_TURN.unverified() if dealing is None else None


def later_hands_have_no_purchases(state: State) -> list[Fault] | None:
    """TW-2.1: where `buying` is `first-hand`."""
    if buys_in(state.ruleset, state.hand):
        return None
    places = ["/phase"] if state.phase == "buying" else []
    places += [f"/bought/{seat}" for seat, count in enumerate(state.bought or ()) if count]
    return [rulings.FIRST_HAND_ONLY.found(place, "/hand", "/ruleset", hand=state.hand) for place in places] or None


def nobody_buys_after_the_purchases(state: State) -> Fault | None:
    """TW-2.1."""
    if state.phase == "buying" or state.turn is None:
        return None
    return rulings.TURN_OUT_OF_PHASE.found("/turn", "/phase", phase=state.phase)


def trick_is_numbered(state: State) -> Fault | None:
    """TW-4.1."""
    is_missing = state.phase == "trick" and state.trick is None
    return rulings.TRICK_MISSING.found("/trick", "/phase") if is_missing else None


def plays_belong_to_an_open_trick(state: State) -> Fault | list[Fault] | None:
    """TW-4.1, TW-5.5, TW-7.6: only seats in the trick have placed, and not all of them: that would have settled it."""
    placed = [seat for seat, play in enumerate(state.plays) if play is not None]
    if state.phase != "trick":
        if not placed:
            return None
        return rulings.PLACED_OUT_OF_PHASE.found("/phase", *(f"/plays/{seat}" for seat in placed), phase=state.phase)
    if state.trick is None:
        return None
    playing = players(state, state.trick)
    if not playing:
        return rulings.NOBODY_LEFT.found("/trick", "/out", "/bankrupt", trick=state.trick)
    faults = [
        rulings.PLACED_THOUGH_OUT.found(f"/plays/{seat}", seat=seat)
        for seat in placed
        if seat not in playing and seat < len(state.chips)
    ]
    if set(playing) <= set(placed):
        faults.append(rulings.NOT_SETTLED.found("/plays"))
    return faults or None


def only_trick_three_sends_players_out(state: State) -> list[Fault] | None:
    """TW-4.3: nobody misses trick 4 before trick 3 is settled."""
    if state.phase in ("hand-over", "game-over") or (state.phase == "trick" and state.trick == 4):
        return None
    return [rulings.OUT_TOO_EARLY.found(f"/out/{index}", seat=seat) for index, seat in enumerate(state.out)] or None


def bankrupts_have_paid_all(state: State) -> list[Fault] | None:
    """TW-7.1."""
    return [
        rulings.BANKRUPT_WITH_CHIPS.found(f"/bankrupt/{index}", f"/chips/{seat}", seat=seat, chips=state.chips[seat])
        for index, seat in enumerate(state.bankrupt)
        if seat < len(state.chips) and state.chips[seat]
    ] or None


def game_ends_with_the_hand_of_a_bankruptcy(state: State) -> Fault | None:
    """TW-7.2."""
    if state.phase == "game-over":
        return None if state.bankrupt else rulings.OVER_WITHOUT_BANKRUPT.found("/phase", "/bankrupt")
    if state.bankrupt and state.phase != "trick":
        return rulings.BANKRUPT_TOO_LATE.found("/phase", "/bankrupt", phase=state.phase)
    return None


AUDITS: tuple[Audit, ...] = (
    one_entry_a_seat(rulings.SEATS_DISAGREE, "chips", "hands", "bought", "plays"),
    seats_at_the_table(rulings.NO_SUCH_SEAT, "chips", "dealer", "turn", "out", "bankrupt"),
    ZONES.each_card_once(rulings.CARD_TWICE, rulings.TOO_MANY_CARDS),
    chips_sum_to_what_was_given_out,
    piles_are_no_bigger_than_the_deal_leaves,
    HANDS.are_whole(rulings.HAND_TOO_SMALL, rulings.HAND_TOO_BIG),
    later_hands_have_no_purchases,
    purchases_come_in_turn,
    nobody_buys_after_the_purchases,
    trick_is_numbered,
    plays_belong_to_an_open_trick,
    only_trick_three_sends_players_out,
    bankrupts_have_paid_all,
    game_ends_with_the_hand_of_a_bankruptcy,
)
