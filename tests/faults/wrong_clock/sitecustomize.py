"""Set Python's clock ahead. Python imports this at its start; the file WRONG_CLOCK contains the hours."""

import os
import time

_right = time.time


def _wrong() -> float:
    with open(os.environ["WRONG_CLOCK"], encoding="ascii") as file:  # noqa: PTH123 - the first import of all
        return _right() + 3600 * float(file.read() or 0)


time.time = _wrong
