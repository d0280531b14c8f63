"""Detect when a store, or one of its servers, becomes unavailable, and when it is back."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from service.sessions.stores.protocol import StoreUnavailable

LOG = logging.getLogger(__name__)
PROBING = 0.5  #: Seconds between two probes.


class Outage:
    """A time without answers, from the first failed call until `probe`, repeated in the background, succeeds.

    A call that succeeds does not end it: when writing fails, reading may still succeed. `expected`: what the probe
    raises during the outage; `logged`: whether beginning and end are logged.
    """

    def __init__(
        self, probe: Callable[[], object], expected: tuple[type[Exception], ...], logged: bool = False
    ) -> None:
        self._probe = probe
        self._expected = expected
        self._logged = logged
        self.reason = ""  #: Why the last outage began.
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._over.set()
        self._stopped = False

    @property
    def over(self) -> bool:
        """Whether there is no outage now."""
        return self._over.is_set()

    def begin(self, reason: object) -> StoreUnavailable:
        """Begin the outage, unless there is one: a call has failed. Returns the error to raise."""
        with self._lock:
            if self.over and not self._stopped:
                self._over.clear()
                self.reason = str(reason)
                if self._logged:
                    LOG.warning("the store is away: %s", reason)
                threading.Thread(target=self._wait, daemon=True).start()
        return StoreUnavailable(str(reason))

    def stop(self) -> None:
        """End the outage, and begin none from now on."""
        with self._lock:
            self._stopped = True
            self._over.set()

    def _wait(self) -> None:
        """Probe again and again until that succeeds; then the outage is over."""
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
