"""A store that an earlier release wrote is read and played on; one of a later release is refused, or kept whole."""

import json
import logging
import random
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from service.sessions.service import Sessions
from service.sessions.stores import newer_format, open_store
from service.sessions.stores.protocol import FORMAT, StoreUnavailable
from service.sessions.stores.redis import OPERATION
from service.sessions.stores.sqlite import LOOK
from tests.baseline import sessions
from tests.server import Server
from tests.service.sessions.tables import SessionClient, open_session, service_client


@pytest.fixture(params=[(release, kind) for release in sessions.RELEASES for kind in ("sqlite", "redis")], ids="-".join)
def baseline(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, list[dict[str, Any]]]:
    """The URL of a copy of a baseline store, and of each of its sessions what its bearers were answered."""
    release, kind = request.param
    if kind == "redis":
        url = sessions.restore_into(release, request.getfixturevalue("redis_server"))
    else:
        url = f"sqlite:///{shutil.copy(sessions.STORES / release / 'sessions.sqlite3', tmp_path)}"
    return url, sessions.sessions_of(release, kind)


def lacking(old: Any, new: Any) -> Any:
    """Return the first part of an old answer that the new one does not have; None if it only gained members.

    An old answer lists the designs of the house deck; that member may be missing in a new one.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        names = [name for name in old if name in new or name != "designs"]
        return next((part for name in names if (part := lacking(old[name], new.get(name, "nothing")))), None)
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return next((part for one, other in zip(old, new, strict=True) if (part := lacking(one, other))), None)
    return None if old == new else f"{old} is {new}"


def test_every_bearer_is_answered_as_before_and_plays_on(baseline: tuple[str, list[dict[str, Any]]]) -> None:
    url, tables = baseline
    client, dice = sessions.client(url), random.Random(1)
    for each in tables:
        table = SessionClient(client, each["id"], each["game"], each["tokens"])
        assert lacking(each["answers"], sessions.answers(table)) is None
        if each["last"]:  # the last move was made under a key: its response was stored, and is given again
            move, answer = each["last"]
            assert lacking(answer, table.move("host", move, Idempotency_Key=sessions.LAST).get_json()) is None
            assert table.move("host", table.choose(dice)).status_code == 201
        for seat, invite in enumerate(each["invites"]):
            taken = client.post(f"{table.path}/seats/{seat}", json={"invite": invite})
            assert taken.status_code == (409 if f"seat-{seat}" in each["tokens"] else 201)
        if each["answers"]["host"][0]["state"] is None:  # a joint deal that waits for the seeds
            table.reveal(*sessions.SEEDS)
            assert table.move("host", table.choose(dice)).status_code == 201


def test_nothing_in_a_baseline_store_is_unreadable(baseline: tuple[str, list[dict[str, Any]]]) -> None:
    url, tables = baseline
    client = sessions.client(url)
    service: Sessions = client.application.extensions["sessions"]
    service.examine()
    assert "unreadable" not in client.get("/readyz").get_json()["checks"]
    assert len([*service.store.names()]) == len(tables)
    assert service.store.format() == FORMAT


# --- a store that a later version has written ------------------------------------------------------


def only_record(url: str) -> dict[str, Any]:
    """Return the record of the one session in a store."""
    store = open_store(url)
    (record,) = [json.loads(session.record) for session in map(store.read, store.names()) if session]
    store.close()
    return record  # type: ignore[no-any-return]


def set_member(url: str, member: str, value: Any) -> None:
    """Set a member of the record of the one session in a store."""
    record = json.dumps(only_record(url) | {member: value}).encode()
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as db, db:
            db.execute("UPDATE sessions SET head = ?", (record,))
    else:
        client: Any = Redis.from_url(url)
        (name,) = (key for key in client.scan_iter() if client.type(key) == b"hash" and client.hexists(key, "head"))
        client.hset(name, "head", record)


def raise_format(url: str) -> None:
    """Mark a store as one of the next format, as a newer version of the service does."""
    store = open_store(url)
    store.ping()
    store.close()
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as db:
            db.execute(f"PRAGMA user_version = {FORMAT + 1}")
    else:
        Redis.from_url(url).set("referee:format", FORMAT + 1)


TOO_NEW = f"a newer version wrote the store: its format is {FORMAT + 1}, this one reads {FORMAT}"


def test_a_move_keeps_a_member_that_a_newer_version_added_to_the_record(store_url: str) -> None:
    table = open_session(service_client(store_url))
    set_member(store_url, "a_newer_member", [1, {"two": 3}])
    again = SessionClient(service_client(store_url), table.id, table.game, table.tokens)
    assert again.move("host", {"type": "pass", "seat": 0}).status_code == 201
    assert only_record(store_url)["a_newer_member"] == [1, {"two": 3}]


def rename_views(url: str) -> None:
    """Give the members of every log entry the names that the next release will write."""

    def renamed(entry: bytes) -> bytes:
        members = json.loads(entry)
        return json.dumps({"views": members["faces"], "view_of": members["of"]}).encode()

    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as db, db:
            db.create_function("renamed", 1, renamed)
            db.execute("UPDATE log SET entry = renamed(entry)")
    else:
        client: Any = Redis.from_url(url)
        (log,) = client.scan_iter("*:log")
        for place, entry in enumerate(client.lrange(log, 0, -1)):
            client.lset(log, place, entry[:OPERATION] + renamed(entry[OPERATION:]))


def test_log_entries_with_the_member_names_of_the_next_release_are_read(store_url: str) -> None:
    """The next release writes `views` and `view_of`, this one writes `faces` and `of`."""
    table = open_session(service_client(store_url), "twins")
    assert table.move("host", table.choose(random.Random(1))).status_code == 201
    before = [table.get(bearer, "/moves").get_json() for bearer in table.bearers]
    rename_views(store_url)
    later = SessionClient(service_client(store_url), table.id, table.game, table.tokens)
    assert [later.get(bearer, "/moves").get_json() for bearer in table.bearers] == before


def test_a_store_of_a_newer_format_is_neither_read_nor_written(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    raise_format(store_url)
    assert newer_format(store_url) == f"REFEREE_STORE_URL: {TOO_NEW}"
    store = open_store(store_url)
    for call in (store.ping, lambda: store.read("any"), lambda: store.delete("any")):
        with pytest.raises(StoreUnavailable, match=TOO_NEW):
            call()
    store.close()
    assert [each.getMessage() for each in caplog.records] == [f"the store is away: {TOO_NEW}"]


def test_an_open_store_is_neither_read_nor_written_once_a_newer_version_raised_its_format(store_url: str) -> None:
    store = open_store(store_url)
    store.ping()
    raise_format(store_url)
    time.sleep(LOOK)  # how often SQLite's store reads the format again
    with pytest.raises(StoreUnavailable, match=TOO_NEW):
        store.ping()
    for call in (lambda: store.read("any"), lambda: store.delete("any")):
        with pytest.raises(StoreUnavailable, match=TOO_NEW):
            call()
    store.close()


def test_a_server_refuses_a_store_of_a_newer_format_in_one_line(store_url: str) -> None:
    raise_format(store_url)
    with Server(settings={"REFEREE_STORE_URL": store_url}) as server:
        assert server.process.wait(20) == 1
        assert server.err.read_text("utf-8") == f"REFEREE_STORE_URL: {TOO_NEW}\n"


def test_a_store_that_is_not_there_yet_has_no_format(store_url: str, tmp_path: Path) -> None:
    assert open_store(store_url).format() == 0
    assert newer_format(store_url) is None
    assert list(tmp_path.iterdir()) == []


def damage_the_log(url: str) -> None:
    """Replace the first log entry by bytes that are none."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as db, db:
            db.execute("UPDATE log SET entry = 'damaged'")
    else:
        client: Any = Redis.from_url(url)
        client.lset(next(client.scan_iter("*:log")), 0, b"damaged, and longer than the id of an operation")


@pytest.mark.parametrize(
    ("damage", "call"),
    [
        (lambda url: set_member(url, "game", "chess"), ""),
        (lambda url: set_member(url, "state", {"phase": "unheard-of"}), ""),
        (damage_the_log, "/moves"),
    ],
    ids=["game", "state", "log"],
)
def test_sessions_that_cannot_be_read_are_counted_and_answer_503(
    store_url: str, damage: Callable[[str], object], call: str, caplog: pytest.LogCaptureFixture
) -> None:
    table = open_session(service_client(store_url))
    assert table.move("host", {"type": "pass", "seat": 0}).status_code == 201
    damage(store_url)
    later = service_client(store_url)
    with caplog.at_level(logging.ERROR):
        later.application.extensions["sessions"].examine()
    assert [each.getMessage().partition(" of the")[0] for each in caplog.records] == ["this version cannot read 1"]
    ready = later.get("/readyz")
    assert (ready.status_code, ready.get_json()["checks"]["unreadable"]) == (200, 1)
    assert SessionClient(later, table.id, table.game, table.tokens).get("host", call).status_code == 503
