"""The claims now open, flips and counts, and the facts about them."""

from typing import Any

from engines.core.judge import legal_moves
from engines.core.records import changed
from engines.twin_it import ENGINE
from engines.twin_it.model import Count, Flip
from tests.engines.twin_it.tables import MOONS, SUNS, TREES, claim, match, minute, table, three


def test_every_seat_may_claim_every_pair_and_robbery_and_one_may_flip() -> None:
    """TI-2.1, TI-3.1, TI-3.4."""
    state = table(table=("3A", "2A", "4A"), sets=((SUNS[:2],), ()))
    moves, complete = legal_moves(ENGINE, state)
    assert complete
    assert moves == [
        Flip(0),
        claim((0, "3A"), (0, "4A")),
        claim((0, "2A"), (0, "0A")),
        claim((1, "3A"), (1, "4A")),
        claim((1, "2A"), (1, "0A")),
    ]
    assert [ENGINE.facts(state, move) for move in moves] == [
        {"left": 1},
        {"design": "moon", "from": "table"},
        {"design": "sun", "from": "own-pair"},
        {"design": "moon", "from": "table"},
        {"design": "sun", "from": "robbery"},
    ]


def test_a_treble_is_three_claims() -> None:
    """TI-4.5."""
    state = table(table=("0A", "1A"), piles=(("2A",), ()))
    moves = legal_moves(ENGINE, state, 1, every=False)[0]
    assert moves == [claim((1, "0A"), (1, "1A")), claim((1, "0A"), (1, "2A")), claim((1, "1A"), (1, "2A"))]
    assert legal_moves(ENGINE, state, 0, every=False)[0] == [Flip(0), claim((0, "0A"), (0, "1A"))]


def test_the_table_may_turn_a_treble_that_shows() -> None:
    """TI-4.5: listed with the moves of everyone, and to no seat."""
    state = table(table=SUNS)
    assert legal_moves(ENGINE, state)[0][-1] == claim()
    assert all(claim() not in legal_moves(ENGINE, state, seat, every=False)[0] for seat in (0, 1))
    assert legal_moves(ENGINE, state, None, every=False) == ([claim()], True)
    assert claim() not in legal_moves(ENGINE, table(table=MOONS))[0]


def test_tops_and_cards_beside_piles_are_open_to_others_only() -> None:
    """TI-3.2, TI-7.2."""
    state = three(piles=(("14A",), ("4A",), ("12A",)), forbidden=(("3A",), (), ()))
    assert legal_moves(ENGINE, state)[0] == [Flip(0), claim((2, "4A"), (2, "3A"))]
    counting = changed(state, ruleset=changed(state.ruleset, own_pile_top="counts"))
    assert legal_moves(ENGINE, counting)[0] == [
        Flip(0),
        claim((1, "4A"), (1, "3A")),
        claim((2, "4A"), (2, "3A")),
    ]


def test_with_empty_piles_the_table_may_end_the_game() -> None:
    """TI-2.2."""
    state = table(piles=((), ()), table=MOONS, turn=None)
    moves = legal_moves(ENGINE, state)[0]
    assert moves == [claim((0, "3A"), (0, "4A")), claim((1, "3A"), (1, "4A")), claim()]
    assert ENGINE.facts(state, claim()) == {}


def test_a_match_lists_claims_of_the_table_by_a_seat_and_the_next_of_its_team() -> None:
    """TI-8.1, TI-8.3."""
    state = match(table=MOONS, teams=(0, 0, 1, 1), turn=None)
    moves = legal_moves(ENGINE, state)[0]
    assert moves == [
        *(Flip(seat) for seat in range(4)),
        *(claim((one, "3A"), (other, "4A")) for one, other in ((0, 1), (1, 0), (2, 3), (3, 2))),
    ]
    assert ENGINE.facts(state, moves[4]) == {"design": "moon", "from": "table"}


def test_the_next_of_a_team_of_three_sits_to_the_left() -> None:
    """TI-8.1."""
    piles = tuple((f"{number}A",) for number in range(10, 16))
    state = match(table=MOONS, teams=(0, 1, 0, 1, 0, 1), piles=piles, turn=0)
    assert legal_moves(ENGINE, state, None, every=False)[0] == [
        claim((seat, "3A"), ((seat + 2) % 6, "4A")) for seat in range(6)
    ]


def test_a_design_forbidden_to_a_team_is_open_to_the_other() -> None:
    """TI-7.2."""
    state = match(table=("4A",), forbidden=(("3A",), ()))
    assert legal_moves(ENGINE, state)[0] == [
        Flip(0),
        claim((1, "4A"), (3, "3A")),
        claim((3, "4A"), (1, "3A")),
    ]


def test_partners_do_not_touch_the_tops_of_their_own_piles() -> None:
    """TI-3.2, TI-8.1: where one of them would, the other takes that card."""
    state = match(piles=(("3A",), ("15A",), ("12A",), ("13A",)), table=("4A",))
    one, other = claim((0, "3A"), (2, "4A")), claim((0, "4A"), (2, "3A"))
    assert [move for move in (one, other) if move in legal_moves(ENGINE, state, None, every=False)[0]] == [other]


def test_who_is_to_act_does_not_tell_what_there_is_to_find() -> None:
    """TI-2.2, TI-3.1: every seat, with or without the turn or a pile; once all piles are empty the table too."""
    for state in (table(), table(table=MOONS), table(piles=((), ("12A",)), turn=1), table(turn=None)):
        assert ENGINE.to_act(state) == (0, 1)
    assert ENGINE.to_act(match()) == ENGINE.to_act(match(table=MOONS, turn=None)) == (0, 1, 2, 3)
    assert ENGINE.to_act(table(piles=((), ()), table=MOONS)) == (0, 1, None)
    nothing_left = match(piles=((), (), (), ()), turn=None)
    assert ENGINE.to_act(nothing_left) == (0, 1, 2, 3, None)
    assert legal_moves(ENGINE, nothing_left) == ([claim()], True)


def test_what_wins_nothing_is_not_told_of() -> None:
    state = table(table=("3A", "10A"), sets=((SUNS[:2],), ()))
    for hands in ([(0, "3A"), (0, "10A")], [(0, "0A"), (0, "1A")], [(0, "3A")]):
        assert ENGINE.facts(state, claim(*hands)) == {}
    own = table(piles=(("3A",), ("12A",)), table=("4A",))
    assert ENGINE.facts(own, claim((0, "3A"), (0, "4A"))) == {}


def listed(state: Any, move: Any) -> bool:
    return ENGINE.canonical(state, move)


def test_only_two_hands_that_win_are_of_the_kind_that_is_listed() -> None:
    state = table(table=(*MOONS, "10A", *TREES))
    assert listed(state, claim((0, "4A"), (0, "3A")))
    assert listed(state, Flip(0))
    assert listed(state, claim())
    assert not listed(state, claim((0, "3A"), (0, "10A")))
    assert not listed(state, claim((0, "3A")))
    assert not listed(state, claim((0, "3A"), (0, "4A"), (1, "8A")))
    assert not listed(table(piles=((None,), (None,)), table=SUNS[:2]), claim((0, "0A"), (0, "1A")))


def test_what_lies_ready_may_be_counted() -> None:
    """TI-9.1."""
    state = minute("cooperative", 1, table=("0A", "3A", "10A", "1A", "4A", "2A"))
    move = Count((SUNS, MOONS))
    assert legal_moves(ENGINE, state) == ([move], False)
    assert ENGINE.facts(state, move) == {"pairs": 1, "trebles": 1, "points": 3}


def test_what_another_has_counted_is_not_ready() -> None:
    """TI-10.1."""
    state = minute("timed", 3, table=(*SUNS, *MOONS), counts=(None, (SUNS[:2],), None))
    assert legal_moves(ENGINE, state) == ([Count((MOONS,), 0), Count((MOONS,), 2)], False)
    assert ENGINE.facts(state, Count((SUNS, MOONS), 0)) == {"pairs": 1, "trebles": 0, "points": 1}


def test_after_the_end_nothing_is_legal() -> None:
    """TI-6.2."""
    assert legal_moves(ENGINE, table(phase="game-over", piles=((), ()))) == ([], True)
