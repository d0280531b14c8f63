"""TT-5: taking the row."""

from __future__ import annotations

from typing import Any

import pytest

from engines.core.judge import legal_moves
from engines.take_that import ENGINE
from engines.take_that.model import Lay, Take, Twist
from tests.engines.take_that.tables import (
    EXPERT,
    FORCED_ONLY,
    after,
    changed,
    contested,
    happened,
    refused,
    resolve,
    table,
)


def test_row_goes_face_down_and_the_same_player_opens_a_new_one() -> None:
    """TT-5.1, TT-5.3."""
    hand = (12, 17, 61, 62, 63, 64, 65, 67, 88)
    state = after(table(row=(22, 27, 33, 41), hands=(hand, (52,)), face_down=((13,), ())), Take(0))
    assert state.face_down == ((13, 22, 27, 33, 41), ())
    assert (state.row, state.turn, state.phase) == ((), 0, "play")
    assert (state.hands, state.pile) == ((hand, (52, None)), (None, None, None))
    assert legal_moves(ENGINE, state) == ([Lay(0, card) for card in hand], True)


def test_take_is_told_with_its_cards() -> None:
    """TT-5.1."""
    assert happened(table(row=(34, 25), hands=((88,), ())), Take(0)) == [
        ("TT-5.1", "took", {"seat": 0, "cards": (34, 25), "extra": 0, "indexes": (0, 1)})
    ]


def test_player_who_took_lays_and_draws_before_the_turn_passes() -> None:
    """TT-5.3."""
    state = after(table(pile=(17, 18)), Take(0), Lay(0, 88))
    assert (state.row, state.turn) == ((88,), 1)
    assert (state.hands[0], state.pile) == ((41, 43, None, 17), (18,))


def test_player_who_took_can_neither_twist_nor_take_again() -> None:
    """TT-3.2, TT-5.2, TT-5.3."""
    state = after(table(), Take(0))
    assert [each[0] for each in refused(state, Twist(0, 43))] == ["TT-3.2"]
    assert refused(state, Take(0)) == [("TT-5.2", "nothing-to-take", {}, "")]


def test_empty_row_cannot_be_taken_even_where_takes_are_forced() -> None:
    """TT-5.2."""
    assert refused(table(row=(), ruleset=FORCED_ONLY), Take(0)) == [("TT-5.2", "nothing-to-take", {}, "")]


def test_take_by_someone_who_could_lay_rests_on_an_option() -> None:
    """TT-5.1."""
    assert contested(table(), Take(0)) == [("TT-5.1", "voluntary_take", "allowed", ("forced-only",))]


def test_take_by_someone_who_could_twist_rests_on_an_option() -> None:
    """TT-5.1."""
    assert len(contested(table(row=(49,), hands=((94,), ())), Take(0))) == 1


def test_take_by_someone_who_could_do_nothing_else_rests_on_no_option() -> None:
    """TT-5.1."""
    assert contested(table(hands=((88, 12), ())), Take(0)) == []
    assert contested(table(hands=((88, 12), ()), ruleset=FORCED_ONLY), Take(0)) == []


@pytest.mark.parametrize("unseen", [{"hands": ((None, 88), ())}, {"row": (None, None), "hands": ((12, 88), ())}])
def test_whether_an_unseen_hand_or_row_rests_on_the_option_is_unverified(unseen: Any) -> None:
    """TT-5.1."""
    resolution = resolve(table(**unseen), Take(0))
    assert (resolution.contested, resolution.unverified) == ((), ("TT-5.1",))


def test_forced_only_refuses_a_take_by_someone_who_could_lay_or_twist() -> None:
    """TT-5.1."""
    state = table(row=(12, 34), hands=((88, 43, 41, 21), ()), ruleset=FORCED_ONLY)
    assert refused(state, Take(0)) == [("TT-5.1", "take-not-forced", {"seat": 0, "cards": (21, 41, 43)}, "")]
    assert contested(state, Take(0)) == [("TT-5.1", "voluntary_take", "forced-only", ("allowed",))]


def test_forced_only_admits_a_take_by_someone_who_can_do_nothing_else() -> None:
    """TT-5.1."""
    state = table(hands=((88, 12, 61, 62, 63, 64, 65, 67, 68), ()), ruleset=FORCED_ONLY)
    resolution = resolve(state, Take(0))
    assert (resolution.applied, resolution.unverified) == (1, ())
    assert legal_moves(ENGINE, state) == ([Take(0)], True)


def test_player_without_cards_takes_and_the_round_ends() -> None:
    """TT-5.4, TT-6.1."""
    state = table(hands=((), (52,)), pile=(), row=(34,))
    assert happened(state, Take(0))[0] == ("TT-5.4", "took", {"seat": 0, "cards": (34,), "extra": 0, "indexes": (0,)})
    assert legal_moves(ENGINE, state) == ([Take(0)], True)
    assert after(state, Take(0)).phase == "round-over"
    assert after(changed(state, ruleset=FORCED_ONLY), Take(0)).phase == "round-over"


def test_expert_takes_the_top_of_the_pile_with_a_row_of_one() -> None:
    """TT-5.5."""
    state = table(pile=(77, 18), face_down=((13, 14), (15,)), ruleset=EXPERT)
    taken = after(state, Take(0))
    assert taken.face_down == ((13, 14, 34, 77), (15,))
    assert taken.extras == ((3,), ())
    assert (taken.pile, taken.turn, taken.row) == ((18,), 0, ())
    assert happened(state, Take(0)) == [("TT-5.5", "took", {"seat": 0, "cards": (34,), "extra": 1, "indexes": (2, 3)})]


def test_expert_remembers_every_extra_card() -> None:
    """TT-5.5."""
    state = table(hands=((41,), (52, 12)), pile=(77, 18, 19, 24, 25), ruleset=EXPERT)
    taken = after(state, Take(0), Lay(0, 41), Take(1), Lay(1, 12), Take(0))
    assert taken.face_down == ((34, 77, 12, 25), (41, 19))
    assert taken.extras == ((1, 3), (1,))


def test_expert_takes_no_extra_card_with_a_longer_row() -> None:
    """TT-5.5."""
    state = after(table(row=(34, 35), pile=(77, 18), ruleset=EXPERT), Take(0))
    assert (state.face_down[0], state.pile, state.extras) == ((34, 35), (77, 18), None)


def test_standard_takes_no_extra_card() -> None:
    """TT-5.5."""
    state = after(table(pile=(77, 18)), Take(0))
    assert (state.face_down[0], state.pile, state.extras) == ((34,), (77, 18), None)


def test_expert_finds_no_extra_card_in_an_empty_pile() -> None:
    """TT-5.5."""
    state = table(pile=(), ruleset=EXPERT)
    assert happened(state, Take(0))[0] == ("TT-5.1", "took", {"seat": 0, "cards": (34,), "extra": 0, "indexes": (0,)})
    assert after(state, Take(0)).face_down[0] == (34,)


def test_extra_card_that_was_the_last_of_the_pile_does_not_end_the_round() -> None:
    """TT-5.5, TT-6.2."""
    state = after(table(pile=(77,), ruleset=EXPERT), Take(0))
    assert (state.phase, state.pile, state.turn) == ("play", (), 0)
    laid = after(state, Lay(0, 88))
    assert (laid.hands[0], laid.turn) == ((41, 43, None), 1)


def test_unseen_extra_card_is_kept_as_unseen() -> None:
    """TT-5.5."""
    state = after(table(ruleset=EXPERT), Take(0))
    assert (state.face_down[0], state.extras, state.pile) == ((34, None), ((1,), ()), (None, None))
