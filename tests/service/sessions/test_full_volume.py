"""A SQLite store on a full volume: openings stop first, moves next; deletions and expiry go on, and space comes back.

`make faults` does it with whole servers, on volumes of five sizes. Here a volume of 6 MiB is mounted. Where none can be
mounted the store runs on a folder whose bytes are counted: then nothing fails but what looks at the room beforehand.
"""

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.sessions.stores import sqlite
from service.sessions.stores.protocol import Change, StoredResponse, StoreFull, StoreUnavailable
from service.sessions.stores.sqlite import SqliteStore
from service.sessions.stores.sqlite_volume import Volume
from tests.faults.full_volume import NoVolume, volume
from tests.server import until

MEBIBYTES = 6
LIFETIME = 600.0
PATIENCE = 60.0  #: Seconds after which something will not come: a machine, or its disk, may be busy.
BYTES_LEFT = 144 << 10
"""Bytes that a full volume has left for a store without its reserve: not enough for a whole portion of a deletion."""
RECORD, ENTRY, ANSWER = bytes(30_000), bytes(9_000), bytes(30_000)


def _count_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a folder pass for a volume of its own."""
    whole = MEBIBYTES << 20

    def statvfs(_: object) -> SimpleNamespace:
        used = sum(each.stat().st_size for each in folder.iterdir())
        return SimpleNamespace(f_bavail=max(whole - used, 0), f_blocks=whole, f_frsize=1)

    monkeypatch.setattr(os, "statvfs", statvfs)


@pytest.fixture(params=["mounted"])
def folder(
    patience: None, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A small volume."""
    for limit in ("COPY_PATIENCE", "DELETION_PATIENCE", "SWEEP_PATIENCE", "CLOSE_PATIENCE"):
        monkeypatch.setattr(sqlite, limit, PATIENCE)
    if request.param == "counted":
        _count_bytes(tmp_path, monkeypatch)
        yield tmp_path
        return
    try:
        with volume(MEBIBYTES) as mounted:
            yield mounted
    except NoVolume as reason:
        pytest.skip(f"NO VOLUME CAN BE MOUNTED HERE, so a full one is not tried: {reason}")


@pytest.fixture
def store(folder: Path) -> Iterator[SqliteStore]:
    """A store in the folder of a small volume. It has no file yet."""
    store = SqliteStore(f"{folder}/sessions.sqlite3")
    yield store
    store.close()


def free(folder: Path) -> int:
    """Return the bytes that are free on the folder's volume."""
    disk = os.statvfs(folder)
    return int(disk.f_bavail * disk.f_frsize)


def fill(folder: Path) -> None:
    """Let another program take the last byte."""
    with (folder / "stranger").open("ab", buffering=0) as file, suppress(OSError):
        while free(folder):
            file.write(bytes(4096))


def open_until_full(store: SqliteStore, lifetime: float = LIFETIME, most: int = 1 << 20) -> list[str]:
    """Open sessions until there is no room for more; return their names."""
    names: list[str] = []
    with suppress(StoreFull):
        while len(names) < most:
            name = os.urandom(16).hex()
            store.write(name, Change(-1, RECORD), lifetime)
            names.append(name)
    return names


def move_until_full(store: SqliteStore, names: list[str]) -> int:
    """Move in the sessions in turn until there is no room for more; return how often that was possible."""
    count = 0
    with suppress(StoreFull):
        while True:
            version, session = divmod(count, len(names))
            response = StoredResponse(f"key-{version}", "", ANSWER)
            store.write(names[session], Change(version, RECORD, ENTRY, response), LIFETIME)
            count += 1
    return count


@pytest.mark.parametrize("folder", ["mounted", "counted"], indirect=True)
def test_openings_stop_first_then_moves_and_both_come_back_after_deletions(folder: Path, store: SqliteStore) -> None:
    names = open_until_full(store)
    assert names
    assert move_until_full(store, names) > 0
    assert not store.size().opens
    assert [store.delete(each) for each in names] == [True] * len(names)
    assert store.count() == 0
    again: list[str] = []

    def half_are_back() -> bool:
        again.extend(open_until_full(store, most=10))
        return len(again) > len(names) / 2

    until(half_are_back, PATIENCE)
    assert move_until_full(store, again) > 0


def open_and_move(store: SqliteStore) -> list[str]:
    """Open 30 sessions and make two moves in each; return their names."""
    names = open_until_full(store, most=30)
    for version in range(2):
        for name in names:
            store.write(name, Change(version, RECORD, ENTRY, StoredResponse(str(version), "", ANSWER)), LIFETIME)
    return names


def test_sessions_are_deleted_though_another_program_takes_the_last_byte(folder: Path, store: SqliteStore) -> None:
    names = open_and_move(store)
    fill(folder)
    assert store.read(names[0]) is not None
    assert [store.delete(each) for each in names] == [True] * len(names)
    until(lambda: open_until_full(store, most=1), PATIENCE)


def test_sessions_expire_on_a_full_volume(folder: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "SLOT", 0.01)
    open_until_full(store, lifetime=0.01, most=30)
    fill(folder)
    time.sleep(0.05)
    until(lambda: not store.sweep(time.time()) and store.count() == 0, PATIENCE)


def test_a_large_session_is_deleted_in_portions_that_fit_the_reserve(folder: Path, store: SqliteStore) -> None:
    """It is more than twice as large as one portion."""
    (name,) = open_until_full(store, most=1)
    versions = move_until_full(store, [name])
    assert store._volume is not None
    assert versions * len(ANSWER) > 2 * store._volume.portion
    fill(folder)
    assert store.delete(name)
    assert store.read(name) is None
    until(lambda: open_until_full(store, most=1), PATIENCE)


def test_a_store_found_full_at_its_start_opens_says_so_and_deletes(
    folder: Path, store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    names = open_and_move(store)
    store.close()
    assert not (folder / "sessions.sqlite3-wal").exists()
    (folder / "sessions.sqlite3-reserve").unlink()
    fill(folder)
    os.truncate(folder / "stranger", (folder / "stranger").stat().st_size - BYTES_LEFT)
    again = SqliteStore(f"{folder}/sessions.sqlite3")
    assert again.read(names[0]) is not None
    assert [again.delete(each) for each in names] == [True] * len(names)
    until(lambda: open_until_full(again, most=1), PATIENCE)
    again.close()
    assert "the volume of the store is full: it is open without its reserve" in caplog.messages
    assert not (folder / "sessions.sqlite3-wal").exists()


def test_a_deletion_writes_a_few_pages_however_large_the_session_is(tmp_path: Path) -> None:
    """A page takes 4,120 bytes in the log: 4,096 and the header of its frame."""
    store = SqliteStore(f"{tmp_path}/sessions.sqlite3")
    store.write("large", Change(-1, bytes(400_000)), LIFETIME)
    log = tmp_path / "sessions.sqlite3-wal"
    assert store._upkeep.wait(store._upkeep.request(), PATIENCE)
    before = log.stat().st_size
    store._mark_gone("large")
    assert log.stat().st_size - before < 10 * 4120
    store.close()


def mark_gone(store: SqliteStore, names: list[str]) -> None:
    """Mark sessions as gone, while nothing deletes their rows."""
    store._upkeep.wait_for_end(PATIENCE)
    assert [store._mark_gone(each) for each in names] == [True] * len(names)


def rows(folder: Path) -> tuple[int, int]:
    """Count the sessions, deleted ones included, and the free pages of a store that is closed."""
    with closing(sqlite3.connect(folder / "sessions.sqlite3")) as db:
        count = "SELECT (SELECT count(*) FROM sessions), freelist_count FROM pragma_freelist_count"
        sessions, free_pages = db.execute(count).fetchone()
        return sessions, free_pages


def test_a_store_that_closes_keeps_its_free_pages_though_the_volume_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To give them all back took longer than a stop waits, and the `-wal` stayed."""
    store = SqliteStore(f"{tmp_path}/sessions.sqlite3")
    mark_gone(store, open_and_move(store))
    monkeypatch.setattr(Volume, "left", lambda *_: -1)
    monkeypatch.setattr(sqlite, "DELETING_AT_CLOSE", PATIENCE)
    store.close()
    sessions, free_pages = rows(tmp_path)
    assert sessions == 0
    assert free_pages > 0


def test_a_store_that_closes_leaves_no_log_though_it_has_not_the_time_to_delete_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(f"{tmp_path}/sessions.sqlite3")
    mark_gone(store, open_and_move(store))
    monkeypatch.setattr(sqlite, "DELETING_AT_CLOSE", 0)
    store.close()
    assert not (tmp_path / "sessions.sqlite3-wal").exists()
    assert rows(tmp_path)[0] == 30
    again = SqliteStore(f"{tmp_path}/sessions.sqlite3")
    assert again.sweep(time.time()) is False
    again.close()
    assert rows(tmp_path)[0] == 0


def test_a_store_closes_after_another_process_has_closed_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two that closed at once each left the `-wal` to the other: 5 times of 200."""
    monkeypatch.setattr(sqlite, "CLOSE_PATIENCE", PATIENCE)
    store = SqliteStore(f"{tmp_path}/sessions.sqlite3")
    open_until_full(store, most=1)
    tries: list[bool] = []
    try_to_lock = sqlite._locked

    def locked(folder: int) -> bool:
        tries.append(try_to_lock(folder))
        return tries[-1]

    monkeypatch.setattr(sqlite, "_locked", locked)
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with ThreadPoolExecutor(1) as pool:
        closed = pool.submit(store.close)
        until(lambda: tries, PATIENCE)
        assert store._connection is not None
        os.close(other)
        closed.result(PATIENCE)
    assert (tries[0], tries[-1]) == (False, True)
    assert not (tmp_path / "sessions.sqlite3-wal").exists()


def test_a_store_that_was_closed_is_not_opened_again(tmp_path: Path) -> None:
    """A thread that still runs as a worker ends would bring the `-wal` back."""
    store = SqliteStore(f"{tmp_path}/sessions.sqlite3")
    open_until_full(store, most=1)
    store.close()
    with pytest.raises(StoreUnavailable, match="the store is closed"):
        store.count()
    assert not (tmp_path / "sessions.sqlite3-wal").exists()
