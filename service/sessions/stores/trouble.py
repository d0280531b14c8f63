"""When a store goes away and when it is back, told once each."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from service.sessions.stores.protocol import StoreUnavailable

LOG = logging.getLogger(__name__)
ASKING = 0.5
"""Seconds between two attempts to find out whether it is over."""


class Trouble:
    """Begins with the first call that fails, and ends when `probe`, which is asked in the background, raises no more.

    Not with the next call that succeeds: what cannot be written may still be read.
    """

    def __init__(self, probe: Callable[[], object]) -> None:
        self._probe = probe
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._over.set()

    def begins(self, reason: object) -> None:
        """A call failed. Logged unless it is known."""
        with self._lock:
            if not self._over.is_set():
                return
            self._over.clear()
        LOG.warning("the store is away: %s", reason)
        threading.Thread(target=self._wait, daemon=True).start()

    def stop(self) -> None:
        """Ask no more."""
        self._over.set()

    def _wait(self) -> None:
        while not self._over.wait(ASKING):
            try:
                self._probe()
            except StoreUnavailable:
                continue
            except Exception:
                if self._over.is_set():  # the store was closed meanwhile
                    return
                raise
            LOG.warning("the store is back")
            self._over.set()
