"""A table with its two seats exchanged: everything that names a seat names the other one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engines.gin_rummy.model import State


def other_seat(seat: int) -> int:
    return 1 - seat


def other_seat_or_none(seat: int | None) -> int | None:
    """The other seat; None for None."""
    return None if seat is None else other_seat(seat)


def mirrored_state(table: State) -> State:
    """The table with the seats exchanged."""
    knock, last = table.knock, table.last_hand
    return replace(
        table,
        turn=other_seat_or_none(table.turn),
        dealer=other_seat_or_none(table.dealer),
        hands=table.hands[::-1],
        knock=knock and replace(knock, seat=other_seat(knock.seat)),
        scores=table.scores[::-1],
        hands_won=table.hands_won[::-1],
        last_hand=last
        and replace(
            last,
            seat=other_seat_or_none(last.seat),
            knocker=other_seat_or_none(last.knocker),
            melds=last.melds and last.melds[::-1],
            deadwood=last.deadwood and last.deadwood[::-1],
        ),
    )


def mirrored_move(move: Any) -> Any:
    """The same move by the other seat."""
    return replace(move, seat=other_seat_or_none(move.seat))


def mirrored_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of an event with the seats exchanged."""
    mirrored = dict(params)
    for name in {"seat", "dealer", "turn"} & mirrored.keys():
        mirrored[name] = other_seat_or_none(mirrored[name])
    if "winners" in mirrored:
        mirrored["winners"] = tuple(map(other_seat, mirrored["winners"]))
    if "totals" in mirrored:
        mirrored["totals"] = mirrored["totals"][::-1]
    return mirrored
