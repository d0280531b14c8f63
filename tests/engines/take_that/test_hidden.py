"""What the poster cannot see, and what each seat may."""

from typing import Any

import pytest

from engines.core.records import changed
from engines.core.rulings import Event
from engines.take_that import ENGINE, rulings
from engines.take_that.model import Deal, Lay, Take, Twist
from tests.engines.take_that.tables import (
    EXPERT,
    FORCED_ONLY,
    after,
    awaited,
    happened,
    refused,
    resolve,
    table,
)

ALL_ELSEWHERE: Any = {"hands": ((94, 12), (52,)), "pile": None, "face_down": ((None,) * 75, ())}
"""With the one card of the row all seventy-nine: none is left for the pile, which is not shown."""


def test_pile_is_empty_where_all_cards_lie_elsewhere() -> None:
    """TT-1.2, TT-2.3, TT-6.1: nothing is drawn, nothing can have been, and the row's end is the round's."""
    state = table(row=(49,), **ALL_ELSEWHERE)
    assert [code for _, code, _ in happened(changed(state, row=(13,)), Lay(0, 12))] == ["laid"]
    assert refused(state, Twist(0, 94, drawn=17)) == [("TT-2.3", "nothing-to-draw", {"card": 17}, "/drawn")]
    for move in (Take(0), Twist(0, 94)):
        assert awaited(state, move) == ("TT-7.2", "face-down-unseen", {"seat": 0}, "/face_down/0/0")
    hands = tuple((*hand, None) for hand in state.hands)
    one_less = changed(state, hands=hands, pile=None, face_down=((None,) * 72, ()))
    assert [code for _, code, _ in happened(changed(one_less, row=(13,)), Lay(0, 12))] == ["laid", "drew"]
    assert awaited(one_less, Take(0)) == ("TT-6.1", "pile-unseen", {}, "/pile")


def test_pile_from_which_a_card_was_drawn_was_not_empty() -> None:
    """TT-6.2."""
    state = after(table(row=(49,), hands=((94, None), (52, None)), pile=None), Twist(0, 94, drawn=17))
    assert (state.phase, state.turn, state.hands[0]) == ("play", 1, (None, 17))


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


def test_forced_only_is_unverified_where_a_card_of_the_row_is_unseen() -> None:
    """TT-5.1; without cards the take is forced by TT-5.4."""
    assert resolve(table(row=(34, None), hands=((88,), ()), ruleset=FORCED_ONLY), Take(0)).unverified == ("TT-5.1",)
    assert resolve(table(row=(None,), hands=((), ()), pile=(), ruleset=FORCED_ONLY), Take(0)).unverified == ()


def test_seat_sees_everything_but_other_hands_and_the_pile() -> None:
    state = table(pile=(17, 18), face_up=((12, 21), ()), face_down=((), (77,)), scores=((), ()))
    seen = ENGINE.view(state, 1)
    assert seen == table(
        hands=((None,) * 4, (52, 94)), pile=(None, None), face_up=((12, 21), ()), face_down=((), (77,))
    )


def test_extra_card_is_hidden_even_from_who_took_it() -> None:
    """TT-5.5."""
    state = after(table(pile=(77, 18), face_down=((13,), (15,)), ruleset=EXPERT), Take(0))
    for seat in (0, 1, None):
        seen = ENGINE.view(state, seat)
        assert (seen.face_down, seen.extras) == (((13, 34, None), (15,)), ((2,), ()))


def test_card_drawn_is_seen_by_who_drew_it() -> None:
    event = rulings.DREW.happened(seat=0, card=17)
    assert ENGINE.view_event(table(), event, 0) == event
    assert ENGINE.view_event(table(), event, 1) == Event(rulings.DREW, {"seat": 0, "card": None})
    assert ENGINE.view_event(table(), event, None) == Event(rulings.DREW, {"seat": 0, "card": None})


@pytest.mark.parametrize("kind", [Lay, Twist])
def test_what_a_move_tells_of_a_draw_is_seen_by_who_drew(kind: type[Lay | Twist]) -> None:
    move = kind(0, 43, drawn=17)
    assert ENGINE.view_move(table(), move, 0) == move
    assert ENGINE.view_move(table(), move, 1) == kind(0, 43)
    assert ENGINE.view_move(table(), move, None) == kind(0, 43)


@pytest.mark.parametrize("move", [Take(0), Deal(seed="any")])
def test_other_moves_are_seen_by_all(move: Take | Deal) -> None:
    assert ENGINE.view_move(table(), move, 1) == move
