"""Sides: each team where partners play, else each seat. A score, a pile of cards won, has one entry for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engines.core.rulings import Fault, Refutes


def side_of(teams: Sequence[int] | None, seat: int) -> int:
    """The side of a seat: its team, or itself. `teams`: the team of each seat; None: nobody has a partner."""
    return seat if teams is None else teams[seat]


def sides_of(teams: Sequence[int] | None, seats: int) -> int:
    """How many sides there are."""
    return seats if teams is None else max(teams) + 1


def opposite(seats: int) -> tuple[int, ...]:
    """The team of each seat where two teams play, and neighbours are opponents."""
    return tuple(seat % 2 for seat in range(seats))


def one_entry_a_side(
    disagree: Refutes, table: str, sides: Callable[[Any], int], *names: str
) -> Callable[[Any], list[Fault] | None]:
    """An audit: the lists of these names have one entry for each side. `table`: the list that says how many play.

    `disagree` has the parameters `due` and `found`.
    """

    def lists_have_one_entry_a_side(state: Any) -> list[Fault] | None:
        due = sides(state)
        return [
            disagree.found(f"/{name}", f"/{table}", due=due, found=len(getattr(state, name)))
            for name in names
            if len(getattr(state, name)) != due
        ] or None

    return lists_have_one_entry_a_side
