"""Turns: within one worker the changes of a session are made one after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from service.sessions.stores.protocol import StoreUnavailable
from service.web.phrases import phrase
from service.web.problems import Problem

PATIENCE = 2.0
"""Seconds that a change waits for its turn: long, so that a crowd at one table does not look like a lost store."""
TURNS = 1024


class Turn:
    """A lock that is waited for so long only. A few sessions may share one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=PATIENCE):
            raise StoreUnavailable("the session is busy")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class Turns:
    """The turns of a worker."""

    def __init__(self) -> None:
        self._turns = [Turn() for _ in range(TURNS)]
        self._running: set[str] = set()

    def turn(self, session: str, key: str | None) -> AbstractContextManager[None]:
        """The session's turn, to be waited for. `key`: the request's; a duplicate is refused meanwhile."""
        turn = self._turns[hash(session) % TURNS]
        return turn if key is None else self._running_once(turn, f"{session} {key}")

    @contextmanager
    def _running_once(self, turn: Turn, request: str) -> Iterator[None]:
        if request in self._running:
            raise Problem("request-in-progress", phrase("still-running"), {"Retry-After": "1"})
        self._running.add(request)
        try:
            with turn:
                yield
        finally:
            self._running.discard(request)
