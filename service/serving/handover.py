"""Who takes over when the workers are exchanged (SIGHUP): those of before serve until their successors do."""

from __future__ import annotations

import mmap

PLACES = 4096
"""Workers beyond these places are not waited for."""
ROUND, WORKERS, FIRST = range(3)


class Handover:
    """Memory that the master and all workers share. The master says which round of workers is to serve, and of how many
    it is; each worker says for which round it serves.
    """

    def __init__(self) -> None:
        self._told = memoryview(mmap.mmap(-1, (FIRST + PLACES) * 4)).cast("I")
        self._told[ROUND] = 1  # 0 is that of a place where nobody serves

    @property
    def round(self) -> int:
        """The round that is to serve."""
        return self._told[ROUND]

    def begins(self, workers: int) -> None:
        """The master is about to start the workers of another round."""
        self._told[WORKERS] = workers
        self._told[ROUND] += 1

    def starts(self, place: int) -> None:
        """The master is about to start a worker at a place."""
        self._tell(place, 0)

    def serves(self, place: int, of: int) -> None:
        """The worker at a place, of a round, takes clients from now on."""
        self._tell(place, of)

    def is_served(self, place: int) -> bool:
        """Whether the worker at a place takes clients."""
        return place < PLACES and self._told[FIRST + place] > 0

    def needed(self, of: int) -> bool:
        """Whether the workers of a round are to be replaced by others that do not serve yet."""
        now = self.round
        return of != now and self._told[FIRST:].tolist().count(now) < self._told[WORKERS]

    def _tell(self, place: int, of: int) -> None:
        if place < PLACES:
            self._told[FIRST + place] = of
