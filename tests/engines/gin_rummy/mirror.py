"""A table seen from the other side: everything that names a seat names the other one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engines.gin_rummy.model import State


def seat(number: int) -> int:
    return 1 - number


def seat_or_none(number: int | None) -> int | None:
    return None if number is None else seat(number)


def state(table: State) -> State:
    knock, last = table.knock, table.last_hand
    return replace(
        table,
        turn=seat_or_none(table.turn),
        dealer=seat_or_none(table.dealer),
        hands=table.hands[::-1],
        knock=knock and replace(knock, seat=seat(knock.seat)),
        scores=table.scores[::-1],
        hands_won=table.hands_won[::-1],
        last_hand=last
        and replace(
            last,
            seat=seat_or_none(last.seat),
            knocker=seat_or_none(last.knocker),
            melds=last.melds and last.melds[::-1],
            deadwood=last.deadwood and last.deadwood[::-1],
        ),
    )


def move(mirrored: Any) -> Any:
    return replace(mirrored, seat=seat_or_none(mirrored.seat))


def params(values: Mapping[str, Any]) -> dict[str, Any]:
    named = ("seat", "dealer", "turn")
    flipped: dict[str, Any] = {name: seat_or_none(value) if name in named else value for name, value in values.items()}
    if "winners" in flipped:
        flipped["winners"] = tuple(map(seat, flipped["winners"]))
    return flipped
