"""Deals, purchases, views and audits of Twins, beside what the vectors show."""

from typing import Any

import pytest

from engines.core.judge import audit, judge, legal_moves, resolve
from engines.core.records import changed
from engines.core.shuffle import shuffled
from engines.twins import ENGINE
from engines.twins.combinations import CARDS
from engines.twins.model import Buy, Deal, Play, Ruleset, Setup, State
from tests.engines.twins.tables import buying, table

U = (None,)
"""A hand of which nothing is shown."""


def codes(state: State) -> list[str]:
    return [fault.ruling.code for fault in audit(ENGINE, state)[0]]


def refusals(state: State, move: Any) -> list[str]:
    return [violation.ruling.code for violation in judge(ENGINE, state, move).violations]


def test_cards_are_dealt_one_at_a_time_from_the_dealers_left() -> None:
    """TW-1.5: eight each, the rest is the stock."""
    state = ENGINE.opening(Setup(5, dealer=2, deck=CARDS))
    assert state.hands is not None
    assert [hand[0] for hand in state.hands] == ["brown-3", "brown-4", "brown-5", "brown-1", "brown-2"]
    assert state.hands[3] == CARDS[0:40:5]
    assert state.stock == CARDS[40:]
    assert (state.phase, state.bought, state.discards) == ("buying", (None,) * 5, ())


def test_a_table_is_dealt_under_the_ruleset_that_was_asked_for() -> None:
    """TW-1.3."""
    asked = Ruleset(white_numerals=("brown", "blue", "pink"))
    assert ENGINE.opening(Setup(3, ruleset=asked, deck=CARDS)).ruleset == asked


def test_a_hand_between_two_deals_keeps_chips_and_pot_and_forgets_the_rest() -> None:
    """TW-1.5: the deal passes to the left, from the last seat to the first."""
    over = table(phase="hand-over", trick=None, chips=(9, 15, 12, 8), pot=4, dealer=3, out=(2,), discards=("blue-1",))
    state = resolve(ENGINE, over, [Deal(seed="next")]).state
    order = shuffled(CARDS, "next")
    assert state == State(
        phase="buying",
        chips=(9, 15, 12, 8),
        pot=4,
        hand=2,
        dealer=0,
        turn=1,
        hands=tuple(order[(seat - 1) % 4 : 32 : 4] for seat in range(4)),
        bought=(None,) * 4,
        plays=(None,) * 4,
        stock=order[32:],
        discards=(),
    )


def test_a_seat_before_one_with_more_than_eight_cards_has_bought() -> None:
    """TW-2.1: in turn, from the dealer's left; where the dealer is not known, no hand says it of another seat."""
    state = buying(bought=None, hands=(U, U, (None,) * 9, U))
    assert ENGINE.to_act(state) == (3,)
    assert [refusals(state, Buy(seat, 0)) for seat in range(4)] == [["has-bought"]] * 3 + [[]]
    assert resolve(ENGINE, state, [Buy(3, 0)]).state.phase == "trick"
    assert ENGINE.to_act(changed(state, dealer=1)) == (0, 1, 3)
    assert ENGINE.to_act(changed(state, dealer=None)) == (0, 1, 3)


@pytest.mark.parametrize(
    ("facts", "faults"),
    [
        ({"turn": 2}, []),
        ({"turn": 2, "bought": (None, 1, None, None)}, []),
        ({"turn": 2, "bought": (None, 1, 0, 0)}, ["bought-out-of-turn"] * 2),
        ({"turn": 2, "bought": (None, 1, 0, 0), "dealer": None}, ["bought-out-of-turn"]),
        ({"turn": 2, "bought": (None, 1, None, 0), "dealer": None}, []),
        ({"turn": 4}, ["no-such-seat"]),
        ({"turn": 2, "dealer": 4}, ["no-such-seat"]),
        ({"turn": 2, "phase": "trick", "trick": 1, "bought": None}, ["turn-out-of-phase"]),
        ({"turn": 2, "hands": ((None,) * 10, (None,) * 9, (None,) * 8, (None,) * 8)}, []),
        ({"turn": 2, "hands": ((None,) * 10, (None,) * 9, (None,) * 9, (None,) * 9)}, ["hand-too-big"] * 2),
        ({"turn": 2, "dealer": None, "hands": (U, (None,) * 9, (None,) * 9, (None,) * 10)}, ["hand-too-big"]),
        ({"bought": None, "hands": ((None,) * 10, U, (None,) * 10, U)}, []),
        ({"bought": None, "dealer": None, "hands": ((None,) * 10, U, U, (None,) * 10)}, []),
        ({"bought": None, "hands": ((None,) * 10, U, U, (None,) * 10)}, ["all-have-bought"]),
        ({"bought": None, "dealer": 4, "hands": ((None,) * 10, U, U, U)}, ["no-such-seat"]),
        ({"bought": None, "hands": (U, U, U, U, (None,) * 10)}, ["seats-disagree"]),
    ],
)
def test_a_turn_to_buy_says_who_has_bought(facts: dict[str, Any], faults: list[str]) -> None:
    spent = sum(count or 0 for count in facts.get("bought") or ())
    assert codes(buying(**{"chips": (12 - spent, 12, 12, 12), "pot": spent, **facts})) == faults


def test_with_a_turn_the_numbers_bought_do_not_give_the_dealer_away() -> None:
    """TW-2.1: a seat without a number may have bought as well."""
    state = buying(dealer=None, turn=2, bought=(None, 0, None, None))
    awaited = resolve(ENGINE, state, [Buy(2, 0)]).undetermined
    assert awaited is not None
    assert awaited.ruling.code == "last-purchase-unseen"
    last = resolve(ENGINE, changed(state, bought=(0, 0, None, 0)), [Buy(2, 0)]).state
    assert (last.phase, last.turn) == ("trick", None)


def test_before_the_first_purchase_an_unknown_dealer_leaves_everyone_to_act() -> None:
    state = buying(dealer=None)
    assert ENGINE.to_act(state) == (0, 1, 2, 3)
    after = resolve(ENGINE, state, [Buy(3, 0)])
    assert (after.unverified, after.state.dealer) == (("TW-2.1",), None)


def test_the_last_open_purchase_ends_the_buying_even_without_a_dealer() -> None:
    state = buying(bought=(0, 0, None, 0), dealer=None)
    after = resolve(ENGINE, state, [Buy(2, 0)])
    assert (after.unverified, after.state.phase, after.state.dealer) == ((), "trick", None)


def test_the_purchases_or_the_dealer_show_whether_a_purchase_is_the_last() -> None:
    """TW-2.1."""
    awaited = resolve(ENGINE, buying(bought=None, dealer=None), [Buy(0, 0)]).undetermined
    assert awaited is not None
    assert (awaited.ruling.code, awaited.pointer) == ("last-purchase-unseen", "/bought")
    assert resolve(ENGINE, buying(bought=None, dealer=0), [Buy(0, 0)]).state.phase == "trick"
    assert resolve(ENGINE, buying(bought=(None, 0, 0, 0), dealer=None), [Buy(0, 0)]).state.phase == "trick"


@pytest.mark.parametrize("known", [{"seed": "next"}, {"deck": CARDS}])
def test_whom_a_known_deck_is_dealt_to_first_follows_from_the_dealer(known: dict[str, Any]) -> None:
    """TW-1.5."""
    over = table(phase="hand-over", trick=None)
    awaited = resolve(ENGINE, over, [Deal(**known)]).undetermined
    assert awaited is not None
    assert (awaited.ruling.code, awaited.pointer) == ("dealer-unseen", "/dealer")
    unseen = resolve(ENGINE, over, [Deal()])
    assert (unseen.undetermined, unseen.state.hands) == (None, ((None,) * 8,) * 4)


@pytest.mark.parametrize("bought", [None, (None,) * 4])
def test_a_stranger_buys_nothing(bought: Any) -> None:
    assert refusals(buying(bought=bought), Buy(4, 0)) == ["not-at-table"]


def test_a_hand_of_more_than_eight_cards_has_bought() -> None:
    """TW-2.1: once a hand, where the purchases themselves are not seen."""
    state = buying(bought=None, hands=((None,) * 9, (None,) * 8, (None,), (None,)))
    assert refusals(state, Buy(0, 1)) == ["has-bought"]
    assert refusals(state, Buy(1, 1)) == []
    twice = resolve(ENGINE, changed(state, bought=None), [Buy(1, 2), Buy(1, 2)])
    assert (twice.applied, [each.ruling.code for each in twice.violations]) == (1, ["has-bought"])
    assert codes(twice.state) == []
    assert ENGINE.to_act(state) == (1, 2, 3)
    assert codes(changed(state, hands=((None,) * 9,) * 4)) == ["all-have-bought"]
    assert codes(changed(state, hands=((None,) * 9,) * 3)) == ["seats-disagree"]


def test_hands_are_counted_up_to_the_largest_number_there_is() -> None:
    """TW-1.5: a table that is dealt can be posted again."""
    over = table(phase="hand-over", trick=None, hand=999_998)
    after = resolve(ENGINE, over, [Deal()])
    assert (after.state.hand, after.events[0][1].params["hand"]) == (999_999, 999_999)
    assert resolve(ENGINE, changed(over, hand=999_999), [Deal()]).state.hand == 999_999


def test_told_cards_are_compared_with_what_is_seen_of_the_stock() -> None:
    state = buying(stock=(None, "blue-2"))
    assert refusals(state, Buy(0, 2, ("blue-1", "blue-2"))) == []
    assert refusals(state, Buy(0, 2, ("blue-1", "blue-3"))) == ["drawn-otherwise"]
    assert refusals(state, Buy(0, 2, ("blue-2", "blue-1"))) == ["drawn-otherwise"]
    assert refusals(state, Buy(0, 1, ("blue-2",))) == ["drawn-elsewhere"]
    assert refusals(state, Buy(0, 2, ("blue-1", "blue-1"))) == ["drawn-elsewhere", "drawn-otherwise"]


def test_a_seat_sees_its_own_cards_and_that_others_have_placed() -> None:
    """TW-4.1: nobody sees another's choice."""
    state = table(
        hands=(("pink-1", None), ("pink-2", None), (None,), (None,)), plays=(None, ("blue-1", "blue-2"), None, None)
    )
    assert ENGINE.view(state, 1) == changed(state, hands=((None, None), ("pink-2", None), (None,), (None,)))
    assert ENGINE.view(state, 0).plays == (None, (None, None), None, None)
    assert ENGINE.view(state, None).hands == ((None, None), (None, None), (None,), (None,))
    assert ENGINE.view(changed(state, stock=("blue-3",)), 0).stock == (None,)


def test_in_a_log_a_play_stays_face_down_for_others_until_the_trick_is_settled() -> None:
    move = Play(1, ("blue-1", "blue-2"))
    open_trick = table(plays=(None, ("blue-1", "blue-2"), None, None))
    assert ENGINE.view_move(open_trick, move, 1) == move
    assert ENGINE.view_move(open_trick, move, 0) == changed(move, cards=(None, None))
    assert ENGINE.view_move(open_trick, move, None) == changed(move, cards=(None, None))
    assert ENGINE.view_move(table(), move, 0) == move
    assert ENGINE.view_move(open_trick, Buy(1, 1), 0) == Buy(1, 1)


def test_known_cards_of_a_hand_make_plays_in_deck_order() -> None:
    state = table(hands=(("blue-1", None, "brown-2"), (None,), (None,), (None,)))
    moves, complete = legal_moves(ENGINE, state, 0, every=False)
    assert (moves, complete) == ([Play(0, ("brown-2", "blue-1"))], False)


def test_of_an_unknown_hand_no_play_is_listed() -> None:
    assert legal_moves(ENGINE, table(), 0, every=False) == ([], False)


def test_facts_tell_the_price_and_the_worth() -> None:
    assert ENGINE.facts(buying(), Buy(0, 2)) == {"price": 3}
    assert ENGINE.facts(table(), Play(0, ("blue-1", "yellow-1"))) == {"combination": "twins", "strength": 1}
    assert ENGINE.facts(table(), Deal()) == {}


@pytest.mark.parametrize(
    ("facts", "faults"),
    [
        ({"hands": ((None,), (None,), (None,))}, ["seats-disagree"]),
        ({"plays": (None,) * 5}, ["seats-disagree"]),
        ({"bought": (None,) * 3, "phase": "buying", "trick": None}, ["seats-disagree"]),
        ({"dealer": 4}, ["no-such-seat"]),
        ({"dealer": 3}, []),
        ({"dealer": 4, "phase": "buying", "trick": None, "bought": (None,) * 4}, ["no-such-seat"]),
        ({"stock": ("blue-1",), "discards": ("blue-1",), "trick": 2}, ["card-twice"]),
        ({"stock": (None, None), "discards": (None,), "trick": 2}, []),
        ({"stock": (None,) * 28}, []),
        ({"stock": (None,) * 29}, ["stock-too-big"]),
        ({"stock": (None,) * 27, "bought": (1, 0, 0, 0)}, []),
        ({"stock": (None,) * 28, "bought": (1, 0, 0, 0)}, ["stock-too-big"]),
        ({"discards": ("blue-1",)}, ["discards-too-many"]),
        ({"discards": ("blue-1",), "phase": "buying", "trick": None, "bought": (0, None, None, None), "dealer": 3},
         ["discards-too-many"]),
        ({"discards": (None,) * 8, "trick": 2}, []),
        ({"discards": (None,) * 9, "trick": 2}, ["discards-too-many"]),
        ({"discards": (None,) * 24, "trick": 4}, []),
        ({"discards": (None,) * 25, "trick": 4}, ["discards-too-many"]),
        ({"discards": (None,) * 32, "trick": None, "phase": "hand-over"}, []),
        ({"discards": (None,) * 30, "trick": None, "phase": "hand-over", "out": (0,)}, []),
        ({"discards": (None,) * 31, "trick": None, "phase": "hand-over", "out": (0,)}, ["discards-too-many"]),
        ({"discards": (None,) * 14, "trick": 3, "bankrupt": (1,), "chips": (16, 0, 16, 16)}, []),
        ({"discards": (None,) * 15, "trick": 3, "bankrupt": (1,), "chips": (16, 0, 16, 16)}, ["discards-too-many"]),
        ({"discards": (None,) * 24, "trick": 4, "bankrupt": (1,), "chips": (16, 0, 16, 16)}, []),
        ({"discards": (None,) * 24, "trick": None}, ["trick-missing"]),
        ({"discards": (None,) * 25, "trick": None}, ["trick-missing", "discards-too-many"]),
        ({"discards": (None,) * 33, "trick": None, "phase": "hand-over"}, ["discards-too-many"]),
        ({"stock": (None,) * 52, "hands": ((None,) * 8, U, U, U)}, ["too-many-cards", "stock-too-big"]),
        ({"hands": (("blue-1", None), U, U, U), "plays": (None, ("blue-1", None), None, None)}, ["card-twice"]),
        ({"pot": 1}, ["chips-astray"]),
        ({"hands": ((None,) * 10, U, U, U)}, []),
        ({"hands": ((None,) * 11, U, U, U)}, ["hand-too-big"]),
        ({"hands": ((None,) * 8, U, U, U), "trick": 2}, []),
        ({"hands": ((None,) * 9, U, U, U), "trick": 2}, ["hand-too-big"]),
        ({"hands": ((None,) * 9, U, U, U), "plays": ((None, None), None, None, None)}, ["hand-too-big"]),
        ({"hands": ((None,) * 8, U, U, U), "bought": (0, 0, 0, 0)}, []),
        ({"hands": ((None,) * 9, U, U, U), "bought": (0, 0, 0, 0)}, ["hand-too-big"]),
        ({"hands": ((None,) * 10, U, U, U), "bought": (2, 0, 0, 0)}, []),
        ({"hands": ((None,) * 4, U, U, U), "phase": "hand-over", "trick": None}, []),
        ({"hands": ((None,) * 5, U, U, U), "phase": "hand-over", "trick": None}, ["hand-too-big"]),
        ({"hands": ((None,) * 4, (None,) * 2, U, U), "phase": "hand-over", "trick": None, "out": (0,)}, []),
        ({"hands": ((None,) * 5, (None,) * 3, U, U), "phase": "hand-over", "trick": None, "out": (0,)},
         ["hand-too-big", "hand-too-big"]),
        ({"hands": ((None,) * 10, U, U, U), "trick": None}, ["trick-missing"]),
        ({"trick": None}, ["trick-missing"]),
        ({"trick": None, "phase": "hand-over"}, []),
        ({"trick": 4, "out": (0,)}, []),
        ({"trick": 3, "out": (0, 2)}, ["out-too-early", "out-too-early"]),
        ({"trick": None, "phase": "hand-over", "out": (0,)}, []),
        ({"plays": (("blue-1", "blue-2"),) * 0}, []),
        ({"trick": 4, "out": (1,), "plays": (("blue-1", "blue-2"), None, ("blue-3", "blue-4"), ("blue-5", "blue-6"))},
         ["not-settled"]),
        ({"trick": 2, "bankrupt": (1,), "chips": (16, 0, 16, 16)}, []),
        ({"trick": 2, "bankrupt": (1,), "chips": (15, 1, 16, 16)}, ["bankrupt-with-chips"]),
        ({"trick": 2, "bankrupt": (1,), "chips": (16, 0, 16, 16),
          "plays": (None, ("blue-1", "blue-2"), None, None)}, ["placed-though-out"]),
        ({"trick": 2, "bankrupt": (1,), "chips": (16, 0, 16, 16), "hands": (U, (None,) * 8, U, U)}, []),
        ({"trick": 2, "bankrupt": (1,), "chips": (16, 0, 16, 16), "hands": (U, (None,) * 9, U, U)},
         ["hand-too-big"]),
        ({"trick": 4, "bankrupt": (0, 1), "out": (2, 3), "chips": (0, 0, 24, 24)}, ["nobody-left"]),
        ({"trick": None, "phase": "hand-over", "bankrupt": (1,), "chips": (16, 0, 16, 16)}, ["bankrupt-too-late"]),
        ({"trick": None, "phase": "game-over", "bankrupt": (1,), "chips": (16, 0, 16, 16)}, []),
        ({"trick": None, "phase": "game-over", "bankrupt": (1,), "chips": (16, 0, 16, 16), "out": (0, 2)}, []),
        ({"trick": None, "phase": "game-over"}, ["over-without-bankrupt"]),
        ({"trick": 3, "bankrupt": (1,), "chips": (16, 0, 16, 16), "hands": ((None,) * 6, (None,) * 8, U, U)}, []),
        ({"trick": 3, "bankrupt": (1,), "chips": (16, 0, 16, 16), "hands": ((None,) * 7, (None,) * 9, U, U)},
         ["hand-too-big", "hand-too-big"]),
        ({"bought": (0, 0, 1, None), "phase": "buying", "trick": None, "hands": (U, U, (None,) * 9, (None,) * 8),
          "chips": (12, 12, 11, 12), "pot": 1}, []),
        ({"bought": (0, 0, 1, None), "phase": "buying", "trick": None, "hands": (U, U, (None,) * 10, (None,) * 9),
          "chips": (12, 12, 11, 12), "pot": 1}, ["hand-too-big", "hand-too-big"]),
    ],
)  # fmt: skip
def test_what_a_table_cannot_be(facts: dict[str, Any], faults: list[str]) -> None:
    assert codes(table(**facts)) == faults


@pytest.mark.parametrize(
    ("bought", "dealer", "faults"),
    [
        ((None, None, None, None), 3, []),
        ((0, None, None, None), 3, []),
        ((None, 0, None, None), 3, ["bought-out-of-turn"]),
        ((None, 0, None, 1), 3, ["bought-out-of-turn"] * 2),
        ((None, None, 0, 0), 1, []),
        ((0, None, None, 0), 1, ["bought-out-of-turn"] * 2),
        ((0, 0, 0, 0), 3, ["all-have-bought"]),
        ((0, 0, 0, 0), None, ["all-have-bought"]),
        ((None, 0, None, 0), None, ["bought-out-of-turn"]),
        ((None, 0, 0, None), None, []),
        ((0, None, None, 0), None, []),
        (None, None, []),
    ],
)
def test_purchases_come_in_turn(bought: Any, dealer: int | None, faults: list[str]) -> None:
    spent = sum(count or 0 for count in bought or ())
    state = buying(bought=bought, dealer=dealer, chips=(12, 12, 12, 12 - spent), pot=spent)
    assert codes(state) == faults


def test_what_is_not_seen_is_said_to_be_unverified() -> None:
    assert audit(ENGINE, table())[1] == ["TW-1.2", "TW-2.1"]
    assert audit(ENGINE, buying(bought=None))[1] == ["TW-1.2", "TW-2.1"]
    whole = ENGINE.opening(Setup(3, deck=CARDS))
    assert audit(ENGINE, whole) == ([], [])
    assert audit(ENGINE, changed(whole, dealer=None))[1] == ["TW-2.1"]
    assert audit(ENGINE, ENGINE.view(whole, 0))[1] == ["TW-1.2"]
