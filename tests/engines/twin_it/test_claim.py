"""TI-3, TI-6: sets from the table and from piles, robbery, safe sets, the winning number."""

from collections.abc import Mapping
from typing import Any

import pytest

from engines.core.engine import Contested
from engines.core.records import changed
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, Flip
from tests.engines.twin_it.tables import (
    MOONS,
    SUNS,
    TREES,
    claim,
    happened,
    idle,
    match,
    refused,
    resolve,
    table,
    three,
    turned,
    won,
)

STARS = ("5A", "6A")


def own_top(value: str, other: str) -> tuple[Contested, ...]:
    return (Contested("TI-3.2", "own_pile_top", value, (other,), "one-text-two-readings"),)


OTHERS_ONLY = own_top("others-only", "counts")
COUNTS = own_top("counts", "others-only")
COUNTING = changed(RULESETS["competitive"], own_pile_top="counts")


def own_top_idle(seat: int, card: str) -> tuple[str, str, Mapping[str, Any]]:
    return idle(seat, card, because="own-top", rule="TI-3.2")


def to_win(sets: int) -> object:
    return changed(RULESETS["competitive"], sets_to_win=sets)


def test_two_matching_cards_of_the_table_are_a_set() -> None:
    """TI-3.1, TI-3.3: out of turn."""
    resolution = resolve(table(table=("10A", *MOONS)), claim((1, "4A"), (1, "3A")))
    assert happened(resolution) == [won(1, "4A", "3A")]
    assert resolution.state == table(table=("10A",), sets=((), (("4A", "3A"),)), turn=1)


def test_the_winner_turns_the_next_card_and_play_continues_from_that_seat() -> None:
    """TI-3.6."""
    resolution = resolve(three(table=MOONS), claim((1, "3A"), (1, "4A")), Flip(1))
    assert resolution.state == three(
        piles=(("14A", "15A"), ("13A",), ("10A", "11A")), table=("12B",), sets=((), (MOONS,), ()), turn=2
    )


def test_a_pair_is_robbed_with_the_third_card() -> None:
    """TI-3.4."""
    resolution = resolve(table(table=("2A",), sets=((MOONS, SUNS[:2]), ())), claim((1, "2A"), (1, "1A")))
    robbed = {"seat": 0, "by": 1, "cards": SUNS[:2]}
    assert happened(resolution) == [("TI-3.4", "robbed", robbed), won(1, *SUNS, source="robbery", rule="TI-3.4")]
    assert (resolution.state.sets, resolution.state.table, resolution.state.turn) == (((MOONS,), (SUNS,)), (), 1)


def test_the_top_of_the_own_pile_makes_no_set() -> None:
    """TI-3.2."""
    state = table(piles=(("3A", "15A"), ("12A",)), table=("4A",))
    resolution = resolve(state, claim((0, "4A"), (0, "3A")))
    assert (happened(resolution), resolution.contested) == ([idle(0, "4A"), own_top_idle(0, "3A")], OTHERS_ONLY)
    assert resolution.state == state


def test_by_option_it_does() -> None:
    """TI-3.2, TI-3.3."""
    state = table(piles=(("3A", "15A"), ("12A",)), table=("4A",), ruleset=COUNTING)
    resolution = resolve(state, claim((0, "4A"), (0, "3A")))
    assert (happened(resolution), resolution.contested) == ([won(0, "4A", "3A")], COUNTS)


def test_the_option_is_told_though_the_game_was_won_before_the_hand_on_the_own_top() -> None:
    """TI-3.2, TI-4.6: where it counts that hand would have tied."""
    state = table(piles=(("14A",), ("4A",)), table=("3A",), sets=((SUNS,), ()), ruleset=to_win(2))
    resolution = resolve(state, claim((0, "3A"), (1, "4A"), (0, "4A")))
    assert (resolution.state.phase, resolution.contested) == ("game-over", OTHERS_ONLY)
    assert own_top_idle(1, "4A") not in happened(resolution)


def test_a_hand_on_the_own_top_is_one_of_two() -> None:
    """TI-3.8."""
    move = claim((0, "14A"), (0, "3A"), (0, "4A"))
    assert refused(table(table=MOONS), move) == [("TI-3.8", "too-many-hands", "/hands/2", {"seat": 0})]


def test_own_is_the_seats_and_not_the_partners() -> None:
    """TI-3.2, TI-8.1."""
    state = match(piles=(("14A",), ("15A",), ("3A",), ("13A",)), table=("4A",))
    assert happened(resolve(state, claim((0, "3A"), (2, "4A")))) == [won(0, "3A", "4A", rule="TI-8.1")]
    assert happened(resolve(state, claim((0, "4A"), (2, "3A")))) == [idle(0, "4A"), own_top_idle(2, "3A")]


def test_the_last_to_win_of_a_chain_reaction_restarts() -> None:
    """TI-3.7."""
    state = three(piles=(("3A", "5A", "14A"), ("12A",), ("11A",)), table=("4A", "6A"))
    resolution = resolve(state, claim((1, "3A"), (1, "4A")), claim((2, "5A"), (2, "6A")))
    assert (resolution.state.sets, resolution.state.turn) == (((), (MOONS,), (STARS,)), 2)


def test_the_winning_number_of_sets_ends_the_game_at_once() -> None:
    """TI-6.1."""
    state = table(table=MOONS, sets=((SUNS,), (TREES,)), ruleset=to_win(2))
    resolution = resolve(state, claim((0, "3A"), (0, "4A")), Flip(0))
    assert happened(resolution) == [won(0, *MOONS), ("TI-6.1", "game-over", {"winners": (0,)})]
    assert (resolution.applied, resolution.violations[0].ruling.code) == (1, "game-is-over")
    result = ENGINE.result(resolution.state)
    assert result is not None
    assert (result.rule, result.winners, resolution.state.turn) == ("TI-6.1", (0,), None)


def test_the_fifth_set_of_a_treble_leaves_the_third_card_as_it_lies() -> None:
    """TI-4.6."""
    state = table(table=SUNS, sets=((MOONS,), ()), ruleset=to_win(2))
    resolution = resolve(state, claim((0, "0A"), (0, "2A")))
    assert (resolution.state.table, turned("1B", "TI-4.5") in happened(resolution)) == (("1A",), False)


@pytest.mark.parametrize("card", ["3A", "12A", "0A", "8A", "10A"])
def test_visible_are_the_table_the_tops_all_sets_and_the_cards_beside_piles(card: str) -> None:
    """TI-3.2."""
    state = table(table=("3A",), sets=((), (TREES, SUNS)), forbidden=((), ("10A",)))
    assert refused(state, claim((0, card))) == []
