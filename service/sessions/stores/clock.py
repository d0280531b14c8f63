"""The time by which sessions end. A clock that runs wrong for some minutes ends none before its time."""

from __future__ import annotations

import time
from collections import deque
from math import inf

ROUND = 10.0
"""Seconds between two looks at the clock."""
ROUNDS = 60
"""Looks that must agree before anything is deleted. They are counted: no clock is asked how long they took."""


class Clock:
    """Seconds since 1970, held against a clock that nobody sets. Whoever deletes looks at it once a round."""

    def __init__(self) -> None:
        self._walls: deque[float] = deque(maxlen=ROUNDS)
        self._offsets = deque([_offset()], maxlen=ROUNDS)
        self._least = self._most = self._offsets[0]

    def look(self) -> None:
        """Another round has gone by."""
        self._walls.append(time.time())
        self._offsets.append(_offset())
        self._least, self._most = min(self._offsets), max(self._offsets)

    def now(self) -> float:
        """The time by which something has ended or not: a jump ahead does not show until it has lasted."""
        return time.monotonic() + min(_offset(), self._least)

    def late(self) -> float:
        """The time for who says when something will end: neither is a jump back seen until it has lasted."""
        return time.monotonic() + max(_offset(), self._most)

    def settled(self) -> float:
        """What ended before is deleted: every one of the last looks was later."""
        return min(self._walls) if len(self._walls) == ROUNDS else -inf


def _offset() -> float:
    return time.time() - time.monotonic()
