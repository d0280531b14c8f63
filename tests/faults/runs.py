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
    run_writers,
    together,
    verdict,
)
from tests.faults.gathering import HandsOutcome, let_hands_fall
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


def server_on(store_url: str, level: str = "error") -> Server:
    """Return a server of two workers, not yet started, on the store at this address."""
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
def new_store(kind: str) -> Iterator[str]:
    """Start a store, `sqlite` or `redis`; yield its address."""
    if kind == "redis":
        with one_redis() as server:
            yield server.url
    else:
        with tempfile.TemporaryDirectory(prefix="referee-faults-") as folder:
            yield f"sqlite:///{folder}/sessions.sqlite3"


@contextmanager
def killable_store(kind: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Start a store on Redis; yield its address, and a function that kills a master and waits until one serves again.

    `redis`: one server, which starts again from its append-only file. `sentinel`, `cluster`: a replica becomes the
    master, and the killed server starts again as its replica.
    """
    if kind == "redis":
        with one_redis() as redis:
            yield redis.url, lambda: _kill_and_restart(redis)
    elif kind == "sentinel":
        with watched_redis(replicas=2, sentinels=3) as watched:
            yield watched.url(replicas=1), watched.kill_master
    else:
        with redis_cluster(masters=3, replicas=1) as servers:
            yield cluster_url(servers, replicas=1), lambda: _cut_off_and_kill(servers, random.choice(_masters(servers)))


def _kill_and_restart(redis: RedisServer) -> None:
    """Kill a Redis server and start it again from its append-only file."""
    redis.kill()
    time.sleep(0.2)
    redis.start()


def kill_workers(kind: str, kills: int = 8, writers: int = 50, moves: int = 20, cut_share: float = 0.3) -> Verdict:
    """Let many writers move at one table while workers are killed.

    `cut_share`: the share of requests whose reply is cut off.
    """
    with new_store(kind) as url, server_on(url) as server:
        tables = [open_table(server.port)]
        with meanwhile(kill_workers_in_turn(server, kills)):
            ledgers = run_writers(tables, writers, moves, cut_share)
        return verdict(tables, ledgers)


def repeat(times: int, least: float, most: float, harm: Callable[[], object]) -> Callable[[threading.Event], None]:
    """Return a function that calls `harm` so many times, each after `least` to `most` seconds.

    The function returns early if its event is set.
    """

    def harm_again(stop: threading.Event) -> None:
        for _ in range(times):
            if stop.wait(random.uniform(least, most)):
                return
            harm()

    return harm_again


def kill_workers_in_turn(server: Server, kills: int) -> Callable[[threading.Event], None]:
    """Return a function that kills so many workers, one after the other; it returns early if its event is set."""

    def kill_worker() -> None:
        if workers := server.workers():
            os.kill(random.choice(workers), signal.SIGKILL)

    return repeat(kills, 0.1, 0.4, kill_worker)


def let_hands_fall_while_workers_are_killed(
    kind: str, tables: int = 8, seconds: float = 20, kills: int = 8
) -> HandsOutcome:
    """Let hands fall while workers are killed, and a tenth of the replies are cut off."""
    with new_store(kind) as url, server_on(url) as server:
        return let_hands_fall(server.port, tables, seconds, kill_workers_in_turn(server, kills), cut_share=0.1)


def starve_workers(kind: str, writers: int = 20, moves: int = 20, spare: int = 40) -> Verdict:
    """Let many writers move while large batches use up the address space, of `spare` MiB more than after the start."""
    batch = {"requests": [{"path": "/resolve", "body": RESOLVE}] * 1000}
    with new_store(kind) as url, server_on(url, level="warning") as server:
        first = server.workers()
        status = Path(f"/proc/{first[0]}/status").read_text("ascii")
        most = (int(status.partition("VmSize:")[2].split()[0]) << 10) + (spare << 20)
        for pid in (server.process.pid, *first):
            resource.prlimit(pid, resource.RLIMIT_AS, (most, most))

        def ask(stop: threading.Event) -> None:
            """Ask for a large batch again and again, until `stop` is set."""
            with Client(server.port) as client:
                while not stop.is_set():
                    with suppress(*BROKEN):
                        client.ask("POST", "/batch", batch)

        tables = [open_table(server.port)]
        # A request that runs out of memory is answered with 500.
        with meanwhile(*[ask] * 12):
            ledgers = run_writers(tables, writers, moves, retried_statuses=Ledger.retried_statuses | {500})
        until(lambda: len(server.workers()) == len(first) and is_answering(server))
        return verdict(tables, ledgers)


def is_answering(server: Server) -> bool:
    """Return whether `/readyz` is answered with 200 on a new connection."""
    with suppress(*BROKEN), Client(server.port) as client:
        return client.ask("GET", "/readyz").status == 200
    return False


def restart_redis(kills: int = 3, writers: int = 50, moves: int = 20) -> Verdict:
    """Let many writers move while Redis is killed and restarted from its append-only file."""
    with one_redis() as redis, server_on(redis.url) as server:
        tables = [open_table(server.port)]
        with meanwhile(repeat(kills, 0.3, 0.8, partial(_kill_and_restart, redis))):
            ledgers = run_writers(tables, writers, moves)
        time.sleep(1)
        return verdict(tables, ledgers)


def break_cluster(times: int = 4, tables: int = 20, writers: int = 2, moves: int = 500) -> Verdict:
    """Break a cluster of three masters with a replica each: a master loses its replica for 0.6 s, then is killed."""
    with redis_cluster(masters=3, replicas=1) as servers, server_on(cluster_url(servers, replicas=1)) as server:
        played_tables = [open_table(server.port) for _ in range(tables)]
        with meanwhile(repeat(times, 1.0, 2.0, lambda: _cut_off_and_kill(servers, random.choice(_masters(servers))))):
            ledgers = run_writers(played_tables, writers, moves)
        time.sleep(3)
        return verdict(played_tables, ledgers)


def fail_over(times: int = 4, tables: int = 8, writers: int = 2, seconds: float = 4.0, at_once: bool = True) -> Verdict:
    """Have Sentinel exchange the master while tables are played.

    `at_once`: the former master is made a replica at once, and not left to Sentinel.
    """
    with watched_redis(replicas=2, sentinels=3) as watched, server_on(watched.url(replicas=1)) as server:
        played_tables = [open_table(server.port) for _ in range(tables)]
        finished = threading.Event()

        def switch(stop: threading.Event) -> None:
            """Have Sentinel exchange the master so many times, then set `finished`."""
            for _ in range(times):
                watched.followed_master()
                stop.wait(seconds / 2)
                former = watched.fail_over()
                if at_once:
                    watched.follow(former)
                stop.wait(seconds / 2)
            finished.set()

        with meanwhile(switch):
            ledgers = run_writers(played_tables, writers, finished=finished)
        return verdict(played_tables, ledgers)


def freeze_masters(times: int = 3, tables: int = 8, writers: int = 2) -> Verdict:
    """Freeze the master that Sentinel watches while tables are played, until another is elected.

    Its connections are half-open meanwhile. When it wakes it still takes itself for the master, and answers the
    requests that it was sent before.
    """
    with watched_redis(replicas=2, sentinels=3) as watched, server_on(watched.url(replicas=1)) as server:
        played_tables = [open_table(server.port) for _ in range(tables)]
        finished = threading.Event()

        def freeze(stop: threading.Event) -> None:
            """Freeze the master so many times, for a moment longer than the election, then set `finished`."""
            for _ in range(times):
                watched.followed_master()
                stop.wait(2)
                frozen = watched.freeze_master()
                stop.wait(random.uniform(0, 2))
                frozen.thaw()
            watched.followed_master()
            stop.wait(2)
            finished.set()

        with meanwhile(freeze):
            ledgers = run_writers(played_tables, writers, finished=finished)
        return verdict(played_tables, ledgers)


def make_connections_half_open(times: int = 10, tables: int = 8, writers: int = 2, moves: int = 200) -> Verdict:
    """Let all connections to Redis become half-open, again and again, while tables are played."""
    with one_redis() as redis, Wire(redis.socket) as wire, server_on(f"redis://127.0.0.1:{wire.port}/0") as server:
        played_tables = [open_table(server.port) for _ in range(tables)]
        with meanwhile(repeat(times, 0.4, 1.2, wire.cut)):
            ledgers = run_writers(played_tables, writers, moves)
        return verdict(played_tables, ledgers)


def move_slots(rounds: int = 4, tables: int = 12, writers: int = 2, moves: int = 200) -> Verdict:
    """Move the slots of all sessions from master to master in a cluster of three, while the sessions are played."""
    with redis_cluster(masters=3) as servers, server_on(cluster_url(servers, replicas=0)) as server:
        played_tables = [open_table(server.port) for _ in range(tables)]

        def move(stop: threading.Event) -> None:
            """Move the slot of each table to the next server, so many rounds, or until `stop` is set."""
            for _ in range(rounds):
                for table in played_tables:
                    if stop.is_set():
                        return
                    slot = key_slot(f"referee:{{{table.id}}}".encode())
                    source = _owner_of(servers, slot)
                    target = servers[(servers.index(source) + 1) % len(servers)]
                    moving = _SlotMove(servers, slot, source, target)
                    moving.carry()
                    time.sleep(0.05)
                    moving.finish()

        with meanwhile(move):
            ledgers = run_writers(played_tables, writers, moves)
        return verdict(played_tables, ledgers)


def move_slots_and_break_cluster(times: int = 4, tables: int = 12, writers: int = 1) -> Verdict:
    """Move the slots of all sessions to one master of three, each with a replica, and break that master at once.

    A move that is redirected to the new master counts as made only when the replica of that master has it.
    """
    with redis_cluster(masters=3, replicas=1) as servers, server_on(cluster_url(servers, replicas=1)) as server:
        played_tables = [open_table(server.port) for _ in range(tables)]
        slots = {key_slot(f"referee:{{{table.id}}}".encode()) for table in played_tables}
        finished = threading.Event()

        def move_and_break(stop: threading.Event) -> None:
            """Carry all slots to one master, then cut it off and kill it as the moves end. At last set `finished`."""
            for _ in range(times):
                stop.wait(2)
                masters = _masters(servers)
                target = random.choice(masters)
                sources = {slot: _owner_of(masters, slot) for slot in slots}
                moving = [
                    _SlotMove(masters, slot, source, target) for slot, source in sources.items() if source is not target
                ]
                for each in moving:
                    each.carry()
                _wait_for_replicas(target)
                _cut_off_and_kill(servers, target, meanwhile=[each.finish for each in moving])
            stop.wait(2)
            finished.set()

        with meanwhile(move_and_break):
            ledgers = run_writers(played_tables, writers, finished=finished)
        return verdict(played_tables, ledgers)


def _wait_for_replicas(master: RedisServer) -> None:
    """Wait until a master has replicas, and each of them has received all that the master has written by now."""
    offset_now = master.client().info("replication")["master_repl_offset"]

    def offsets() -> list[int]:
        state = master.client().info("replication")
        return [state[f"slave{number}"]["offset"] for number in range(state["connected_slaves"])]

    until(lambda: min(offsets(), default=-1) >= offset_now)


class _SlotMove:
    """A slot that moves to another master as `redis-cli --cluster reshard` moves it, but more slowly.

    So calls arrive while its keys are at both masters.
    """

    def __init__(self, masters: list[RedisServer], slot: int, source: RedisServer, target: RedisServer) -> None:
        self._slot = slot
        self._source = source
        self._target = target
        self._others = [each for each in masters if each not in (source, target)]

    def carry(self) -> None:
        """Carry the keys over. Until the move is finished, calls are answered with ASK."""
        source = self._source.client()
        self._set(self._target, "IMPORTING", _node_id(self._source))
        self._set(self._source, "MIGRATING", _node_id(self._target))
        while keys := source.execute_command("CLUSTER GETKEYSINSLOT", self._slot, 1):
            source.execute_command("MIGRATE", "127.0.0.1", self._target.port, "", 0, 5000, "KEYS", *keys)
            time.sleep(0.02)

    def finish(self) -> None:
        """Tell all masters where the slot is. From now on calls are answered with MOVED."""
        for each in (self._target, self._source, *self._others):
            self._set(each, "NODE", _node_id(self._target))

    def _set(self, server: RedisServer, *state: str) -> None:
        """Tell a server the state of the slot."""
        server.client().execute_command("CLUSTER SETSLOT", self._slot, *state)


def _node_id(server: RedisServer) -> str:
    """The id of a server in its cluster."""
    return str(server.client().execute_command("CLUSTER MYID"), "ascii")


def _owner_of(masters: list[RedisServer], slot: int) -> RedisServer:
    """The master that has a slot."""
    ranges: list[Any] = masters[0].client().execute_command("CLUSTER SLOTS")
    (port,) = (master[1] for first, last, master, *_ in ranges if first <= slot <= last)
    return next(each for each in masters if each.port == port)


def _cut_off_and_kill(
    servers: list[RedisServer], victim: RedisServer, meanwhile: Sequence[Callable[[], object]] = ()
) -> None:
    """Cut a master off from its replicas, then kill it. Restart it when a replica has been promoted.

    `meanwhile`: calls that are made while it is cut off. The replicas are frozen, so that they cannot connect again.
    There may be two: a master whose last slot moves to another one becomes a replica of that one.
    """
    replicas = [each for each in servers if _follows(each, victim)]
    for replica in replicas:
        replica.freeze()
    victim.client().execute_command("CLIENT KILL", "TYPE", "replica")
    for call in meanwhile:
        call()
    time.sleep(0.6)
    victim.kill()
    for replica in replicas:
        replica.thaw()
    until(lambda: any(each in _masters(servers) for each in replicas))
    victim.start()
    time.sleep(1.5)


def _role(server: RedisServer) -> list[Any]:
    """The answer to ROLE, which begins with `master` or `slave`; empty if the server does not answer."""
    with suppress(OSError, RedisError):
        role: list[Any] = server.client().execute_command("ROLE")
        return role
    return []


def _follows(server: RedisServer, master: RedisServer) -> bool:
    """Whether a server is a replica of this master."""
    match _role(server):
        case [b"slave", _, port, *_]:
            return bool(port == master.port)
    return False


def _masters(servers: list[RedisServer]) -> list[RedisServer]:
    """The servers that are masters now."""
    return [each for each in servers if _role(each)[:1] == [b"master"]]


class Latency(NamedTuple):
    """The answers to one kind of call. Times are in milliseconds."""

    statuses: dict[int, int]
    p50: float
    p99: float
    worst: float

    def __str__(self) -> str:
        return f"p50 {self.p50:.1f} ms, p99 {self.p99:.1f} ms, worst {self.worst:.1f} ms, answers {self.statuses}"


class OutageLatencies(NamedTuple):
    """The latencies of calls while the store is unavailable.

    `first`, `later`: of calls of sessions; `stateless_before`, `stateless_meanwhile`: of calls without a store.
    """

    first: Latency
    later: Latency
    stateless_before: Latency
    stateless_meanwhile: Latency


def measure_outages(calls: int = 400) -> dict[str, OutageLatencies]:
    """Measure session and stateless calls while Redis refuses connections, is frozen, or accepts and stays silent."""
    with one_redis(free_port(PORTS)) as redis, server_on(redis.url) as server:
        return {kind: _measure_outage(kind, calls, redis, server) for kind in ("refused", "frozen", "silent")}


def _measure_outage(kind: str, calls: int, redis: RedisServer, server: Server) -> OutageLatencies:
    """Measure calls before an outage, in its first moments, and later in it."""
    until(lambda: all(is_answering(server) for _ in range(20)))  # each worker notices by itself that Redis is back
    table = open_table(server.port)
    session = ("GET", table.path, None)
    before = _measure_latencies(server, [session, ("POST", "/resolve", RESOLVE)], calls, table)[1]
    with _outage(kind, redis):
        moves = ("POST", f"{table.path}/moves", {"moves": [{"type": "pass", "seat": 0}]})
        first = _measure_latencies(server, [session, moves], 60, table)
        later = _measure_latencies(server, [session, moves, ("POST", "/resolve", RESOLVE)], calls, table)
    return OutageLatencies(_worst_of(first), _worst_of(later[:2]), before, later[2])


@contextmanager
def _outage(kind: str, server: RedisServer) -> Iterator[None]:
    """Keep Redis from answering in the block: it refuses connections, is frozen, or accepts them and stays silent."""
    with ExitStack() as stack:
        if kind == "frozen":
            server.freeze()
            stack.callback(server.thaw)
        else:
            server.kill()
            stack.callback(server.start)
        if kind == "silent":
            stack.enter_context(socket.create_server(("127.0.0.1", server.port), backlog=512))
        yield


def _measure_latencies(
    server: Server, calls: list[tuple[str, str, Any]], count: int, table: Table, clients: int = 8
) -> list[Latency]:
    """Let several clients make these calls in turn, each `count` times in all; return the latency of each call."""
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
    """The latency of some replies, each given as its status and its seconds."""
    times = sorted(seconds * 1000 for _status, seconds in replies)
    cuts = statistics.quantiles(times, n=100)
    return Latency(dict(Counter(status for status, _seconds in replies)), cuts[49], cuts[98], times[-1])


def _worst_of(latencies: list[Latency]) -> Latency:
    """One latency of several kinds of call: their statuses together, and the worst of each figure."""
    statuses: Counter[int] = Counter()
    for each in latencies:
        statuses += Counter(each.statuses)
    figures = [max(getattr(each, name) for each in latencies) for name in ("p50", "p99", "worst")]
    return Latency(dict(statuses), *figures)
