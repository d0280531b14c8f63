"""What only the Redis store does: wait for replicas, index sessions on every server, follow moving slots."""

import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from redis.crc import key_slot

from service.redis_address import read_address
from service.sessions.stores import open_store, redis
from service.sessions.stores.protocol import (
    Change,
    Reached,
    Store,
    StoredResponse,
    StoredSession,
    StoreUnavailable,
    WriteResult,
)
from service.sessions.stores.redis_messages import SHARDED, channel
from service.sessions.stores.redis_servers import Cluster
from tests.faults.servers import (
    AT_ONCE,
    SENTINELS,
    RedisServer,
    clients_of_cluster,
    cluster_url,
    free_port,
    redis_cluster,
)
from tests.server import until
from tests.service.sessions.tables import SessionClient, open_session, service_client, watching

LIFETIME = 600.0


@pytest.fixture
def unreplicated(redis_server: RedisServer) -> Iterator[Store]:
    """A store that requires no replica."""
    store = open_store(redis_server.url)
    yield store
    store.close()


@pytest.fixture
def store_lacking_a_replica(redis_server: RedisServer) -> Iterator[Store]:
    """A store that requires a replica, which this server does not have."""
    store = open_store(f"{redis_server.url}&replicas=1")
    yield store
    store.close()


@pytest.fixture
def session(unreplicated: Store) -> str:
    """The name of a session at version 0."""
    name = secrets.token_hex(8)
    assert unreplicated.write(name, Change(-1, b"dealt"), LIFETIME) is WriteResult.WRITTEN
    return name


@pytest.mark.parametrize(
    "change",
    [
        lambda store, session: store.write(session, Change(0, b"moved", b"one"), LIFETIME),
        lambda store, session: store.store_response(session, StoredResponse("key", "request", b"answer"), 1000),
        lambda store, session: store.delete(session),
    ],
)
def test_a_change_that_no_replica_has_is_not_acknowledged(
    store_lacking_a_replica: Store, session: str, change: Callable[[Store, str], object]
) -> None:
    with pytest.raises(StoreUnavailable):
        change(store_lacking_a_replica, session)


@pytest.fixture
def master_and_replica(tmp_path: Path) -> Iterator[tuple[RedisServer, RedisServer]]:
    """A Redis server and its replica."""
    with (
        RedisServer(tmp_path / "master", free_port(SENTINELS), *AT_ONCE) as master,
        RedisServer(tmp_path / "replica", 0, *AT_ONCE, "--replicaof", "127.0.0.1", str(master.port)) as replica,
    ):
        until(lambda: is_followed(master))
        yield master, replica


def is_followed(master: RedisServer) -> bool:
    """Whether a replica follows the master, and has all that it held."""
    return bool(master.client().info("replication").get("slave0", {}).get("state") == "online")


def status_of_move_under_key(url: str, table: SessionClient) -> int:
    """Make the same move under the same key, at a new worker, which reads the session from the store; its status."""
    worker = SessionClient(service_client(url), table.id, table.game, table.tokens)
    return worker.move("host", {"type": "pass", "seat": 0}, Idempotency_Key="the same").status_code


@contextmanager
def lagging(replica: RedisServer) -> Iterator[None]:
    """Freeze a replica for the length of the block. It stays connected, and acknowledges nothing."""
    replica.freeze()
    try:
        yield
    finally:
        replica.thaw()


@pytest.mark.usefixtures("patience")
def test_a_move_is_answered_again_under_its_key_only_once_a_replica_has_it(
    master_and_replica: tuple[RedisServer, RedisServer],
) -> None:
    master, replica = master_and_replica
    url = f"{master.url}?replicas=1"
    table = open_session(service_client(url))
    with lagging(replica):
        assert status_of_move_under_key(url, table) == 503
        assert master.client().llen(f"referee:{{{table.id}}}:log") == 1
        assert status_of_move_under_key(url, table) == 503
    until(lambda: status_of_move_under_key(url, table) == 201)
    assert replica.client().llen(f"referee:{{{table.id}}}:log") == 1


RESPONSE = StoredResponse("key", "request", b"answer")


def read_response(store: Store, session: str) -> object:
    """Return the stored response that a read of the session finds under the key of `RESPONSE`."""
    return getattr(store.read(session, "key"), "response", None)


def repeat_change(store: Store, session: str) -> object:
    """Write the same change under the same key; return its stored response."""
    return store.write(session, Change(0, b"moved", b"one", RESPONSE), LIFETIME)


def repeat_refusal(store: Store, session: str) -> object:
    """Store a refusal under the same key; return the response that was stored there before."""
    return store.store_response(session, RESPONSE, 1000)


@pytest.mark.parametrize("ask_again", [read_response, repeat_change, repeat_refusal])
def test_a_response_that_only_the_master_has_is_not_given_on_another_connection(
    master_and_replica: tuple[RedisServer, RedisServer], ask_again: Callable[[Store, str], object]
) -> None:
    master, replica = master_and_replica
    store, other = open_store(f"{master.url}?replicas=1"), open_store(f"{master.url}?replicas=1")
    until(lambda: acknowledged(store, Change(-1, b"dealt")))
    with lagging(replica):
        assert not acknowledged(store, Change(0, b"moved", b"one", RESPONSE))
        with pytest.raises(StoreUnavailable, match="too few replicas"):
            ask_again(other, "session")
    until(lambda: acknowledged(store, Change(0, b"moved", b"one", RESPONSE)))
    assert ask_again(other, "session") == RESPONSE
    for each in (store, other):
        each.close()


def test_a_change_that_is_sent_twice_is_acknowledged_only_once_a_replica_has_it(
    master_and_replica: tuple[RedisServer, RedisServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """redis-py sends a script again on a new connection. Here two stores send one script, with one operation's id."""
    master, replica = master_and_replica
    monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * 2 * size)
    store, other = open_store(f"{master.url}?replicas=1"), open_store(f"{master.url}?replicas=1")
    until(lambda: acknowledged(store, Change(-1, b"dealt")))
    with lagging(replica):
        assert not acknowledged(store, Change(0, b"moved", b"one"))
        assert not acknowledged(other, Change(0, b"moved", b"one"))
    until(lambda: acknowledged(other, Change(0, b"moved", b"one")))
    for each in (store, other):
        each.close()


def acknowledged(store: Store, change: Change) -> bool:
    """Make a change; return whether the store confirms that it was made."""
    with suppress(StoreUnavailable):
        return store.write("session", change, LIFETIME) in (WriteResult.WRITTEN, change.response)
    return False


@pytest.mark.parametrize("ask_again", [repeat_change, repeat_refusal])
def test_a_response_that_is_given_again_is_written_again(
    unreplicated: Store, session: str, redis_server: RedisServer, ask_again: Callable[[Store, str], object]
) -> None:
    """Redis promises of `WAIT` that it counts what its own connection wrote, and of another connection nothing."""
    unreplicated.write(session, Change(0, b"moved", b"one", RESPONSE), LIFETIME)
    assert hset_calls(redis_server, lambda: ask_again(unreplicated, session)) == 1


def test_a_script_that_is_sent_again_writes_its_change_again(
    unreplicated: Store, session: str, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """redis-py sends a script again if its reply is cut off. The change is made once, and so is its log entry.

    But the script has to write something on the new connection, because `WAIT` counts the replicas of what its own
    connection wrote: otherwise it would confirm a change that no replica has. The same operation's id, drawn here as
    zeros, is how the store knows the script.
    """
    monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * 2 * size)
    unreplicated.write(session, Change(0, b"moved", b"one"), LIFETIME)
    assert hset_calls(redis_server, lambda: unreplicated.write(session, Change(0, b"moved", b"one"), LIFETIME)) == 1


def hset_calls(server: RedisServer, call: Callable[[], object]) -> int:
    """Make a call; return how many `HSET` it sends to Redis."""
    server.client().config_resetstat()
    call()
    return int(server.client().info("commandstats").get("cmdstat_hset", {}).get("calls", 0))


def test_a_read_that_finds_a_response_writes_nothing_if_no_replica_is_required(
    unreplicated: Store, session: str, redis_server: RedisServer
) -> None:
    unreplicated.write(session, Change(0, b"moved", b"one", RESPONSE), LIFETIME)
    assert hset_calls(redis_server, lambda: unreplicated.read(session, "key")) == 0


def test_a_store_that_lacks_a_replica_is_not_ready(unreplicated: Store, store_lacking_a_replica: Store) -> None:
    unreplicated.ping()
    with pytest.raises(StoreUnavailable, match="too few replicas"):
        store_lacking_a_replica.ping()


def test_a_redis_that_is_too_old_is_not_ready_and_the_log_says_why(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(redis, "OLDEST_REDIS", (99, 0))
    store = open_store(redis_server.url)
    with pytest.raises(StoreUnavailable, match=r"99\.0 is needed, or newer"):
        store.ping()
    store.close()
    (line,) = [each for each in caplog.messages if "too old" in each]
    assert line.startswith("the store is away: Redis ")


def test_readiness_writes_to_every_master_of_a_cluster(cluster: str) -> None:
    store = open_store(cluster)
    for master in clients_of_cluster(cluster):
        for key in master.scan_iter("referee:ping*"):
            master.delete(key)
    store.ping()
    assert [len([*master.scan_iter("referee:ping*")]) for master in clients_of_cluster(cluster)] == [1, 1, 1]
    store.close()


def test_redis_itself_keeps_a_session_for_an_extra_month(
    unreplicated: Store, session: str, redis_server: RedisServer
) -> None:
    """The session must survive a wrong clock of Redis, too."""
    unreplicated.write(session, Change(0, b"moved", b"one", StoredResponse("key", "request", b"answer")), LIFETIME)
    keys = [f"referee:{{{session}}}{part}" for part in ("", ":log", ":answers")]
    assert [redis_server.client().ttl(key) for key in keys] == [pytest.approx(30 * 86_400 + LIFETIME, abs=60)] * 3


def test_every_server_of_a_cluster_lists_its_sessions(cluster: str) -> None:
    store = open_store(cluster)
    before = store.count()
    for _ in range(60):
        store.write(secrets.token_hex(8), Change(-1, b""), LIFETIME)
    assert store.count() == before + 60
    listing = [any(master.scan_iter("referee:open:*")) for master in clients_of_cluster(cluster)]
    assert listing == [True, True, True]
    store.close()


def test_a_session_that_is_reopened_while_it_is_cleared_away_stays_listed(
    unreplicated: Store, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`STRIKE` takes cleared sessions off their list. Just before it, another worker opens the session again."""
    name = secrets.token_hex(8)
    unreplicated.write(name, Change(-1, b"first"), 0.01)
    ask = unreplicated._ask  # type: ignore[attr-defined]

    def opened_between(key: str, *command: object) -> object:
        if redis.STRIKE in command:
            unreplicated.write(name, Change(-1, b"second"), LIFETIME)
        return ask(key, *command)

    monkeypatch.setattr(unreplicated, "_ask", opened_between)
    until(lambda: unreplicated.read(name) is None)
    unreplicated.sweep(time.time())
    assert unreplicated.read(name) == StoredSession(0, b"second")
    assert redis_server.client().zscore("referee:open", name) is not None


def move_slot(cluster: str, name: str) -> Callable[[], None]:
    """Move a session to another server of a cluster; return what tells all servers that its slot is there."""
    session_key = f"referee:{{{name}}}"
    slot = key_slot(session_key.encode())
    servers = sorted(
        clients_of_cluster(cluster), key=lambda each: -each.execute_command("CLUSTER COUNTKEYSINSLOT", slot)
    )
    source, target = servers[:2]  # only the first has keys in the slot
    ids = {each: str(each.execute_command("CLUSTER MYID"), "ascii") for each in (source, target)}
    target.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[source])
    source.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[target])
    port = target.connection_pool.connection_kwargs["port"]
    source.execute_command(
        "MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS", session_key, f"{session_key}:log", f"{session_key}:answers"
    )

    def tell() -> None:
        for each in (target, *servers):
            each.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[target])

    return tell


def test_a_session_is_found_while_its_slot_moves(cluster: str) -> None:
    store, name = open_store(cluster), secrets.token_hex(8)
    response = StoredResponse("key", "request", b"answer")
    assert store.write(name, Change(-1, b"dealt", response=response), LIFETIME) is WriteResult.WRITTEN
    assert store.write(name, Change(0, b"moved", b"one"), LIFETIME) is WriteResult.WRITTEN
    tell = move_slot(cluster, name)
    assert store.read(name, "key") == StoredSession(1, b"moved", response)
    assert store.write(name, Change(1, b"moved on", b"two"), LIFETIME) is WriteResult.WRITTEN
    assert [entry.body for entry in store.log(name, 0, 9)] == [b"one", b"two"]
    tell()
    assert store.read(name) == StoredSession(2, b"moved on")
    store.close()


def test_a_session_that_has_moved_is_found_although_another_server_does_not_know_yet(
    cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The map that a server gives may be the old one for a while."""
    store, name = open_store(cluster), secrets.token_hex(8)
    assert store.write(name, Change(-1, b"dealt"), LIFETIME) is WriteResult.WRITTEN
    old_map = Cluster(read_address(cluster))._read_slots()
    monkeypatch.setattr(Cluster, "_read_slots", lambda self: old_map)
    move_slot(cluster, name)()
    assert store.read(name) == StoredSession(0, b"dealt")
    assert store.write(name, Change(0, b"moved", b"one"), LIFETIME) is WriteResult.WRITTEN
    store.close()


@pytest.fixture
def sharded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[RedisServer]]:
    """A cluster of the system's Redis, if that is version 7 or newer."""
    binary = shutil.which("redis-server")
    version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout if binary else ""
    if binary is None or int(version.partition("v=")[2].partition(".")[0]) < SHARDED:
        pytest.skip("the system has no Redis 7")
    monkeypatch.setenv("TEST_REDIS", binary)
    with redis_cluster() as servers:
        yield servers


def test_redis_7_announces_a_change_only_on_the_server_of_the_session(sharded: list[RedisServer]) -> None:
    store = open_store(cluster_url(sharded, replicas=0))
    names = [secrets.token_hex(8) for _ in range(12)]
    for name in names:
        store.write(name, Change(-1, b""), LIFETIME)
    notified = set[str]()
    with watching(store, names, notified.update):
        until(lambda: notified == {*names})
        notified.clear()
        for name in names:
            store.write(name, Change(0, b"", b"one"), LIFETIME)
        until(lambda: notified == {*names})
        listened = [[*each.client().execute_command("PUBSUB", "SHARDCHANNELS")] for each in sharded]
        classic = [each.client().execute_command("PUBSUB", "CHANNELS") for each in sharded]
    channels = sorted(f"referee:{{{name}}}".encode() for name in names)
    assert sorted(name for each in listened for name in each) == channels
    assert max(map(len, listened)) < len(names)
    assert classic == [[]] * 3
    store.close()


def test_a_session_whose_record_was_evicted_alone_is_opened_without_its_old_log(
    unreplicated: Store, redis_server: RedisServer, session: str
) -> None:
    old = Change(0, b"record", b"old entry")
    assert unreplicated.write(session, old, LIFETIME) is WriteResult.WRITTEN
    redis_server.client().delete(channel(session))
    assert unreplicated.write(session, Change(-1, b"dealt again", generation="2"), LIFETIME) is WriteResult.WRITTEN
    assert unreplicated.log(session, 0, 10, "2") == []
    assert (
        unreplicated.write(session, Change(0, b"record", b"new entry", generation="2"), LIFETIME) is WriteResult.WRITTEN
    )
    assert [entry.body for entry in unreplicated.log(session, 0, 10, "2")] == [b"new entry"]


def test_messages_that_another_user_of_redis_has_made_up_stop_no_watcher(
    unreplicated: Store, redis_server: RedisServer
) -> None:
    """After each that makes no sense the worker listens anew, and takes the session for changed."""
    name = secrets.token_hex(8)
    unreplicated.write(name, Change(-1, b"record", generation="1"), LIFETIME)
    reached: list[Reached | None] = []
    with watching(unreplicated, [name], lambda new: reached.extend(new.values())):
        until(lambda: reached)
        for message in (b"x", b"1 99 0 0", b"\xff\xfe 1 0", b"1 " + b"9" * 5000 + b" 0"):
            reached.clear()
            redis_server.client().publish(channel(name), message)
            until(lambda: reached)
            assert reached == [None]
        unreplicated.write(name, Change(0, b"record", b"entry", generation="1"), LIFETIME)
        until(lambda: reached[1:])
    assert reached == [None, Reached("1", 1)]
