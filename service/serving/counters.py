"""The files in which workers count, and for which there must be room on the disk.

The client library maps files that are only as long as they need to be, with nothing behind: whoever writes to such a
page on a full disk is killed by the system (SIGBUS). So each worker's files are filled before it maps them, with more
than all its routes and statuses need; where the disk has no room for that, the worker counts for itself.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from struct import unpack

from prometheus_client import values

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SIZES = {
    "counter": 512 * 1024,
    "histogram": 512 * 1024,
    "gauge_livesum": 4 * 1024,
    "gauge_livemostrecent": 4 * 1024,
}
"""Bytes of each file: twice what all routes, statuses, games and rulings come to (held by a test)."""
_process = [os.getpid()]
"""The id of this process. The library asks for it at each count, and asking the system costs more than counting."""
NAME = re.compile(r"(counter|histogram|summary|gauge_[a-z]+)_[0-9]+\.db")


def _note_process() -> None:
    _process[0] = os.getpid()


os.register_at_fork(after_in_child=_note_process)
if FOLDER in os.environ:
    values.ValueClass = values.MultiProcessValue(lambda: _process[0])  # type: ignore[no-untyped-call]


def _files(worker: int) -> dict[Path, int]:
    """What the library calls the files of a worker, by its process id; and how many bytes they get."""
    return {Path(os.environ[FOLDER], f"{kind}_{worker}.db"): size for kind, size in SIZES.items()}


def forget() -> None:
    """Remove the files of all workers, and nothing else."""
    for each in Path(os.environ[FOLDER]).iterdir():
        if NAME.fullmatch(each.name) and each.is_file():
            each.unlink()


def reserve(worker: int) -> None:
    """Fill the files that a worker is about to map. Raises OSError where there is no room; it maps none, then."""
    try:
        for each, size in _files(worker).items():
            with each.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, size)
    except OSError:
        values.ValueClass = values.MutexValue
        _remove(worker)
        raise


def _remove(worker: int) -> None:
    for each in _files(worker):
        with suppress(OSError):
            each.unlink()


def give_back(worker: int) -> None:
    """Of a worker that has gone keep what it counted, not what was in reserve for it."""
    for each in _files(worker):
        with suppress(OSError), each.open("r+b") as file:
            file.truncate(max(unpack("i", file.read(4))[0], 8))
