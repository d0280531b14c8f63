"""Every fault that a posted state can have, with its clause and where it lies."""

from __future__ import annotations

import pytest

from engines.take_that.model import Ruleset, State
from engines.take_that.row import CARDS
from tests.engines.take_that.tables import EXPERT, changed, faults, over, table, unverified


def test_table_without_contradiction_has_no_fault() -> None:
    assert faults(table()) == []
    assert faults(over()) == []


def test_whole_table_leaves_nothing_unverified() -> None:
    """TT-1.2."""
    rest = tuple(card for card in CARDS if card not in (34, 41, 43, 88, 52, 94))
    hands = ((41, 43, 88, *rest[:6]), (52, 94, *rest[6:13]))
    assert unverified(table(hands=hands, pile=rest[13:])) == []
    assert unverified(table(hands=hands, pile=(None, *rest[14:]))) == ["TT-1.2"]
    assert unverified(table(hands=hands, pile=rest[14:])) == ["TT-1.2"]


@pytest.mark.parametrize("name", ["face_up", "face_down", "scores"])
@pytest.mark.parametrize("entries", [((),), ((), (), ())])
def test_lists_have_one_entry_a_seat(name: str, entries: tuple[tuple[int, ...], ...]) -> None:
    """TT-1.1."""
    assert faults(table(**{name: entries})) == [
        ("TT-1.1", "seats-disagree", {"seats": 2, "found": len(entries)}, (f"/{name}", "/hands"))
    ]


def test_extras_have_one_entry_a_seat() -> None:
    """TT-1.1."""
    assert faults(table(ruleset=EXPERT, extras=((), (), ()))) == [
        ("TT-1.1", "seats-disagree", {"seats": 2, "found": 3}, ("/extras", "/hands"))
    ]


def test_seats_named_are_at_the_table() -> None:
    """TT-1.1."""
    assert faults(table(turn=2, dealer=3)) == [
        ("TT-1.1", "no-such-seat", {"seat": 2, "seats": 2}, ("/turn", "/hands")),
        ("TT-1.1", "no-such-seat", {"seat": 3, "seats": 2}, ("/dealer", "/hands")),
    ]
    assert faults(table(turn=1, dealer=1)) == []


def test_card_in_two_places_is_shown_with_both() -> None:
    """TT-1.2."""
    state = table(row=(34, 41), pile=(34, None), face_up=((), (12, 21)), face_down=((12,), (94,)))
    assert faults(state) == [
        ("TT-1.2", "card-twice", {"card": 34}, ("/row/0", "/pile/0")),
        ("TT-1.2", "card-twice", {"card": 41}, ("/row/1", "/hands/0/0")),
        ("TT-1.2", "card-twice", {"card": 94}, ("/hands/1/1", "/face_down/1/0")),
        ("TT-1.2", "card-twice", {"card": 12}, ("/face_up/1/0", "/face_down/0/0")),
    ]


def test_unseen_cards_are_not_one_card_twice() -> None:
    """TT-1.2."""
    assert faults(table(hands=((None, None), (None,)))) == []
    assert [each[1] for each in faults(table(hands=((None, None, 41), (None, 41))))] == ["card-twice"]


def test_more_cards_than_the_deck_has_are_too_many() -> None:
    """TT-1.2."""
    state = table(row=(34,), pile=(None,) * 61, hands=((None,) * 9, (None,) * 8))
    assert faults(state) == []
    assert faults(changed(state, row=(34, None))) == [
        ("TT-1.2", "too-many-cards", {"count": 80}, ("/row", "/hands", "/pile", "/face_up", "/face_down"))
    ]


@pytest.mark.parametrize(("seats", "most"), [(2, 9), (3, 9), (4, 8)])
def test_hand_has_no_more_cards_than_were_dealt(seats: int, most: int) -> None:
    """TT-1.4, TT-2.2: one card is drawn for one played."""
    hands = ((),) * (seats - 1) + ((None,) * most,)
    assert faults(table(hands=hands)) == []
    assert faults(table(hands=(*hands[:-1], (None,) * (most + 1)))) == [
        (
            "TT-1.4",
            "hand-too-big",
            {"seat": seats - 1, "count": most + 1, "least": most, "most": most},
            (f"/hands/{seats - 1}",),
        )
    ]


def test_while_there_is_a_pile_every_hand_is_full() -> None:
    """TT-1.4, TT-2.2."""
    short = changed(table(), hands=(tuple(CARDS[:8]), tuple(CARDS[-9:])), row=(34,))
    assert [(each[1], each[3]) for each in faults(short)] == [("hand-too-small", ("/hands/0",))]
    assert faults(changed(short, pile=None)) == []
    assert faults(changed(short, pile=())) == []


def test_whoever_opens_a_row_has_a_card_to_lay() -> None:
    """TT-3.2."""
    assert [each[1] for each in faults(table(row=(), hands=((), (52,)), pile=()))] == ["hand-too-small"]
    assert faults(table(row=(), hands=((), (52,)), pile=(), turn=1)) == []
    assert faults(over(hands=((), ()))) == []


@pytest.mark.parametrize(("seats", "most"), [(2, 61), (3, 52), (4, 47)])
def test_pile_has_no_more_cards_than_the_deal_left(seats: int, most: int) -> None:
    """TT-1.4."""
    hands = ((),) * seats
    assert faults(table(hands=hands, pile=(None,) * most)) == []
    assert faults(table(hands=hands, pile=(None,) * (most + 1))) == [
        ("TT-1.4", "pile-too-big", {"count": most + 1, "most": most}, ("/pile",))
    ]


def test_unknown_pile_is_no_fault() -> None:
    """TT-1.4."""
    assert faults(table(pile=None)) == []


def test_somebody_is_on_turn_while_a_round_is_played() -> None:
    """TT-2.5."""
    assert faults(table(turn=None)) == [("TT-2.5", "nobody-on-turn", {}, ("/turn", "/phase"))]


def test_nobody_is_on_turn_between_rounds() -> None:
    """TT-7.4."""
    assert faults(over(turn=0)) == [("TT-7.4", "turn-between-rounds", {"phase": "round-over"}, ("/turn", "/phase"))]


def test_twisted_card_lies_beside_its_partner_in_any_order() -> None:
    """TT-4.1."""
    assert faults(table(face_up=((12, 13, 31, 21), ()))) == []


def test_twisted_card_without_its_partner_is_torn() -> None:
    """TT-4.1."""
    assert faults(table(face_up=((), (12, 21, 13)))) == [
        ("TT-4.1", "pair-torn", {"seat": 1, "card": 13, "partner": 31}, ("/face_up/1/2",))
    ]
    assert faults(table(face_up=((13,), (31,)))) == [
        ("TT-4.1", "pair-torn", {"seat": 0, "card": 13, "partner": 31}, ("/face_up/0/0",)),
        ("TT-4.1", "pair-torn", {"seat": 1, "card": 31, "partner": 13}, ("/face_up/1/0",)),
    ]


def test_unseen_card_may_be_the_partner() -> None:
    """TT-4.1."""
    assert faults(table(face_up=((13, None), (None, None)))) == []


def test_unseen_card_is_no_partner_that_is_seen_elsewhere() -> None:
    """TT-4.1."""
    assert faults(table(row=(31,), face_up=((13, None, 12, None), ()))) == [
        ("TT-4.1", "pair-torn", {"seat": 0, "card": 13, "partner": 31}, ("/face_up/0/0",))
    ]


def test_too_few_unseen_cards_leave_pairs_torn() -> None:
    """TT-4.1."""
    assert [each[2]["card"] for each in faults(table(face_up=((13, None, 12), ())))] == [13, 12]


def test_number_of_cards_face_up_is_even() -> None:
    """TT-4.1."""
    assert faults(table(face_up=((), (12, 21, None)))) == [
        ("TT-4.1", "odd-face-up", {"seat": 1, "count": 3}, ("/face_up/1",))
    ]


def test_toad_is_never_face_up() -> None:
    """TT-4.2."""
    assert faults(table(face_up=((12, 21, 44), ()))) == [
        ("TT-4.2", "toad-face-up", {"seat": 0, "card": 44}, ("/face_up/0/2",))
    ]
    assert faults(table(face_up=((44, None), ()))) == [
        ("TT-4.2", "toad-face-up", {"seat": 0, "card": 44}, ("/face_up/0/0",))
    ]


def test_torn_pairs_and_toads_are_told_together() -> None:
    """TT-4.1, TT-4.2."""
    assert [each[1] for each in faults(table(face_up=((44, 13), ())))] == ["pair-torn", "toad-face-up"]


def test_extra_card_is_one_of_those_face_down() -> None:
    """TT-5.5."""
    state = table(ruleset=EXPERT, face_down=((), (13, 14)), extras=((0,), (1, 2)))
    assert faults(state) == [
        ("TT-5.5", "extra-astray", {"seat": 0, "index": 0, "count": 0}, ("/extras/0/0", "/face_down/0")),
        ("TT-5.5", "extra-astray", {"seat": 1, "index": 2, "count": 2}, ("/extras/1/1", "/face_down/1")),
    ]
    assert faults(changed(state, extras=((), (1,)))) == []


def test_extra_cards_belong_to_the_expert_game() -> None:
    """TT-5.5."""
    assert faults(table(face_down=((13,), ()), extras=((0,), ()))) == [
        ("TT-5.5", "no-extras-now", {}, ("/extras", "/ruleset"))
    ]


def test_extra_cards_are_turned_up_when_the_round_is_over() -> None:
    """TT-5.5."""
    assert faults(over(ruleset=EXPERT, face_down=((13,), ()), extras=((0,), ()))) == [
        ("TT-5.5", "no-extras-now", {}, ("/extras", "/phase"))
    ]


def test_round_is_over_only_with_row_and_pile_gone() -> None:
    """TT-6.1."""
    assert faults(over(row=(34, 35), pile=(None,))) == [
        ("TT-6.1", "over-with-row", {"count": 2}, ("/row", "/phase")),
        ("TT-6.1", "over-with-pile", {"count": 1}, ("/pile", "/phase")),
    ]
    assert faults(over(pile=None)) == []


def test_round_is_one_of_the_game() -> None:
    """TT-7.3."""
    assert faults(table(round=2)) == []
    assert faults(table(round=3)) == [("TT-7.3", "too-many-rounds", {"round": 3, "rounds": 2}, ("/round", "/ruleset"))]
    assert faults(table(round=3, ruleset=Ruleset(rounds=3))) == []


def test_game_is_over_only_with_its_last_round() -> None:
    """TT-7.3."""
    assert faults(over(phase="game-over")) == [
        ("TT-7.3", "game-not-over", {"round": 1, "rounds": 2}, ("/phase", "/round", "/ruleset"))
    ]
    assert faults(over(phase="game-over", round=2)) == []


def test_game_is_over_with_its_last_round() -> None:
    """TT-7.3."""
    assert faults(over(round=2)) == [
        ("TT-7.3", "game-should-be-over", {"round": 2, "rounds": 2}, ("/phase", "/round", "/ruleset"))
    ]


def test_every_seat_has_scores_of_as_many_rounds() -> None:
    """TT-7.3."""
    assert faults(over(scores=((3,), (4, 5)), round=2, ruleset=Ruleset(rounds=3))) == [
        ("TT-7.3", "scores-disagree", {"seat": 0, "scores": 2, "found": 1}, ("/scores/0", "/scores"))
    ]


def test_scores_are_of_finished_rounds() -> None:
    """TT-7.3."""
    assert faults(table(scores=((3,), (4,)))) == [
        ("TT-7.3", "too-many-scores", {"scores": 1, "most": 0}, ("/scores", "/round", "/phase"))
    ]
    assert faults(over(scores=((3, 3), (4, 4)))) == [
        ("TT-7.3", "too-many-scores", {"scores": 2, "most": 1}, ("/scores", "/round", "/phase"))
    ]


def test_scores_of_fewer_rounds_are_a_part_that_is_not_shown() -> None:
    """TT-7.3."""
    assert faults(table(round=2)) == []
    assert unverified(table(round=2)) == ["TT-1.2", "TT-7.3"]
    assert unverified(table(round=2, scores=((3,), (4,)))) == ["TT-1.2"]


def test_every_fault_is_told_at_once_in_rulebook_order() -> None:
    state = table(
        turn=3,
        dealer=2,
        row=(34, 34),
        hands=((None,) * 10, ()),
        face_up=((13,),),
        round=3,
        scores=((1,) * 3, ()),
    )
    assert [each[:2] for each in faults(state)] == [
        ("TT-1.1", "seats-disagree"),
        ("TT-1.1", "no-such-seat"),
        ("TT-1.1", "no-such-seat"),
        ("TT-1.2", "card-twice"),
        ("TT-1.4", "hand-too-big"),
        ("TT-4.1", "pair-torn"),
        ("TT-7.3", "too-many-rounds"),
        ("TT-7.3", "scores-disagree"),
        ("TT-7.3", "too-many-scores"),
    ]


def test_audit_of_a_table_not_yet_completed_raises_nothing() -> None:
    state = State(phase="play", turn=0, row=(), hands=((), ()))
    assert [each[1] for each in faults(state)] == ["seats-disagree"] * 3 + ["hand-too-small"]
