"""TT-2 and TT-3: turns, lays and draws."""

from __future__ import annotations

import pytest

from engines.core.judge import legal_moves
from engines.take_that import ENGINE
from engines.take_that.model import Lay, Take, Twist
from engines.take_that.row import CARDS, PARTNER, TOADS
from tests.engines.take_that.tables import after, happened, over, refused, resolve, table


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


@pytest.mark.parametrize(
    ("end", "card", "least", "most"), [(34, 45, 24, 44), (34, 23, 24, 44), (12, 23, 12, 22), (98, 87, 88, 98)]
)
def test_card_more_than_ten_away_is_refused_with_what_would_do(end: int, card: int, least: int, most: int) -> None:
    """TT-3.1."""
    assert refused(table(row=(41, end), hands=((card,), ())), Lay(0, card)) == [
        ("TT-3.1", "too-far", {"card": card, "end": end, "least": least, "most": most}, "/card")
    ]


def test_any_card_opens_an_empty_row() -> None:
    """TT-3.2."""
    state = after(table(row=()), Lay(0, 88))
    assert (state.row, state.turn) == ((88,), 1)
    assert happened(table(row=()), Lay(0, 88))[0] == ("TT-3.2", "laid", {"seat": 0, "card": 88, "index": 0})


def test_card_laid_stands_at_the_right_end_and_one_is_drawn() -> None:
    """TT-2.2, TT-3.1."""
    state = after(table(row=(52, 34), hands=((41, 43, 88), (94,)), pile=(17, 18)), Lay(0, 43))
    assert state.row == (52, 34, 43)
    assert state.hands == ((41, 88, None, 17), (94, None))
    assert state.pile == (18,)
    assert state.turn == 1


def test_lay_and_draw_are_told_one_after_the_other() -> None:
    """TT-2.2, TT-3.1."""
    assert happened(table(pile=(17, 18)), Lay(0, 43)) == [
        ("TT-3.1", "laid", {"seat": 0, "card": 43, "index": 1}),
        ("TT-2.2", "drew", {"seat": 0, "card": 17}),
    ]


def test_nothing_is_drawn_from_an_empty_pile() -> None:
    """TT-2.3."""
    state = after(table(pile=()), Lay(0, 43))
    assert (state.hands[0], state.pile, state.turn) == ((41, 88), (), 1)
    assert happened(table(pile=()), Lay(0, 43)) == [("TT-3.1", "laid", {"seat": 0, "card": 43, "index": 1})]


def test_turn_passes_from_the_last_seat_to_the_first() -> None:
    """TT-1.5."""
    assert after(table(turn=1, hands=((), (41,))), Lay(1, 41)).turn == 0
    assert after(table(turn=1, hands=((), (41,), ())), Lay(1, 41)).turn == 2


def test_toad_is_laid_like_any_card() -> None:
    """TT-3.1."""
    assert after(table(hands=((44,), ())), Lay(0, 44)).row == (34, 44)


@pytest.mark.parametrize("first", [Lay(0, 43), Twist(0, 43)])
@pytest.mark.parametrize("second", [Lay(0, 41), Twist(0, 94), Take(0)])
def test_turn_is_one_lay_or_one_twist(first: Lay | Twist, second: Lay | Twist | Take) -> None:
    """TT-2.1."""
    state = table(row=(49, 34), hands=((41, 43, 94), (52,)))
    assert refused(after(state, first), second) == [("TT-2.5", "not-your-turn", {"seat": 0, "turn": 1}, "/seat")]


@pytest.mark.parametrize("move", [Lay(1, 41), Twist(1, 43), Take(1)])
def test_only_the_seat_on_turn_moves(move: Lay | Twist | Take) -> None:
    """TT-2.5."""
    assert refused(table(), move) == [("TT-2.5", "not-your-turn", {"seat": 1, "turn": 0}, "/seat")]


def test_seat_that_is_not_at_the_table_is_not_on_turn() -> None:
    """TT-2.5."""
    assert refused(table(), Lay(3, 41)) == [("TT-2.5", "not-your-turn", {"seat": 3, "turn": 0}, "/seat")]


@pytest.mark.parametrize("move", [Lay(0, 94), Twist(0, 94)])
def test_card_of_another_hand_is_not_held(move: Lay | Twist) -> None:
    """TT-2.5."""
    assert refused(table(row=(49,)), move) == [("TT-2.5", "not-held", {"seat": 0, "card": 94}, "/card")]


@pytest.mark.parametrize("move", [Lay(0, 41), Twist(0, 43)])
def test_player_without_cards_must_take(move: Lay | Twist) -> None:
    """TT-5.4."""
    assert refused(table(hands=((), (94,)), pile=()), move) == [
        ("TT-2.5", "not-held", {"seat": 0, "card": move.card}, "/card"),
        ("TT-5.4", "must-take", {"seat": 0}, ""),
    ]


def test_last_unseen_card_of_a_hand_shown_in_part_stays() -> None:
    """TT-2.5: it stands for all that are not shown."""
    state = after(table(hands=((41, None), (94, None))), Lay(0, 43), Lay(1, 44), Lay(0, 35))
    assert state.hands == ((41, None, None), (94, None, None))


def test_nothing_is_drawn_beside_a_hand_without_cards() -> None:
    """TT-2.3: it would have been filled from a pile with cards."""
    state = table(hands=((41,), ()), pile=None)
    assert refused(state, Lay(0, 41, drawn=17)) == [("TT-2.3", "nothing-to-draw", {"card": 17}, "/drawn")]


@pytest.mark.parametrize("move", [Lay(0, 41), Twist(0, 43), Take(0)])
def test_between_rounds_only_the_deal_is_left(move: Lay | Twist | Take) -> None:
    """TT-7.4."""
    assert refused(over(), move) == [("TT-7.4", "only-the-deal", {"phase": "round-over"}, "")]


@pytest.mark.parametrize("move", [Lay(0, 41), Twist(0, 43), Take(0)])
def test_finished_game_accepts_nothing(move: Lay | Twist | Take) -> None:
    """TT-7.4."""
    state = over(phase="game-over", round=2, scores=((3, 1), (-2, 2)))
    assert refused(state, move) == [("TT-7.4", "game-is-over", {}, "")]


def test_card_that_fits_and_twists_may_do_either() -> None:
    """TT-2.4."""
    state = table(row=(34, 41), hands=((43,), ()), pile=())
    assert after(state, Lay(0, 43)).row == (34, 41, 43)
    assert after(state, Twist(0, 43)).row == (41,)


def test_gap_closed_by_a_twist_does_not_matter_to_a_lay() -> None:
    """TT-3.3."""
    state = after(table(row=(34, 41, 49, 58, 52), hands=((94,), (42, 62, 68)), pile=()), Twist(0, 94))
    assert state.row == (34, 41, 58, 52)
    assert legal_moves(ENGINE, state)[0] == [Lay(1, 42), Lay(1, 62), Take(1)]


def test_card_that_a_twist_leaves_at_the_right_end_counts() -> None:
    """TT-3.3."""
    state = after(table(row=(34, 41, 49, 58, 52), hands=((25,), (48, 68)), pile=()), Twist(0, 25))
    assert state.row == (34, 41, 49, 58)
    assert legal_moves(ENGINE, state)[0] == [Lay(1, 48), Lay(1, 68), Take(1)]


def test_card_drawn_is_the_one_that_the_move_tells() -> None:
    """TT-2.2."""
    state = after(table(pile=(None, 18)), Lay(0, 43, drawn=17))
    assert state.hands[0] == (41, 88, None, 17)
    assert state.pile == (18,)


def test_card_drawn_may_be_told_though_the_top_is_seen() -> None:
    """TT-2.2."""
    assert after(table(pile=(17, 18)), Lay(0, 43, drawn=17)).hands[0] == (41, 88, None, 17)


def test_card_said_to_be_drawn_must_be_the_top_of_the_pile() -> None:
    """TT-2.2."""
    assert refused(table(pile=(17, None)), Lay(0, 43, drawn=19)) == [
        ("TT-2.2", "drawn-otherwise", {"card": 19, "top": 17}, "/drawn")
    ]


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


def test_nothing_is_said_to_be_drawn_from_an_empty_pile() -> None:
    """TT-2.3."""
    assert refused(table(pile=()), Lay(0, 43, drawn=19)) == [("TT-2.3", "nothing-to-draw", {"card": 19}, "/drawn")]


def test_every_objection_of_a_tier_is_told_in_rulebook_order() -> None:
    assert [each[0] for each in refused(table(pile=(17,)), Lay(0, 88, drawn=52))] == ["TT-1.2", "TT-2.2", "TT-3.1"]
    assert [each[0] for each in refused(table(pile=()), Lay(0, 88, drawn=52))] == ["TT-1.2", "TT-2.3", "TT-3.1"]


def test_moves_are_applied_up_to_the_first_that_is_refused() -> None:
    resolution = resolve(table(), Lay(0, 43), Lay(1, 94), Lay(0, 41))
    assert (resolution.applied, resolution.state.turn) == (1, 1)
    assert [each.ruling.code for each in resolution.violations] == ["too-far"]
