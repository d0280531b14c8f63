"""TI-9, TI-10: what is counted when the minute is over."""

from typing import Any

import pytest

from engines.core.engine import Result
from engines.twin_it import ENGINE
from engines.twin_it.model import Count
from engines.twin_it.scoring import rating, tally
from tests.engines.twin_it.tables import MOONS, SUNS, TREES, happened, minute, resolve

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
