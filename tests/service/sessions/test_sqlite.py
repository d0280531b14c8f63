"""What only the SQLite store does: shared transactions, waiting for locks, freeing pages, detecting damage."""

import os
import resource
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from service.sessions.stores import sqlite
from service.sessions.stores.protocol import (
    SLOW_SYNC,
    Change,
    StoredResponse,
    StoredSession,
    StoreUnavailable,
    WriteResult,
)
from service.sessions.stores.sqlite import SqliteStore
from tests.server import until

LIFETIME = 600.0
WRITERS = 5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file of the store is. It is made with the first session."""
    return tmp_path / "sessions.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """A store whose file does not exist yet."""
    store = SqliteStore(str(path))
    yield store
    store.close()


@pytest.fixture
def sessions(store: SqliteStore) -> list[str]:
    """The names of five sessions in the store."""
    names = [secrets.token_hex(16) for _ in range(WRITERS)]
    for name in names:
        assert store.write(name, Change(-1, b"head"), LIFETIME) is WriteResult.WRITTEN
    return names


@contextmanager
def at_once(store: SqliteStore, changes: dict[str, Change]) -> Iterator[list[Future[Any]]]:
    """Make the changes wait until the block ends, then make them together."""
    with ThreadPoolExecutor(len(changes)) as pool, store.lock:
        yield [pool.submit(store.write, name, change, LIFETIME) for name, change in changes.items()]
        while len(store._jobs) < len(changes):
            time.sleep(0.001)


def test_simultaneous_changes_share_a_transaction_and_each_has_its_own_outcome(
    store: SqliteStore, sessions: list[str]
) -> None:
    statements: list[str] = []
    with at_once(store, {name: Change(since, b"head", b"entry") for since, name in enumerate(sessions)}) as jobs:
        store.opened().set_trace_callback(statements.append)
    assert [each.result() for each in jobs] == [WriteResult.WRITTEN] + [WriteResult.STALE] * (WRITERS - 1)
    assert statements.count("COMMIT") == 1
    assert [len(store.log(name, 0, 9)) for name in sessions] == [1] + [0] * (WRITERS - 1)


def test_an_unwritable_change_fails_alone(store: SqliteStore, sessions: list[str]) -> None:
    unfit: Any = object()
    changes = {name: Change(0, unfit if name == sessions[1] else b"head", b"entry") for name in sessions}
    with at_once(store, changes) as jobs:
        pass
    assert isinstance(jobs[1].exception(), StoreUnavailable)
    assert [each.result() for place, each in enumerate(jobs) if place != 1] == [WriteResult.WRITTEN] * (WRITERS - 1)
    assert [len(store.log(name, 0, 9)) for name in sessions] == [1, 0, 1, 1, 1]
    assert store.write(sessions[1], Change(0, b"head", b"entry"), LIFETIME) is WriteResult.WRITTEN


class Stopped(BaseException):
    """Stands for the exception that ends a greenlet."""


def test_a_change_whose_greenlet_was_ended_is_not_written_later(
    store: SqliteStore, sessions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change lets others join it by `time.sleep`, which raises here, as in a greenlet that is ended."""
    with monkeypatch.context() as patch:
        patch.setattr(time, "sleep", Mock(side_effect=Stopped))
        with pytest.raises(Stopped):
            store.write(sessions[0], Change(0, b"head", b"entry"), LIFETIME)
    assert store.write(sessions[1], Change(0, b"head", b"entry"), LIFETIME) is WriteResult.WRITTEN
    assert store.log(sessions[0], 0, 9) == []


def test_a_change_that_waited_too_long_is_not_written_later(
    store: SqliteStore, sessions: list[str], path: Path
) -> None:
    """Another connection holds the file."""
    other = SqliteStore(str(path))
    other.opened().execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable):
        store.write(sessions[0], Change(0, b"head", b"entry"), LIFETIME)
    other.opened().execute("ROLLBACK")
    other.close()
    assert store.write(sessions[1], Change(0, b"head", b"entry"), LIFETIME) is WriteResult.WRITTEN
    assert store.log(sessions[0], 0, 9) == []


def test_a_change_beside_a_log_that_is_copied_for_long_ends_as_unavailable_and_is_not_written_later(
    store: SqliteStore, sessions: list[str]
) -> None:
    store._turning = True
    with pytest.raises(StoreUnavailable, match="the disk is slow"):
        store.write(sessions[0], Change(0, b"head", b"entry"), LIFETIME)
    store._turning = False
    assert store.write(sessions[1], Change(0, b"head", b"entry"), LIFETIME) is WriteResult.WRITTEN
    assert store.log(sessions[0], 0, 9) == []


def test_a_disk_that_was_slow_is_tried_again_with_each_sweep_until_it_is_quick(
    store: SqliteStore, sessions: list[str]
) -> None:
    """The sweep syncs the real disk, which is not slow."""
    store._sync_took = 2 * SLOW_SYNC
    assert store.sync_seconds() == 2 * SLOW_SYNC
    store.sweep(0)
    assert 0 < store.sync_seconds() < 2 * SLOW_SYNC


# --- a file that another process holds -------------------------------------------------------------


def test_sqlite_itself_never_waits_for_a_lock_which_would_stop_every_greenlet(store: SqliteStore) -> None:
    assert store.opened().execute("PRAGMA busy_timeout").fetchone() == (0,)


@contextmanager
def locked_for_everybody(path: Path) -> Iterator[None]:
    """Lock the file even for readers, from another connection, as SQLite does while it recovers a killed one's log."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN IMMEDIATE")
    other.execute("ROLLBACK")
    try:
        yield
    finally:
        other.close()


def test_a_reader_waits_for_a_locked_file_without_holding_our_own_lock(
    store: SqliteStore, sessions: list[str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE", 600.0)
    store.close()  # as long as our connection is open, no other connection can lock the file for everybody
    store = SqliteStore(str(path))
    with ThreadPoolExecutor(1) as pool:
        with locked_for_everybody(path):
            read = pool.submit(store.read, sessions[0])
            time.sleep(0.1)
            waited, free = not read.done(), store.lock.acquire(timeout=5)
            store.lock.release()
        assert (waited, free, read.result()) == (True, True, StoredSession(0, b"head"))


def test_a_reader_of_a_file_that_stays_locked_ends_as_unavailable(
    store: SqliteStore, sessions: list[str], path: Path
) -> None:
    """It tries again for `PATIENCE` seconds first."""
    store.close()  # as long as our connection is open, no other connection can lock the file for everybody
    with locked_for_everybody(path), pytest.raises(StoreUnavailable, match="locked"):
        SqliteStore(str(path)).read(sessions[0])


# --- readiness, secrecy and tidiness ---------------------------------------------------------------


@contextmanager
def full_disk() -> Iterator[None]:
    """Refuse every write to any file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_store_on_a_full_disk_is_not_ready(store: SqliteStore) -> None:
    store.ping()
    with full_disk(), pytest.raises(StoreUnavailable):
        store.ping()
    store.ping()


def test_no_other_user_of_the_machine_may_read_the_file(store: SqliteStore, sessions: list[str], path: Path) -> None:
    modes = {each.name: each.stat().st_mode & 0o777 for each in path.parent.iterdir()}
    assert modes == {f"{path.name}{suffix}": 0o600 for suffix in ("", "-wal", "-shm", "-reserve")}


def rows(store: SqliteStore, table: str) -> int:
    """Return the number of rows of a table."""
    return int(store.opened().execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_a_prolonged_session_gets_its_new_slot_when_the_old_one_is_due(store: SqliteStore) -> None:
    """A sweep looks only at sessions whose slot of ten minutes is past. A move prolongs a session, but not its slot."""
    store.write("prolonged", Change(-1, b"head"), LIFETIME)
    store.opened().execute("UPDATE sessions SET slot = 0")
    store.sweep(time.time())
    assert store.read("prolonged") == StoredSession(0, b"head")
    assert store.opened().execute("SELECT count(*) FROM sessions WHERE slot = 0").fetchone() == (0,)


def test_nothing_is_written_while_no_session_has_expired(store: SqliteStore, sessions: list[str]) -> None:
    statements: list[str] = []
    store.opened().set_trace_callback(statements.append)
    store.sweep(time.time())
    assert [each for each in statements if not each.startswith(("SELECT", "PRAGMA"))] == []


def test_a_file_returns_free_pages_to_the_disk(store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "SPARE_PAGES", 20)
    for number in range(60):
        store.write(str(number), Change(-1, bytes(40_000)), 0.01)
    store.opened().execute("UPDATE sessions SET slot = 0")
    store.opened().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    grown = path.stat().st_size
    time.sleep(0.05)
    for _ in range(60):
        store.sweep(time.time())
    store.opened().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert grown > 2_400_000
    assert path.stat().st_size < 400_000


def test_a_new_ticket_removes_expired_tickets(store: SqliteStore, sessions: list[str]) -> None:
    store.put_ticket(sessions[0], "first", "host", 0.01, 9)
    store.put_ticket(sessions[1], "of another session", "host", 0.01, 9)
    time.sleep(0.05)
    store.put_ticket(sessions[0], "second", "host", LIFETIME, 9)
    assert rows(store, "tickets") == 1


def test_a_sweep_removes_expired_tickets(store: SqliteStore, sessions: list[str]) -> None:
    store.put_ticket(sessions[0], "expired", "host", 0.01, 9)
    store.put_ticket(sessions[0], "live", "host", LIFETIME, 9)
    time.sleep(0.05)
    store.sweep(0)
    assert (rows(store, "tickets"), store.take_ticket(sessions[0], "live")) == (1, "host")


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the warnings in the log."""
    return [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]


def test_an_outage_of_the_store_and_its_end_are_logged_once_each(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What should be the folder of the store is a file, until it is deleted."""
    folder = tmp_path / "folder"
    folder.touch()
    store = SqliteStore(str(folder / "sessions.sqlite3"))
    for ask in (store.ping, store.count):
        with pytest.raises(StoreUnavailable):
            ask()
    folder.unlink()
    until(lambda: len(logged(caplog)) == 2)
    store.close()
    assert logged(caplog) == [f"the store is away: [Errno 20] Not a directory: '{folder}'", "the store is back"]


@pytest.mark.parametrize("table", ["sessions", "log", "answers"])
def test_a_file_without_a_needed_table_is_not_ready(
    store: SqliteStore, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    store.ping()
    store.opened().execute(f"DROP TABLE {table}")
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            store.ping()
    assert logged(caplog) == [f"the store is away: no such table: {table}"]


def test_a_damaged_file_is_not_ready_until_the_next_start(
    store: SqliteStore, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = [secrets.token_hex(16) for _ in range(40)]
    for name in names:
        store.write(name, Change(-1, b"head" * 500), LIFETIME)
    store.opened().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    content = bytearray(path.read_bytes())
    page = content.index(b"headhead") // 4096 * 4096
    content[page : page + 8] = b"damaged!"
    path.write_bytes(content)
    damaged = SqliteStore(str(path))
    damaged.ping()
    with pytest.raises(StoreUnavailable):
        list(map(damaged.read, names))
    with pytest.raises(StoreUnavailable):
        damaged.ping()
    time.sleep(0.7)
    damaged.close()
    assert logged(caplog) == ["the store is away: database disk image is malformed"]


def _replaced(path: Path) -> None:
    """Put a copy in the place of the file: the inode is another."""
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


def _overwritten(path: Path) -> None:
    """Copy another store over the file, as `cp` does: the inode stays."""
    other = SqliteStore(str(path.with_name("other")))
    for name in range(500):
        other.write(str(name), Change(-1, b"head"), LIFETIME)
    other.close()
    path.write_bytes(path.with_name("other").read_bytes())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (Path.unlink, "[Errno 2] No such file or directory: '{path}'"),
        (_replaced, "another file has taken the place of the store's"),
        (lambda path: os.truncate(path, 0), "the file was cut off"),
        (lambda path: os.truncate(path, path.stat().st_size - 4096), "the file was cut off"),
        (_overwritten, "the file was overwritten"),
        (lambda path: path.write_bytes(bytes(path.stat().st_size)), "the file was overwritten"),
    ],
)
def test_a_file_that_was_changed_behind_the_store_is_noticed_by_every_call(
    store: SqliteStore,
    sessions: list[str],
    path: Path,
    caplog: pytest.LogCaptureFixture,
    change: Callable[[Path], object],
    reason: str,
) -> None:
    store.opened().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.ping()
    change(path)
    store._next_look = 0.0  # the next call looks at the file
    for _ in range(2):
        for call in (
            lambda: store.read(sessions[0]),
            lambda: store.write(sessions[0], Change(0, b"head", b"entry"), LIFETIME),
            store.ping,
        ):
            with pytest.raises(StoreUnavailable):
                call()
    assert logged(caplog) == [f"the store is away: {reason.format(path=path)}"]


def test_a_file_that_was_overwritten_with_an_earlier_copy_of_itself_is_not_used(store: SqliteStore, path: Path) -> None:
    store.begin()
    earlier = path.read_bytes()
    for name in range(100):
        store.write(str(name), Change(-1, b"head" * 500), LIFETIME)
    store.opened().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store._next_look = 0.0  # the next call looks at the file
    store.ping()
    path.write_bytes(earlier + bytes(path.stat().st_size))  # longer than before: it was not cut off
    store._next_look = 0.0
    with pytest.raises(StoreUnavailable, match="the file was overwritten"):
        store.ping()


def test_a_file_that_was_only_away_is_used_again(store: SqliteStore, sessions: list[str], path: Path) -> None:
    elsewhere = path.with_name("elsewhere")
    path.rename(elsewhere)
    with pytest.raises(StoreUnavailable):
        store.read(sessions[0])
    elsewhere.rename(path)
    assert store.read(sessions[0]) == StoredSession(0, b"head")


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_store_whose_write_ahead_log_was_removed_copies_it_into_the_file_and_stops(
    store: SqliteStore, sessions: list[str], path: Path, caplog: pytest.LogCaptureFixture, suffix: str
) -> None:
    """The store still has the removed log open, and can copy from it what the file lacks."""
    path.with_name(path.name + suffix).unlink()
    store._next_look = 0.0
    for call in (store.ping, store.count):
        with pytest.raises(StoreUnavailable):
            call()
    assert [each.partition(": stop")[0] for each in logged(caplog)] == [
        "the store is away: the -wal or -shm beside the file was removed"
    ]
    after_a_crash = SqliteStore(str(shutil.copy(path, path.with_name("copy"))))
    assert after_a_crash.count() == WRITERS
    after_a_crash.close()


# --- what is left of a session that is gone --------------------------------------------------------


def content(path: Path) -> bytes:
    """Return the bytes of all files of the store."""
    return b"".join(each.read_bytes() for each in path.parent.iterdir())


def expire(store: SqliteStore, session: str) -> None:
    """Let a session expire, then sweep: `sweep` looks at sessions by their slots, which are stretches of time."""
    store.opened().execute("UPDATE sessions SET expires = 0, slot = 0 WHERE id = ?", (session,))
    store.sweep(1.0 + sqlite.SLOT)


@pytest.mark.parametrize("gone", [SqliteStore.delete, expire])
@pytest.mark.parametrize("size", [10, 30_000], ids=["small", "on pages of its own"])
def test_nothing_of_a_session_that_is_gone_is_left_in_any_file(
    store: SqliteStore, sessions: list[str], path: Path, gone: Callable[[SqliteStore, str], object], size: int
) -> None:
    session, padding = sessions[0], secrets.token_bytes(size)
    for version in range(4):  # heads of changing sizes leave pages behind
        response = StoredResponse(f"key-{version}", "", b"token-of-anna" + padding)
        head = b"head-of-anna" + padding * (4 - version)
        store.write(session, Change(version, head, b"move-of-anna" + padding, response), LIFETIME)
    store.put_ticket(session, "ticket-of-anna", "bearer-of-anna", LIFETIME, 9)
    assert all(each in content(path) for each in (session.encode(), b"head-of-anna", b"token-of-anna", b"ticket-of-"))
    gone(store, session)
    until(lambda: not any(each in content(path) for each in (session.encode(), b"of-anna")), 10)
    assert store.count() == WRITERS - 1


def test_many_deletions_empty_the_log_once_a_second(
    store: SqliteStore, sessions: list[str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`EMPTYING` is 0.2 s here. Of n emptyings the first and the last are more than n - 2 such times apart."""
    monkeypatch.setattr(sqlite, "EMPTYING", 0.2)
    store.opened()
    emptied: list[float] = []
    empty = store._empty_log

    def counted(db: sqlite3.Connection) -> None:
        emptied.append(time.monotonic())
        empty(db)

    monkeypatch.setattr(store, "_empty_log", counted)
    for name in sessions:
        store.delete(name)
        time.sleep(0.01)
    until(lambda: not any(name.encode() in content(path) for name in sessions), 10)
    assert len(emptied) <= 2 or emptied[-1] - emptied[0] > 0.2 * (len(emptied) - 2)


def test_a_log_that_another_process_uses_is_emptied_later(
    store: SqliteStore, sessions: list[str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
    monkeypatch.setattr(sqlite, "EMPTYING", 0.1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM sessions")
    assert store.delete(sessions[0])
    assert sessions[0].encode() in content(path)
    other.close()
    until(lambda: sessions[0].encode() not in content(path), 5)


@pytest.mark.parametrize(("free", "most"), [(100 << 20, 99 << 20), (1000, 0)])
def test_a_store_is_bounded_by_its_disk_and_empties_its_log_when_that_is_nearly_full(
    store: SqliteStore, sessions: list[str], path: Path, monkeypatch: pytest.MonkeyPatch, free: int, most: int
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=free, f_frsize=1, f_blocks=1 << 40))
    size = store.size()
    assert size.most == size.held + most
    log = path.with_name(f"{path.name}-wal")
    until(lambda: (log.stat().st_size == 0) is (most == 0))


def test_a_ping_leaves_no_rows(store: SqliteStore) -> None:
    store.ping()
    tables = ("sessions", "log", "answers", "kept")
    assert [rows(store, table) for table in tables] == [0, 0, 0, 0]
