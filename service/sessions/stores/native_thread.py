"""Work in a thread of the system, for what waits for a disk: where gevent runs, `threading` makes greenlets instead."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib import import_module
from math import inf
from typing import Any


def native(module: str, name: str) -> Any:
    """A function of the standard library as it was before gevent replaced it: it stops the thread that calls it."""
    monkey = sys.modules.get("gevent.monkey")
    return getattr(import_module(module), name) if monkey is None else monkey.get_original(module, name)


class NativeThread:
    """Calls `work` in one native thread, again and again while there is some.

    `work` returns after how many seconds it is to be called again without another request, at the latest; `inf`: never.
    It must neither wait by a function that gevent has replaced, nor log.
    """

    def __init__(self, work: Callable[[], float]) -> None:
        self._work = work
        self._lock = native("_thread", "allocate_lock")()  # held for a few instructions only
        self._wake = native("_thread", "allocate_lock")()
        self._wake.acquire()
        self._requests = self._done = 0
        self.running = False
        self.error: Exception | None = None  #: The last one that the work raised.

    def request(self) -> int:
        """Have the work done, once more if it is being done now. Returns the number of this request."""
        with self._lock:
            self._requests += 1
            number = self._requests
            begins, self.running = not self.running, True
        if begins:
            try:
                native("_thread", "start_new_thread")(self._run, ())
            except RuntimeError:  # no memory for a thread; a later request tries again
                self.running = False
        elif self._wake.locked():
            self._wake.release()
        return number

    def is_done(self, number: int) -> bool:
        """Whether the request of this number is done, or was given up."""
        return self._done >= number or not self.running

    def wait(self, number: int, seconds: float) -> bool:
        """Wait until the request of this number is done; return whether it was in time. Greenlets go on meanwhile."""
        return until(lambda: self.is_done(number), seconds)

    def wait_for_end(self, seconds: float) -> bool:
        """Wait until nothing is left to do; return whether it was in time."""
        return until(lambda: not self.running, seconds)

    def _run(self) -> None:
        """Do the work until nothing is requested, nor due after a pause."""
        while True:
            number = self._requests
            try:
                pause = self._work()
            except Exception as error:  # noqa: BLE001 - raised where it can be logged
                self.error, pause = error, inf
            with self._lock:
                self._done = number
                ends = pause == inf and self._requests == number
                if ends:
                    self.running = False
                    return
            if self._requests == number:
                self._wake.acquire(timeout=pause)


def until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait for a condition; return whether it came true in time. Greenlets go on meanwhile."""
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.001)
    return True
