"""The worker's pulse: the master hears of it from a thread that gevent knows nothing of.

A computation may hold all of gevent's greenlets for a while; the interpreter gives this thread its turn all the same.
A worker whose greenlets have had none for SILENCE is not busy but stuck: its pulse stops, and the master replaces it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from gevent.monkey import get_original

SILENCE = 120.0
"""Seconds after which a worker that looks after nobody counts as stuck."""
BEAT = 1.0
"""Seconds between two beats."""


class Pulse:
    """Tells the master that we live, for as long as somebody is looked after. `tell`: how."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self.tell = tell
        self.looked = monotonic()

    def start(self) -> None:
        get_original("_thread", "start_new_thread")(self._beat, ())

    def look(self) -> None:
        """Somebody has been looked after."""
        self.looked = monotonic()

    def lives(self) -> bool:
        return monotonic() - self.looked < SILENCE

    def _beat(self) -> None:
        sleep = get_original("time", "sleep")
        with suppress(OSError, ValueError):  # the file that the master reads is closed when all is over
            while True:
                if self.lives():
                    self.tell()
                sleep(BEAT)
