"""On a full disk, calls without sessions are answered, and the system kills no worker."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from struct import pack
from typing import Any

import pytest
from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict, mmap_key

import engines
from distributions.worker.tests.raw_http import ask_anew, get, post
from service import metrics
from service.app import create_app
from service.serving import counters
from service.sessions.stores import CALLS
from service.sessions.stores.protocol import StoreUnavailable
from service.sessions.stores.sqlite import SqliteStore
from tests.server import Server, until

STATUSES = 12  #: More statuses than any route answers with.
VERDICTS = ("legal", "illegal", "undetermined", "consistent", "inconsistent")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    if result.returncode:
        pytest.skip(f"no file system can be mounted here: {result.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill_disk(folder: Path) -> None:
    """Write a file until the file system is full."""
    with (folder / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))


def settings_in(folder: Path) -> dict[str, str]:
    """The settings of a server that stores sessions and counts in the folder."""
    return {
        "REFEREE_STORE_URL": f"sqlite:///{folder}/sessions.sqlite3",
        "PROMETHEUS_MULTIPROC_DIR": str(folder / "counters"),
    }


OPENING = post("/sessions", json.dumps({"game": "gin-rummy", "seats": 2}).encode())


def statuses_of_six_requests(server: Server) -> list[int]:
    """The statuses of the answers to a probe, two documents, a call, an opening, and an unknown path."""
    calls = [get("/livez"), get("/games"), get("/openapi.yaml"), post("/resolve", b"{}"), OPENING, get("/nowhere")]
    return [ask_anew(server, call).status for call in calls]


ALL_BUT_THE_OPENING = [200, 200, 200, 400, 503, 404]


def test_a_disk_that_fills_up_stops_only_sessions(small_disk: Path) -> None:
    with Server(settings=settings_in(small_disk)) as server:
        (worker,) = server.workers()
        fill_disk(small_disk)
        assert statuses_of_six_requests(server) == ALL_BUT_THE_OPENING
        assert b'referee_requests_total{route="/livez",status="200"} 1.0' in ask_anew(server, get("/metrics")).body
        assert server.workers() == [worker]


def test_a_small_disk_that_was_full_has_room_again_once_space_is_freed(small_disk: Path) -> None:
    with Server(settings=settings_in(small_disk)) as server:
        sessions = [json.loads(ask_anew(server, OPENING).body) for _ in range(20)]
        fill_disk(small_disk)
        until(lambda: ask_anew(server, OPENING).status == 503)
        (small_disk / "filler").unlink()
        until(lambda: ask_anew(server, OPENING).status == 201, 5)
        for each in sessions:
            deletion = get(f"/sessions/{each['id']}", f"Authorization: Bearer {each['tokens']['host']}")
            assert ask_anew(server, deletion.replace(b"GET", b"DELETE", 1)).status == 204
        until(lambda: (small_disk / "sessions.sqlite3-wal").stat().st_size == 0, 5)


def test_an_unwritable_store_is_logged_and_sessions_resume_once_it_is_writable(small_disk: Path) -> None:
    remount = ["mount", "-o", "remount,ro", str(small_disk)]
    subprocess.run(remount, check=True)
    settings = {**settings_in(small_disk), "PROMETHEUS_MULTIPROC_DIR": ""}
    with Server(settings=settings) as server:
        assert [ask_anew(server, each).status for each in (get("/readyz"), OPENING)] == [503, 503]
        (line,) = until(server.errors)
        assert line["message"].startswith("the store is away: [Errno 30] Read-only file system: ")
        remount[2] = "remount,rw"
        subprocess.run(remount, check=True)
        until(lambda: len(server.errors()) == 2)
        assert server.errors()[1]["message"] == "the store is back"
        assert ask_anew(server, OPENING).status == 201


def test_a_ping_of_a_store_without_a_file_fails_on_a_full_disk_and_makes_no_file(small_disk: Path) -> None:
    fill_disk(small_disk)
    store = SqliteStore(f"{small_disk}/sessions.sqlite3")
    with pytest.raises(StoreUnavailable, match="No space left on device"):
        store.ping()
    store.close()
    assert [each.name for each in small_disk.iterdir()] == ["filler"]


def test_a_worker_that_starts_on_a_full_disk_keeps_its_own_counts_and_logs_it_once(small_disk: Path) -> None:
    fill_disk(small_disk)
    with Server(settings=settings_in(small_disk)) as server:
        assert statuses_of_six_requests(server) == ALL_BUT_THE_OPENING
        assert statuses_of_six_requests(server) == ALL_BUT_THE_OPENING
        assert len([each for each in server.errors() if "counts of this worker" in each["message"]]) == 1
        assert len(server.workers()) == 1


def reserve_counter_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reserve the files of worker 7 in the folder, without changing how this process counts afterwards."""
    monkeypatch.setenv(counters.FOLDER, str(folder))
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)
    counters.reserve(7)


def test_the_reserved_space_is_twice_what_all_possible_counts_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All counts of a worker: every metric with every combination of its labels that can come about."""
    reserve_counter_files(tmp_path, monkeypatch)
    routes = [*{each.rule for each in create_app().url_map.iter_rules()}, "none"]
    games = engines.registry()
    counts: dict[Any, list[Any]] = {
        metrics.REQUESTS: [(route, str(status)) for route in routes for status in range(500, 500 + STATUSES)],
        metrics.VERDICTS: [(game, verdict) for game in games for verdict in VERDICTS],
        metrics.RULINGS: [(game, ruling.code) for game, engine in games.items() for ruling in engine.rulings],
        metrics.STORE_FAILURES: [(call,) for call in CALLS],
    }
    times: dict[Any, list[Any]] = {
        metrics.SECONDS: [(route,) for route in routes],
        metrics.STORE_SECONDS: [(call,) for call in CALLS],
    }
    for name, metrics_of_kind in (("counter", counts), ("histogram", times)):
        file = MmapedDict(str(tmp_path / f"{name}_7.db"))  # type: ignore[no-untyped-call]
        for metric, label_values in metrics_of_kind.items():
            for key in keys_of(metric, label_values):
                file.read_value(key)  # type: ignore[no-untyped-call]
        assert file._used * 2 < counters.SIZES[name]
        file.close()  # type: ignore[no-untyped-call]


def keys_of(metric: Any, label_values: list[Any]) -> Iterator[str]:
    """Yield the key under which the metrics library stores each number of a metric, for these values of its labels."""
    name, documentation = metric._name, metric._documentation
    bounds = [*metric._kwargs.get("buckets", ()), "+Inf", "sum"]
    for each in label_values:
        if metric._type == "counter":
            yield mmap_key(name, f"{name}_total", metric._labelnames, each, documentation)
        else:
            names = [*metric._labelnames, "le"]
            yield from (mmap_key(name, f"{name}_bucket", names, [*each, str(bound)], documentation) for bound in bounds)


def test_the_files_of_a_worker_that_has_ended_are_cut_to_the_counts_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve_counter_files(tmp_path, monkeypatch)
    for name, size in counters.SIZES.items():
        assert (tmp_path / f"{name}_7.db").stat().st_blocks * 512 >= size
    with (tmp_path / "counter_7.db").open("r+b") as file:
        file.write(pack("i", 1000))  # how much of the file is used
    counters.release(7)
    assert {each.name: each.stat().st_size for each in tmp_path.iterdir()} == {
        "counter_7.db": 1000,
        "histogram_7.db": 8,
        "gauge_livesum_7.db": 8,
        "gauge_livemostrecent_7.db": 8,
    }
