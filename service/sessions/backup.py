"""The commands `backup` and `restore`. A backup is a SQLite file, and can be restored into SQLite or into Redis."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from service.config import NO_STORE, Settings, variable
from service.seeds import ENGLISH
from service.sessions.record import SessionRecord, Unreadable, entry_read
from service.sessions.stores import open_store
from service.sessions.stores.protocol import Copied, Store, StoreUnavailable, check_format
from service.sessions.stores.sqlite import SqliteStore
from service.sessions.table import Table
from service.sessions.tokens import HOST

DONE, REFUSED = 0, 2
VERIFY = "backup --verify"
SUFFIXES = ("", "-wal", "-shm", "-journal")  #: Suffixes of the files in which SQLite keeps one store.
HOW_TO_KEEP_IT = "It holds the keys that sign tokens, and the seeds of deals: keep it as you would keep them."


def back_up(url: str, file: Path) -> str:
    """Copy a store into a new file that only its owner may read. Each session is copied as it is at one moment."""
    path = path_of(url)
    if path is not None and not path.exists():
        raise ValueError(f"there is no store at {path}")
    with _created(file):
        if path is not None:
            _copy(path, file)
        else:
            with closing(SqliteStore(str(file))) as copy, closing(open_store(url)) as store:
                _carry(store, copy)
            with closing(sqlite3.connect(file)) as written:
                written.execute("PRAGMA journal_mode = DELETE")
            Path(f"{file}-reserve").unlink(missing_ok=True)
        count = _checked(file)
    return f"Sessions in {file}: {count}. {HOW_TO_KEEP_IT}"


def restore(url: str, file: Path) -> str:
    """Write a backup into a store without sessions. No server may run on the store meanwhile."""
    path = path_of(url)
    if not file.is_file():
        raise ValueError(f"there is no file {file}")
    count = _checked(file)
    if path is not None:
        left = [str(path) + suffix for suffix in SUFFIXES if Path(str(path) + suffix).exists()]
        if left:
            raise ValueError(f"{', '.join(left)}: there already; stop the service and move all of it away first")
        path.parent.mkdir(parents=True, exist_ok=True)
        with _created(path):
            _copy(file, path)
            _checked(path)
    else:
        with closing(open_store(url)) as store, TemporaryDirectory(dir=file.absolute().parent) as folder:
            if store.count():
                raise ValueError("the store holds sessions: restore into an empty one")
            copied = Path(folder, "copy")  # not the backup itself: opening a store writes to its file
            _copy(file, copied)
            with closing(SqliteStore(str(copied))) as copy:
                _carry(copy, store)
    return f"Sessions that are back: {count}. They end when they would have ended."


def verify(file: Path) -> str:
    """Read every session and every entry of a backup, as a service would that has restored it.

    Raises ValueError if something cannot be read.
    """
    if not file.is_file():
        raise ValueError(f"there is no file {file}")
    count, ended, unreadable = _checked(file), 0, 0
    with TemporaryDirectory(dir=file.absolute().parent) as folder:
        copied = Path(folder, "copy")
        _copy(file, copied)
        with closing(SqliteStore(str(copied))) as copy:
            for name in copy.names():
                session = copy.copy(name)
                ended += session is None or session.ends <= time.time()
                unreadable += session is not None and not _is_readable(session)
            keys = copy.remembered().secrets
    if unreadable:
        raise ValueError(f"{file}: of {count} sessions {unreadable} cannot be read")
    where = "in it" if keys else f"not in it: keep {variable('token_keys')} beside it"
    sessions = f"Sessions in {file}: {count}, all can be read; {ended} of them have ended."
    return f"{sessions} The keys of their tokens are {where}."


def _is_readable(session: Copied) -> bool:
    """Whether this version can read the table and each entry of the log."""
    try:
        Table.of(SessionRecord.read(session.record), ENGLISH)
        for entry in session.log:
            entry_read(entry, HOST.name)  # raises if it cannot be read
    except Unreadable:
        return False
    return len(session.log) == session.version


def path_of(url: str) -> Path | None:
    """The file of a SQLite store; None for Redis. Raises ValueError where sessions are off."""
    if url == NO_STORE:
        raise ValueError(f"{variable('store_url')} is {NO_STORE}: sessions are off, and there is no store")
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


@contextmanager
def _created(file: Path) -> Iterator[None]:
    """Create a file that only its owner may read. Remove it again if the block fails."""
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise ValueError(f"{file} is there already") from None
    try:
        yield
    except BaseException:
        for suffix in SUFFIXES:
            Path(str(file) + suffix).unlink(missing_ok=True)
        raise


def _copy(source: Path, target: Path) -> None:
    """Copy a SQLite store as it is at one moment, its write-ahead log included, into a single file."""
    with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)
        written.execute("PRAGMA journal_mode = DELETE")


def _checked(file: Path) -> int:
    """The number of sessions in a backup. Raises ValueError if it is damaged, or not complete in one file."""
    for suffix in SUFFIXES[1:]:
        if Path(str(file) + suffix).exists():
            raise ValueError(f"{file}{suffix} lies beside it: {file} is no backup, or somebody uses it")
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        try:
            sound = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            count = int(db.execute("SELECT count(*) FROM sessions").fetchone()[0])
            check_format(int(db.execute("PRAGMA user_version").fetchone()[0]))
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{file} is no backup: {error}") from None
    if sound != "ok":
        raise ValueError(f"{file} is damaged: {sound.splitlines()[-1]}")  # the line before it names the database
    return count


def _carry(source: Store, target: Store) -> None:
    """Copy all sessions that have not ended. The signing keys go first: without them no token is valid."""
    target.remember(source.remembered())
    for name in source.names():
        copied = source.copy(name)
        if copied and copied.ends > time.time():
            target.put(copied)


def run(name: str, url: str, file: Path) -> tuple[int, str]:
    """Run the command `backup`, `restore` or `backup --verify`; returns its exit status and what it says."""
    try:
        if name == VERIFY:
            return DONE, verify(file)
        line = {"backup": back_up, "restore": restore}[name](url or Settings.from_environment().store_url, file)
    except (StoreUnavailable, ValueError, OSError, sqlite3.Error) as error:
        return REFUSED, f"referee {name}: {error}"
    return DONE, line
