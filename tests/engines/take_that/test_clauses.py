"""Take That clause by clause, in the order of the rulebook, worked out by hand; the vectors hold the rest."""

import pytest

from engines.core.judge import legal_moves
from engines.core.records import changed
from engines.core.shape import Option
from engines.take_that import ENGINE
from engines.take_that.model import Deal, Lay, Line, Take, Twist
from engines.take_that.row import CARDS, PARTNER, TOADS
from engines.take_that.scoring import cost, line
from tests.engines.take_that.tables import EXPERT, TAKEN_ONLY, after, happened, over, refused, table


def test_deck_has_seventy_nine_cards_without_the_tens() -> None:
    """TT-1.2."""
    assert len(CARDS) == 79
    assert (CARDS[0], CARDS[-1]) == (12, 98)
    assert [card for card in CARDS if card % 10 == 0] == []


def test_seven_toads_have_no_partner_and_all_others_have_one() -> None:
    """TT-1.3."""
    assert {22, 33, 44, 55, 66, 77, 88} == TOADS
    assert set(PARTNER) == set(CARDS) - TOADS
    assert PARTNER[49] == 94
    assert all(PARTNER[PARTNER[card]] == card for card in PARTNER)


def test_eighteen_cards_may_follow_34() -> None:
    """TT-3.1."""
    laid = [card for card in CARDS if card != 34 and not refused(table(hands=((card,), (None,))), Lay(0, card))]
    assert laid == [24, 25, 26, 27, 28, 29, 31, 32, 33, 35, 36, 37, 38, 39, 41, 42, 43, 44]


def test_card_laid_stands_at_the_right_end_and_one_is_drawn() -> None:
    """TT-2.2, TT-3.1."""
    state = after(table(row=(52, 34), hands=((41, 43, 88), (94,)), pile=(17, 18)), Lay(0, 43))
    assert state.row == (52, 34, 43)
    assert state.hands == ((41, 88, None, 17), (94, None))
    assert state.pile == (18,)
    assert state.turn == 1


def test_gap_closed_by_a_twist_does_not_matter_to_a_lay() -> None:
    """TT-3.3."""
    state = after(table(row=(34, 41, 49, 58, 52), hands=((94,), (42, 62, 68)), pile=()), Twist(0, 94))
    assert state.row == (34, 41, 58, 52)
    assert legal_moves(ENGINE, state)[0] == [Lay(1, 42), Lay(1, 62), Take(1)]


def test_card_drawn_may_be_told_though_the_top_is_seen() -> None:
    """TT-2.2."""
    assert after(table(pile=(17, 18)), Lay(0, 43, drawn=17)).hands[0] == (41, 88, None, 17)


@pytest.mark.parametrize("elsewhere", [34, 41, 52, 18, 12, 21, 77])
def test_card_said_to_be_drawn_lies_nowhere_else(elsewhere: int) -> None:
    """TT-1.2."""
    state = table(pile=(None, 18), face_up=((), (12, 21)), face_down=((77,), ()))
    assert refused(state, Lay(0, 43, drawn=elsewhere)) == [("TT-1.2", "drawn-elsewhere", {"card": elsewhere}, "/drawn")]


def test_card_laid_cannot_be_drawn_in_the_same_turn() -> None:
    """TT-1.2."""
    assert refused(table(hands=((None,), ())), Lay(0, 43, drawn=43)) == [
        ("TT-1.2", "drawn-elsewhere", {"card": 43}, "/drawn")
    ]


def test_partner_leaves_the_row_and_both_lie_face_up() -> None:
    """TT-4.1, TT-4.3."""
    state = after(table(row=(34, 41, 49, 58, 52), hands=((94, 61), (88,)), pile=(17, 18)), Twist(0, 94))
    assert state.row == (34, 41, 58, 52)
    assert state.face_up == ((94, 49), ())
    assert state.hands == ((61, None, 17), (88, None))
    assert (state.pile, state.turn) == ((18,), 1)


def test_only_card_of_a_row_may_be_twisted_and_the_next_player_opens() -> None:
    """TT-4.4."""
    state = after(table(row=(49,), hands=((94,), (88, 43, 12, 13, 14, 15, 16, 19, 21)), pile=(17, 18)), Twist(0, 94))
    assert (state.phase, state.row, state.turn) == ("play", (), 1)
    assert (state.hands[0], state.pile) == ((None, 17), (18,))
    assert legal_moves(ENGINE, state) == ([Lay(1, card) for card in (12, 13, 14, 15, 16, 19, 21, 43, 88)], True)


def test_row_goes_face_down_and_the_same_player_opens_a_new_one() -> None:
    """TT-5.1, TT-5.3."""
    hand = (12, 17, 61, 62, 63, 64, 65, 67, 88)
    state = after(table(row=(22, 27, 33, 41), hands=(hand, (52,)), face_down=((13,), ())), Take(0))
    assert state.face_down == ((13, 22, 27, 33, 41), ())
    assert (state.row, state.turn, state.phase) == ((), 0, "play")
    assert (state.hands, state.pile) == ((hand, (52, None)), (None, None, None))
    assert legal_moves(ENGINE, state) == ([Lay(0, card) for card in hand], True)


def test_expert_remembers_every_extra_card() -> None:
    """TT-5.5."""
    state = table(hands=((41,), (52, 12)), pile=(77, 18, 19, 24, 25), ruleset=EXPERT)
    taken = after(state, Take(0), Lay(0, 41), Take(1), Lay(1, 12), Take(0))
    assert taken.face_down == ((34, 77, 12, 25), (41, 19))
    assert taken.extras == ((1, 3), (1,))


def test_taken_only_passes_over_players_without_cards() -> None:
    """TT-6.1."""
    state = table(row=(49,), hands=((94, 12), (), (52,)), pile=(), ruleset=TAKEN_ONLY)
    assert after(state, Twist(0, 94)).turn == 2
    assert after(changed(state, hands=((94, 12), (), ())), Twist(0, 94)).turn == 0
    assert after(changed(state, turn=2, hands=((), (52,), (94,))), Twist(2, 94)).turn == 1
    assert after(changed(state, hands=((94, 12), (52,), (53,))), Twist(0, 94)).turn == 1


def test_twelve_up_and_two_toads_and_seven_others_down_make_minus_five() -> None:
    """TT-7.1, TT-7.2."""
    up = (12, 21, 13, 31, 14, 41, 15, 51, 16, 61, 17, 71)
    assert line(3, up, (22, 33, 18, 19, 23, 24, 25, 26, 27)) == Line(3, 12, 2, 7, -5)


def test_taking_22_27_33_41_costs_twelve() -> None:
    """TT-7.2."""
    assert cost((22, 27, 33, 41)) == -12


def test_next_deal_passes_to_the_left() -> None:
    """TT-1.5."""
    state = over(dealer=1, hands=((12,), (13,)), face_up=((14, 41), ()), face_down=((15,), ()))
    dealt = after(state, Deal(deck=CARDS))
    assert (dealt.phase, dealt.round, dealt.dealer, dealt.turn, dealt.row) == ("play", 2, 0, 1, ())
    assert dealt.hands == (CARDS[1:18:2], CARDS[0:18:2])
    assert dealt.pile == CARDS[18:]
    assert (dealt.face_up, dealt.face_down) == (((), ()), ((), ()))
    assert dealt.scores == ((3,), (-2,))
    assert happened(state, Deal(deck=CARDS)) == [("TT-1.5", "dealt", {"dealer": 0, "round": 2, "counts": (9, 9)})]


def test_contested_are_the_options_whose_other_values_no_text_prints() -> None:
    """TT-5.1, TT-6.1; TT-7.3 leaves only a choice."""
    assert ENGINE.options == {
        "voluntary_take": Option("TT-5.1", "no-text", ("allowed",), ("forced-only",)),
        "end_of_round": Option("TT-6.1", "no-text", ("taken-or-emptied",), ("taken-only",)),
        "rounds": Option("TT-7.3"),
    }


def test_moves_are_listed_in_order_lays_then_twists_then_the_take() -> None:
    """TT-2.1, TT-2.4."""
    state = table(row=(34, 41, 35), hands=((43, 14, 44, 36), ()), pile=())
    assert legal_moves(ENGINE, state) == (
        [Lay(0, 36), Lay(0, 43), Lay(0, 44), Twist(0, 14), Twist(0, 43), Take(0)],
        True,
    )


def test_deal_has_no_facts() -> None:
    assert ENGINE.facts(table(), Deal()) == {}
