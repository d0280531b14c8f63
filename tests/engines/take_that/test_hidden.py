"""What the poster cannot see, and what each seat may."""

from __future__ import annotations

from typing import Any

import pytest

from engines.core.judge import legal_moves
from engines.core.records import changed
from engines.core.rulings import Event
from engines.take_that import ENGINE, rulings
from engines.take_that.model import Deal, Lay, Take, Twist
from tests.engines.take_that.tables import (
    EXPERT,
    FORCED_ONLY,
    TAKEN_ONLY,
    after,
    awaited,
    contested,
    happened,
    over,
    refused,
    resolve,
    table,
)


def test_card_not_among_the_known_ones_may_be_one_of_the_unseen() -> None:
    """TT-2.5."""
    resolution = resolve(table(hands=((41, None, None), ())), Lay(0, 43))
    assert resolution.state.hands[0] == (41, None, None)
    assert resolution.unverified == ("TT-2.5",)
    assert resolution.applied == 1


def test_card_seen_elsewhere_is_not_one_of_the_unseen() -> None:
    """TT-2.5."""
    state = table(hands=((None,), (43,)))
    assert refused(state, Lay(0, 43)) == [("TT-2.5", "not-held", {"seat": 0, "card": 43}, "/card")]


def test_known_card_is_verified() -> None:
    """TT-2.5."""
    assert resolve(table(hands=((41, None), ())), Lay(0, 41)).unverified == ()


def test_unseen_card_drawn_is_unseen_in_the_hand() -> None:
    """TT-2.2."""
    hand = (41, 43, 88, 61, 62, 63, 64, 65, 66)
    state = after(table(hands=(hand, (52,))), Lay(0, 43))
    assert (state.hands[0], state.pile) == ((41, *hand[2:], None), (None, None))


def test_whether_an_unknown_pile_has_a_card_is_not_verified() -> None:
    """TT-2.2."""
    resolution = resolve(table(pile=None), Lay(0, 43))
    assert (resolution.state.hands[0], resolution.state.pile) == ((41, 88, None), None)
    assert resolution.unverified == ("TT-2.2",)


def test_card_drawn_from_an_unknown_pile_may_be_told() -> None:
    """TT-2.2."""
    assert after(table(pile=None), Lay(0, 43, drawn=17)).hands[0] == (41, 88, 17)


def test_unseen_right_end_leaves_a_lay_unverified() -> None:
    """TT-3.1."""
    resolution = resolve(table(row=(34, None)), Lay(0, 88))
    assert resolution.state.row == (34, None, 88)
    assert resolution.unverified == ("TT-3.1",)


def test_partner_may_be_an_unseen_card_of_the_row_but_then_which_is_not_known() -> None:
    """TT-4.1."""
    state = table(row=(34, None), hands=((94,), ()))
    assert awaited(state, Twist(0, 94)) == ("TT-4.1", "row-unseen", {"partner": 49}, "/row/1")
    assert resolve(state, Twist(0, 94)).unverified == ("TT-4.1",)


def test_partner_seen_elsewhere_is_not_an_unseen_card_of_the_row() -> None:
    """TT-4.1."""
    state = table(row=(34, None), hands=((94,), (49,)))
    assert [each[1] for each in refused(state, Twist(0, 94))] == ["partner-not-in-row"]


def test_seen_partner_is_twisted_out_from_between_unseen_cards() -> None:
    """TT-4.1, TT-4.3."""
    assert after(table(row=(None, 49, None), hands=((94,), ())), Twist(0, 94)).row == (None, None)


def test_whether_a_take_ends_the_round_depends_on_the_pile() -> None:
    """TT-6.1."""
    assert awaited(table(pile=None), Take(0)) == ("TT-6.1", "pile-unseen", {}, "/pile")


ALL_ELSEWHERE: Any = {"hands": ((94, 12), (52,)), "pile": None, "face_down": ((None,) * 75, ())}
"""With the one card of the row all seventy-nine: none is left for the pile, which is not shown."""


def test_pile_is_empty_where_all_cards_lie_elsewhere() -> None:
    """TT-1.2, TT-2.3, TT-6.1: nothing is drawn, nothing can have been, and the row's end is the round's."""
    state = table(row=(49,), **ALL_ELSEWHERE)
    assert [code for _, code, _ in happened(changed(state, row=(13,)), Lay(0, 12))] == ["laid"]
    assert refused(state, Twist(0, 94, drawn=17)) == [("TT-2.3", "nothing-to-draw", {"card": 17}, "/drawn")]
    for move in (Take(0), Twist(0, 94)):
        assert awaited(state, move) == ("TT-7.2", "face-down-unseen", {"seat": 0}, "/face_down/0/0")
    one_less = changed(state, face_down=((None,) * 74, ()))
    assert [code for _, code, _ in happened(changed(one_less, row=(13,)), Lay(0, 12))] == ["laid", "drew"]
    assert awaited(one_less, Take(0)) == ("TT-6.1", "pile-unseen", {}, "/pile")


@pytest.mark.parametrize("ruleset", [FORCED_ONLY, TAKEN_ONLY])
def test_whether_the_last_twist_ends_the_round_depends_on_the_pile(ruleset: object) -> None:
    """TT-6.1."""
    state = table(row=(49,), hands=((94,), (52,)), pile=None, ruleset=ruleset)
    assert awaited(state, Twist(0, 94)) == ("TT-6.1", "pile-unseen", {}, "/pile")


def test_pile_from_which_a_card_was_drawn_was_not_empty() -> None:
    """TT-6.2."""
    state = after(table(row=(49,), hands=((94,), (52,)), pile=None), Twist(0, 94, drawn=17))
    assert (state.phase, state.turn, state.hands[0]) == ("play", 1, (17,))


def test_twist_that_leaves_a_card_needs_no_pile() -> None:
    """TT-6.1."""
    assert after(table(row=(49, 52), hands=((94,), ()), pile=None), Twist(0, 94)).hands[0] == (None,)


def test_round_is_not_counted_while_a_card_face_down_is_unseen() -> None:
    """TT-7.2."""
    state = table(pile=(), face_down=((13,), (14, None)))
    assert awaited(state, Take(0)) == ("TT-7.2", "face-down-unseen", {"seat": 1}, "/face_down/1/1")


def test_unseen_card_of_the_row_taken_is_pointed_at_where_it_lies() -> None:
    """TT-7.2."""
    state = table(row=(34, 35, None), pile=(), face_down=((13, 14), ()))
    assert awaited(state, Take(0)) == ("TT-7.2", "face-down-unseen", {"seat": 0}, "/row/2")
    first = awaited(table(row=(None, 35), pile=()), Take(0))
    assert first is not None
    assert first[3] == "/row/0"


def test_unseen_card_face_down_is_awaited_by_a_last_twist_too() -> None:
    """TT-7.2."""
    state = table(row=(49,), hands=((94,), (52,)), pile=(), face_down=((None,), ()))
    assert awaited(state, Twist(0, 94)) == ("TT-7.2", "face-down-unseen", {"seat": 0}, "/face_down/0/0")


def test_unseen_card_face_up_counts_like_any_other() -> None:
    """TT-7.1."""
    assert after(table(pile=(), face_up=((None, None), (12, None))), Take(0)).scores == ((1,), (2,))


def test_forced_only_is_unverified_where_an_unseen_card_might_be_played() -> None:
    """TT-5.1."""
    state = table(hands=((88, None), ()), ruleset=FORCED_ONLY)
    resolution = resolve(state, Take(0))
    assert (resolution.applied, resolution.unverified) == (1, ("TT-5.1",))
    assert contested(state, Take(0)) == []


def test_forced_only_is_unverified_where_a_card_of_the_row_is_unseen() -> None:
    """TT-5.1; without cards the take is forced by TT-5.4."""
    assert resolve(table(row=(34, None), hands=((88,), ()), ruleset=FORCED_ONLY), Take(0)).unverified == ("TT-5.1",)
    assert resolve(table(row=(None,), hands=((), ()), pile=(), ruleset=FORCED_ONLY), Take(0)).unverified == ()


def test_forced_only_is_refused_by_a_known_card_whatever_is_unseen() -> None:
    """TT-5.1."""
    state = table(hands=((None, 41), ()), ruleset=FORCED_ONLY)
    assert [each[2]["cards"] for each in refused(state, Take(0))] == [(41,)]


def test_who_begins_depends_on_the_dealer() -> None:
    """TT-1.5."""
    assert awaited(over(), Deal()) == ("TT-1.5", "dealer-unseen", {}, "/dealer")


def test_legal_moves_of_a_hand_that_is_partly_unseen_are_not_all() -> None:
    assert legal_moves(ENGINE, table(hands=((41, None), ()))) == ([Lay(0, 41), Take(0)], False)


def test_seat_sees_everything_but_other_hands_and_the_pile() -> None:
    state = table(pile=(17, 18), face_up=((12, 21), ()), face_down=((), (77,)), scores=((), ()))
    seen = ENGINE.view(state, 1)
    assert seen == table(
        hands=((None,) * 4, (52, 94)), pile=(None, None), face_up=((12, 21), ()), face_down=((), (77,))
    )


def test_spectator_sees_no_hand() -> None:
    assert ENGINE.view(table(), None).hands == ((None,) * 4, (None,) * 3)


def test_unknown_pile_stays_unknown_in_a_view() -> None:
    assert ENGINE.view(table(pile=None), 0).pile is None


def test_extra_card_is_hidden_even_from_who_took_it() -> None:
    """TT-5.5."""
    state = after(table(pile=(77, 18), face_down=((13,), (15,)), ruleset=EXPERT), Take(0))
    for seat in (0, 1, None):
        seen = ENGINE.view(state, seat)
        assert (seen.face_down, seen.extras) == (((13, 34, None), (15,)), ((2,), ()))


def test_extra_card_is_seen_once_the_round_is_over() -> None:
    """TT-5.5."""
    state = table(pile=(77,), ruleset=EXPERT, hands=((88, 41), (52,)))
    ended = after(state, Take(0), Lay(0, 88), Take(1))
    assert ENGINE.view(ended, 1).face_down == ((34, 77), (88,))


def test_card_drawn_is_seen_by_who_drew_it() -> None:
    event = rulings.DREW.happened(seat=0, card=17)
    assert ENGINE.view_event(table(), event, 0) == event
    assert ENGINE.view_event(table(), event, 1) == Event(rulings.DREW, {"seat": 0, "card": None})
    assert ENGINE.view_event(table(), event, None) == Event(rulings.DREW, {"seat": 0, "card": None})


def test_every_other_event_is_seen_by_all() -> None:
    event = rulings.LAID.happened(seat=0, card=17)
    assert ENGINE.view_event(table(), event, 1) == event


@pytest.mark.parametrize("kind", [Lay, Twist])
def test_what_a_move_tells_of_a_draw_is_seen_by_who_drew(kind: type[Lay | Twist]) -> None:
    move = kind(0, 43, drawn=17)
    assert ENGINE.view_move(table(), move, 0) == move
    assert ENGINE.view_move(table(), move, 1) == kind(0, 43)
    assert ENGINE.view_move(table(), move, None) == kind(0, 43)


@pytest.mark.parametrize("move", [Take(0), Deal(seed="any")])
def test_other_moves_are_seen_by_all(move: Take | Deal) -> None:
    assert ENGINE.view_move(table(), move, 1) == move
