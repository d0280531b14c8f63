"""A master dies and is replaced; the store finds the new master by itself."""

import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from service.sessions.stores import open_store
from service.sessions.stores.protocol import (
    Change,
    LogEntry,
    Store,
    StoredResponse,
    StoreUnavailable,
    WriteResult,
)
from service.sessions.stores.redis_servers import RENEWING
from tests.faults.servers import (
    AT_ONCE,
    SENTINELS,
    SERVICE,
    RedisServer,
    SentinelServer,
    _sees_all,
    cluster_url,
    free_port,
    redis_cluster,
    until,
    watched_redis,
)
from tests.service.sessions.tables import watching

pytestmark = pytest.mark.faults

LIFETIME = 600.0
NOTIFIED_WITHIN = 5.0  #: Seconds within which a watcher must be notified.
SLOWEST_CALL = 20.0  #: Seconds: far more than the store's own limit, so that the test passes on a busy machine.


@dataclass
class Writer:
    """Makes one change after another. Repeats each under its key until the store acknowledges it."""

    store: Store
    over: threading.Event
    session: str = field(default_factory=lambda: secrets.token_hex(8))
    entries: list[LogEntry] = field(default_factory=list)
    refused: int = 0
    slowest: float = 0.0

    def open(self) -> None:
        """Open the session. Replicas that have just started may need longer to have it than the store waits."""
        until(lambda: self.acknowledged(Change(-1, b"", b"", StoredResponse("opening", "", b""))))
        self.refused = 0

    def write(self) -> None:
        """Make changes until `over` is set, and add what was acknowledged to `entries`."""
        while not self.over.is_set():
            version = len(self.entries)
            entry = secrets.token_bytes(8)
            while not self.acknowledged(Change(version, b"", entry, StoredResponse(str(version), "", entry))):
                time.sleep(0.01)
            self.entries.append(LogEntry(version + 1, entry))

    def acknowledged(self, change: Change) -> bool:
        """Whether the store has made the change; counts refusals, and times the slowest call."""
        began = time.monotonic()
        try:
            outcome = self.store.write(self.session, change, LIFETIME)
        except StoreUnavailable:
            self.refused += 1
            return False
        finally:
            self.slowest = max(self.slowest, time.monotonic() - began)
        assert outcome is WriteResult.WRITTEN or isinstance(outcome, StoredResponse)
        return True


@contextmanager
def writing(store: Store, count: int) -> Iterator[list[Writer]]:
    """Let so many writers write, each to a session of its own, until the block ends."""
    over = threading.Event()
    writers = [Writer(store, over) for _ in range(count)]
    for writer in writers:
        writer.open()
    with ThreadPoolExecutor(count) as pool:
        running = [pool.submit(writer.write) for writer in writers]
        try:
            yield writers
        finally:
            over.set()
        for each in running:
            each.result()


@contextmanager
def writing_goes_on_after(store: Store, count: int) -> Iterator[list[Writer]]:
    """Let writers write and a watcher watch. The block ends a master; then expect all of them to go on."""
    with writing(store, count) as writers, watched_changes(store) as notified:
        until(has_gone_on(writers))
        until(notified)
        yield writers
        time.sleep(0.5)
        until(has_gone_on(writers))
        until(notified)
        assert [notified() for _ in range(3)] == [True, True, True]
    assert max(writer.slowest for writer in writers) < SLOWEST_CALL


@contextmanager
def watched_changes(store: Store) -> Iterator[Callable[[], bool]]:
    """Yield a function that makes a change and returns whether it was made and the watcher was notified."""
    writer = Writer(store, threading.Event())
    writer.open()
    session = writer.session
    event = threading.Event()

    def notify(sessions: Collection[str]) -> None:
        if session in sessions:
            event.set()

    def notified() -> bool:
        with suppress(StoreUnavailable):
            version = getattr(store.read(session), "version", 0)
            event.clear()
            store.write(session, Change(version, b"", b"entry"), LIFETIME)
            return event.wait(NOTIFIED_WITHIN)
        return False

    with watching(store, [session], notify):
        yield notified


def has_gone_on(writers: list[Writer]) -> Callable[[], bool]:
    """Return a condition: each writer has made ten more changes."""
    goals = [len(writer.entries) + 10 for writer in writers]
    return lambda: all(len(writer.entries) >= goal for writer, goal in zip(writers, goals, strict=True))


def test_sessions_survive_a_dead_master_and_a_silent_sentinel() -> None:
    with watched_redis(replicas=2, sentinels=3) as servers:
        store = open_store(servers.url(replicas=1))
        with writing_goes_on_after(store, 4) as writers:
            servers.sentinels[0].freeze()
            servers.servers[0].kill()
        logs = [store.log(writer.session, 0, 100_000) for writer in writers]
        store.close()
    assert min(writer.refused for writer in writers) > 0
    assert logs == [writer.entries for writer in writers]


def test_each_change_acknowledged_after_a_planned_failover_is_on_the_former_master_too() -> None:
    """The former master answers readers until it follows the new one, and Sentinel may make it the master again."""
    with watched_redis(replicas=2, sentinels=1) as watched:
        store = open_store(watched.url(replicas=1))
        with writing(store, 2) as writers:
            until(has_gone_on(writers))
            former = watched.fail_over()
            for _ in range(60):
                acknowledged = [len(writer.entries) for writer in writers]
                lengths = [former.client().llen(f"referee:{{{writer.session}}}:log") for writer in writers]
                assert all(has >= due for has, due in zip(lengths, acknowledged, strict=True))
                time.sleep(0.05)
            watched.follow(former)
            until(has_gone_on(writers))
        assert [store.log(writer.session, 0, 100_000) for writer in writers] == [writer.entries for writer in writers]
        store.close()


def test_a_sentinel_that_knows_only_an_earlier_election_is_ignored(tmp_path: Path) -> None:
    """A Sentinel may be cut off together with the old master, which still answers."""
    with ExitStack() as stack:
        masters = [stack.enter_context(RedisServer(tmp_path / name, free_port(SENTINELS))) for name in ("old", "new")]
        hosts = []
        for epoch, master in enumerate(masters, 1):
            sentinel = SentinelServer(tmp_path / f"sentinel-{epoch}", free_port(SENTINELS), master.port, 1, epoch)
            hosts.append(f"127.0.0.1:{stack.enter_context(sentinel).port}")
        store = open_store(f"redis+sentinel://{','.join(hosts)}/{SERVICE}/0?replicas=0")
        assert store.write("session", Change(-1, b""), LIFETIME) is WriteResult.WRITTEN
        store.close()
        assert [server.client().exists("referee:{session}") for server in masters] == [0, 1]


def test_a_master_that_a_later_election_replaced_acknowledges_nothing_though_it_has_a_replica(tmp_path: Path) -> None:
    """The network is cut in two halves, each with a master, its replica and a Sentinel.

    What the replaced master accepted would be lost when the halves meet again, because it then follows the new one.
    """
    with ExitStack() as stack:

        def half(name: str, epoch: int) -> tuple[list[RedisServer], SentinelServer]:
            """Start a half whose Sentinel knows the master of this election. Return master, replica and Sentinel."""
            folder = tmp_path / name
            master = stack.enter_context(RedisServer(folder / "master", free_port(SENTINELS), *AT_ONCE))
            following = ("--replicaof", "127.0.0.1", str(master.port))
            replica = stack.enter_context(RedisServer(folder / "replica", free_port(SENTINELS), *AT_ONCE, *following))
            until(lambda: master.client().info("replication")["connected_slaves"])
            sentinel = SentinelServer(folder / "sentinel", free_port(SENTINELS), master.port, 1, epoch)
            stack.enter_context(sentinel)
            until(lambda: _sees_all(sentinel, replicas=1, sentinels=1))
            return [master, replica], sentinel

        former, informed_late = half("former", 1)
        (elected, _), sentinel = half("elected", 2)
        hosts = ",".join(f"127.0.0.1:{each.port}" for each in (informed_late, sentinel))
        store = open_store(f"redis+sentinel://{hosts}/{SERVICE}/0?replicas=1")
        for _ in range(5):
            with pytest.raises(StoreUnavailable):
                store.write("session", Change(-1, b""), LIFETIME)
            time.sleep(RENEWING)
        assert [server.client().exists("referee:{session}") for server in former] == [0, 0]
        for server in former:
            server.client().replicaof("127.0.0.1", elected.port)
        until(lambda: elected.client().info("replication")["connected_slaves"] == 3)
        until(lambda: Writer(store, threading.Event()).acknowledged(Change(-1, b"")))
        store.close()


@pytest.mark.long
def test_sessions_survive_a_dead_master_of_a_cluster() -> None:
    with redis_cluster(masters=3, replicas=1) as servers:
        store = open_store(cluster_url(servers, replicas=0))
        with writing_goes_on_after(store, 12):
            master, replica = servers[0], servers[3]
            # Changes that the replica lacks would be lost: nothing is written until it has them all.
            master.client().execute_command("CLIENT", "PAUSE", 5000, "WRITE")
            until(lambda: _replication_offset(master) == _replication_offset(replica))
            master.kill()
        store.close()


def _replication_offset(server: RedisServer) -> int:
    """The bytes of changes that a master has sent to its replicas."""
    return int(server.client().info("replication")["master_repl_offset"])
