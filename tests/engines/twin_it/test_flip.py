"""TI-2: flips, passed-over seats, and the end when nothing is left."""

from engines.twin_it import ENGINE
from engines.twin_it.model import Flip
from tests.engines.twin_it.tables import (
    SUNS,
    flipped,
    happened,
    match,
    refused,
    resolve,
    table,
    three,
)


def test_a_flip_lays_the_other_side_on_the_table_and_passes_the_turn() -> None:
    """TI-2.1."""
    resolution = resolve(table(table=("10A",)), Flip(0))
    assert happened(resolution) == [flipped(0, "14B", "15A")]
    assert resolution.state == table(table=("10A", "14B"), piles=(("15A",), ("12A", "13A")), turn=1)


def test_a_turn_posted_on_an_empty_pile_is_the_next_seats() -> None:
    """TI-2.2."""
    state = three(piles=(("14A",), (), ("12A",)), turn=1)
    assert refused(state, Flip(1)) == [("TI-2.1", "not-your-turn", "/seat", {"seat": 1, "turn": 2})]
    assert refused(state, Flip(2)) == []


def test_the_game_goes_on_while_a_robbery_is_open() -> None:
    """TI-2.2."""
    state = resolve(table(piles=(("2B",), ()), sets=((SUNS[:2],), ())), Flip(0)).state
    assert (state.phase, ENGINE.to_act(state)) == ("play", (0, 1, None))


def test_a_pair_forbidden_to_one_is_left_for_the_other() -> None:
    """TI-2.2, TI-7.2."""
    state = resolve(table(piles=(("4B",), ()), forbidden=(("3A",), ())), Flip(0)).state
    assert state.phase == "play"


def test_an_open_turn_is_anyones_in_team_play_and_the_next_seat_follows() -> None:
    """TI-8.3."""
    state = match(turn=None, piles=(("14A",), (), ("12A", "13A"), ("15A",)))
    assert [refused(state, Flip(seat)) for seat in (0, 2, 3)] == [[], [], []]
    assert resolve(state, Flip(2)).state.turn == 3
    assert refused(state, Flip(1)) == [("TI-2.2", "pile-empty", "/seat", {"seat": 1})]
