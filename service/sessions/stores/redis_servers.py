"""Which Redis server to ask. Calls to one that is away fail at once; none waits for longer than one answer."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from redis import Redis
from redis.backoff import NoBackoff
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

from service.redis_address import Address, Host, Options
from service.sessions.stores.protocol import StoreUnavailable

T = TypeVar("T")
LOG = logging.getLogger(__name__)

TIMEOUT = 0.4
"""Seconds to wait for a connection, and for an answer."""
COOLING = 0.5
"""Seconds between two attempts to reach a server that is away."""
LOOKING = 0.25
"""Seconds between two requests for the name of the master."""
MOVING = 0.01
"""Seconds until a slot that moves is asked for again."""
AT_ONCE = 256
"""Calls of one process upon one server at the same time; more wait for their turn."""
SLOTS = 16384

COMMON: Options = {
    "socket_timeout": TIMEOUT,
    "socket_connect_timeout": TIMEOUT,
    "health_check_interval": 0,
    "protocol": 2,
}
STORING: Options = COMMON | {
    "retry": Retry(NoBackoff(), 1, (ConnectionError,)),
    "max_connections": AT_ONCE + 2,  # whoever listens, and the breaker's probe
}
ASKING: Options = COMMON | {"retry": Retry(NoBackoff(), 0)}

Reply: TypeAlias = Any
"""What a server answers: whatever its command gives."""
Masters: TypeAlias = list[tuple[int, int, Host]]
"""First slot, last slot, and who is their master."""


class Servers(Protocol):
    """The servers that a URL names."""

    def call(self, key: str, ask: Callable[[Redis], T]) -> T:
        """Ask the server that has a key. Every error of Redis becomes `StoreUnavailable`."""

    def call_each(self, keys: list[str], command: Callable[[str], tuple[str, ...]]) -> list[Reply]:
        """The answers to the same command for each key, asked of each server at once for all that it has."""

    def having(self, key: str) -> Redis:
        """The server that has a key."""

    def places(self) -> object:
        """The same object as long as keys stay where they are."""

    def all(self) -> list[Redis]:
        """Every server that is asked."""

    def spread(self, name: str) -> list[str]:
        """Keys that begin with a name, one for each server."""

    def look(self) -> object:
        """Somebody could not listen: find out whether another server is to be asked."""

    def close(self) -> None:
        """Let go of every connection."""


def servers_at(address: Address) -> Servers:
    """The servers that an address names. Asks none of them yet."""

    common = STORING | address.options

    def connect(host: Host) -> Redis:
        return Redis(host=host[0], port=host[1], **common)

    if address.kind == "one":
        return OneServer(connect(address.hosts[0]) if address.hosts else Redis(**common))
    if address.kind == "cluster":
        return Watched(ClusterMap(address).find, connect)
    common |= {"redis_connect_func": _connected_to_master}
    return Watched(Sentinels(address).find, connect)


class Breaker:
    """Keeps callers from a server that is away; asks in the background whether it is back."""

    def __init__(self, probe: Callable[[], object]) -> None:
        self._probe = probe
        self._closed = threading.Event()
        self._closed.set()
        self._retired = False
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(AT_ONCE)

    @property
    def closed(self) -> bool:
        """The server answered when it was last asked."""
        return self._closed.is_set()

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Refuse at once while the server is away; notice when it goes away."""
        if not self._turns.acquire(timeout=TIMEOUT):
            raise StoreUnavailable("too many calls at once")
        try:
            if not self._closed.is_set():
                raise StoreUnavailable("the store was away a moment ago")
            yield
        except (ConnectionError, TimeoutError) as error:
            self._open()
            raise StoreUnavailable(str(error)) from error
        finally:
            self._turns.release()

    def retire(self) -> None:
        """Probe no more, whatever happens to calls under way: the server is not needed."""
        with self._lock:
            self._retired = True
            self._closed.set()

    def _open(self) -> None:
        with self._lock:
            if self._closed.is_set() and not self._retired:
                self._closed.clear()
                threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        while not self._closed.is_set():
            time.sleep(COOLING)
            try:
                self._probe()
            except (RedisError, OSError):
                continue
            except Exception:
                LOG.exception("nobody knows whether the store is back")
                continue
            self._closed.set()


class OneServer:
    """One server, always the same."""

    def __init__(self, server: Redis) -> None:
        self._server = server
        self._breaker = Breaker(server.ping)

    def call(self, key: str, ask: Callable[[Redis], T]) -> T:
        """Ask the server, once; redis-py connects anew once where an idle connection turns out to be cut."""
        with self._breaker.guarding():
            try:
                return ask(self._server)
            except (ConnectionError, TimeoutError):
                raise
            except RedisError as error:  # read-only, out of memory, too few replicas: not to be helped by waiting
                raise StoreUnavailable(str(error)) from error

    def call_each(self, keys: list[str], command: Callable[[str], tuple[str, ...]]) -> list[Reply]:
        return self.call(keys[0], partial(_pipelined, commands=[*map(command, keys)]))

    def having(self, key: str) -> Redis:
        return self._server

    def places(self) -> object:
        return self._server

    def all(self) -> list[Redis]:
        return [self._server]

    def spread(self, name: str) -> list[str]:
        return [name]

    def look(self) -> object:
        return None

    def close(self) -> None:
        self._breaker.retire()
        self._server.close()


class Member(NamedTuple):
    """A master as this process knows it."""

    server: Redis
    breaker: Breaker


class Watched:
    """The masters of a cluster, each with some slots, or the one that Sentinel names, with all of them.

    Who they are is asked in the background, whenever one of them fails. `find`: raises StoreUnavailable if nobody says.
    """

    def __init__(self, find: Callable[[Iterable[Host]], Masters], connect: Callable[[Host], Redis]) -> None:
        self._find = find
        self._connect = connect
        self._members: dict[Host, Member] = {}
        self._heirs: dict[Host, Member] = {}
        self._slots: list[tuple[int, int, Member]] = []
        self._lock = threading.Lock()
        self._looked = threading.Event()
        self._looked.set()
        self._asked = 0.0
        self._unknown = ""

    def call(self, key: str, ask: Callable[[Redis], T]) -> T:
        """Ask the master that has the key, or, while its slot moves, the one that is to have it."""
        limit = time.monotonic() + TIMEOUT
        slot = key_slot(key.encode())
        heir: Member | None = None
        while True:
            try:
                member = heir or self._member(slot)
                with member.breaker.guarding():
                    return ask(member.server)
            except StoreUnavailable:
                self.look()
                raise
            except AskError as error:
                heir = self._heir((error.host or self._host(slot), error.port))
            except (MovedError, TryAgainError) as error:  # the latter: some of a session's keys are there, some here
                heir = None
                if time.monotonic() > limit:
                    raise StoreUnavailable(str(error)) from error
                if isinstance(error, MovedError):
                    self.look().wait(TIMEOUT)
                time.sleep(MOVING)
            except RedisError as error:
                self.look()
                raise StoreUnavailable(str(error)) from error

    def call_each(self, keys: list[str], command: Callable[[str], tuple[str, ...]]) -> list[Reply]:
        having: dict[int, list[str]] = {}
        for key in keys:
            having.setdefault(id(self._member(key_slot(key.encode()))), []).append(key)
        answers = []
        for some in having.values():
            told = self.call(some[0], partial(_pipelined, commands=[*map(command, some)]))
            for key, answer in zip(some, told, strict=True):
                moved = isinstance(answer, RedisError)  # or is about to be
                answers.append(self.call(key, partial(_asked, command=command(key))) if moved else answer)
        return answers

    def having(self, key: str) -> Redis:
        return self._member(key_slot(key.encode())).server

    def places(self) -> object:
        return self._slots

    def all(self) -> list[Redis]:
        self._member(0)
        return [each.server for each in self._members.values()]

    def spread(self, name: str) -> list[str]:
        keys: dict[int, str] = {}
        for number in range(SLOTS):
            key = f"{name}:{number}"
            keys.setdefault(id(self._member(key_slot(key.encode())).server), key)
            if len(keys) == len(self._members):
                break
        return list(keys.values())

    def look(self) -> threading.Event:
        """Ask who is master, not too often. The event is set when that is known, or nobody said."""
        with self._lock:
            if self._looked.is_set() and time.monotonic() - self._asked > LOOKING:
                self._asked = time.monotonic()
                self._looked = threading.Event()
                threading.Thread(target=self._look, args=(self._looked,), daemon=True).start()
            return self._looked

    def close(self) -> None:
        for member in (*self._members.values(), *self._heirs.values()):
            member.breaker.retire()
            member.server.close()

    def _member(self, slot: int) -> Member:
        if not self._slots:
            self.look().wait(TIMEOUT)
        for first, last, member in self._slots:
            if first <= slot <= last:
                return member
        raise StoreUnavailable(self._unknown or "nobody has said who is master")

    def _host(self, slot: int) -> str:
        """Where the master of a slot is: it need not say so of an heir at the same place."""
        return str(self._member(slot).server.connection_pool.connection_kwargs["host"])

    def _heir(self, host: Host) -> Member:
        """A master as it is asked for keys of a slot that is not its own yet."""
        if host not in self._heirs:
            heir = self._joined(host)
            pool = heir.server.connection_pool
            pool.connection_class = type("Asking", (Asking, pool.connection_class), {})
            self._heirs[host] = heir
        return self._heirs[host]

    def _look(self, looked: threading.Event) -> None:
        try:
            known = sorted(self._members, key=lambda host: not self._members[host].breaker.closed)
            self._take(self._find(known))
            self._unknown = ""
        except StoreUnavailable as error:  # then what was known stays
            if self._slots and not self._unknown:
                LOG.warning("%s", error)
            self._unknown = str(error)
        finally:
            looked.set()

    def _take(self, masters: Masters) -> None:
        """Let go of those that are masters no more."""
        before = self._members
        self._members = {host: before.get(host) or self._joined(host) for _, _, host in masters}
        slots = [(first, last, self._members[host]) for first, last, host in masters]
        if slots != self._slots:
            self._slots = slots
        for host in before.keys() - self._members.keys():
            before[host].breaker.retire()
            before[host].server.connection_pool.disconnect(inuse_connections=False)

    def _joined(self, host: Host) -> Member:
        server = self._connect(host)

        def probe() -> None:
            self.look()
            server.ping()

        return Member(server, Breaker(probe))


class Asking(AbstractConnection):
    """Says before each command that it is not by mistake that this server is asked."""

    def send_command(self, *args: Any, **kwargs: Any) -> None:
        super().send_command("ASKING")  # type: ignore[no-untyped-call]
        super().send_command(*args, **kwargs)  # type: ignore[no-untyped-call]

    def pack_commands(self, commands: Iterable[Any]) -> Any:
        both = [each for command in commands for each in (("ASKING",), command)]
        return super().pack_commands(both)  # type: ignore[no-untyped-call]

    def read_response(self, *args: Any, **kwargs: Any) -> Any:
        with suppress(ResponseError):  # before it knows who asks
            super().read_response()
        return super().read_response(*args, **kwargs)


class ClusterMap:
    """Asks the servers of a cluster who has which slot; the first answer counts."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def find(self, known: Iterable[Host]) -> Masters:
        error_met: object = "no server has a slot"
        for host in dict.fromkeys([*known, *self._address.hosts]):
            try:
                with Redis(host=host[0], port=host[1], **ASKING, **self._address.options) as server:
                    if masters := _masters(server.execute_command("CLUSTER SLOTS"), host[0]):
                        return masters
            except (RedisError, OSError) as error:
                error_met = error
        raise StoreUnavailable(f"no server says who is master: {error_met}")


def _pipelined(server: Redis, commands: Iterable[tuple[str, ...]]) -> list[Reply]:
    """The answers, errors among them."""
    together = server.pipeline(transaction=False)
    for command in commands:
        together.execute_command(*command)
    return together.execute(raise_on_error=False)


def _asked(server: Redis, command: tuple[str, ...]) -> Reply:
    return server.execute_command(*command)


def _masters(reply: Reply, host: str) -> Masters:
    """Slots and masters as CLUSTER SLOTS tells them; a server that does not say its own name is the one asked."""
    return [(row[0], row[1], (str(row[2][0] or b"", "ascii") or host, row[2][1])) for row in reply]


class Sentinels:
    """Asks every Sentinel at once who is master; the latest election counts, so that no cut-off Sentinel misleads."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def find(self, known: Iterable[Host]) -> Masters:
        with ThreadPoolExecutor(len(self._address.hosts)) as pool:
            views = list(pool.map(self._view, self._address.hosts))
        answered = [view for view in views if not isinstance(view, Exception)]
        if not answered:
            raise StoreUnavailable(f"no Sentinel says who is master: {views[0]}")
        return [(0, SLOTS - 1, max(answered)[1])]

    def _view(self, sentinel: Host) -> tuple[int, Host] | Exception:
        """The number of the last election that a Sentinel knows of, and who is master; or why it does not say."""
        try:
            with Redis(host=sentinel[0], port=sentinel[1], **ASKING, **self._address.asking) as asked:
                election = asked.sentinel_master(self._address.service)["config-epoch"]
                host, port = asked.sentinel_get_master_addr_by_name(self._address.service)
        except (RedisError, OSError, TypeError) as error:  # TypeError: it has forgotten the name in between
            return error
        return int(election), (str(host, "ascii") if isinstance(host, bytes) else host, int(port))


def _connected_to_master(connection: AbstractConnection) -> None:
    """Greet a server, and hang up if it has lost its place: a replica would go on answering readers."""
    connection.on_connect()
    connection.send_command("HELLO", 2)
    greeting = connection.read_response()
    if dict(zip(greeting[::2], greeting[1::2], strict=True))[b"role"] != b"master":
        raise ConnectionError("the server is not the master")
