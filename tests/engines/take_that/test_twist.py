"""TT-4: twists."""

from __future__ import annotations

from engines.core.judge import legal_moves
from engines.take_that import ENGINE
from engines.take_that.model import Lay, State, Twist
from tests.engines.take_that.tables import after, happened, refused, table

ROW = (34, 41, 49, 58, 52)


def marlene(*hand: int) -> State:
    return table(row=ROW, hands=(hand, (88,)), pile=(17, 18))


def test_partner_leaves_the_row_and_both_lie_face_up() -> None:
    """TT-4.1, TT-4.3."""
    state = after(marlene(94, 61), Twist(0, 94))
    assert state.row == (34, 41, 58, 52)
    assert state.face_up == ((94, 49), ())
    assert state.hands == ((61, None, 17), (88, None))
    assert (state.pile, state.turn) == ((18,), 1)


def test_twist_and_draw_are_told_one_after_the_other() -> None:
    """TT-2.2, TT-4.1."""
    assert happened(marlene(94), Twist(0, 94)) == [
        ("TT-4.1", "twisted", {"seat": 0, "shown": 94, "removed": 49, "index": 2}),
        ("TT-2.2", "drew", {"seat": 0, "card": 17}),
    ]


def test_pairs_gather_in_front_of_their_player() -> None:
    """TT-4.1."""
    state = table(row=(34, 49), hands=((94,), (43,)), pile=(), face_up=((12, 21), (13, 31)))
    assert after(state, Twist(0, 94), Twist(1, 43)).face_up == ((12, 21, 94, 49), (13, 31, 43, 34))


def test_twist_is_refused_where_the_partner_is_not_in_the_row() -> None:
    """TT-4.1."""
    assert refused(marlene(12), Twist(0, 12)) == [
        ("TT-4.1", "partner-not-in-row", {"card": 12, "partner": 21}, "/card")
    ]


def test_toad_cannot_be_twisted() -> None:
    """TT-4.2."""
    assert refused(marlene(44), Twist(0, 44)) == [("TT-4.2", "toad-stays", {"card": 44}, "/card")]


def test_empty_row_admits_no_twist() -> None:
    """TT-3.2, TT-4.2."""
    state = table(row=(), hands=((94, 44), (49,)))
    assert refused(state, Twist(0, 94)) == [("TT-3.2", "only-a-lay", {}, "")]
    assert [each[0] for each in refused(state, Twist(0, 44))] == ["TT-3.2", "TT-4.2"]


def test_only_card_of_a_row_may_be_twisted_and_the_next_player_opens() -> None:
    """TT-4.4."""
    state = after(table(row=(49,), hands=((94,), (88, 43, 12, 13, 14, 15, 16, 19, 21)), pile=(17, 18)), Twist(0, 94))
    assert (state.phase, state.row, state.turn) == ("play", (), 1)
    assert (state.hands[0], state.pile) == ((None, 17), (18,))
    assert legal_moves(ENGINE, state) == ([Lay(1, card) for card in (12, 13, 14, 15, 16, 19, 21, 43, 88)], True)


def test_player_whose_own_draw_is_the_last_does_not_end_the_round() -> None:
    """TT-6.2."""
    state = after(table(row=(49,), hands=((94,), (88,)), pile=(17,)), Twist(0, 94))
    assert (state.phase, state.pile, state.turn) == ("play", (), 1)


def test_twist_without_pile_leaves_the_hand_a_card_shorter() -> None:
    """TT-2.3."""
    state = after(table(row=(49, 50 + 1), hands=((94, 12), (88,)), pile=()), Twist(0, 94))
    assert (state.phase, state.hands[0], state.turn) == ("play", (12,), 1)


def test_card_drawn_after_a_twist_may_be_told() -> None:
    """TT-1.2, TT-2.2, TT-2.3."""
    state = table(row=(49, 51), hands=((94, 12), (88,)), pile=(None,))
    assert after(state, Twist(0, 94, drawn=13)).hands[0] == (12, None, 13)
    assert [each[0] for each in refused(state, Twist(0, 94, drawn=49))] == ["TT-1.2"]
    assert [each[0] for each in refused(table(row=(49,), hands=((94,), ()), pile=(17,)), Twist(0, 94, drawn=13))] == [
        "TT-2.2"
    ]
    assert [each[0] for each in refused(table(row=(49,), hands=((94,), ()), pile=()), Twist(0, 94, drawn=13))] == [
        "TT-2.3"
    ]
