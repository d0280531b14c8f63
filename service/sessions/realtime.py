"""The times of a session that is played in real time: the window of an incident, and the clock of the game.

Engines know no time. An incident is a move to which several seats may bring parts within a window. The session collects
the parts, and makes the move once the window has closed. When the clock has ended, the session makes the moves that are
still owed. All times are of the store's clock, in ms.
"""

from __future__ import annotations

from service.contract.sessions import EncodedIncident, RunningClock
from service.sessions.record import SessionRecord

LATE = 5000
"""Milliseconds after the end of a clock in which a move may still arrive."""


def remaining(ends: int, lasts: int, now: int) -> int:
    """Milliseconds from `now` until `ends`; 0 once that is past. `lasts`: how many there were at the start.

    More can be left only if another clock has replaced the store's: a replica's, or one that began anew with the
    machine. Then the time counts as past, too.
    """
    left = ends - now
    return left if 0 < left <= lasts else 0


def incident(record: SessionRecord, now: int) -> EncodedIncident | None:
    """The incident that is open, with the entries of all its parts in the order in which the store took them."""
    if record.incident is None:
        return None
    hands = [entry for part in record.incident["parts"] for entry in part]
    return EncodedIncident(hands, remaining(record.incident["closes"], record.gather_ms or 0, now))


def clock(record: SessionRecord, now: int) -> RunningClock | None:
    """The clock, if one was started."""
    return None if record.clock is None else RunningClock(remaining(record.clock["ends"], record.clock["lasts"], now))


def is_late(record: SessionRecord, now: int) -> bool:
    """Whether no more moves are taken, because the clock ended a while ago."""
    if record.clock is None:
        return False
    return not remaining(record.clock["ends"] + LATE, record.clock["lasts"] + LATE, now)


def is_due(record: SessionRecord, now: int) -> bool:
    """Whether the session may have to make moves itself: the window has closed, or the clock ended a while ago."""
    gathering = incident(record, now)
    return is_late(record, now) if gathering is None else gathering.closes_in_ms == 0


def next_at(record: SessionRecord, now: int) -> int | None:
    """The next time at which the session may change without a request; None: there is none."""
    if record.incident is not None:
        return int(record.incident["closes"])
    ends = [] if record.clock is None else [record.clock["ends"], record.clock["ends"] + LATE]
    return next((at for at in ends if at > now), None)
