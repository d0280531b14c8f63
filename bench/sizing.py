"""What sessions cost, and the servers they need: `python -m bench.sizing [measure | idle COUNT | fill COUNT]`.

`measure`, the default, prints what a session, a move and a stream cost on this machine, and computes the plan of
docs/operations.md from that; it takes some minutes. `idle` holds so many streams open, `fill` puts so many sessions
into one Redis. TEST_REDIS names the Redis binary to measure instead of the tests'.
"""

from __future__ import annotations

import argparse
import math
import random
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import engines
from bench.growth import on_cpu, on_cpu_of
from bench.http import SERVICE, served
from bench.openings import store_of
from bench.results import Table, figure
from bench.sessions import game, send_all
from service.app import create_app
from service.config import Settings
from service.sessions.stores import open_store
from service.sessions.stores.protocol import Copied, Store
from tests.faults.clients import Client
from tests.faults.servers import RedisServer, cluster_url, one_redis, redis_cluster, until
from tests.server import Server

COPIES = 300
"""Copies of a session that are stored to measure its size."""
SESSIONS = 100
"""Sessions that are played at the same time."""
LISTENERS = (0, 1, 4)
ROUNDS = 3
"""Rounds, of which the cheapest counts: other programs can only make a round dearer."""
IDLE = 1_000
KIB = 1024
MIB = 1024 * KIB


# --- what is kept of a session -----------------------------------------------


def played(game_name: str, moves: int, folder: Path, *, keyed: bool = True) -> Copied:
    """All that is stored of one session after so many moves or its end. `keyed`: each move has an idempotency key."""
    app = create_app(Settings(store_url=f"sqlite:///{folder}/{game_name}-{moves}-{keyed}.sqlite3"))
    client, rng = app.test_client(), random.Random("bench")
    seats = 2 if game_name == "gin-rummy" else 3
    opened = client.post("/sessions", json={"game": game_name, "seats": seats}).get_json()
    path, host = f"/sessions/{opened['id']}", {"Authorization": f"Bearer {opened['tokens']['host']}"}
    for number in range(moves):
        offered = client.get(f"{path}/legal-moves", headers=host).get_json()["moves"]
        if not offered:
            break
        lasting = [each["move"] for each in offered if each["move"]["type"] not in {"knock", "end"}]
        move = rng.choice(lasting or [offered[0]["move"]])
        key = {"Idempotency-Key": f"{number}"} if keyed else {}
        client.post(f"{path}/moves", json={"moves": [move]}, headers=host | key)
    store = app.extensions["sessions"].store
    (copied,) = map(store.copy, store.names())
    assert isinstance(copied, Copied)
    return copied


def put(store: Store, copied: Copied, count: int) -> None:
    for _ in range(count):
        store.put(copied._replace(session=secrets.token_hex(16)))


def taken_in(kind: str, copied: Copied) -> float:
    """Bytes that a copy of a session takes in Redis's memory, or in SQLite's file."""
    with store_of(kind) as store:
        put(store, copied, 1)
        before = store.size().held
        put(store, copied, COPIES)
        return (store.size().held - before) / COPIES


def sizes() -> Table:
    rows = []
    with TemporaryDirectory(prefix="referee-bench-") as folder:
        for name in engines.registry():
            for moves, keyed in ((0, True), (20, False), (20, True), (200, True)):
                copied = played(name, moves, Path(folder), keyed=keyed)
                if len(copied.log) == moves:  # some games are over before
                    said = f"{name}, {moves} moves{' with keys' if moves and keyed else ''}"
                    rows.append([said, *(figure(taken_in(kind, copied) / KIB) for kind in ("redis", "sqlite"))])
    return Table(
        "What is kept of a session",
        "KiB. What was answered to a request with an `Idempotency-Key` is kept with its session.",
        ("", "Redis", "SQLite"),
        rows,
    )


# --- what a move, an opening and a stream take -------------------------------


class Taken(NamedTuple):
    """Microseconds of CPU of the worker, of all Redis servers, and of the busiest of these; 0 without Redis."""

    worker: float
    redis: float = 0.0
    busiest: float = 0.0

    def __str__(self) -> str:
        return f"{self.worker:.0f} + {self.redis:.0f}"


def taken_by(server: Server, stores: list[RedisServer], work: Callable[[], object], count: int) -> Taken:
    """Run `work`, which does `count` things; return the CPU that one takes."""
    before, kept = on_cpu(server), [on_cpu_of(each.pid) for each in stores]
    work()
    time.sleep(0.3)  # listeners get their events a little later
    used = [(on_cpu_of(each.pid) - had) / 1000 / count for each, had in zip(stores, kept, strict=True)]
    return Taken((on_cpu(server) - before) / 1000 / count, sum(used), max(used, default=0.0))


@contextmanager
def kept_in(kind: str) -> Iterator[tuple[dict[str, str], list[RedisServer]]]:
    with ExitStack() as stack:
        if kind == "SQLite":
            yield {}, []
        elif kind == "Redis":
            redis = stack.enter_context(one_redis())
            yield {"REFEREE_STORE_URL": redis.url}, [redis]
        else:
            servers = stack.enter_context(redis_cluster(masters=3))
            yield {"REFEREE_STORE_URL": cluster_url(servers, replicas=0)}, servers


def session_of(sent: bytes) -> tuple[str, str]:
    """The path and the token of a move."""
    lines = sent.decode().split("\r\n")
    token = next(each for each in lines if each.startswith("Authorization: "))
    return lines[0].split()[1].removesuffix("/moves"), token


def listen(server: Server, stack: ExitStack, path: str, token: str) -> None:
    one = stack.enter_context(server.connect())
    one.sendall(f"GET {path}/events HTTP/1.1\r\nHost: bench\r\n{token}\r\n\r\n".encode())


def all_listen(server: Server, stack: ExitStack, sessions: list[tuple[str, str]]) -> None:
    for path, token in sessions:
        listen(server, stack, path, token)


def moves(kind: str, listeners: int) -> Taken:
    """The CPU that a move of Twins takes, with so many listeners to each session."""
    with kept_in(kind) as (settings, stores), served(SERVICE, **settings, REFEREE_STREAMS="1500") as server:
        games = [game(server.port) for _ in range(SESSIONS)]
        with ExitStack() as stack:
            for each in games:
                path, token = session_of(each[0].session)
                for _ in range(listeners):
                    listen(server, stack, path, token)
            time.sleep(1)
            sent = [each.session for step in zip(*games, strict=True) for each in step]
            return taken_by(server, stores, lambda: send_all(server, sent), len(sent))


def openings(kind: str) -> Taken:
    body = {"game": "twins", "seats": 3}
    with kept_in(kind) as (settings, stores), served(SERVICE, **settings) as server, Client(server.port) as client:
        client.ask("POST", "/sessions", body)
        return taken_by(server, stores, lambda: [client.ask("POST", "/sessions", body) for _ in range(300)], 300)


class Stream(NamedTuple):
    """What a stream takes: KiB of a worker, CPU to begin, cores for a thousand without events, bytes of Redis."""

    memory: float
    begins: Taken
    idles: float
    channel: float


def stream() -> Stream:
    """Measure streams that begin together, each of a session of its own, as after a restart of the workers."""
    with kept_in("Redis") as (settings, stores), ExitStack() as stack:
        server = stack.enter_context(
            served(SERVICE, **settings, REFEREE_STREAMS="1500", REFEREE_CLIENT_OPENINGS="5000")
        )
        games = [session_of(game(server.port)[0].session) for _ in range(IDLE)]
        (worker,) = server.workers()
        before, redis = private(worker), stores[0].client()
        had = int(redis.info("memory")["used_memory"])
        begins = taken_by(server, stores, lambda: all_listen(server, stack, games), IDLE)
        time.sleep(2)
        memory, channel = private(worker) - before, int(redis.info("memory")["used_memory"]) - had
        began = on_cpu(server)
        time.sleep(15)
        idles = (on_cpu(server) - began) / 15e9
        return Stream(memory / IDLE, begins, idles * 1000 / IDLE, channel / IDLE)


def private(process: int) -> float:
    """KiB that are this process's alone."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text("ascii")
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith("Private_Dirty:")))


# --- what that makes ---------------------------------------------------------


class Assumed(NamedTuple):
    """Assumptions about sessions, and about how busy and full the servers may be."""

    moves: float = 3.0
    """Moves a minute in each session."""
    reads: float = 1.0
    """Other calls for each move: its legal moves, the table."""
    listeners: float = 2.0
    minutes: float = 20.0
    """Minutes for which a session is played."""
    busy: float = 0.5
    """The part of each core that may be busy."""
    session: float = 30.0
    """KiB in Redis, on average while it is played; a third to a half of what it has in the end."""
    kept: float = 1.5
    """Sessions in the store for each that is played: others are over, and not closed or cleared away yet."""
    full: float = 0.5
    """The part of a Redis server's memory that may be full. The rest: rewriting its file, replicas, ended sessions."""
    shard: float = 16.0
    """GiB of memory of a Redis server."""
    cores: int = 8
    """Cores of a server."""


def plan(move: Taken, opening: Taken, one: Stream, assumed: Assumed) -> Table:
    """The servers for a thousand sessions to a million."""
    rows = []
    for sessions in (1_000, 10_000, 100_000, 1_000_000):
        rate = sessions * assumed.moves / 60
        opened = sessions / assumed.minutes / 60
        worker = rate * move.worker * (1 + assumed.reads / 2) + opened * opening.worker
        streams = sessions * assumed.listeners
        cores = worker / 1e6 + streams / 1000 * one.idles
        workers = math.ceil(cores / assumed.busy)
        redis = (rate * move.redis * (1 + assumed.reads / 4) + opened * opening.redis) / 1e6
        memory = sessions * assumed.kept * assumed.session / MIB
        shards = max(math.ceil(redis / assumed.busy), math.ceil(memory / assumed.full / assumed.shard))
        servers = math.ceil(workers / assumed.cores)
        rows.append(
            [
                f"{sessions:,}",
                f"{rate:,.0f}",
                f"{servers} x {min(workers, assumed.cores)}",
                f"{streams / workers:,.0f}",
                f"{(60 * KIB + streams / workers * one.memory) / KIB:,.0f}",
                f"{redis:.2f}",
                figure(memory),
                f"{shards}",
                f"{workers * 258:,}",
            ]
        )
    said = (
        f"{assumed.moves:.0f} moves a minute in each session and {assumed.reads:.0f} other call for each, "
        f"{assumed.listeners:.0f} streams, {assumed.minutes:.0f} minutes of play; "
        f"{assumed.session:.0f} KiB in the store for each of {assumed.kept:.1f} times as many; "
        f"cores {assumed.busy:.0%} busy, Redis's memory {assumed.full:.0%} full. Computed from the figures above."
    )
    columns = ("sessions played", "moves a second", "servers x workers", "streams a worker", "MiB a worker")
    more = ("cores of Redis", "GiB in Redis", "masters", "connections to a master, at most")
    return Table("How many that makes", said, (*columns, *more), rows)


def measure() -> None:
    print(sizes().written(), end="\n\n", flush=True)
    rows, found = [], {}
    for kind in ("SQLite", "Redis", "cluster of 3"):
        for listeners in LISTENERS if kind != "cluster of 3" else (0,):
            found[kind, listeners] = made = min(moves(kind, listeners) for _ in range(ROUNDS))
            share = f", its busiest server {made.busiest:.0f}" if kind == "cluster of 3" else ""
            rows.append([f"a move, {listeners} listen, {kind}{share}", figure(made.worker), figure(made.redis)])
    opened = {kind: min(openings(kind) for _ in range(ROUNDS)) for kind in ("SQLite", "Redis")}
    rows += [[f"an opening, {kind}", figure(made.worker), figure(made.redis)] for kind, made in opened.items()]
    one = stream()
    rows.append(["a stream begins, Redis", figure(one.begins.worker), figure(one.begins.redis)])
    said = (
        f"Microseconds of CPU, Twins. A stream takes {figure(one.memory)} KiB of its worker and {figure(one.channel)} "
        f"bytes of Redis; a thousand that hear nothing take {one.idles:.2%} of a core."
    )
    print(Table("What a call takes", said, ("", "worker", "Redis"), rows).written(), end="\n\n", flush=True)
    print(plan(found["Redis", 1], opened["Redis"], one, Assumed()).written(), flush=True)


def idle(count: int, workers: int = 2) -> None:
    """Print what so many streams take on one machine. They belong to two hundred sessions or fewer."""
    most = str(count // workers * 2)
    settings = {"REFEREE_WORKERS": str(workers), "REFEREE_CONNECTIONS": str(count), "REFEREE_STREAMS": most}
    with kept_in("Redis") as (kept, _), ExitStack() as stack:
        server = stack.enter_context(served(SERVICE, **settings, **kept, REFEREE_CLIENT_OPENINGS=str(count)))
        games = [session_of(game(server.port)[0].session) for _ in range(min(count, 200))]
        for number in range(count):
            listen(server, stack, *games[number % len(games)])
        time.sleep(5)
        print(f"{count} streams: {[round(private(each) / KIB) for each in server.workers()]} MiB", flush=True)
        began = on_cpu(server)
        time.sleep(20)
        print(f"hearing nothing: {(on_cpu(server) - began) / 20e9:.1%} of a core", flush=True)


def fill(count: int) -> None:
    """Put so many sessions of a short game into one Redis by its command RESTORE; print what a move then takes."""
    with one_redis() as redis, TemporaryDirectory(prefix="referee-bench-") as folder:
        store, client = open_store(redis.url), redis.client()
        put(store, played("twins", 6, Path(folder), keyed=False), 1)
        client.config_set("appendonly", "no")  # the file is written once, when all are there
        (name,) = store.names()
        parts = {part: client.dump(f"referee:{{{name}}}{part}") for part in ("", ":log")}
        began = time.monotonic()
        ends = time.time() + 86_400
        for start in range(0, count, 1000):
            together = client.pipeline(transaction=False)
            for _ in range(min(1000, count - start)):
                fresh = secrets.token_hex(16)
                for part, dumped in parts.items():
                    together.execute_command(
                        "RESTORE", f"referee:{{{fresh}}}{part}", round(ends * 1000), dumped, "ABSTTL"
                    )
                together.execute_command("ZADD", "referee:open", ends, fresh)
            together.execute()
        filled = time.monotonic() - began
        client.config_set("appendonly", "yes")
        until(lambda: not client.info("persistence")["aof_rewrite_in_progress"], 600)
        told: Any = client.info("memory")
        print(
            f"{store.count():,} sessions: {told['used_memory'] / (1 << 30):.2f} GiB, "
            f"{(told['used_memory']) / count:,.0f} bytes each, {filled:.0f} s to fill",
            flush=True,
        )
        with served(SERVICE, REFEREE_STORE_URL=redis.url, REFEREE_OPEN_SESSIONS="2000000",
                    REFEREE_STORE_BYTES=str(64 << 30)) as server:  # fmt: skip
            games = [game(server.port) for _ in range(SESSIONS)]
            sent = [each.session for step in zip(*games, strict=True) for each in step]
            made = taken_by(server, [redis], lambda: send_all(server, sent), len(sent))
            print(f"a move beside them: {made.worker:.0f} us of the worker, {made.redis:.0f} of Redis", flush=True)
        store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind")
    kinds.add_parser("measure")
    for kind in ("idle", "fill"):
        kinds.add_parser(kind).add_argument("count", type=int)
    options = parser.parse_args()
    if options.kind == "idle":
        idle(options.count)
    elif options.kind == "fill":
        fill(options.count)
    else:
        measure()


if __name__ == "__main__":
    main()
