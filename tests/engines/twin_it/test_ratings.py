"""Every bound of the ratings, which vectors try for some numbers of players only."""

import pytest

from engines.twin_it.scoring import rated

TABLE = """
1  4 5  6 7   9 10
2  9 10 12 13 17 18
3 14 15 18 19 26 27
4 19 20 24 25 35 36
5 24 25 30 31 44 45
6 29 30 36 37 53 54
"""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_the_rating_is_read_from_the_table(row: str) -> None:
    """TI-9.2."""
    players, *points = map(int, row.split())
    names = ("beginners", "prospects", "prospects", "experts", "experts", "geniuses")
    assert tuple(rated(players, each).rating for each in points) == names
