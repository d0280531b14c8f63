"""TI-9, TI-10: what is counted when the minute is over."""

from typing import Any

import pytest

from engines.core.engine import Result, Standing
from engines.core.records import changed
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, Count
from engines.twin_it.scoring import rating, tally
from tests.engines.twin_it.tables import MOONS, SUNS, TREES, happened, minute, refused, resolve, table

TABLE = """
1  4 5  6 7   9 10
2  9 10 12 13 17 18
3 14 15 18 19 26 27
4 19 20 24 25 35 36
5 24 25 30 31 44 45
6 29 30 36 37 53 54
"""


def counted(seat: int | None, pairs: int, trebles: int) -> tuple[str, str, dict[str, Any]]:
    rule = "TI-9.1" if seat is None else "TI-10.1"
    return rule, "counted", {"seat": seat, "pairs": pairs, "trebles": trebles, "points": pairs + 2 * trebles}


def rejected(*cards: str, reason: str, rule: str = "TI-9.1") -> tuple[str, str, dict[str, Any]]:
    return rule, "rejected", {"cards": cards, "reason": reason}


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_the_rating_is_read_from_the_table(row: str) -> None:
    """TI-9.2."""
    players, *points = map(int, row.split())
    names = ("beginners", "prospects", "prospects", "experts", "experts", "geniuses")
    assert tuple(rating(players, each) for each in points) == names


def test_a_pair_is_one_point_and_a_treble_two() -> None:
    """TI-9.1."""
    assert tally([MOONS, SUNS, TREES]) == (2, 1, 4)


def test_the_count_of_all_ends_the_game_and_is_rated() -> None:
    """TI-9.1, TI-9.2."""
    resolution = resolve(minute("cooperative", 1, table=(*SUNS, *MOONS)), Count((SUNS, MOONS)))
    assert happened(resolution) == [counted(None, 1, 1), ("TI-9.2", "rated", {"points": 3, "rating": "beginners"})]
    assert (resolution.state.phase, resolution.state.turn, resolution.state.counts) == (
        "game-over",
        None,
        ((SUNS, MOONS),),
    )
    assert resolution.state.table == (*SUNS, *MOONS)
    assert ENGINE.result(resolution.state) == Result("TI-9.2", points=3, rating="beginners")


def test_the_points_of_all_are_everyones() -> None:
    """TI-9.1."""
    state = minute("cooperative", 2, phase="game-over", counts=((MOONS,),))
    assert ENGINE.standings(state) == (Standing(0, 1, 1), Standing(1, 1, 1))


def test_before_the_count_there_are_no_points() -> None:
    """TI-9.1."""
    assert ENGINE.standings(minute("cooperative", 1)) == (Standing(0, 0, 1),)
    assert ENGINE.result(minute("cooperative", 1)) is None


@pytest.mark.parametrize(
    ("groups", "reasons"),
    [
        ([("3A", "5A")], ["unequal"]),
        ([("0A",)], ["unequal"]),
        ([()], ["unequal"]),
        ([("0A", "1A", "3A")], ["unequal"]),
        ([("3A", "4B")], ["unequal"]),
        ([(*SUNS, "0A")], ["unequal"]),
        ([("0A", "0A")], ["card-twice"]),
        ([("0A", "1A"), ("1A", "2A")], ["card-twice"]),
        ([("0A", "3A"), ("0A", "1A")], ["unequal"]),
    ],
)
def test_a_group_that_scores_nothing_is_reported(groups: Any, reasons: list[str]) -> None:
    """TI-9.1."""
    resolution = resolve(minute("cooperative", 1), Count(tuple(groups)))
    assert [params["reason"] for _, code, params in happened(resolution) if code == "rejected"] == reasons
    assert len(resolution.state.counts[0] or ()) == len(groups) - len(reasons)


def test_in_timed_play_each_seat_counts_and_the_last_count_ends_the_game() -> None:
    """TI-10.1."""
    resolution = resolve(minute("timed", 2), Count((SUNS,), 1), Count((("0A", "2A"), MOONS), 0))
    assert happened(resolution) == [
        counted(1, 0, 1),
        rejected("0A", "2A", reason="counted-by-another", rule="TI-10.1"),
        counted(0, 1, 0),
        ("TI-10.1", "game-over", {"winners": (1,)}),
    ]
    assert resolution.state == minute("timed", 2, phase="game-over", counts=((MOONS,), (SUNS,)))
    assert ENGINE.result(resolution.state) == Result("TI-10.1", winners=(1,))


def test_a_card_counted_by_another_is_rejected_whichever_side_is_up() -> None:
    """TI-10.1."""
    designs = (("sun", "moon"), ("sun", "moon"), ("a", "b"))
    resolution = resolve(minute("timed", 2, designs=designs), Count((("0A", "1A"),), 0), Count((("0B", "1B"),), 1))
    assert happened(resolution)[1] == rejected("0B", "1B", reason="counted-by-another", rule="TI-10.1")


def test_an_own_card_twice_is_said_before_another_seats() -> None:
    """TI-9.1, TI-10.1."""
    state = minute("timed", 2, counts=((("5A", "6A"),), None))
    resolution = resolve(state, Count((("0A", "1A"), ("1A", "2A"), ("6A", "7A")), 1))
    assert [params["reason"] for _, code, params in happened(resolution) if code == "rejected"] == [
        "card-twice",
        "counted-by-another",
    ]


def test_equal_points_share_the_game() -> None:
    """TI-10.1."""
    resolution = resolve(minute("timed", 3, counts=(None, (MOONS,), ())), Count((TREES,), 0))
    assert ENGINE.result(resolution.state) == Result("TI-10.1", winners=(0, 1))
    assert ENGINE.standings(resolution.state) == (Standing(0, 1, 1), Standing(1, 1, 1), Standing(2, 0, 3))


def test_enough_points_are_not_enough_sets() -> None:
    """TI-10.1; TI-6.1 is of sets."""
    state = minute(
        "timed", 2, ruleset=changed(RULESETS["timed"], sets_to_win=1), counts=((MOONS,), ()), phase="game-over"
    )
    assert ENGINE.result(state) == Result("TI-10.1", winners=(0,))


def test_those_act_who_have_not_counted() -> None:
    """TI-9.1, TI-10.1."""
    assert ENGINE.to_act(minute("timed", 3, counts=(None, (), None))) == (0, 2)
    assert ENGINE.to_act(minute("cooperative", 3)) == (None,)
    assert ENGINE.to_act(minute("cooperative", 3, phase="game-over", counts=((),))) == ()


def test_a_seat_counts_once() -> None:
    """TI-10.1."""
    assert refused(minute("timed", 2, counts=(None, ())), Count((), 1)) == [
        ("TI-10.1", "has-counted", "/seat", {"seat": 1})
    ]


def test_a_count_says_whose_it_is_in_timed_play() -> None:
    """TI-10.1."""
    assert refused(minute("timed", 2), Count(())) == [("TI-10.1", "counted-for-each", "", {})]


def test_a_count_is_nobodys_in_cooperative_play() -> None:
    """TI-9.1."""
    assert refused(minute("cooperative", 2), Count((), 0)) == [("TI-9.1", "counted-together", "/seat", {"seat": 0})]


def test_a_stranger_does_not_count() -> None:
    """TI-1.3."""
    assert refused(minute("timed", 2), Count((), 2)) == [("TI-1.3", "not-at-table", "/seat", {"seat": 2})]


def test_every_card_of_another_deck_is_named() -> None:
    """TI-1.1."""
    assert refused(minute("cooperative", 1), Count((MOONS, ("15A", "16A", "199B")))) == [
        ("TI-1.1", "no-such-card", "/groups/1/1", {"card": "16A", "count": 16}),
        ("TI-1.1", "no-such-card", "/groups/1/2", {"card": "199B", "count": 16}),
    ]


def test_nothing_is_counted_where_cards_are_claimed() -> None:
    """TI-9.3."""
    assert refused(table(), Count(())) == [("TI-9.3", "not-in-this-play", "", {"ruleset": "competitive"})]


def test_after_the_count_there_is_no_other() -> None:
    """TI-6.2."""
    over = minute("cooperative", 1, phase="game-over", counts=((),))
    assert refused(over, Count(())) == [("TI-6.2", "game-is-over", "", {})]
