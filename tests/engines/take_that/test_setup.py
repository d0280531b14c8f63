"""TT-1: the first deal."""

from __future__ import annotations

import pytest

from engines.core.judge import audit, audit_setup
from engines.take_that import ENGINE
from engines.take_that.model import RULESETS, Setup, State
from engines.take_that.row import CARDS


@pytest.mark.parametrize(("seats", "each"), [(2, 9), (3, 9), (4, 8)])
def test_each_player_is_dealt_the_cards_of_the_table(seats: int, each: int) -> None:
    """TT-1.4."""
    state = ENGINE.opening(Setup(seats, deck=CARDS))
    assert [len(hand) for hand in state.hands] == [each] * seats
    assert state.pile == CARDS[each * seats :]
    assert audit(ENGINE, state) == ([], [])


def test_last_seat_deals_unless_told_and_the_seat_to_its_left_begins() -> None:
    """TT-1.5."""
    assert ENGINE.opening(Setup(3, deck=CARDS)) == State(
        phase="play",
        turn=0,
        row=(),
        hands=(CARDS[0:27:3], CARDS[1:27:3], CARDS[2:27:3]),
        round=1,
        dealer=2,
        pile=CARDS[27:],
        face_up=((), (), ()),
        face_down=((), (), ()),
        scores=((), (), ()),
    )


def test_cards_are_dealt_one_at_a_time_from_the_left_of_the_dealer() -> None:
    """TT-1.4, TT-1.5."""
    state = ENGINE.opening(Setup(3, deck=CARDS, dealer=0, ruleset=RULESETS["expert"]))
    assert (state.dealer, state.turn, state.ruleset.name) == (0, 1, "expert")
    assert state.hands == (CARDS[2:27:3], CARDS[0:27:3], CARDS[1:27:3])


def test_dealer_who_is_not_at_the_table_is_a_fault() -> None:
    """TT-1.1."""
    (fault,) = audit_setup(ENGINE, Setup(2, dealer=2))
    assert (fault.ruling.rule, fault.ruling.code) == ("TT-1.1", "no-such-seat")
    assert (fault.params, fault.pointers) == ({"seat": 2, "seats": 2}, ("/dealer", "/seats"))
    assert audit_setup(ENGINE, Setup(2, dealer=1)) == []


def test_deck_with_a_card_twice_is_a_fault() -> None:
    """TT-1.2."""
    (fault,) = audit_setup(ENGINE, Setup(2, deck=(98, *CARDS[1:])))
    assert (fault.ruling.rule, fault.ruling.code) == ("TT-1.2", "card-twice")
    assert (fault.params, fault.pointers) == ({"card": 98}, ("/deck/0", "/deck/78"))
    assert audit_setup(ENGINE, Setup(2, deck=CARDS)) == []


def test_deck_before_the_shuffle_is_in_order() -> None:
    """TT-1.2."""
    assert ENGINE.cards(Setup(2)) == CARDS


def test_two_to_four_may_play() -> None:
    """TT-1.1."""
    assert list(ENGINE.seats) == [2, 3, 4]
    assert list(RULESETS) == ["standard", "expert"]


def test_contested_are_the_options_on_which_texts_differ() -> None:
    """TT-5.1, TT-6.1; TT-7.3 leaves only a choice."""
    assert {name: option.published for name, option in ENGINE.options.items()} == {
        "voluntary_take": ("allowed", "forced-only"),
        "end_of_round": ("taken-or-emptied", "taken-only"),
        "rounds": (),
    }
    assert {name: option.rule for name, option in ENGINE.options.items()} == {
        "voluntary_take": "TT-5.1",
        "end_of_round": "TT-6.1",
        "rounds": "TT-7.3",
    }
