"""The runs: each starts its servers, causes the fault and returns the outcome."""

import os
import random
import resource
import signal
import socket
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from redis import RedisError
from redis.crc import key_slot

from tests.faults.clients import (
    BROKEN,
    Client,
    Ledger,
    Table,
    Verdict,
    open_table,
    together,
    verdict,
    write_together,
)
from tests.faults.gathering import Falls, hands
from tests.faults.servers import (
    PORTS,
    RedisServer,
    Wire,
    cluster_url,
    free_port,
    one_redis,
    redis_cluster,
    watched_redis,
)
from tests.server import Server, meanwhile, until

RESOLVE = {"game": "twins", "state": {"phase": "buying", "chips": [12, 12, 12], "pot": 0},
           "moves": [{"type": "buy", "seat": 0, "count": 0}]}  # fmt: skip


def service(store_url: str, level: str = "error") -> Server:
    """Return a server with two workers on one store."""
    settings = {
        "REFEREE_WORKERS": "2",
        "REFEREE_REQUEST_LOG": "off",
        "REFEREE_STORE_URL": store_url,
        "REFEREE_SESSION_MOVES": "1000000",
        "REFEREE_SESSION_BYTES": str(1 << 30),
        "REFEREE_LOG_LEVEL": level,
    }
    return Server(settings=settings)


@contextmanager
def stores(kind: str) -> Iterator[tuple[str, RedisServer | None]]:
    """Return the address of a new store, and its Redis server if it has one."""
    if kind == "redis":
        with one_redis() as server:
            yield server.url, server
    else:
        with tempfile.TemporaryDirectory(prefix="referee-faults-") as folder:
            yield f"sqlite:///{folder}/sessions.sqlite3", None


@contextmanager
def killed_stores(kind: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Return the address of a new store, and what kills a master of it and waits for that or another to serve.

    `redis`: one server, which starts again from its append-only file. `sentinel`, `cluster`: a replica takes its place,
    and the killed server starts again behind that.
    """
    if kind == "redis":
        with one_redis() as redis:
            yield redis.url, lambda: _restart(redis)
    elif kind == "sentinel":
        with watched_redis(replicas=2, sentinels=3) as watched:
            yield watched.url(replicas=1), watched.kill_master
    else:
        with redis_cluster(masters=3, replicas=1) as servers:
            yield cluster_url(servers, replicas=1), lambda: _cut_off_and_kill(servers, random.choice(_masters(servers)))


def _restart(redis: RedisServer) -> None:
    redis.kill()
    time.sleep(0.2)
    redis.start()


def killed_workers(kind: str, kills: int = 8, writers: int = 50, moves: int = 20, cut: float = 0.3) -> Verdict:
    """Let many writers move at one table while workers are killed. `cut`: the share of replies that are cut off."""
    with stores(kind) as (url, _), service(url) as server:
        tables = [open_table(server.port)]
        with meanwhile(kills_of_workers(server, kills)):
            ledgers = write_together(tables, writers, moves, cut)
        return verdict(tables, ledgers)


def repeat_blow(times: int, least: float, most: float, blow: Callable[[], object]) -> Callable[[threading.Event], None]:
    """Return a function that calls `blow` so many times, each after `least` to `most` seconds, or until an event."""

    def strike(over: threading.Event) -> None:
        for _ in range(times):
            if over.wait(random.uniform(least, most)):
                return
            blow()

    return strike


def kills_of_workers(server: Server, kills: int) -> Callable[[threading.Event], None]:
    """Return a function that kills so many workers, one after the other."""

    def kill() -> None:
        for worker in random.sample(server.workers(), 1):
            os.kill(worker, signal.SIGKILL)

    return repeat_blow(kills, 0.1, 0.4, kill)


def hands_and_kills(kind: str, tables: int = 8, seconds: float = 20, kills: int = 8) -> Falls:
    """Let hands fall while workers are killed, and a tenth of the replies are cut off."""
    with stores(kind) as (url, _), service(url) as server:
        return hands(server.port, tables, seconds, kills_of_workers(server, kills), cut=0.1)


def without_memory(kind: str, writers: int = 20, moves: int = 20, spare: int = 40) -> Verdict:
    """Let many writers move while large batches use up the address space: workers have `spare` MiB more than now."""
    batch = {"requests": [{"path": "/resolve", "body": RESOLVE}] * 1000}
    with stores(kind) as (url, _), service(url, level="warning") as server:
        first = server.workers()
        status = Path(f"/proc/{first[0]}/status").read_text("ascii")
        most = (int(status.partition("VmSize:")[2].split()[0]) << 10) + (spare << 20)
        for pid in (server.process.pid, *first):
            resource.prlimit(pid, resource.RLIMIT_AS, (most, most))

        def ask(over: threading.Event) -> None:
            with Client(server.port) as client:
                while not over.is_set():
                    with suppress(*BROKEN):
                        client.ask("POST", "/batch", batch)

        tables = [open_table(server.port)]
        # A request that runs out of memory is answered with 500.
        with meanwhile(*[ask] * 12):
            ledgers = write_together(tables, writers, moves, again=Ledger.again | {500})
        until(lambda: len(server.workers()) == len(first) and answers(server))
        return verdict(tables, ledgers)


def answers(server: Server) -> bool:
    """Return whether a new client is served. All workers may have been killed a moment ago."""
    with suppress(*BROKEN), Client(server.port) as client:
        return client.ask("GET", "/readyz").status == 200
    return False


def restarted_redis(kills: int = 3, writers: int = 50, moves: int = 20) -> Verdict:
    """Let many writers move while Redis is killed and restarted from its append-only file."""
    with stores("redis") as (url, redis), service(url) as server:
        assert redis is not None
        tables = [open_table(server.port)]
        with meanwhile(repeat_blow(kills, 0.3, 0.8, partial(_restart, redis))):
            ledgers = write_together(tables, writers, moves)
        time.sleep(1)
        return verdict(tables, ledgers)


def broken_cluster(times: int = 4, tables: int = 20, writers: int = 2, moves: int = 500) -> Verdict:
    """Break a cluster of three masters with a replica each: a master loses its replica for 0.6 s, then is killed."""
    with redis_cluster(masters=3, replicas=1) as servers, service(cluster_url(servers, replicas=1)) as server:
        opening = [open_table(server.port) for _ in range(tables)]
        with meanwhile(
            repeat_blow(times, 1.0, 2.0, lambda: _cut_off_and_kill(servers, random.choice(_masters(servers))))
        ):
            ledgers = write_together(opening, writers, moves)
        time.sleep(3)
        return verdict(opening, ledgers)


def planned_failovers(
    times: int = 4, tables: int = 8, writers: int = 2, seconds: float = 4.0, at_once: bool = True
) -> Verdict:
    """Have Sentinel exchange the master while tables are played. `at_once`: the former one is made to follow."""
    with watched_redis(replicas=2, sentinels=3) as watched, service(watched.url(replicas=1)) as server:
        opening = [open_table(server.port) for _ in range(tables)]
        enough = threading.Event()

        def switch(over: threading.Event) -> None:
            for _ in range(times):
                watched.followed_master()
                over.wait(seconds / 2)
                former = watched.fail_over()
                if at_once:
                    watched.follow(former)
                over.wait(seconds / 2)
            enough.set()

        with meanwhile(switch):
            ledgers = write_together(opening, writers, enough=enough)
        return verdict(opening, ledgers)


def frozen_masters(times: int = 3, tables: int = 8, writers: int = 2) -> Verdict:
    """Freeze the master that Sentinel watches while tables are played. It wakes when another was elected.

    Its connections are half-open meanwhile. When it wakes it still takes itself for the master, and answers what it was
    sent before.
    """
    with watched_redis(replicas=2, sentinels=3) as watched, service(watched.url(replicas=1)) as server:
        opening = [open_table(server.port) for _ in range(tables)]
        enough = threading.Event()

        def freeze(over: threading.Event) -> None:
            for _ in range(times):
                watched.followed_master()
                over.wait(2)
                frozen = watched.freeze_master()
                over.wait(random.uniform(0, 2))
                frozen.thaw()
            watched.followed_master()
            over.wait(2)
            enough.set()

        with meanwhile(freeze):
            ledgers = write_together(opening, writers, enough=enough)
        return verdict(opening, ledgers)


def half_open(times: int = 10, tables: int = 8, writers: int = 2, moves: int = 200) -> Verdict:
    """Let all connections to Redis become half-open, again and again, while tables are played."""
    with one_redis() as redis, Wire(redis.socket) as wire, service(f"redis://127.0.0.1:{wire.port}/0") as server:
        opening = [open_table(server.port) for _ in range(tables)]
        with meanwhile(repeat_blow(times, 0.4, 1.2, wire.cut)):
            ledgers = write_together(opening, writers, moves)
        return verdict(opening, ledgers)


def moved_slots(rounds: int = 4, tables: int = 12, writers: int = 2, moves: int = 200) -> Verdict:
    """Move the slots of all sessions from master to master in a cluster of three, while the sessions are played."""
    with redis_cluster(masters=3) as servers, service(cluster_url(servers, replicas=0)) as server:
        opening = [open_table(server.port) for _ in range(tables)]

        def move(over: threading.Event) -> None:
            for _ in range(rounds):
                for table in opening:
                    if over.is_set():
                        return
                    slot = key_slot(f"referee:{{{table.id}}}".encode())
                    source = _owner(servers, slot)
                    target = servers[(servers.index(source) + 1) % len(servers)]
                    moving = _SlotMove(servers, slot, source, target)
                    moving.carry()
                    time.sleep(0.05)
                    moving.finish()

        with meanwhile(move):
            ledgers = write_together(opening, writers, moves)
        return verdict(opening, ledgers)


def moved_slots_and_broken_cluster(times: int = 4, tables: int = 12, writers: int = 1) -> Verdict:
    """Move the slots of all sessions to one master of three, each with a replica, and break that master at once.

    A move that is redirected to the new master counts as made only when the replica of that master has it.
    """
    with redis_cluster(masters=3, replicas=1) as servers, service(cluster_url(servers, replicas=1)) as server:
        opening = [open_table(server.port) for _ in range(tables)]
        slots = {key_slot(f"referee:{{{table.id}}}".encode()) for table in opening}
        enough = threading.Event()

        def move_and_break(over: threading.Event) -> None:
            for _ in range(times):
                over.wait(2)
                masters = _masters(servers)
                target = random.choice(masters)
                sources = {slot: _owner(masters, slot) for slot in slots}
                moving = [
                    _SlotMove(masters, slot, source, target) for slot, source in sources.items() if source is not target
                ]
                for each in moving:
                    each.carry()
                _replicated(target)
                _cut_off_and_kill(servers, target, meanwhile=[each.finish for each in moving])
            over.wait(2)
            enough.set()

        with meanwhile(move_and_break):
            ledgers = write_together(opening, writers, enough=enough)
        return verdict(opening, ledgers)


def _replicated(master: RedisServer) -> None:
    """Wait until a master has replicas, and all of them have all that the master has now."""
    due = master.client().info("replication")["master_repl_offset"]

    def offsets() -> list[int]:
        state = master.client().info("replication")
        return [state[f"slave{number}"]["offset"] for number in range(state["connected_slaves"])]

    until(lambda: min(offsets(), default=-1) >= due)


class _SlotMove:
    """A slot that moves as `redis-cli --cluster reshard` moves it, but slowly enough for calls to arrive meanwhile."""

    def __init__(self, masters: list[RedisServer], slot: int, source: RedisServer, target: RedisServer) -> None:
        self._slot = slot
        self._source = source
        self._target = target
        self._others = [each for each in masters if each not in (source, target)]

    def carry(self) -> None:
        """Carry the keys over. Until the move is finished, calls are answered with ASK."""
        source = self._source.client()
        self._set(self._target, "IMPORTING", _id(self._source))
        self._set(self._source, "MIGRATING", _id(self._target))
        while keys := source.execute_command("CLUSTER GETKEYSINSLOT", self._slot, 1):
            source.execute_command("MIGRATE", "127.0.0.1", self._target.port, "", 0, 5000, "KEYS", *keys)
            time.sleep(0.02)

    def finish(self) -> None:
        """Tell all masters where the slot is. From now on calls are answered with MOVED."""
        for each in (self._target, self._source, *self._others):
            self._set(each, "NODE", _id(self._target))

    def _set(self, server: RedisServer, *state: str) -> None:
        server.client().execute_command("CLUSTER SETSLOT", self._slot, *state)


def _id(server: RedisServer) -> str:
    return str(server.client().execute_command("CLUSTER MYID"), "ascii")


def _owner(masters: list[RedisServer], slot: int) -> RedisServer:
    rows: list[Any] = masters[0].client().execute_command("CLUSTER SLOTS")
    (port,) = (row[2][1] for row in rows if row[0] <= slot <= row[1])
    return next(each for each in masters if each.port == port)


def _cut_off_and_kill(
    servers: list[RedisServer], victim: RedisServer, meanwhile: Sequence[Callable[[], object]] = ()
) -> None:
    """Cut a master off from its replicas, then kill it. Restart it when a replica has been promoted.

    `meanwhile`: what is done while it is cut off. The replicas are frozen, so that they cannot connect again. There may
    be two: a master whose last slot moves to another one becomes a replica of that one.
    """
    replicas = [each for each in servers if _role(each)[:3:2] == [b"slave", victim.port]]
    for replica in replicas:
        replica.freeze()
    victim.client().execute_command("CLIENT KILL", "TYPE", "replica")
    for do in meanwhile:
        do()
    time.sleep(0.6)
    victim.kill()
    for replica in replicas:
        replica.thaw()
    until(lambda: any(each in _masters(servers) for each in replicas))
    victim.start()
    time.sleep(1.5)


def _role(server: RedisServer) -> list[Any]:
    with suppress(OSError, RedisError):
        role: list[Any] = server.client().execute_command("ROLE")
        return role
    return []


def _masters(servers: list[RedisServer]) -> list[RedisServer]:
    return [each for each in servers if _role(each)[:1] == [b"master"]]


class Latency(NamedTuple):
    """The answers to one kind of call. Times are in milliseconds."""

    statuses: dict[int, int]
    p50: float
    p99: float
    worst: float

    def __str__(self) -> str:
        return f"p50 {self.p50:.1f} ms, p99 {self.p99:.1f} ms, worst {self.worst:.1f} ms, answers {self.statuses}"


class Away(NamedTuple):
    """The latencies of calls while the store is unavailable."""

    first: Latency
    later: Latency
    stateless_before: Latency
    stateless_meanwhile: Latency


def away(calls: int = 400) -> dict[str, Away]:
    """Measure session and stateless calls while Redis refuses connections, is frozen, or accepts and stays silent."""
    with one_redis(free_port(PORTS)) as redis, service(redis.url) as server:
        return {how: _away(how, calls, redis, server) for how in ("refused", "frozen", "silent")}


def _away(how: str, calls: int, redis: RedisServer, server: Server) -> Away:
    until(lambda: all(answers(server) for _ in range(20)))  # each worker notices by itself that Redis is back
    table = open_table(server.port)
    session = ("GET", table.path, None)
    before = _latencies(server, [session, ("POST", "/resolve", RESOLVE)], calls, table)[1]
    with _unavailable(how, redis):
        moves = ("POST", f"{table.path}/moves", {"moves": [{"type": "pass", "seat": 0}]})
        first = _latencies(server, [session, moves], 60, table)
        later = _latencies(server, [session, moves, ("POST", "/resolve", RESOLVE)], calls, table)
    return Away(_together(first), _together(later[:2]), before, later[2])


@contextmanager
def _unavailable(how: str, server: RedisServer) -> Iterator[None]:
    with ExitStack() as stack:
        if how == "frozen":
            server.freeze()
            stack.callback(server.thaw)
        else:
            server.kill()
            stack.callback(server.start)
        if how == "silent":
            stack.enter_context(socket.create_server(("127.0.0.1", server.port), backlog=512))
        yield


def _latencies(
    server: Server, calls: list[tuple[str, str, Any]], count: int, table: Table, clients: int = 8
) -> list[Latency]:
    """Let several clients make each call in turn; return the latency of each call."""
    replies: list[list[tuple[int, float]]] = [[] for _ in calls]

    def ask() -> None:
        with Client(server.port) as client:
            for _ in range(count // clients):
                for place, (method, path, body) in enumerate(calls):
                    reply = client.ask(method, path, body, table.headers)
                    replies[place].append((reply.status, reply.seconds))

    together(clients, ask)
    return [latency(each) for each in replies]


def latency(replies: list[tuple[int, float]]) -> Latency:
    times = sorted(seconds * 1000 for _, seconds in replies)
    cuts = statistics.quantiles(times, n=100)
    return Latency(dict(Counter(status for status, _ in replies)), cuts[49], cuts[98], times[-1])


def _together(latencies: list[Latency]) -> Latency:
    """Add the statuses, and take the worst of each figure."""
    statuses: Counter[int] = Counter()
    for each in latencies:
        statuses += Counter(each.statuses)
    figures = [max(getattr(each, name) for each in latencies) for name in ("p50", "p99", "worst")]
    return Latency(dict(statuses), *figures)
