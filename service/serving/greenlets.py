"""Greenlets that are kept for the next piece of work.

Whatever may wait must run in a greenlet, and whether a request will wait nobody knows beforehand. To make a greenlet
for each would cost as much as reading it does (8 µs: the interpreter maps memory for its frames). To switch to one that
is there costs 0.7 µs: so every request gets one, and most are through when the switch returns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

from gevent import get_hub
from greenlet import GreenletExit, getcurrent, greenlet

P = ParamSpec("P")

KEPT = 64
"""How many idle ones are kept."""
PAUSED = 32
"""How many let others begin first. More would cost nothing less, and their clients wait longer."""


class Greenlets:
    """Does work at once, in a greenlet. To be called from the hub, where its callbacks run."""

    def __init__(self, failed: Callable[[], object]) -> None:
        self.idle: list[greenlet] = []
        self.failed = failed
        """What is called in the handling of an exception that a piece of work has raised."""
        self.paused = 0
        """How many wait for others to begin."""

    def do(self, work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Begin a piece of work; returns when it is done, or waits."""
        one = self.idle.pop() if self.idle else greenlet(self._serve, get_hub())
        one.switch(lambda: work(*args, **kwargs))

    def after_others(self) -> None:
        """Go on when all that came at the same time has been begun. To be called in a greenlet.

        For calls of the system, when many work: each makes the core forget our work a little, and several in a row
        hardly more than one (docs/decisions/0003-http-in-c.md).
        """
        hub = get_hub()
        if not hub.loop.pendingcnt or self.paused == PAUSED:
            return
        self.paused += 1
        turn = hub.loop.run_callback(getcurrent().switch)
        try:
            hub.switch()
        finally:
            turn.stop()
            self.paused -= 1

    def _serve(self, work: Callable[[], object]) -> None:
        me, hub = getcurrent(), get_hub()
        while True:
            try:
                work()
            except GreenletExit:
                pass
            except Exception:  # noqa: BLE001 - whatever it is, the hub must not see it
                self.failed()
            if len(self.idle) >= KEPT:
                return
            self.idle.append(me)
            work = hub.switch()
