"""The volume that a SQLite store lies on: what is left of it, and a reserve with which a full store is emptied.

Deleting needs room, too: for the write-ahead log, and for the file when the log is copied into it. So a file beside the
store, its reserve, takes as much as that may need. When the volume is full the reserve is given up, and it is taken
back when there is room. Whatever another program leaves, sessions can be deleted.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

PART = 32  #: The log and the spare bytes take one part in so many of the volume each, if that is within their bounds.
LOGS = 256 << 10, 16 << 20  #: The least and the most bytes of the log after which it is copied into the file.
SPARES = 128 << 10, 1 << 20  #: The least and the most bytes that moves leave free.
OPENINGS_PART, OPENINGS = 16, 64 << 20  #: Openings leave free one part in so many of the volume, and at most so much.
FREE_PAGES = 256 << 10  #: Bytes of the volume for each page that the file may keep free.
ROW = 16 << 10  #: Bytes of the log that deleting a row, or giving back a page, may take, beside what the row holds.


def _within(size: int, bounds: tuple[int, int]) -> int:
    """The size, or the bound that it exceeds."""
    least, most = bounds
    return max(least, min(size, most))


class Volume:
    """The volume of the store at `path`. Its sizes follow that of the volume."""

    def __init__(self, path: Path) -> None:
        self._folder = path.absolute().parent
        self._log = f"{path.resolve()}-wal"
        self._reserve = f"{path.resolve()}-reserve"
        disk = os.statvfs(self._folder)
        self.whole = disk.f_blocks * disk.f_frsize  #: Bytes, those that others use included.
        self.log = _within(self.whole // PART, LOGS)
        """Bytes of the log after which it is copied into the file. Moves wait when it has twice as many."""
        self.spare = _within(self.whole // PART, SPARES)  #: Bytes that moves leave free: deleting begins with them.
        self.for_openings = min(self.whole // OPENINGS_PART, OPENINGS)  #: Bytes that openings leave free for moves.
        self.free_pages = self.whole // FREE_PAGES  #: Pages that the file keeps free at most.
        self.begin_portions()

    def begin_portions(self) -> None:
        """Begin with transactions of which each fits the spare bytes."""
        self.portion = self.spare // 2  #: Bytes that one transaction of a deletion may add to the log.
        self.rows = max(self.portion // ROW, 2)  #: Rows or pages that one transaction deletes or gives back.

    def halve_portions(self) -> bool:
        """Let a transaction take half as much, because there was no room; return whether that is any less."""
        before = self.rows
        self.portion, self.rows = self.portion // 2, max(self.rows // 2, 1)
        return self.rows < before

    def log_size(self) -> int:
        """Bytes of the write-ahead log."""
        try:
            return os.stat(self._log).st_size  # noqa: PTH116 - at every move
        except FileNotFoundError:
            return 0

    def reserve_size(self) -> int:
        """Bytes of the reserve."""
        try:
            return os.stat(self._reserve).st_size  # noqa: PTH116 - at every move
        except FileNotFoundError:
            return 0

    def lacking(self, log: int) -> int:
        """Bytes that the reserve lacks for a log of this size: copying may make the file as much longer."""
        return max(log + self.spare - self.reserve_size(), 0)

    def left(self, log: int) -> int:
        """Bytes that moves may take; below 0: none. `log`: those of the log now."""
        return self.free() - self.lacking(log) - self.spare

    def free(self) -> int:
        """Bytes that anybody may take."""
        disk = os.statvfs(self._folder)
        return disk.f_bavail * disk.f_frsize

    def take_reserve(self) -> bool:
        """Make the reserve as large as a longer log would demand; return whether it is enough for the log of now.

        Where there is no room for all of it, take what there is, but for the bytes that stay spare.
        """
        log, there = self.log_size(), self.reserve_size()
        if log + self.spare // 2 + self.spare > there:
            most = there + self.free() - self.spare
            size = min(self.spare + min(2 * max(log, self.spare), 2 * self.log), most)
            if size > there:
                self._lengthen_reserve(size)
        return not self.lacking(log)

    def _lengthen_reserve(self, size: int) -> None:
        """Make the reserve so large, or leave it, if another program takes the room meanwhile."""
        reserve = os.open(self._reserve, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            before = os.fstat(reserve).st_size
            try:
                os.posix_fallocate(reserve, 0, size)
            except OSError:
                os.ftruncate(reserve, before)
        finally:
            os.close(reserve)

    def give_up_reserve(self) -> None:
        """Give the reserve's bytes to the volume."""
        with suppress(FileNotFoundError):
            os.truncate(self._reserve, 0)
