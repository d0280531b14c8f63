"""Backup and restore, from each kind of store to each."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from service import cli
from service.sessions.stores import open_store
from service.sessions.stores.protocol import Change, StoredResponse, WriteResult
from tests.faults.servers import PORTS, RedisServer, clients_of_cluster, free_port
from tests.server import meanwhile
from tests.service.sessions.tables import SessionClient, open_session, service_client

LIFETIME = 600.0
PASS = {"type": "pass", "seat": 0}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The file that a backup writes. It does not exist yet."""
    return tmp_path / "copy"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A path for a new store."""
    return tmp_path / "folder" / "sessions.sqlite3"


@pytest.fixture(params=["sqlite", "redis", "cluster"])
def empty_url(request: pytest.FixtureRequest, file: Path) -> str:
    """Return the URL of an empty store other than the one at `store_url`."""
    if request.param == "sqlite":
        return f"sqlite:///{file}"
    if request.param == "cluster":
        url: str = request.getfixturevalue("cluster")
        for master in clients_of_cluster(url):
            master.flushall()
        return url
    server: RedisServer = request.getfixturevalue("redis_server")
    other: str = server.url.replace("db=0", "db=1")
    return other


@pytest.fixture
def backed_up(copy: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A backup of a store with one session."""
    open_session(service_client(f"sqlite:///{copy}.store"))
    assert cli.main(["backup", str(copy), "--store", f"sqlite:///{copy}.store"]) == 0
    capsys.readouterr()
    return copy


def test_sessions_continue_in_another_store_from_the_backups_state(
    empty_url: str, store_url: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = open_session(service_client(store_url))
    first = table.move("host", PASS, **{"Idempotency-Key": "k"})
    assert first.status_code == 201
    assert cli.main(["backup", str(copy), "--store", store_url]) == 0
    assert cli.main(["restore", str(copy), "--store", empty_url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"Sessions in {copy}: 1. It holds the keys")
    assert lines[1].startswith("Sessions that are back: 1.")
    there = SessionClient(service_client(empty_url), table.id, table.game, table.tokens)
    assert there.get("seat-1").get_json() == table.get("seat-1").get_json()
    assert there.move("host", PASS, **{"Idempotency-Key": "k"}).get_data() == first.get_data()
    moved = there.move("host", {"type": "pass", "seat": 1})
    assert (moved.status_code, moved.get_json()["version"]) == (201, 2)
    assert len(there.get("host", "/moves").get_json()["entries"]) == 2
    assert open_store(empty_url).count() == 1


@contextmanager
def traffic(url: str) -> Iterator[list[str]]:
    """Change ten sessions all the time; yield their names."""
    names = [f"{number:032x}" for number in range(10)]

    def write(over: threading.Event) -> None:
        version = 0
        while not over.is_set():
            for name in names:
                entry = str(version + 1).encode()
                change = Change(version, entry, entry, StoredResponse(f"{version}", "", entry))
                assert store.write(name, change, LIFETIME) is WriteResult.WRITTEN
            version += 1

    with closing(open_store(url)) as store:
        for name in names:
            store.write(name, Change(-1, b"0"), LIFETIME)
        with meanwhile(write):
            yield names


def test_a_session_that_is_played_during_the_backup_is_copied_whole(store_url: str, copy: Path) -> None:
    with traffic(store_url) as names:
        for number in range(3):
            assert cli.main(["backup", f"{copy}{number}", "--store", store_url]) == 0
    for number in range(3):
        store = open_store(f"sqlite:///{copy}{number}")
        copies = {each.session: each for each in map(store.copy, store.names()) if each}
        assert copies.keys() == set(names)
        for each in copies.values():
            assert each.record == str(each.version).encode()
            assert each.log == [str(version).encode() for version in range(1, each.version + 1)]
            assert len(each.responses) == each.version
        store.close()


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line that a command writes to stderr when it fails with status 2."""
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_a_restored_file_is_its_owners_alone_and_returns_free_pages_to_the_disk(file: Path, backed_up: Path) -> None:
    cli.main(["restore", str(backed_up), "--store", f"sqlite:///{file}"])
    assert [each.stat().st_mode & 0o777 for each in (backed_up, file)] == [0o600, 0o600]
    assert [*file.parent.iterdir()] == [file]
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA auto_vacuum").fetchone() == (2,)  # incremental


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_nothing_is_restored_beside_the_remains_of_another_store(
    file: Path, backed_up: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.parent.mkdir()
    left = Path(f"{file}{suffix}")
    left.write_bytes(b"left")
    assert f"{left}: there already" in refused(["restore", str(backed_up), "--store", f"sqlite:///{file}"], capsys)
    assert [*file.parent.iterdir()] == [left]


def test_nothing_is_restored_into_a_store_with_sessions(
    redis_server: RedisServer, backed_up: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_session(service_client(redis_server.url))
    assert "the store holds sessions" in refused(["restore", str(backed_up), "--store", redis_server.url], capsys)


def test_a_damaged_backup_is_refused_in_one_line(
    file: Path, backed_up: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(backed_up)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'answers'").fetchone()  # stored responses
        (size,) = db.execute("PRAGMA page_size").fetchone()
    with backed_up.open("r+b") as written:
        written.seek((page - 1) * size)
        written.write(b"x" * size)
    message = refused(["restore", str(backed_up), "--store", f"sqlite:///{file}"], capsys)
    assert f"{backed_up} is damaged: " in message
    assert not file.exists()


def test_a_file_that_is_no_backup_is_refused(file: Path, copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    restore = ["restore", str(copy), "--store", f"sqlite:///{file}"]
    assert f"there is no file {copy}" in refused(restore, capsys)
    folder = str(copy.parent)
    assert f"there is no file {folder}" in refused(["restore", folder, *restore[2:]], capsys)
    copy.write_bytes(b"something else" * 100)
    assert f"{copy} is no backup: file is not a database" in refused(restore, capsys)
    copy.unlink()
    in_use = open_store(f"sqlite:///{copy}")
    in_use.begin()
    assert f"{copy}-wal lies beside it" in refused(restore, capsys)
    in_use.close()
    assert not file.exists()


@pytest.mark.parametrize("scheme", ["redis", "redis+cluster"])
def test_an_unavailable_redis_ends_in_one_line_and_leaves_nothing_half_done(
    scheme: str, backed_up: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy, url = tmp_path / "another", f"{scheme}://127.0.0.1:{free_port(PORTS)}" + ("/0" if scheme == "redis" else "")
    assert refused(["backup", str(copy), "--store", url], capsys).startswith("referee backup: ")
    assert not copy.exists()
    assert refused(["restore", str(backed_up), "--store", url], capsys).startswith("referee restore: ")


def test_a_backup_is_not_overwritten(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{copy}.store"
    assert "there is no store at" in refused(["backup", str(copy), "--store", url], capsys)
    assert not copy.exists()
    open_session(service_client(url))
    copy.write_bytes(b"mine")
    assert f"{copy} is there already" in refused(["backup", str(copy), "--store", url], capsys)
    assert copy.read_bytes() == b"mine"
