"""A table seen from the other side: everything that names a seat names the other one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engines.gin_rummy.model import State


def seat(number: int | None) -> int | None:
    return None if number is None else 1 - number


def state(table: State) -> State:
    knock, last = table.knock, table.last_hand
    return replace(
        table,
        turn=seat(table.turn),
        dealer=seat(table.dealer),
        hands=table.hands[::-1],
        knock=knock and replace(knock, seat=seat(knock.seat)),
        scores=table.scores[::-1],
        hands_won=table.hands_won[::-1],
        last_hand=last and replace(last, seat=seat(last.seat)),
    )


def move(made: Any) -> Any:
    return replace(made, seat=seat(made.seat))


def params(given: dict[str, Any]) -> dict[str, Any]:
    flipped = {name: seat(value) if name in ("seat", "dealer", "turn") else value for name, value in given.items()}
    if "winners" in flipped:
        flipped["winners"] = tuple(map(seat, flipped["winners"]))
    return flipped
