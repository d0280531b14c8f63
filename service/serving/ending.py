"""Which signals end a worker."""

from __future__ import annotations

import signal

ENDS = {signal.SIGINT, signal.SIGQUIT, signal.SIGTERM}
