"""The files in which workers count for /metrics, reserved on the disk before they are used.

The client library maps files that have no blocks on the disk yet. On a full disk the system kills a process that writes
to such a page (SIGBUS). So each worker's files are filled before it maps them, with more than all routes and statuses
need. Where the disk has no room for that, the worker counts in its own memory.
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
"""Bytes of each file: twice what all routes, statuses, games and rulings need (checked by a test)."""
NAME = re.compile(r"(counter|histogram|summary|gauge_[a-z]+)_[0-9]+\.db")


def _files(worker: int) -> dict[Path, int]:
    """The files of a worker, under the names that the library gives them, with their sizes."""
    return {Path(os.environ[FOLDER], f"{kind}_{worker}.db"): size for kind, size in SIZES.items()}


def remove_all() -> None:
    """Remove the files of all workers, and nothing else."""
    for each in Path(os.environ[FOLDER]).iterdir():
        if NAME.fullmatch(each.name) and each.is_file():
            each.unlink()


def reserve(worker: int) -> None:
    """Fill this worker's files and make it count in them. Without room, make it count in memory and raise OSError."""
    values.ValueClass = values.MutexValue
    try:
        for each, size in _files(worker).items():
            with each.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, size)
    except OSError:
        for each in _files(worker):
            with suppress(OSError):
                each.unlink()
        raise
    values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]


def release(worker: int) -> None:
    """Truncate the files of a worker that has ended to the part that it used."""
    for each in _files(worker):
        with suppress(OSError), each.open("r+b") as file:
            file.truncate(max(unpack("i", file.read(4))[0], 8))
