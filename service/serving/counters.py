"""The files in which workers count for /metrics, reserved on the disk before they are used.

The client library maps files that have no blocks on the disk yet. On a full disk the system kills a process that writes
to such a page (SIGBUS). So each worker's files are filled before it maps them, with more than all routes and statuses
need. Where the disk has no room for that, the worker counts in its own memory.
"""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from struct import unpack

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
PREFIX = "rules-referee-counters-"  #: Of the folders that masters make, if the variable names none.
FROZEN = "referee_workers_frozen_total"  #: The counter that a worker makes as it starts, and the master raises.
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


def new_folder() -> str:
    """A new folder for the files of all workers. Folders of masters that were killed are removed."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), _held(left, fcntl.LOCK_EX):
            remove_all(left)
            left.rmdir()
    return tempfile.mkdtemp(prefix=PREFIX)


def hold_folder() -> None:
    """Keep other masters from removing the folder while this process, or one that it has forked, lives."""
    _HOLDS.enter_context(_held(Path(os.environ[FOLDER]), fcntl.LOCK_SH))


_HOLDS = ExitStack()


@contextmanager
def _held(folder: Path, how: int) -> Iterator[None]:
    """Hold a folder locked. Raises OSError if it is locked otherwise."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, how | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)


def remove_all(folder: Path) -> None:
    """Remove the files of all workers, and nothing else."""
    for each in folder.iterdir():
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


def count_frozen(worker: int) -> None:
    """Count in its file that a worker was replaced because it did not run. The master calls this before `release`."""
    (file,) = (each for each in _files(worker) if each.name.startswith("counter"))
    if not file.exists():  # it counted in memory
        return
    counts = MmapedDict(str(file))  # type: ignore[no-untyped-call]
    for key, *_ in list(counts.read_all_values()):  # type: ignore[no-untyped-call]
        if f'"{FROZEN}"' in key:
            counts.write_value(key, 1.0, 0.0)  # type: ignore[no-untyped-call]
    counts.close()  # type: ignore[no-untyped-call]
