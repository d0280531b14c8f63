"""The Redis servers that a URL names. A call to a server that is known to be down fails at once, without a timeout.

docs/decisions/0009-redis-servers.md says why redis-py's own `Sentinel` and `RedisCluster` do not do this.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from redis import Redis
from redis.backoff import NoBackoff
from redis.cluster import parse_cluster_slots
from redis.connection import AbstractConnection
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    ConnectionError,  # noqa: A004
    MovedError,
    RedisError,
    ResponseError,
    TimeoutError,  # noqa: A004
    TryAgainError,
)
from redis.retry import Retry
from redis.sentinel import MasterNotFoundError, Sentinel, SentinelConnectionPool

from service.redis_address import Address, Host, Options
from service.sessions.stores.outage import Outage
from service.sessions.stores.protocol import StoreUnavailable

LOG = logging.getLogger(__name__)

TIMEOUT = 0.4  #: Seconds to wait for a connection, and for an answer.
RENEWING = 0.25  #: Seconds between two queries for which servers are masters.
COUNT_LASTS = 2.0
"""Seconds for which Sentinel's count of servers is used. If it is older, a writer waits for a new one."""
SILENT_MS = 5_000  #: Milliseconds without an answer after which Sentinel does not promote a replica.
MOVING = 0.01  #: Seconds until a call on a slot that moves is tried again.
AT_ONCE = 256  #: Calls of one process to one server at the same time; more wait for their turn.
SLOTS = 16384

COMMON_OPTIONS: Options = {
    "socket_timeout": TIMEOUT,
    "socket_connect_timeout": TIMEOUT,
    "health_check_interval": 0,
    "protocol": 2,
}
STORING: Options = COMMON_OPTIONS | {
    "retry": Retry(NoBackoff(), 1, (ConnectionError,)),
    "max_connections": AT_ONCE + 2,  # one for notices, one for the probe
}
ASKING: Options = COMMON_OPTIONS | {"retry": Retry(NoBackoff(), 0)}

Part: TypeAlias = str | bytes | int | float
Command: TypeAlias = tuple[Part, ...]
Reply: TypeAlias = Any  #: What a server answers: its type depends on the command.
Slots: TypeAlias = list[Host | None]  #: The master of each slot.


def servers_at(address: Address) -> Servers:
    """The servers that an address names. Connects to none of them yet."""
    options = STORING | address.options
    if address.kind == "cluster":
        return Cluster(address)
    if address.kind == "sentinel":
        sentinels = Sentinels(address.hosts, sentinel_kwargs=ASKING | address.sentinel_options)
        master: Redis = sentinels.master_for(  # type: ignore[no-untyped-call]
            address.service, redis_connect_func=_connect_to_master, **options
        )
        return Servers(master)
    if address.hosts:
        options |= {"host": address.hosts[0][0], "port": address.hosts[0][1]}
    return Servers(Redis(**options))


def exchange(server: Redis, commands: Sequence[Command]) -> list[Reply]:
    """The answers to commands that are sent together on one connection. Errors are returned among the answers.

    redis-py's pipeline is not used, as a session's move costs 10 % more CPU with it. If the connection was cut, as idle
    ones are when a server restarts, the commands are sent once more (see `STORING`).
    """
    pool = server.connection_pool
    connection: Any = pool.get_connection()

    def sent() -> list[Reply]:
        connection.send_packed_command(connection.pack_commands(commands))
        return [_answer(connection) for _ in commands]

    try:
        answers: list[Reply] = connection.retry.call_with_retry(sent, connection.disconnect)
        return answers
    finally:
        pool.release(connection)


def _answer(connection: Any) -> Reply:
    """The next answer on a connection, which may be an error."""
    try:
        # A connection on which a call was interrupted is closed: the next call must not read the answer to this one.
        return connection.read_response(disconnect_on_error=True)
    except ResponseError as error:
        return error


class Server:
    """One server with a circuit breaker: while it is down, calls fail at once. `probe` raises until it is back."""

    def __init__(self, redis: Redis, probe: Callable[[], object]) -> None:
        self.redis = redis
        self._outage = Outage(probe, (RedisError, OSError))
        self._turns = threading.Semaphore(AT_ONCE)

    @property
    def there(self) -> bool:
        """Whether calls are let through."""
        return self._outage.over

    def ask(self, commands: Sequence[Command], asking: bool = False) -> list[Reply]:
        """The answers to commands; raises the first error among them. `asking`: the slot is moving to this server."""
        sent = [each for command in commands for each in (("ASKING",), command)] if asking else commands
        with self.guarding():
            answers = exchange(self.redis, sent)
        for answer in answers:
            if isinstance(answer, RedisError):
                raise answer
        return answers[1::2] if asking else answers

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Refuse at once while the server is down. If the block cannot reach the server, an outage begins."""
        if not self._turns.acquire(timeout=TIMEOUT):
            raise StoreUnavailable("too many calls at once")
        try:
            if not self.there:
                raise StoreUnavailable(self._outage.reason)
            yield
        except (ConnectionError, TimeoutError) as error:
            raise self._outage.begin(error) from error
        finally:
            self._turns.release()

    def retire(self) -> None:
        """Close idle connections and stop probing, as the server is no longer needed. Calls under way are completed."""
        self._outage.stop()
        self.redis.connection_pool.disconnect(inuse_connections=False)


class Servers:
    """The servers that a URL names. Every error of Redis becomes `StoreUnavailable`. `Cluster` is for several masters.

    Here there is one: a fixed server, or the master that Sentinel names, which redis-py looks up for each connection.
    """

    def __init__(self, redis: Redis) -> None:
        pool = redis.connection_pool
        self._watched = pool if isinstance(pool, SentinelConnectionPool) else None
        self._server = Server(redis, self._probe)

    def call(self, key: str, *commands: Command) -> list[Reply]:
        """The answers to commands on one key, sent together on one connection. Here one server has every key."""
        try:
            return self._server.ask(commands)
        except RedisError as error:  # its answer is an error: it is a replica now, or has no memory left
            self.renew()
            raise StoreUnavailable(str(error)) from error

    def having(self, key: str) -> Redis:
        """The server that has a key."""
        return self._server.redis

    def others(self) -> int:
        """How many servers Sentinel could promote. A change must be on all of them, or a failover could lose it."""
        return len(self._watched.sentinel_manager.view(self._watched.service_name).others) if self._watched else 0

    def places(self) -> object:
        """A value that stays equal as long as no key moves to another server."""
        return self._watched and self._watched.master_address

    def spread(self, name: str) -> list[str]:
        """Keys that begin with a name, one for each server."""
        return [name]

    def renew(self) -> object:
        """Find out in the background which servers are masters now."""
        if self._watched is not None:
            threading.Thread(target=self._find_master, daemon=True).start()
        return None

    def close(self) -> None:
        """Close every connection."""
        self._server.retire()
        self._server.redis.close()

    def _probe(self) -> None:
        """Raise unless the server answers, which may be a new master."""
        self._find_master()
        self._server.redis.ping()

    def _find_master(self) -> None:
        """Find the master. If it is new, redis-py closes idle connections to the old one, which may still answer."""
        if self._watched is not None:
            with suppress(RedisError):
                self._watched.get_master_address()


class SentinelView(NamedTuple):
    """What a Sentinel knows: the number of the last election, the master that it chose, and the other servers.

    `switching_from`: the master before, while the switch goes on; None: no switch goes on.
    """

    election: int = -1
    master: Host | None = None
    switching_from: Host | None = None
    others: frozenset[Host] = frozenset()


class Sentinels(Sentinel):
    """redis-py's `Sentinel`, changed to ask all Sentinels at once and to believe the one that saw the latest election.

    redis-py asks one Sentinel after the other, so that each silent one costs a timeout. And it takes the first answer,
    but a Sentinel that is cut off together with the old master still names that master. If that has a replica, it would
    acknowledge changes that are lost when it is reached again.
    """

    def __init__(self, hosts: Iterable[Host], sentinel_kwargs: Options) -> None:
        super().__init__(hosts, sentinel_kwargs=sentinel_kwargs)  # type: ignore[no-untyped-call]
        self._lock = threading.Lock()
        self._queried_at = float("-inf")
        self._view = SentinelView()
        self._error: object = None  #: Why no Sentinel answered the last time, if none did.

    def view(self, service: str) -> SentinelView:
        """What the Sentinels know together, by an answer that is at most `COUNT_LASTS` seconds old."""
        age = time.monotonic() - self._queried_at
        if age > COUNT_LASTS:
            self._renew_if_due(service)
        elif age > RENEWING and not self._lock.locked():
            threading.Thread(target=self._renew_if_due, args=(service,), daemon=True).start()
        return self._view

    def discover_master(self, service_name: str) -> Host:
        """Where the master is, by an answer that is at most `RENEWING` seconds old."""
        self._renew_if_due(service_name)
        if self._view.master is None or self._error is not None:
            raise MasterNotFoundError(f"no Sentinel says who is master: {self._error}")
        return self._view.master

    def _renew_if_due(self, service: str) -> None:
        """Ask all Sentinels, unless that was done within `RENEWING` seconds, and keep what they know together."""
        with self._lock:
            if time.monotonic() - self._queried_at <= RENEWING:
                return
            with ThreadPoolExecutor(len(self.sentinels)) as pool:
                answers = list(pool.map(partial(_view, service=service), self.sentinels))
            self._queried_at = time.monotonic()
            views = [each for each in answers if isinstance(each, SentinelView)]
            self._error = None if views else answers[0]
            latest = max(views, key=attrgetter("election"), default=None)
            # A Sentinel that names an older election than we know does not know the last switch.
            if latest is not None and latest.election >= self._view.election:
                others = set(chain.from_iterable(each.others for each in views))
                if latest.switching_from is not None:
                    others.add(latest.switching_from)
                self._view = latest._replace(others=frozenset(others - {latest.master}))


def _view(sentinel: Any, service: str) -> SentinelView | Exception:
    """What a Sentinel knows, or the error of asking it. `others`: the replicas that have answered it lately.

    The master that it is `switching_from` counts as one of the others, too. For some ten seconds after a switch it
    follows nobody, so that no change reaches it. But Sentinel may make it follow at any moment, and then promote it
    again: a change waits until it follows.
    """
    try:
        state = sentinel.sentinel_master(service)
        host, port = sentinel.sentinel_get_master_addr_by_name(service)
        replicas = sentinel.sentinel_slaves(service)
    except (RedisError, OSError, TypeError) as error:  # TypeError: it has forgotten the name in between
        return error
    name = str(host, "ascii") if isinstance(host, bytes) else host
    master, former = (name, int(port)), (state["ip"], state["port"])
    others = frozenset((each["ip"], each["port"]) for each in replicas if each["last-ok-ping-reply"] <= SILENT_MS)
    return SentinelView(int(state["config-epoch"]), master, None if former == master else former, others)


def _connect_to_master(connection: AbstractConnection) -> None:
    """Log in, and raise if the server is not the master: a replica would go on answering reads."""
    connection.on_connect()
    connection.send_command("HELLO", 2)
    greeting = connection.read_response()
    if dict(zip(greeting[::2], greeting[1::2], strict=True))[b"role"] != b"master":
        raise ConnectionError("the server is not the master")


class Cluster(Servers):
    """The masters of a cluster. The map of slots is renewed in the background, whenever a call fails.

    The map is our own. A pipeline of redis-py's RedisCluster sends a command that is redirected to another server
    alone. Then WAIT confirms nothing, and acknowledged moves were lost. Without redirects a move costs 26 % more CPU.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._servers: dict[Host, Server] = {}
        self._slots: Slots = [None] * SLOTS
        self._lock = threading.Lock()
        self._renewed = threading.Event()
        self._renewed.set()
        self._queried_at = float("-inf")
        self._unknown = ""  #: Why the slots could not be read the last time.

    def call(self, key: str, *commands: Command) -> list[Reply]:
        """Ask the master that has the key, or the one that a server names instead while its slot moves, and after."""
        limit = time.monotonic() + TIMEOUT
        slot = key_slot(key.encode())
        master, is_moving = self._master(slot), False
        while True:
            try:
                return self._at(master).ask(commands, asking=is_moving)
            except (AskError, TryAgainError) as error:
                if time.monotonic() > limit:
                    raise StoreUnavailable(str(error)) from error
                match error:
                    case TryAgainError():  # some of a session's keys have moved, some have not
                        master, is_moving = self._master(slot), False
                    case AskError():  # or MovedError, which is one; without a host they mean the server that answered
                        master, is_moving = (error.host or master[0], error.port), not isinstance(error, MovedError)
                if isinstance(error, MovedError):
                    self.renew()
                if not is_moving:
                    time.sleep(MOVING)
            except (RedisError, StoreUnavailable) as error:
                self.renew()
                raise StoreUnavailable(str(error)) from error

    def others(self) -> int:
        """None that must have a change: the servers of a cluster choose the next master themselves."""
        return 0

    def having(self, key: str) -> Redis:
        """The master that has a key."""
        return self._at(self._master(key_slot(key.encode()))).redis

    def places(self) -> object:
        """The master of each slot, as far as it is known."""
        return self._slots

    def spread(self, name: str) -> list[str]:
        """Keys that begin with a name, one for each master."""
        self._master(0)  # reads the map of slots if there is none
        masters = {*self._slots} - {None}
        keys: dict[Host, str] = {}
        for number in range(SLOTS):
            key = f"{name}:{number}"
            keys.setdefault(self._master(key_slot(key.encode())), key)
            if len(keys) == len(masters):
                break
        return list(keys.values())

    def renew(self) -> threading.Event:
        """Renew the map in the background, not too often. The event is set when that has succeeded or failed."""
        with self._lock:
            if self._renewed.is_set() and time.monotonic() - self._queried_at > RENEWING:
                self._queried_at = time.monotonic()
                self._renewed.clear()
                threading.Thread(target=self._renew, daemon=True).start()
            return self._renewed

    def close(self) -> None:
        """Close the connections to every server."""
        for server in [*self._servers.values()]:
            server.retire()
            server.redis.close()

    def _master(self, slot: int) -> Host:
        """The master of a slot. If none is known, the map is renewed first."""
        if self._slots[slot] is None:
            self.renew().wait(TIMEOUT)
        if (host := self._slots[slot]) is None:
            raise StoreUnavailable(self._unknown or "no server has the slot")
        return host

    def _at(self, host: Host) -> Server:
        """The server at this address."""
        server = self._servers.get(host)
        if server is None:
            redis = Redis(host=host[0], port=host[1], **STORING, **self._address.options)

            def probe() -> None:
                self.renew()
                redis.ping()

            server = self._servers.setdefault(host, Server(redis, probe))
        return server

    def _renew(self) -> None:
        """Renew the map, and drop servers that have no slot any more."""
        try:
            slots = self._read_slots()
            if slots != self._slots:  # the same list stays, as `places` is compared four times a second
                self._slots = slots
            for host in self._servers.keys() - {*slots}:
                self._servers.pop(host).retire()
            self._unknown = ""
        except StoreUnavailable as error:  # the old map stays
            if any(self._slots) and not self._unknown:
                LOG.warning("%s", error)
            self._unknown = str(error)
        finally:
            self._renewed.set()

    def _read_slots(self) -> Slots:
        """The slots and their masters, according to the first server that answers."""
        error_met: object = "no server has a slot"
        known = sorted([*self._servers.items()], key=lambda each: not each[1].there)
        for host in dict.fromkeys([*(host for host, _ in known), *self._address.hosts]):
            try:
                with Redis(host=host[0], port=host[1], **ASKING, **self._address.options) as server:
                    slots = _masters(server.execute_command("CLUSTER SLOTS"), host[0])
                    if any(slots):
                        return slots
            except (RedisError, OSError) as error:
                error_met = error
        raise StoreUnavailable(f"no server says who is master: {error_met}")


def _masters(reply: Reply, host: str) -> Slots:
    """The masters in an answer to CLUSTER SLOTS. `host` answered, and is meant if the answer leaves out a name."""
    slots: Slots = [None] * SLOTS
    for (first, last), row in parse_cluster_slots(reply, current_host=host).items():
        slots[first : last + 1] = [(row["primary"][0], row["primary"][1])] * (last + 1 - first)
    return slots
