"""Wakes the streams of one worker when their sessions change: one watcher of the store for all of them."""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from service.sessions.stores.protocol import Store

LOG = logging.getLogger(__name__)
AGAIN = 1.0
"""Seconds until the store is watched again after a failure that it did not expect."""


class Feed:
    """The listeners of this worker, by session."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._listeners: defaultdict[str, set[threading.Event]] = defaultdict(set)
        self._lock = threading.Lock()
        self._watching = False

    @property
    def listeners(self) -> int:
        """How many there are, of all sessions."""
        return sum(map(len, tuple(self._listeners.values())))

    @contextmanager
    def listening(self, session: str) -> Iterator[threading.Event]:
        """Set whenever the session may have changed."""
        woken = threading.Event()
        with self._lock:
            self._listeners[session].add(woken)
            if not self._watching:
                self._watching = True
                threading.Thread(target=self._watch, daemon=True).start()
        try:
            yield woken
        finally:
            with self._lock:
                self._listeners[session].discard(woken)
                if not self._listeners[session]:
                    del self._listeners[session]

    def wake(self, sessions: Collection[str]) -> None:
        """Wake who listens to these. A worker calls it for its own changes, too: the store's notice comes later."""
        for session in sessions:
            for woken in tuple(self._listeners.get(session, ())):
                woken.set()

    def _watch(self) -> None:
        while True:
            try:
                self._store.watch(lambda: tuple(self._listeners), self.wake)
            except Exception:
                LOG.exception("changes are not noticed for a moment")
                time.sleep(AGAIN)
            with self._lock:
                if not self._listeners:
                    self._watching = False
                    return
