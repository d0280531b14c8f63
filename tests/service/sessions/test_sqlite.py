"""What only the SQLite store does: changes that come at the same time are written in one transaction."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from service.sessions.sqlite import SqliteStore
from service.sessions.store import Change, Outcome, StoreUnavailable

LONG = 600.0
COUNT = 5


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(str(tmp_path / "sessions.sqlite3"))
    yield store
    store.close()


@pytest.fixture
def opened(store: SqliteStore) -> list[str]:
    names = [secrets.token_hex(16) for _ in range(COUNT)]
    for name in names:
        assert store.write(name, Change(-1, b"head"), LONG) is Outcome.WRITTEN
    return names


@contextmanager
def at_once(store: SqliteStore, changes: dict[str, Change]) -> Iterator[list[Future[Any]]]:
    """The changes wait until the body is over, and then are made together."""
    with ThreadPoolExecutor(len(changes)) as pool, store.lock:
        yield [pool.submit(store.write, name, change, LONG) for name, change in changes.items()]
        while len(store._jobs) < len(changes):
            time.sleep(0.001)


def test_changes_that_come_at_once_share_a_transaction(store: SqliteStore, opened: list[str]) -> None:
    told: list[str] = []
    with at_once(store, {name: Change(0, b"head", b"entry") for name in opened}) as made:
        store.opened().set_trace_callback(told.append)
    assert [each.result() for each in made] == [Outcome.WRITTEN] * COUNT
    assert told.count("COMMIT") == 1
    assert [len(store.log(name, 0, 9)) for name in opened] == [1] * COUNT


def test_each_is_told_what_came_of_its_own(store: SqliteStore, opened: list[str]) -> None:
    with at_once(store, {name: Change(since, b"head", b"entry") for since, name in enumerate(opened)}) as made:
        pass
    assert [each.result() for each in made] == [Outcome.WRITTEN] + [Outcome.STALE] * (COUNT - 1)


def test_who_cannot_be_written_spoils_nothing_for_others(store: SqliteStore, opened: list[str]) -> None:
    unfit: Any = object()
    changes = {name: Change(0, unfit if name == opened[1] else b"head", b"entry") for name in opened}
    with at_once(store, changes) as made:
        pass
    assert isinstance(made[1].exception(), StoreUnavailable)
    assert [each.result() for place, each in enumerate(made) if place != 1] == [Outcome.WRITTEN] * (COUNT - 1)
    assert [len(store.log(name, 0, 9)) for name in opened] == [1, 0, 1, 1, 1]
    assert store.write(opened[1], Change(0, b"head", b"entry"), LONG) is Outcome.WRITTEN


def test_who_cannot_be_written_is_tried_once_if_nobody_else_waits(store: SqliteStore, opened: list[str]) -> None:
    told: list[str] = []
    unfit: Any = object()
    store.opened().set_trace_callback(told.append)
    with pytest.raises(StoreUnavailable):
        store.write(opened[0], Change(0, unfit, b"entry"), LONG)
    assert told.count("BEGIN IMMEDIATE") == 1


class Stopped(BaseException):
    """Stands for what ends a greenlet."""


def test_who_is_stopped_while_others_may_come_is_not_written_later(
    store: SqliteStore, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(_: float) -> None:
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(time, "sleep", stopped)
        with pytest.raises(Stopped):
            store.write(opened[0], Change(0, b"head", b"entry"), LONG)
    assert store.write(opened[1], Change(0, b"head", b"entry"), LONG) is Outcome.WRITTEN
    assert store.log(opened[0], 0, 9) == []


def test_who_gave_up_waiting_is_not_written_later(store: SqliteStore, opened: list[str], tmp_path: Path) -> None:
    other = SqliteStore(str(tmp_path / "sessions.sqlite3"))
    other.opened().execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable):
        store.write(opened[0], Change(0, b"head", b"entry"), LONG)
    other.opened().execute("ROLLBACK")
    other.close()
    assert store.write(opened[1], Change(0, b"head", b"entry"), LONG) is Outcome.WRITTEN
    assert store.log(opened[0], 0, 9) == []
