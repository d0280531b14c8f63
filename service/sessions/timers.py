"""The times at which a worker's sessions change without a request: one heap and one thread for all of them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from service.sessions.stores.protocol import StoreUnavailable

LOG = logging.getLogger(__name__)
LONGEST_WAIT = 30.0
"""The longest wait, in seconds. After it a session is looked at again: another worker may have deleted it."""
CLOCK_MARGIN = 0.005
"""Seconds that are added to each wait, because the store's clock may run a little behind this one."""
PAUSE = 1e-6
"""Seconds between two sessions in which requests run. With 0, gevent would not look at its sockets."""
RETRY_SECONDS = 1.0  #: Seconds after which a session is tried again while the store is away.
MOST_TRIES = 60  #: How often a session is tried again while the store is away.


class Timer(NamedTuple):
    """A session is to be looked at when it is `due` by the monotonic clock. `at`: the same by the store's, in ms."""

    due: float
    session: str
    at: int
    tries: int = 0


class Timers:
    """Calls `look` with each session when it is due, one after the other. The thread ends when none waits."""

    def __init__(self, look: Callable[[str], None]) -> None:
        self._look = look
        self._timers: dict[str, Timer] = {}
        self._heap: list[Timer] = []
        """The same timers, the first due first, and others that were replaced or forgotten, no more than these."""
        self._lock = threading.Lock()
        self._changed = threading.Event()  #: Whether another timer is the first, or there is none.
        self._running = False

    def __len__(self) -> int:
        """How many timers are in memory."""
        return len(self._heap)

    def expect(self, session: str, at: int, now: int) -> None:
        """Look at a session at this time, or before: a session that is looked at says when to look again.

        `now`: as `at` by the store's clock.
        """
        timer = Timer(time.monotonic() + min(max(at - now, 0) / 1000 + CLOCK_MARGIN, LONGEST_WAIT), session, at)
        known = self._timers.get(session)
        if known is None or (timer.at != known.at and timer.due < known.due):
            self._add(timer)

    def forget(self, session: str) -> None:
        """Drop the session's timer, if it has one."""
        with self._lock:
            if self._timers.pop(session, None) is not None:
                self._compact()
                if not self._heap:
                    self._changed.set()

    def _add(self, timer: Timer) -> None:
        """Add a timer, in place of another of its session."""
        with self._lock:
            self._timers[timer.session] = timer
            heappush(self._heap, timer)
            self._compact()
            if self._heap[0] is timer:
                self._changed.set()
            running, self._running = self._running, True
        if not running:
            threading.Thread(target=self._run, daemon=True).start()

    def _compact(self) -> None:
        """Drop the timers that were replaced or forgotten from the heap, if they are more than the others."""
        if len(self._heap) > 2 * len(self._timers):
            self._heap = [*self._timers.values()]
            heapify(self._heap)

    def _run(self) -> None:
        """Look at each session when it is due, until no timer is left."""
        while (timer := self._next()) is not None:
            try:
                self._look(timer.session)
            except StoreUnavailable:
                # Without another try, a read or a move does what is due.
                if timer.tries < MOST_TRIES and timer.session not in self._timers:
                    self._add(timer._replace(due=time.monotonic() + RETRY_SECONDS, tries=timer.tries + 1))
            except Exception:
                LOG.exception("what a session owes is made when it is read")
            time.sleep(PAUSE)

    def _next(self) -> Timer | None:
        """Wait for the timer that is due first, and take it. None: there is none, and the thread ends."""
        while True:
            with self._lock:
                while self._heap and self._timers.get(self._heap[0].session) is not self._heap[0]:
                    heappop(self._heap)
                if not self._heap:
                    self._running = False
                    return None
                first = self._heap[0]
                wait = first.due - time.monotonic()
                if wait <= 0:
                    del self._timers[first.session]
                    return heappop(self._heap)
                self._changed.clear()
            self._changed.wait(wait)
