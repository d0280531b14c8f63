"""Every fault that a posted state can have, with its clause and where it lies."""

from engines.take_that.model import State
from engines.take_that.row import CARDS
from tests.engines.take_that.tables import EXPERT, faults, over, table, unverified


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


def test_extras_have_one_entry_a_seat() -> None:
    """TT-1.1."""
    assert faults(table(ruleset=EXPERT, extras=((), (), ()))) == [
        ("TT-1.1", "seats-disagree", {"seats": 2, "found": 3}, ("/extras", "/hands"))
    ]


def test_somebody_is_on_turn_while_a_round_is_played() -> None:
    """TT-2.5."""
    assert faults(table(turn=None)) == [("TT-2.5", "nobody-on-turn", {}, ("/turn", "/phase"))]


def test_extra_cards_are_turned_up_when_the_round_is_over() -> None:
    """TT-5.5."""
    assert faults(over(ruleset=EXPERT, face_down=((13,), ()), extras=((0,), ()))) == [
        ("TT-5.5", "no-extras-now", {}, ("/extras", "/phase"))
    ]
    assert faults(over(ruleset=EXPERT, face_down=((13,), ()), extras=((), ()))) == []


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
