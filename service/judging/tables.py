"""Tables that were in order a moment ago: posted again, they are neither read nor searched for contradictions anew.

Who plays by the stateless calls posts a table several times, to ask what may be done, whether a move is legal, what it
comes to; and then the one that was answered. No answer depends on what is known here: docs/decisions/0006.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from service.web import strict_json

ROOM = 1 << 19
"""Bytes of JSON whose tables a worker knows; their records take some sixteen times as much."""

Key: TypeAlias = tuple[str, bytes]
"""The game, and the table as JSON, however its writer had put its members in order."""


def key(game: str, state: object) -> Key:
    """What a table is known by. `state`: as it was posted, or as it is answered."""
    return game, strict_json.in_order(state)


class Tables:
    """States that are complete and have no faults, by what was posted for them; as many as have `room`."""

    def __init__(self, room: int = ROOM) -> None:
        self.room = room
        self.largest = room >> 5
        """Bytes of the largest one that is kept, so that none drives out all others."""
        self._states: dict[Key, Any] = {}
        """First the one that was not asked for the longest."""

    def find(self, key: Key) -> Any:
        """The state of a table; None if it is not known."""
        state = self._states.pop(key, None)
        if state is not None:
            self._states[key] = state
        return state

    def keep(self, key: Key, state: object) -> None:
        """Know one more. Those that were not asked for the longest make room for it."""
        size = len(key[1])
        if size > self.largest or key in self._states:
            return
        self._states[key] = state
        self.room -= size
        while self.room < 0:
            oldest = next(iter(self._states))
            self.room += len(oldest[1])
            del self._states[oldest]


KNOWN = Tables()
