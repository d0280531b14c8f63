"""Sessions in one SQLite file, shared by every worker on the machine. Needs no server; survives killed workers.

No greenlet yields between `BEGIN IMMEDIATE` and `COMMIT`, so one connection serves a whole worker, and changes that
come at the same time share a transaction. If SQLite waited for a lock, every greenlet would stop: so SQLite never
waits, and this module tries again. A change waits for no disk either. What does, copying the write-ahead log into the
file, is done by `_tend`, in a native thread on a connection of its own, and so is the deleting of rows.

A deletion only marks its session as gone. Its rows go after that, in portions that a full disk has room for.

The file is made with the first session. Until then an empty store in memory answers what is read, and nothing else.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import random
import secrets
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial, wraps
from math import inf
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from service.sessions.stores.native_thread import NativeThread, native, until
from service.sessions.stores.outage import Outage
from service.sessions.stores.protocol import (
    FORMAT,
    SLOW_SYNC,
    Change,
    Clock,
    Copied,
    LogEntry,
    Notify,
    Reached,
    Remembered,
    Risk,
    Size,
    StoredResponse,
    StoredSession,
    StoreFull,
    StoreSlow,
    StoreUnavailable,
    WriteResult,
    check_format,
)
from service.sessions.stores.sqlite_volume import ROW, Volume

LOG = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")

PATIENCE = 0.4  #: Seconds to wait for another process that holds the file.
POLL = 0.02
"""The least seconds between two checks for changes by other workers. A change may be seen so much later there."""
RESTS = 20
"""The pause after a check is at least so many times as long as the check, however many sessions it reads."""

AT_ONCE = 500  #: Names of sessions that are read at once.
SLOT = 600.0
"""Seconds of one slot. Expiry is indexed by slots. A move leaves its session's slot alone; `sweep` updates due ones."""
GONE = 1 << 16
"""The slot of deleted sessions, of 1971. It takes as many bytes as any of today, so that the row keeps its place."""
ENDED = 0.5  #: When deleted sessions have expired, for the same reason.
SWEPT_AT_ONCE = 50  #: Expired sessions that one sweep deletes.
SPARE_PAGES = 1000  #: Free pages that the file keeps, if the volume has room; more than these go back to the disk.
SLOW_HEADER = 0.05
"""Seconds that the disk takes for a copy of the log. From then on the thread begins the next log, which waits, too."""
LARGE_COLUMNS = {"log": "entry", "answers": "body", "kept": "session", "tickets": "ticket"}
"""The tables that hold rows of sessions, each with the column that may be large."""
DAMAGE_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}  #: SQLite's codes for a damaged file.
COPY_PATIENCE = 2.0  #: Seconds that a change waits for a log that is copied. Others wait that long for its session.
DELETION_PATIENCE = 4.0  #: Seconds that a deletion waits for room, or for a log that is copied.
SWEEP_PATIENCE = 10.0  #: Seconds that a sweep waits for the native thread, and that thread for others.
CLOSE_PATIENCE = 10.0  #: Seconds that the end waits for it, and for another process that closes the same file.
DELETING_AT_CLOSE = 3.0  #: Seconds that a store that closes goes on deleting. The next start deletes the rest.
ROOM_MADE = 20  #: How often one round of the upkeep makes room on a full volume.
EMPTYING = 1.0
"""Seconds between two emptyings of the write-ahead log, which still holds what was deleted. Each waits for the disk."""
LOOK = 0.25
"""Seconds between two looks into the file and at the -wal and -shm: at every call they would take several percent."""
PING = "ping"  #: The name of a session that never exists: other names are longer.
ROOM_FOR_A_NEW_FILE = 256 * 1024
"""Bytes that the disk must take before the file is made: the file and its log have 150 KiB then."""

MAGIC = b"SQLite format 3\0"
PLACES = (16, 18), (24, 28), (28, 32), (68, 72)
"""Where a file's header has, as of the last checkpoint: the size of a page, the number of changes, which never falls,
that of pages, and `application_id`, a random number that the file gets when it is made.
"""
PRAGMAS = (
    "auto_vacuum = INCREMENTAL",
    "secure_delete = ON",  # costs a move nothing that could be measured
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "wal_autocheckpoint = 0",  # `_tend` does it
)
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS sessions
    (id TEXT PRIMARY KEY, generation TEXT NOT NULL, version INTEGER NOT NULL, head BLOB NOT NULL,
     expires REAL NOT NULL, slot INTEGER NOT NULL, parts INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS expiring ON sessions (slot);
CREATE TABLE IF NOT EXISTS log (session TEXT NOT NULL, version INTEGER NOT NULL, entry BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS entries ON log (session, version);
CREATE TABLE IF NOT EXISTS answers
    (session TEXT, key TEXT, fingerprint TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (session, key));
CREATE TABLE IF NOT EXISTS kept (session TEXT PRIMARY KEY, size INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS tickets
    (session TEXT, ticket TEXT, bearer TEXT NOT NULL, expires REAL NOT NULL, PRIMARY KEY (session, ticket));
CREATE INDEX IF NOT EXISTS void ON tickets (expires);
CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS noted (name TEXT PRIMARY KEY, expires REAL NOT NULL);
CREATE TABLE IF NOT EXISTS pings (only INTEGER PRIMARY KEY, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS counts (only INTEGER PRIMARY KEY, sessions INTEGER NOT NULL);
INSERT OR REPLACE INTO counts SELECT 0, count(*) FROM sessions;
CREATE TRIGGER IF NOT EXISTS one_more AFTER INSERT ON sessions BEGIN UPDATE counts SET sessions = sessions + 1; END;
CREATE TRIGGER IF NOT EXISTS one_less AFTER DELETE ON sessions BEGIN UPDATE counts SET sessions = sessions - 1; END;
PRAGMA user_version = {FORMAT};
"""  # noqa: S608 - a number of ours


def reading(
    method: Callable[Concatenate[SqliteStore, sqlite3.Connection, P], T],
) -> Callable[Concatenate[SqliteStore, P], T]:
    """A method that reads the file, or the empty store while there is none."""

    @wraps(method)
    def read(store: SqliteStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return store.patiently(lambda db: method(store, db, *args, **kwargs))

    return read


def growing(
    method: Callable[Concatenate[SqliteStore, sqlite3.Connection, P], T],
) -> Callable[Concatenate[SqliteStore, P], T]:
    """A method that writes to the file, all of it or nothing, if there is room for more. It makes a missing file."""

    @wraps(method)
    def written(store: SqliteStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        store.wait_for_room()
        return store.together(lambda db: method(store, db, *args, **kwargs))

    return written


def writing(
    method: Callable[Concatenate[SqliteStore, sqlite3.Connection, P], T],
) -> Callable[Concatenate[SqliteStore, P], T]:
    """A method that writes to the file, all of it or nothing, as long as anything can be written."""

    @wraps(method)
    def written(store: SqliteStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return store.together(lambda db: method(store, db, *args, **kwargs))

    return written


def amending(
    method: Callable[Concatenate[SqliteStore, sqlite3.Connection, P], T],
) -> Callable[Concatenate[SqliteStore, P], T]:
    """A method that writes to the file, if need be with the room of the reserve. Without a file: on an empty store."""

    @wraps(method)
    def written(store: SqliteStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        def change(db: sqlite3.Connection) -> T:
            return method(store, db, *args, **kwargs)

        return store.in_any_case(change) if store.has_file() else store.without_file(change)

    return written


class Job(Generic[T]):
    """A change that waits to be written. `results`: has its result, once it is in the file."""

    def __init__(self, change: Callable[[sqlite3.Connection], T]) -> None:
        self.change = change
        self.results: list[T] = []


def _code(error: object) -> int:
    """SQLite's primary code of an error."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _pragma(db: sqlite3.Connection, name: str) -> int:
    """The value of one of SQLite's pragmas, which is a number."""
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


class InUse(Exception):
    """Other processes read or write the log all the time."""


def _is_full(error: sqlite3.Error) -> bool:
    """Whether there was no room, in the volume or, for the file of locks, in its last page."""
    return getattr(error, "sqlite_errorcode", 0) in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}


def _one_gone(db: sqlite3.Connection) -> str | None:
    """The name of a deleted session whose rows are still there."""
    row = db.execute("SELECT id FROM sessions WHERE slot = ? LIMIT 1", (GONE,)).fetchone()
    return None if row is None else str(row[0])


def _portion(db: sqlite3.Connection, session: str, volume: Volume) -> tuple[dict[str, list[int]], bool]:
    """Rows of a session that one transaction may delete, by table, and whether its own row may go with them.

    However little fits, it is one row.
    """
    portion: dict[str, list[int]] = {}
    left = volume.portion
    for table, body in LARGE_COLUMNS.items():
        chosen = f"SELECT rowid, length({body}) FROM {table} WHERE session = ? LIMIT ?"  # noqa: S608 - names of ours
        for number, size in db.execute(chosen, (session, volume.rows)):
            if left <= 0:
                return portion, False
            portion.setdefault(table, []).append(number)
            left -= ROW + size
    record = db.execute("SELECT length(head) FROM sessions WHERE id = ?", (session,)).fetchone()
    return portion, not portion or record is None or left > ROW + record[0]


def _locked(folder: int) -> bool:
    """Try to lock a folder; return whether that was possible. Closing it ends that."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _rest() -> None:
    """Let others take the lock of the file: a pause of the native thread."""
    native("time", "sleep")(0.001)


def _written(db: sqlite3.Connection, jobs: list[Job[Any]]) -> list[Any]:
    """The results of changes, written in one transaction."""
    db.execute("BEGIN IMMEDIATE")
    with db:
        return [job.change(db) for job in jobs]


def _pause() -> None:
    """Sleep for a random while, so that waiting processes do not collide again."""
    time.sleep(random.uniform(0.0005, 0.004))  # noqa: S311 - no secret


class SqliteStore:
    """A `Store` in the file at `path`. The first write makes the file, and its folder."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self.clock = Clock()
        self.lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._empty: sqlite3.Connection | None = None  #: A store without anything in it, in memory.
        self._file = 0, 0  #: Device and inode of the open file.
        self._mark = self._changes = 0
        """The mark of the open file (its `application_id`), and how many changes it had when last read."""
        self._open_beside: list[int] = []
        self._next_look = 0.0
        self._size = 0
        self._jobs: list[Job[Any]] = []
        self._volume: Volume | None = None
        self._upkeep = NativeThread(self._tend)
        self._upkeep_connection: sqlite3.Connection | None = None
        self._emptied_at = 0.0  #: When the write-ahead log was emptied last, or tried to be.
        self._scrubs = False  #: Whether the log still holds what was deleted.
        self._relieves = False  #: Whether the reserve is to be given up now: something could not be deleted.
        self._turning = False  #: Whether `_tend` empties the log now. Changes wait.
        self._sync_began: float | None = None  #: When `_tend` began what waits for the disk now.
        self._sync_took = 0.0
        self._closes = False
        self._ends = inf  #: When `_tend` stops deleting, because the store closes.
        self._due = -inf
        self._has_more = False  #: Whether the last sweep left some of what was due.
        self._outage = Outage(self.ping, (StoreUnavailable,), logged=True)
        self._damage = ""
        """The damage found in the file. `ping` fails until the next start, even if other parts can be read."""

    @reading
    def read(self, db: sqlite3.Connection, session: str, key: str | None = None) -> StoredSession | None:
        """The session, with the response stored under the key if there is one; None if there is no session."""
        row = db.execute(
            "SELECT version, head, parts FROM sessions WHERE id = ? AND expires > ?", (session, self.clock.now())
        ).fetchone()
        if row is None:
            return None
        version, record, parts = row
        now = time.monotonic_ns() // 1_000_000  # the same in all processes of the machine, and nobody can set it
        response = None if key is None else self._stored(db, session, key)
        return StoredSession(version, record, response, parts, now)

    def write(self, session: str, change: Change, lifetime: float) -> WriteResult | StoredResponse:
        """Wait for room, then make the change, or return why not; or the response stored under its key."""
        self.wait_for_room(opens=change.since < 0)
        return self._write(session, change, lifetime)

    @writing
    def _write(
        self, db: sqlite3.Connection, session: str, change: Change, lifetime: float
    ) -> WriteResult | StoredResponse:
        """As `write`, once there is room. A response stored under the change's key comes before any check."""
        expires = self.clock.latest() + lifetime
        response = change.response
        if response is not None and (stored := self._stored(db, session, response.key)):
            return stored
        make = self._open if change.since < 0 else self._advance
        result = make(db, session, change, expires)
        if result is WriteResult.WRITTEN and response is not None:
            self._store(db, session, response)
        return result

    def _open(self, db: sqlite3.Connection, session: str, change: Change, expires: float) -> WriteResult:
        """Write a new session, over one of this name that has expired."""
        if self._is_there(db, session):
            return WriteResult.STALE
        if db.execute("SELECT 1 FROM sessions WHERE id = ?", (session,)).fetchone():
            self._forget(db, [session])
        row = (session, change.generation, 0, change.record, expires, int(expires // SLOT))
        db.execute("INSERT INTO sessions (id, generation, version, head, expires, slot) VALUES (?, ?, ?, ?, ?, ?)", row)
        return WriteResult.WRITTEN

    def _advance(self, db: sqlite3.Connection, session: str, change: Change, expires: float) -> WriteResult:
        """Write a change to a session, if that is as it was when the change was judged."""
        before = (session, change.since, change.parts, change.generation, self.clock.now())
        updated = db.execute(
            "UPDATE sessions SET version = ?, parts = ?, head = ?, expires = ?"
            " WHERE id = ? AND version = ? AND parts = ? AND generation = ? AND expires > ?",
            (*change.reaches, change.record, expires, *before),
        )
        if not updated.rowcount:
            rows = db.execute(
                "SELECT generation FROM sessions WHERE id = ? AND expires > ?", (session, self.clock.now())
            )
            return WriteResult.STALE if rows.fetchone() == (change.generation,) else WriteResult.GONE
        if change.entry:
            row = (session, change.since + 1, change.entry)
            db.execute("INSERT INTO log (session, version, entry) VALUES (?, ?, ?)", row)
        return WriteResult.WRITTEN

    @growing
    def store_response(
        self, db: sqlite3.Connection, session: str, response: StoredResponse, most: int
    ) -> WriteResult | StoredResponse:
        """Store a refusal. FULL: refusals of this session have `most` bytes already."""
        if not self._is_there(db, session):
            return WriteResult.GONE
        if stored := self._stored(db, session, response.key):
            return stored
        size = db.execute("SELECT total(size) FROM kept WHERE session = ?", (session,)).fetchone()[0]
        if size >= most:
            return WriteResult.FULL
        db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (session, int(size) + response.size))
        self._store(db, session, response)
        return WriteResult.WRITTEN

    @reading
    def log(self, db: sqlite3.Connection, session: str, after: int, most: int, generation: str = "") -> list[LogEntry]:
        """At most `most` entries above version `after`, in order; none if the generation is another."""
        rows = db.execute(
            "SELECT version, entry FROM log WHERE session = ? AND version > ?"
            " AND EXISTS (SELECT 1 FROM sessions WHERE id = ? AND generation = ? AND slot != ?)"
            " ORDER BY version LIMIT ?",
            (session, after, session, generation, GONE, most),
        )
        return [LogEntry(*row) for row in rows]

    def delete(self, session: str) -> bool:
        """Mark the session as gone; the native thread deletes it. Returns whether it existed."""
        existed = self._mark_gone(session)
        if self._connection is not None:
            self._upkeep.request()
        return existed

    @amending
    def _mark_gone(self, db: sqlite3.Connection, session: str) -> bool:
        """Mark a session as gone; return whether it was there. That writes a few pages, however large it is."""
        there = self._is_there(db, session)
        db.execute("UPDATE sessions SET expires = ?, slot = ? WHERE id = ?", (ENDED, GONE, session))
        return there

    @reading
    def count(self, db: sqlite3.Connection) -> int:
        """The number of sessions, also of expired ones, but not of those that are only marked as gone."""
        gone = "SELECT count(*) FROM sessions WHERE slot = ?"
        return int(db.execute(f"SELECT sessions - ({gone}) FROM counts", (GONE,)).fetchone()[0])  # noqa: S608

    @reading
    def size(self, db: sqlite3.Connection) -> Size:
        """The bytes that the pages in use take, how many there may be, and whether one session more has room."""
        volume = self._volume
        if db is not self._connection or volume is None:
            disk = os.statvfs(self._folder())
            return Size(0, disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize)
        log, page, free_pages = volume.log_size(), _pragma(db, "page_size"), _pragma(db, "freelist_count")
        left = volume.left(log)
        if left < 2 * log or (free_pages and left < volume.for_openings):
            self._upkeep.request()
        used = page * (_pragma(db, "page_count") - free_pages)
        # Once the log is emptied, which an opening waits for, there is as much as if it had been empty.
        return Size(used, used + max(left, 0), volume.whole, opens=volume.left(log=0) >= volume.for_openings)

    def sweep(self, due: float) -> bool:
        """Have the native thread delete what expired before `due`; return whether it left some.

        False as well if the thread is not done in `SWEEP_PATIENCE` seconds.
        """
        if not self._has_upkeep(due):
            return False
        self._due = due
        number = self._upkeep.request()
        return self._upkeep.wait(number, SWEEP_PATIENCE) and self._has_more

    @reading
    def _has_upkeep(self, db: sqlite3.Connection, due: float) -> bool:
        """Whether `_tend` has anything to do."""
        if db is not self._connection or self._volume is None:
            return False
        void = db.execute("SELECT 1 FROM tickets WHERE expires <= ? LIMIT 1", (self.clock.now(),)).fetchone()
        return (
            void is not None
            or _one_gone(db) is not None
            or bool(self._rows_due(db, due, 1))
            or _pragma(db, "freelist_count") > 2 * min(SPARE_PAGES, self._volume.free_pages)
            or self._volume.lacking(self._volume.log_size()) > 0
            or self._sync_took > SLOW_SYNC
        )

    # --- upkeep, in the native thread -------------------------------------------------------------

    def _tend(self) -> float:
        """Delete expired sessions, empty the log, give free pages back. Returns the seconds until the next sweep."""
        db, volume = self._upkeep_connection, self._volume
        if db is None or volume is None or self._file_differs():
            return inf
        volume.begin_portions()
        with suppress(sqlite3.Error):  # what is no matter of room, the worker's own connection meets as well
            for _ in range(ROOM_MADE):
                try:
                    wait = self._tended_if_room(db, volume)
                except InUse:
                    wait = EMPTYING
                if wait is not None:
                    return inf if self._closes else wait
        return inf

    def _tended_if_room(self, db: sqlite3.Connection, volume: Volume) -> float | None:
        """What `_tend` does, once. If there was no room it makes some, has less done at once, and returns None."""
        try:
            return self._tended(db, volume)
        except sqlite3.Error as error:
            if _code(error) == sqlite3.SQLITE_BUSY:
                raise InUse from error
            if not _is_full(error):
                raise
        self._make_room(db, volume)
        if not volume.halve_portions():
            volume.give_up_reserve()
        return None

    def _tended(self, db: sqlite3.Connection, volume: Volume) -> float:
        """What `_tend` does where nothing fails. It stops in the middle if the store closes and that takes long."""
        self._shorten_log(db, volume)
        volume.take_reserve()
        self._has_more = self._mark_due(db, volume, self._due)
        while time.monotonic() < self._ends and (session := _one_gone(db)):
            self._delete_gone(db, volume, session)
            self._scrubs = True
        self._give_back(db, volume)
        wait = self._emptied_at + EMPTYING - time.monotonic()
        self._shorten_log(db, volume)
        log = volume.log_size()
        is_short = log > 0 and volume.left(log) < 2 * log  # an emptied log gives its bytes to the disk
        is_slow = self._sync_took > SLOW_SYNC and wait <= 0 and volume.left(log) > 0  # is it still?
        if self._closes or is_short or is_slow or (self._scrubs and wait <= 0):
            self._empty_log(db)
        volume.take_reserve()
        return max(wait, 0.01) if self._scrubs else inf

    def _mark_due(self, db: sqlite3.Connection, volume: Volume, due: float) -> bool:
        """Mark expired sessions as gone, and delete expired tickets; return whether there is more to do."""
        void = "SELECT rowid FROM tickets WHERE expires <= ? LIMIT ?"
        while time.monotonic() < self._ends and db.execute(void, (self.clock.now(), 1)).fetchone():
            with self._transaction(db):
                db.execute(f"DELETE FROM tickets WHERE rowid IN ({void})", (self.clock.now(), volume.rows))  # noqa: S608
            self._shorten_log(db, volume)
            _rest()
        rows = self._rows_due(db, due, SWEPT_AT_ONCE)
        for session, expires in rows:
            with self._transaction(db):
                if expires <= due:
                    change = "UPDATE sessions SET expires = ?, slot = ? WHERE id = ? AND expires <= ?"
                    db.execute(change, (ENDED, GONE, session, due))
                else:
                    db.execute("UPDATE sessions SET slot = ? WHERE id = ?", (int(expires // SLOT), session))
        return len(rows) == SWEPT_AT_ONCE

    def _delete_gone(self, db: sqlite3.Connection, volume: Volume, session: str) -> None:
        """Delete the rows of a session that is gone, in portions, and empty the log between them where it is long."""
        whole = False
        while not whole and time.monotonic() < self._ends:
            rows, whole = _portion(db, session, volume)
            with self._transaction(db):
                still_gone = "SELECT 1 FROM sessions WHERE id = ? AND slot = ?"  # else it was opened again
                if db.execute(still_gone, (session, GONE)).fetchone() is None:
                    return
                for table, numbers in rows.items():
                    chosen = "SELECT value FROM json_each(?)"
                    db.execute(f"DELETE FROM {table} WHERE rowid IN ({chosen})", (json.dumps(numbers),))  # noqa: S608
                if whole:
                    db.execute("DELETE FROM sessions WHERE id = ?", (session,))
            self._shorten_log(db, volume)
            _rest()

    def _give_back(self, db: sqlite3.Connection, volume: Volume) -> None:
        """Give free pages back to the disk, all of them where it is nearly full. A store that closes keeps them."""
        while not self._closes:
            full = volume.left(volume.log_size()) < 2 * volume.for_openings
            free, spare = _pragma(db, "freelist_count"), min(SPARE_PAGES, volume.free_pages)
            count = min(free if full else free - spare if free > 2 * spare else 0, volume.rows)
            if count <= 0:
                return
            with self._transaction(db):
                db.execute(f"PRAGMA incremental_vacuum({count})").fetchall()  # a row for each page
            self._scrubs = True  # the file gets shorter when the log is copied into it
            self._shorten_log(db, volume)
            _rest()

    def _make_room(self, db: sqlite3.Connection, volume: Volume) -> None:
        """Empty the log, and give up the reserve if that is not enough."""
        try:
            self._empty_log(db)
        except sqlite3.Error as error:
            if not _is_full(error):
                raise
            volume.give_up_reserve()
            self._empty_log(db)
        if volume.free() < volume.portion:
            volume.give_up_reserve()

    def _shorten_log(self, db: sqlite3.Connection, volume: Volume) -> None:
        """Empty the log if it is long, or on a full volume. If others use it, leave it, unless it is twice as long."""
        if self._relieves:
            try:
                self._make_room(db, volume)
            finally:
                self._relieves = False
        log = volume.log_size()
        if log > volume.log or (log > volume.portion and volume.left(log) < 0):
            try:
                self._empty_log(db)
            except InUse:
                if log > 2 * volume.log:
                    raise

    def _empty_log(self, db: sqlite3.Connection) -> None:
        """Copy the log into the file and empty it. Raises `InUse` while others use it, and `sqlite3.Error`.

        The first step waits for the disk, and holds up nobody; the second one copies only what came meanwhile.
        """
        self._sync_began = self._emptied_at = time.monotonic()
        try:
            db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            self._turning = True
            limit = time.monotonic() + PATIENCE
            while _pragma(db, "wal_checkpoint(TRUNCATE)"):
                if time.monotonic() > limit:
                    raise InUse
                _rest()
            self._scrubs = False
            if time.monotonic() - self._sync_began > SLOW_HEADER:
                with self._transaction(db):
                    db.execute("INSERT OR REPLACE INTO pings VALUES (0, ?)", (time.time(),))
        finally:
            self._turning = False
            self._sync_took, self._sync_began = time.monotonic() - self._sync_began, None

    @contextmanager
    def _transaction(self, db: sqlite3.Connection) -> Iterator[None]:
        """A transaction of the native thread, which starts once others have ended."""
        limit = time.monotonic() + SWEEP_PATIENCE
        while True:
            try:
                db.execute("BEGIN IMMEDIATE")
                break
            except sqlite3.Error as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > limit:
                    raise
            _rest()
        with db:
            yield

    def sync_seconds(self) -> float:
        """The seconds of the last sync of the disk, or of the one that runs if it takes longer by now."""
        began = self._sync_began
        return self._sync_took if began is None else max(self._sync_took, time.monotonic() - began)

    # --- sessions that are due --------------------------------------------------------------------

    def _rows_due(self, db: sqlite3.Connection, due: float, most: int) -> list[tuple[str, float]]:
        """Sessions in slots that end before `due`. Some may live longer than their slot, because of later moves."""
        last_slot = due / SLOT - 1  # a slot ends where the next begins
        chosen = "SELECT id, expires FROM sessions WHERE slot <= ? AND slot != ? LIMIT ?"
        rows = db.execute(chosen, (last_slot, GONE, most))
        return rows.fetchall()

    @growing
    def put_ticket(
        self, db: sqlite3.Connection, session: str, ticket: str, holder: str, lifetime: float, most: int
    ) -> None:
        """Store a ticket; of the holder's tickets of this session only the newest `most` stay."""
        self._void_tickets(db)
        db.execute("INSERT INTO tickets VALUES (?, ?, ?, ?)", (session, ticket, holder, self.clock.now() + lifetime))
        db.execute(
            "DELETE FROM tickets WHERE rowid IN (SELECT rowid FROM tickets WHERE session = ? AND bearer = ?"
            " ORDER BY rowid DESC LIMIT -1 OFFSET ?)",
            (session, holder, most),
        )

    def _void_tickets(self, db: sqlite3.Connection) -> None:
        """Delete the tickets that have expired, of all sessions."""
        db.execute("DELETE FROM tickets WHERE expires <= ?", (self.clock.now(),))

    @amending
    def take_ticket(self, db: sqlite3.Connection, session: str, ticket: str) -> str | None:
        """Delete the ticket; return its holder, or None if there is none or it has expired."""
        row = db.execute(
            "DELETE FROM tickets WHERE session = ? AND ticket = ? RETURNING bearer, expires", (session, ticket)
        ).fetchone()
        return row[0] if row and row[1] > self.clock.now() else None

    @reading
    def tickets(self, db: sqlite3.Connection) -> int:
        """The number of tickets that have not expired."""
        rows = db.execute("SELECT count(*) FROM tickets WHERE expires > ?", (self.clock.now(),))
        return int(rows.fetchone()[0])

    @growing
    def secret(self, db: sqlite3.Connection, name: str, fresh: bytes) -> bytes:
        """The secret of this name; `fresh`, if there was none."""
        db.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (name, fresh))
        value: bytes = db.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()[0]
        return value

    @reading
    def stored_secret(self, db: sqlite3.Connection, name: str) -> bytes | None:
        """The secret of this name; None if there is none."""
        row = db.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def begin(self) -> None:
        """Make the file if there is none."""
        if not self.has_file():
            self.patiently(lambda db: None, makes=True)

    @amending
    def mark_in_use(self, db: sqlite3.Connection, key: str, lifetime: float) -> None:
        """Mark a signing key, by its id, as in use for `lifetime` seconds, and delete marks that have expired."""
        db.execute("DELETE FROM noted WHERE expires <= ?", (self.clock.surely_past(),))
        db.execute("INSERT OR REPLACE INTO noted VALUES (?, ?)", (key, self.clock.latest() + lifetime))

    @reading
    def keys_in_use(self, db: sqlite3.Connection) -> Mapping[str, float]:
        """The ids of the signing keys in use, each with the time until which it is."""
        return dict(db.execute("SELECT name, expires FROM noted WHERE expires > ?", (self.clock.now(),)).fetchall())

    def names(self) -> Iterator[str]:
        """All sessions, read in portions of `AT_ONCE`, in the order of their names."""
        last = ""
        while names := self._names_after(last):
            yield from names
            last = names[-1]

    @reading
    def _names_after(self, db: sqlite3.Connection, last: str) -> list[str]:
        """At most `AT_ONCE` names of sessions above `last`, in order."""
        chosen = "SELECT id FROM sessions WHERE id > ? AND slot != ? ORDER BY id LIMIT ?"
        rows = db.execute(chosen, (last, GONE, AT_ONCE))
        return [name for (name,) in rows]

    @reading
    def copy(self, db: sqlite3.Connection, session: str) -> Copied | None:
        """All of a session at one moment; None if there is none."""
        db.execute("BEGIN")
        with db:
            row = db.execute(
                "SELECT generation, version, head, expires, (SELECT total(size) FROM kept WHERE session = id)"
                " FROM sessions WHERE id = ?",
                (session,),
            ).fetchone()
            if row is None:
                return None
            generation, version, record, expires, size = row
            log = db.execute("SELECT entry FROM log WHERE session = ? ORDER BY version", (session,))
            entries = [entry for (entry,) in log]
            rows = db.execute("SELECT key, fingerprint, body FROM answers WHERE session = ?", (session,))
            responses = [StoredResponse(*each) for each in rows]
            return Copied(session, generation, version, record, expires, int(size), entries, responses)

    @growing
    def put(self, db: sqlite3.Connection, copied: Copied) -> None:
        """Write a copied session. One of its name that is marked as gone is deleted first."""
        session = copied.session
        if db.execute("SELECT 1 FROM sessions WHERE id = ? AND slot = ?", (session, GONE)).fetchone():
            self._forget(db, [session])  # it was deleted a moment ago
        db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, 0)", (*copied[:5], int(copied.ends // SLOT)))
        db.execute("INSERT INTO kept VALUES (?, ?)", (session, copied.refusals_size))
        log = [(session, version, entry) for version, entry in enumerate(copied.log, 1)]
        db.executemany("INSERT INTO log VALUES (?, ?, ?)", log)
        for response in copied.responses:
            self._store(db, session, response)

    def format(self) -> int:
        """The format of the file; 0: there is no file. The file is opened for reading only."""
        if not self._path.exists():
            return 0
        try:
            with closing(sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True)) as db:
                return _pragma(db, "user_version")
        except sqlite3.Error as error:
            raise StoreUnavailable(str(error)) from error

    @reading
    def remembered(self, db: sqlite3.Connection) -> Remembered:
        """The secrets and the signing keys in use."""
        tables = (dict(db.execute(f"SELECT * FROM {table}").fetchall()) for table in ("secrets", "noted"))  # noqa: S608
        return Remembered(*tables)

    @growing
    def remember(self, db: sqlite3.Connection, remembered: Remembered) -> None:
        """Write these secrets and keys in use, over those of the same names."""
        for table, rows in zip(("secrets", "noted"), remembered, strict=True):
            db.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", rows.items())  # noqa: S608

    def risks(self) -> tuple[Risk, ...]:
        """None: a file loses nothing that it has acknowledged."""
        return ()

    def watch(self, watched: Callable[[], Collection[str]], notify: Notify) -> None:
        """Look again and again for sessions that have changed, and notify of them, while any are watched."""
        seen: dict[str, Reached | None] = {}
        before: object = None
        while sessions := list(watched()):
            began = time.monotonic()
            with suppress(StoreUnavailable):
                at = self._at()
                if at != before or seen.keys() != set(sessions):
                    reached = self._reached(sessions)
                    notify({each: now for each, now in reached.items() if each not in seen or now != seen[each]})
                    seen = reached
                    before = at
            time.sleep(max(POLL, RESTS * (time.monotonic() - began)))

    @reading
    def _at(self, db: sqlite3.Connection) -> tuple[int, int]:
        """A value that differs whenever the file has changed: SQLite counts others' changes, we count our own."""
        return _pragma(db, "data_version"), db.total_changes

    def ping(self) -> None:
        """Try to write to the file, or to its folder if there is no file yet; raises `StoreUnavailable`."""
        if self.has_file():
            self._try_writing()
        else:
            self._try_folder()

    @writing
    def _try_writing(self, db: sqlite3.Connection) -> None:
        """Write to every table that a move writes to, and leave nothing."""
        if self._damage:
            raise StoreUnavailable(self._damage)
        expires = self.clock.now() + 1
        self._open(db, PING, Change(-1, b""), expires)
        self._advance(db, PING, Change(0, b"", b"-"), expires)
        self._store(db, PING, StoredResponse(PING, "", b""))
        self._forget(db, [PING])
        # A new value each time: SQLite does not write a row that stays the same.
        db.execute("INSERT OR REPLACE INTO pings VALUES (0, ?)", (self.clock.now(),))

    def close(self) -> None:
        """Have the native thread end its work, at most `CLOSE_PATIENCE` seconds, and close every connection."""
        self._outage.stop()
        self._closes, self._ends = True, time.monotonic() + DELETING_AT_CLOSE
        if self._connection is not None:
            with self._closing_alone():
                self._upkeep.request()
                self._upkeep.wait_for_end(CLOSE_PATIENCE)
                self._disconnect()
        with self.lock:
            if self._empty is not None:
                self._empty.close()
            self._empty = None

    @contextmanager
    def _closing_alone(self) -> Iterator[None]:
        """Close while no other process does. Of two that close at once, each would leave the -wal to the other."""
        folder = os.open(self._folder(), os.O_RDONLY)
        try:
            until(lambda: _locked(folder), CLOSE_PATIENCE)
            yield
        finally:
            os.close(folder)

    def _disconnect(self) -> None:
        """Close the connections to the file. The last one of all processes removes the -wal, if that is empty."""
        with self.lock:
            if self._upkeep_connection is not None and not self._upkeep.running:
                self._upkeep_connection.close()
            if self._connection is not None:
                self._connection.close()
                os.close(self._descriptor)
            self._connection = self._upkeep_connection = None

    @reading
    def _reached(self, db: sqlite3.Connection, sessions: list[str]) -> dict[str, Reached | None]:
        """How far each of these sessions has come; None: it is gone."""
        rows = db.execute(
            "SELECT id, generation, version, parts FROM sessions"
            " WHERE expires > ? AND id IN (SELECT value FROM json_each(?))",
            (self.clock.now(), json.dumps(sessions)),
        )
        return dict.fromkeys(sessions) | {session: Reached(*at) for session, *at in rows}

    def _is_there(self, db: sqlite3.Connection, session: str) -> bool:
        """Whether there is such a session that has not expired."""
        rows = db.execute("SELECT 1 FROM sessions WHERE id = ? AND expires > ?", (session, self.clock.now()))
        return rows.fetchone() is not None

    def _stored(self, db: sqlite3.Connection, session: str, key: str) -> StoredResponse | None:
        """The response stored under an idempotency key of a session that has not expired."""
        row = db.execute(
            "SELECT fingerprint, body FROM answers JOIN sessions ON session = id"
            " WHERE session = ? AND key = ? AND expires > ?",
            (session, key, self.clock.now()),
        ).fetchone()
        return None if row is None else StoredResponse(key, *row)

    def _store(self, db: sqlite3.Connection, session: str, response: StoredResponse) -> None:
        """Store a response under its key."""
        db.execute("INSERT INTO answers VALUES (?, ?, ?, ?)", (session, *response))

    def _forget(self, db: sqlite3.Connection, sessions: Collection[str]) -> None:
        """Delete everything of these sessions."""
        for session in sessions:
            db.execute("DELETE FROM sessions WHERE id = ?", (session,))
            for table in ("log", "answers", "kept", "tickets"):
                db.execute(f"DELETE FROM {table} WHERE session = ?", (session,))  # noqa: S608 - a name of ours

    def patiently(self, ask: Callable[[sqlite3.Connection], T], makes: bool = False) -> T:
        """The result of `ask`, which is called again while another process holds the file.

        `makes`: whether a missing file is made; else `ask` gets an empty store.
        """
        limit = time.monotonic() + PATIENCE
        while True:
            with self.lock:
                try:
                    return ask(self.opened(makes))
                except sqlite3.Error as error:
                    if _is_full(error):
                        self._upkeep.request()  # empties the log, which has grown although the change failed
                        raise StoreFull(str(error)) from error
                    # While the log of a killed process is recovered, not even readers get in.
                    if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > limit:
                        raise self.begin_outage(error) from error
            _pause()

    def wait_for_room(self, opens: bool = False) -> None:
        """Wait while the log is emptied, if moves or openings need that. Raises `StoreFull` if it does not help."""
        volume = self._volume
        if volume is None:
            return
        needs = volume.for_openings if opens else 0
        limit = time.monotonic() + COPY_PATIENCE
        request: int | None = None
        while True:
            log = volume.log_size()
            left = volume.left(log)
            if left >= needs and log <= 2 * volume.log:
                if not self._upkeep.running and (log > volume.log or volume.lacking(log)):
                    self._upkeep.request()
                return
            over = time.monotonic() > limit
            if request is None:
                request = self._upkeep.request()
            elif over or self._upkeep.is_done(request):
                if left < needs:
                    raise StoreFull("the volume is full")
                if over:
                    raise StoreSlow("the disk is slow")
            _pause()

    def in_any_case(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Write a change that makes room, if need be with that of the reserve; returns its result."""
        limit = time.monotonic() + DELETION_PATIENCE
        while True:
            try:
                return self.together(change)
            except (StoreFull, StoreSlow) as error:
                if time.monotonic() > limit:
                    raise
                if isinstance(error, StoreFull):
                    self._relieves = True
                    self._upkeep.request()
                    until(lambda: not (self._relieves and self._upkeep.running), PATIENCE)

    def together(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Write a change together with all that wait; returns its result.

        That saves commits where several connections are busy.
        """
        limit = time.monotonic() + COPY_PATIENCE
        while self._turning:  # the first change in an empty log waits for the disk: the native thread makes that
            if time.monotonic() > limit:
                raise StoreSlow("the disk is slow: the log is still being copied")
            _pause()
        job = Job(change)
        self._jobs.append(job)
        try:
            time.sleep(0)  # lets other greenlets add theirs
            self.patiently(partial(self._settle, job), makes=True)
        except BaseException:
            with self.lock:
                if not job.results:
                    self._jobs.remove(job)
            raise
        return job.results[0]

    def _settle(self, job: Job[Any], db: sqlite3.Connection) -> None:
        """Write all changes that wait, unless this one has been written. If that is not possible, write it alone."""
        if job.results:
            return
        together = [*self._jobs]
        try:
            results = _written(db, together)
        except Exception as error:  # a faulty change must not fail the others
            if together == [job] or _code(error) == sqlite3.SQLITE_BUSY:
                raise
            together = [job]
            results = _written(db, together)
        for each, outcome in zip(together, results, strict=True):
            each.results.append(outcome)
            self._jobs.remove(each)

    def begin_outage(self, reason: object) -> StoreUnavailable:
        """Begin an outage, and return the error to raise."""
        if self._connection is not None and _code(reason) in DAMAGE_CODES:
            self._damage = str(reason)
        return self._outage.begin(reason)

    def without_file(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """What a change returns in an empty store."""
        with self.lock:
            db = self._nothing()
            db.execute("BEGIN")
            try:
                return change(db)
            finally:
                db.rollback()

    def has_file(self) -> bool:
        """Whether the file was made, by any process."""
        try:
            return self._connection is not None or self._path.exists()
        except OSError as error:
            raise self.begin_outage(error) from error

    def opened(self, makes: bool = True) -> sqlite3.Connection:
        """The connection to the file; without a file, and unless this call `makes` it, one to an empty store.

        The first call makes the connection, after the fork: SQLite allows none to cross a fork.
        """
        if self._closes and self._connection is None:
            raise StoreUnavailable("the store is closed")  # opened now, the -wal would be back
        if not makes and not self.has_file():
            return self._nothing()
        try:
            if self._connection is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._path.touch(0o600)  # it holds keys and seeds; SQLite gives the files beside it the same mode
                connection, file = self._connect_to_full(), self._path.stat()
                self._mark, self._open_beside = _pragma(connection, "application_id"), self._beside()
                # Kept open: closing any descriptor of the file would drop the locks that SQLite holds on it. Then a
                # worker that stops would remove the write-ahead log under the others.
                self._descriptor = os.open(self._path, os.O_RDONLY)
                self._upkeep_connection = self._connect()
                self._connection, self._file = connection, (file.st_dev, file.st_ino)
                self._next_look = 0.0
                self._volume = Volume(self._path)
                if not self._volume.take_reserve():
                    LOG.warning("the volume of the store is full: it is open without its reserve")
            self._check_file(self._connection)
        except (OSError, StoreUnavailable) as error:
            raise self.begin_outage(error) from error
        return self._connection

    def _nothing(self) -> sqlite3.Connection:
        """An empty store in memory. Raises `StoreUnavailable` where the file could not be made."""
        if time.monotonic() >= self._next_look:
            self._try_folder()
            self._next_look = time.monotonic() + LOOK
        if self._empty is None:
            self._empty = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            self._empty.executescript(SCHEMA)
        return self._empty

    def _try_folder(self) -> None:
        """Try whether the file could be made, with one that has no name and is gone at once."""
        folder = self._folder()
        try:
            with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
                file.write(bytes(ROOM_FOR_A_NEW_FILE))
        except OSError as error:
            reason = OSError(error.errno, error.strerror, str(folder))
            raise self.begin_outage(reason) from error

    def _folder(self) -> Path:
        """The folder of the file, or the nearest above it that is there."""
        folders = self._path.absolute().parents
        return next((folder for folder in folders if os.access(folder, os.F_OK)), folders[-1])

    def _check_file(self, db: sqlite3.Connection) -> None:
        """Raise unless the open file is still at its path, and whole. Otherwise SQLite would go on in memory."""
        file = os.stat(self._path)  # noqa: PTH116 - at every call; Path.stat() takes a fifth longer
        if (file.st_dev, file.st_ino) != self._file:
            raise StoreUnavailable("another file has taken the place of the store's")
        shorter, self._size = file.st_size < self._size, max(file.st_size, self._size)
        if not shorter and time.monotonic() < self._next_look:
            return
        header = os.pread(self._descriptor, 100, 0)
        page, changes, pages, mark = (int.from_bytes(header[at:end]) for at, end in PLACES)
        is_database = header.startswith(MAGIC)
        # SQLite, too, makes the file shorter, but then writes its new length into it first.
        if shorter and (not is_database or file.st_size < page * pages):
            self._damage = "the file was cut off"
            raise StoreUnavailable(self._damage)
        if not is_database or changes < self._changes or mark not in {0, self._mark}:
            raise StoreUnavailable("the file was overwritten")
        check_format(_pragma(db, "user_version"))  # a newer version may have come since the file was opened
        beside = self._beside()
        if beside != self._open_beside:
            if 0 in beside:  # nobody has begun another log: copy the one that is still open here into the file
                with suppress(sqlite3.Error):
                    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            raise StoreUnavailable("the -wal or -shm beside the file was removed: stop the service and start it again")
        self._changes, self._size, self._next_look = changes, file.st_size, time.monotonic() + LOOK

    def _file_differs(self) -> bool:
        """Whether another file, or none, is at the path, or beside it, than those that are open."""
        try:
            file = self._path.stat()
        except OSError:
            return True
        return (file.st_dev, file.st_ino) != self._file or self._beside() != self._open_beside

    def _beside(self) -> list[int]:
        """The inodes of the -wal and the -shm beside the file; 0: there is none."""
        paths = (Path(f"{self._path.resolve()}{suffix}") for suffix in ("-wal", "-shm"))
        return [path.stat().st_ino if path.exists() else 0 for path in paths]

    def _connect_to_full(self) -> sqlite3.Connection:
        """A new connection. On a full volume, where even that lacks room, the reserve is given up for it."""
        try:
            return self._connect()
        except sqlite3.Error as error:
            if _code(error) not in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}:
                raise
            Volume(self._path).give_up_reserve()
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        """A new connection to the file, made if there is none. Raises `StoreUnavailable` for a newer format."""
        db = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            check_format(_pragma(db, "user_version"))
            for pragma in PRAGMAS:
                db.execute(f"PRAGMA {pragma}")
            if not _pragma(db, "application_id"):
                db.execute("BEGIN IMMEDIATE")
                with db:
                    if not _pragma(db, "application_id"):  # else another process was first
                        for statement in SCHEMA.split(";\n"):
                            db.execute(statement)
                        db.execute(f"PRAGMA application_id = {1 + secrets.randbits(30)}")
        except (sqlite3.Error, StoreUnavailable):
            db.close()
            raise
        return db
