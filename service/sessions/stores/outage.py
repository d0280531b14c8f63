"""When a store, or one of its servers, goes away and when it is back."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

LOG = logging.getLogger(__name__)
PROBING = 0.5
"""Seconds between two probes."""


class Outage:
    """Begins with the first call that fails. Ends when `probe`, run in the background, raises nothing any more.

    A later call that succeeds does not end it: where writing fails, reading may still succeed. `expected`: what the
    probe raises until then; `logged`: whether beginning and end are written to the log.
    """

    def __init__(
        self, probe: Callable[[], object], expected: tuple[type[Exception], ...], logged: bool = False
    ) -> None:
        self._probe = probe
        self._expected = expected
        self._logged = logged
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._over.set()
        self._stopped = False

    @property
    def over(self) -> bool:
        """There is none, or it has ended."""
        return self._over.is_set()

    def begin(self, reason: object) -> None:
        """Note that a call has failed."""
        with self._lock:
            if self._stopped or not self.over:
                return
            self._over.clear()
        if self._logged:
            LOG.warning("the store is away: %s", reason)
        threading.Thread(target=self._wait, daemon=True).start()

    def stop(self) -> None:
        """Probe no more, whatever fails from now on."""
        with self._lock:
            self._stopped = True
            self._over.set()

    def _wait(self) -> None:
        while not self._over.wait(PROBING):
            try:
                self._probe()
            except self._expected:
                continue
            except Exception:
                if not self._stopped:
                    LOG.exception("the probe of the store failed")
                continue
            if self._logged and not self._stopped:
                LOG.warning("the store is back")
            self._over.set()
