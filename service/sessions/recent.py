"""What was lately made and will soon be asked for again, up to a number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

AROUND = 300
"""Bytes that each takes beside what was made: its name, and its place."""


class Recent:
    """Bytes by name; what was not asked for longest goes first. `most`: bytes of all together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()

    def get(self, name: Hashable) -> bytes | None:
        """What is kept under a name, if it still is."""
        if name not in self._kept:
            return None
        self._kept.move_to_end(name)
        return self._kept[name]

    def put(self, name: Hashable, made: bytes) -> None:
        """Keep it."""
        before = self._kept.pop(name, None)
        if before is not None:
            self._size -= len(before) + AROUND
        self._kept[name] = made
        self._size += len(made) + AROUND
        while self._size > self._most:
            self._size -= len(self._kept.popitem(last=False)[1]) + AROUND
