"""Backup and restore, as commands. A backup of either kind of store is a SQLite file, and goes back into either."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from service.config import Settings
from service.sessions.stores import open_store
from service.sessions.stores.protocol import Store, StoreUnavailable
from service.sessions.stores.sqlite import SqliteStore

DONE, REFUSED = 0, 2
BESIDE = ("", "-wal", "-shm", "-journal")
"""What a SQLite file is made of: what one of them says the others of another file do not."""
CARE = "It holds the keys that sign tokens, and the seeds of deals: keep it as you would keep them."


class NotDone(Exception):
    """Nothing was done, and why."""


def back_up(url: str, file: Path) -> str:
    """Copy a store, each session as it is at one moment. Nobody else may read the copy."""
    path = _path(url)
    if path is not None and not path.exists():
        raise NotDone(f"there is no store at {path}")
    _claim(file)
    try:
        if path is not None:
            _copy(path, file)
        else:
            _fill(SqliteStore(str(file)), url)
        count = _checked(file)
    except BaseException:
        _remove(file)
        raise
    return f"Sessions in {file}: {count}. {CARE}"


def restore(url: str, file: Path) -> str:
    """Put a backup where there are no sessions. No server may run on the store meanwhile."""
    if not file.exists():
        raise NotDone(f"there is no file {file}")
    count = _checked(file)
    path = _path(url)
    if path is None:
        _empty_into(file, url)
    else:
        left = [str(path) + suffix for suffix in BESIDE if Path(str(path) + suffix).exists()]
        if left:
            raise NotDone(f"{', '.join(left)}: there already; stop the service and move all of it away first")
        path.parent.mkdir(parents=True, exist_ok=True)
        _claim(path)
        try:
            _copy(file, path)
            with closing(sqlite3.connect(path, isolation_level=None)) as db:
                db.execute("PRAGMA auto_vacuum = INCREMENTAL")
                db.execute("VACUUM")
            _checked(path)
        except BaseException:
            _remove(path)
            raise
    return f"Sessions that are back: {count}. They end when they would have ended."


def _path(url: str) -> Path | None:
    """Of a store that is a file."""
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


def _claim(file: Path) -> None:
    """Make a file that nobody else may read."""
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise NotDone(f"{file} is there already") from None


def _remove(file: Path) -> None:
    for suffix in BESIDE:
        with suppress(FileNotFoundError):
            Path(str(file) + suffix).unlink()


def _copy(source: Path, target: Path) -> None:
    """A SQLite file as it is at one moment, with what its log holds, into one that needs no log."""
    with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)
        written.execute("PRAGMA journal_mode = DELETE")


def _checked(file: Path) -> int:
    """How many sessions a file holds that is sound and complete in itself."""
    for suffix in BESIDE[1:]:
        if Path(str(file) + suffix).exists():
            raise NotDone(f"{file}{suffix} lies beside it: {file} is no backup, or somebody uses it")
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        try:
            sound = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            count = int(db.execute("SELECT count(*) FROM sessions").fetchone()[0])
        except sqlite3.DatabaseError as error:
            raise NotDone(f"{file} is no backup: {error}") from None
    if sound != "ok":
        raise NotDone(f"{file} is damaged: {sound}")
    return count


def _fill(copy: SqliteStore, url: str) -> None:
    """Into a new file what a Redis holds."""
    store = open_store(url)
    try:
        _carry(store, copy)
        copy.opened().execute("PRAGMA journal_mode = DELETE")
    finally:
        copy.close()
        store.close()


def _empty_into(file: Path, url: str) -> None:
    """Into a Redis what a file holds; of a copy of the file, since even who reads a store writes."""
    store = open_store(url)
    try:
        if store.count():
            raise NotDone("the store holds sessions: restore into an empty one")
        with TemporaryDirectory(dir=file.absolute().parent) as folder:
            copy = SqliteStore(f"{folder}/copy")
            _copy(file, Path(folder, "copy"))
            try:
                _carry(copy, store)
            finally:
                copy.close()
    finally:
        store.close()


def _carry(source: Store, target: Store) -> None:
    """What has ended stays behind. The keys go first: a session without them is nobody's."""
    target.remember(source.remembered())
    for each in source.copies():
        if each.ends > time.time():
            target.put(each)


def done(name: str, url: str, file: Path) -> int:
    """What the command `backup` or `restore` does; its exit status."""
    try:
        print({"backup": back_up, "restore": restore}[name](url or Settings.from_environment().store_url, file))
    except (NotDone, StoreUnavailable, ValueError, OSError, sqlite3.Error) as error:
        sys.stderr.write(f"referee {name}: {error}\n")
        return REFUSED
    return DONE
