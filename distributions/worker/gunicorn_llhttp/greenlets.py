"""A pool of idle greenlets that run the next pieces of work.

A request may wait (for a store, for its next time slice, for a slow reader), so it runs in a greenlet. A new greenlet
for each costs 6 µs, because the interpreter maps memory for its frames. Switching to an idle one costs 0.6 µs.
"""

from __future__ import annotations

from collections.abc import Callable

from gevent import get_hub
from greenlet import GreenletExit, getcurrent, greenlet

MOST_IDLE = 64
MOST_PAUSED = 32
"""The most greenlets in `let_others_start`. With more, CPU time falls no further, and clients wait longer."""


class Greenlets:
    """Runs work in idle greenlets. When work raises, `failed` is called in the exception handler."""

    def __init__(self, failed: Callable[[], object]) -> None:
        self.idle: list[greenlet] = []
        self.failed = failed
        self.paused = 0

    def run(self, work: Callable[[], object]) -> None:
        """Start work; return when it is done or waits. To be called in the hub."""
        one = self.idle.pop() if self.idle else greenlet(self._loop, get_hub())
        one.switch(work)

    def let_others_start(self) -> None:
        """Continue once all work that is ready now has started. To be called in a greenlet, before a system call.

        System calls in a row disturb the processor's caches less than system calls between verdicts: this saves 6 to
        10 % of a request with 8 connections (this package, docs/decisions/0002-http-in-c.md).
        """
        hub = get_hub()
        if not hub.loop.pendingcnt or self.paused == MOST_PAUSED:
            return
        self.paused += 1
        callback = hub.loop.run_callback(getcurrent().switch)
        try:
            hub.switch()
        finally:
            callback.stop()
            self.paused -= 1

    def _loop(self, work: Callable[[], object]) -> None:
        """Do one piece of work after the other, and wait among the idle greenlets in between."""
        me, hub = getcurrent(), get_hub()
        while True:
            try:
                work()
            except GreenletExit:
                pass
            except Exception:  # noqa: BLE001 - an exception must never reach the hub
                self.failed()
            if len(self.idle) >= MOST_IDLE:
                return
            self.idle.append(me)
            work = hub.switch()
