"""Seats, for every game: the next seat to the left, and audits of the seats of a posted table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.core.rulings import Fault, Refutes


def left_of(seat: int, seats: int) -> int:
    """The seat whose turn follows, where turns pass to the left."""
    return (seat + 1) % seats


def one_entry_a_seat(disagree: Refutes, table: str, *names: str) -> Callable[[Any], list[Fault] | None]:
    """An audit: the lists of these names are as long as the list `table`, unless they are unknown.

    `disagree` has the parameters `seats` and `found`.
    """

    def lists_have_one_entry_a_seat(state: Any) -> list[Fault] | None:
        seats = len(getattr(state, table))
        faults = []
        for name in names:
            entries = getattr(state, name)
            if entries is not None and len(entries) != seats:
                faults.append(disagree.found(f"/{name}", f"/{table}", seats=seats, found=len(entries)))
        return faults or None

    return lists_have_one_entry_a_seat


def seats_at_the_table(no_such_seat: Refutes, table: str, *names: str) -> Callable[[Any], list[Fault] | None]:
    """An audit: each seat in these fields, or in the lists in them, is at the table.

    `table`: the list with one entry a seat, or the number of seats. `no_such_seat` has the parameters `seat` and
    `seats`.
    """

    def seats_are_at_the_table(record: Any) -> list[Fault] | None:
        list_or_number = getattr(record, table)
        seats = list_or_number if isinstance(list_or_number, int) else len(list_or_number)
        faults = []
        for name in names:
            value = getattr(record, name)
            if value is None or value == ():
                continue
            is_list = isinstance(value, tuple)
            for index, seat in enumerate(value if is_list else (value,)):
                if seat is not None and seat >= seats:
                    pointer = f"/{name}/{index}" if is_list else f"/{name}"
                    faults.append(no_such_seat.found(pointer, f"/{table}", seat=seat, seats=seats))
        return faults or None

    return seats_are_at_the_table
