"""Sessions in Redis: one script makes a change, whole or not at all.

`redis://`, `rediss://`, `unix://` name one server; `redis+sentinel://host:port,host:port/service[/db]` a watched one;
`redis+cluster://host:port,host:port` a cluster (`rediss+…` for either over TLS). `?replicas=n`: how many replicas must
have a change before it is acknowledged; 1 with Sentinel and in a cluster, else 0. That narrows what a lost master can
take along; it does not close it.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.exceptions import AskError, ConnectionError, MovedError, RedisError, TimeoutError  # noqa: A004
from redis.retry import Retry
from redis.sentinel import Sentinel

from service.sessions.store import Answer, Change, Entry, Keyed, Outcome, Session, StoreUnavailable

T = TypeVar("T")

TIMEOUT = 0.4
"""Seconds to wait for a connection, and for an answer."""
REPLICATION = 200
"""Milliseconds to wait for replicas."""
COOLING = 0.5
"""Seconds between two attempts to reach a server that is away."""
LISTENING = 5.0
"""Seconds after which everyone who watches looks again, should a notice have been lost."""
CHANNEL = "referee:changed"
OPEN = "referee:open"
PING = "referee:ping"

# KEYS: head, log, answers. ARGV: since, head, entry, lifetime in ms, operation, key, answer, generation, channel,
# session. An operation that is sent twice finds itself in the log, an opening its generation in the head. Answering
# from what is kept writes as well, so that waiting for the replicas vouches for the answer.
WRITE = """
local since, operation, key = tonumber(ARGV[1]), ARGV[5], ARGV[6]
local there = redis.call('HMGET', KEYS[1], 'version', 'generation')
local version, same = tonumber(there[1] or -1), there[2] == ARGV[8]
if since >= 0 and not same then return 0 end
if key ~= '' and version >= 0 then
    local kept = redis.call('HGET', KEYS[3], key)
    if kept then
        redis.call('HSET', KEYS[3], key, kept)
        return kept
    end
end
if version ~= since then
    local before = since >= 0 and string.sub(redis.call('LINDEX', KEYS[2], since) or '', 1, #operation)
    if (since < 0 and not (same and version == 0)) or (since >= 0 and before ~= operation) then return 2 end
    redis.call('HSET', KEYS[1], 'version', version)
    return 1
end
redis.call('HSET', KEYS[1], 'version', since + 1, 'head', ARGV[2], 'generation', ARGV[8])
if since >= 0 then redis.call('RPUSH', KEYS[2], operation .. ARGV[3]) end
if key ~= '' then redis.call('HSET', KEYS[3], key, ARGV[7]) end
for _, each in ipairs(KEYS) do redis.call('PEXPIRE', each, ARGV[4]) end
redis.call('PUBLISH', ARGV[9], ARGV[10])
return 1
"""

# KEYS: head, answers. ARGV: key, answer, most.
KEEP = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local kept = redis.call('HGET', KEYS[2], ARGV[1])
if kept then
    redis.call('HSET', KEYS[2], ARGV[1], kept)
    return kept
end
if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[3]) then return 3 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
return 1
"""

OUTCOMES = {0: Outcome.GONE, 1: Outcome.WRITTEN, 2: Outcome.STALE, 3: Outcome.FULL}
OPERATION = 16


class RedisStore:
    """A `Store` in one Redis server, a watched one or a cluster."""

    def __init__(self, url: str) -> None:
        self._servers, self._replicas = _servers(url)

    def read(self, session: str, key: str | None = None) -> Session | None:
        head = _head(session)

        def ask(server: Any) -> Any:
            if key is None:
                return _sent(server, "HMGET", head, "version", "head"), None
            together = server.pipeline(transaction=False)
            together.execute_command("HMGET", head, "version", "head")
            together.execute_command("HGET", _answers(session), key)
            return together.execute()

        (version, body), kept = self._call(head, ask)
        if version is None:
            return None
        if kept is not None and self._replicas:
            # A plain read may ask a master that has lost its place: let the replicas vouch for the answer.
            kept = self._script(KEEP, [head, _answers(session)], [key, "", 0])
            return Session(int(version), body, kept if isinstance(kept, Answer) else None)
        return Session(int(version), body, None if kept is None else _unpacked(kept))

    def write(self, session: str, change: Change, lifetime: float) -> Outcome | Answer:
        keyed = change.keyed
        outcome = self._script(
            WRITE,
            [_head(session), _log(session), _answers(session)],
            [
                change.since,
                change.head,
                change.entry,
                round(lifetime * 1000),
                secrets.token_hex(OPERATION // 2),
                keyed.key if keyed else "",
                _packed(keyed.answer) if keyed else "",
                change.generation,
                CHANNEL,
                session,
            ],
        )
        if change.since < 0 and outcome is Outcome.WRITTEN:
            self._list(("ZADD", OPEN, time.time() + lifetime, session))
        return outcome

    def keep(self, session: str, keyed: Keyed, most: int) -> Outcome | Answer:
        return self._script(KEEP, [_head(session), _answers(session)], [keyed.key, _packed(keyed.answer), most])

    def log(self, session: str, after: int, most: int) -> list[Entry]:
        key = _log(session)
        found = self._call(key, lambda server: server.execute_command("LRANGE", key, after, after + most - 1))
        return [Entry(after + place, entry[OPERATION:]) for place, entry in enumerate(found, 1)]

    def delete(self, session: str) -> bool:
        keys = [_head(session), _log(session), _answers(session)]

        def ask(server: Any) -> Any:
            together = server.pipeline(transaction=True)
            together.execute_command("EXISTS", keys[0])
            together.execute_command("DEL", *keys)
            together.execute_command("PUBLISH", CHANNEL, session)
            return together.execute()

        there = self._call(keys[0], ask)[0]
        self._list(("ZREM", OPEN, session))
        return bool(there)

    def count(self) -> int:
        """Sessions are listed by when they expire; those that have been prolonged since are listed anew here."""
        now = time.time()
        due = self._call(
            OPEN, lambda server: server.execute_command("ZRANGEBYSCORE", OPEN, "-inf", now, "LIMIT", 0, 100)
        )
        for name in due:
            left = self._left(_head(name.decode()))
            self._list(("ZADD", OPEN, now + left, name) if left > 0 else ("ZREM", OPEN, name))
        return int(self._call(OPEN, lambda server: server.execute_command("ZCARD", OPEN)))

    def put_ticket(self, session: str, ticket: str, bearer: str, lifetime: float) -> None:
        key = _ticket(session, ticket)
        self._call(key, lambda server: server.execute_command("SET", key, bearer, "PX", round(lifetime * 1000)))

    def take_ticket(self, session: str, ticket: str) -> str | None:
        key = _ticket(session, ticket)
        bearer = self._call(key, lambda server: server.execute_command("GETDEL", key))
        return None if bearer is None else str(bearer, "ascii")

    def secret(self, name: str, fresh: bytes) -> bytes:
        key = f"referee:secret:{name}"
        self._call(key, lambda server: server.execute_command("SET", key, fresh, "NX"))
        value: bytes = self._call(key, lambda server: server.execute_command("GET", key))
        return value

    def watch(self, watched: Callable[[], Collection[str]], wake: Callable[[Collection[str]], None]) -> None:
        while watched():
            try:
                with self._servers.any().pubsub() as listener:
                    listener.subscribe(CHANNEL)
                    self._listen(listener, watched, wake)
            except RedisError:
                time.sleep(COOLING)

    def _listen(self, listener: Any, watched: Callable[[], Collection[str]], wake: Callable[..., None]) -> None:
        looked = 0.0
        while sessions := watched():
            if time.monotonic() - looked > LISTENING:
                wake(list(sessions))
                looked = time.monotonic()
                listener.ping()
            notice = listener.get_message(timeout=TIMEOUT)
            if notice is not None and notice["type"] == "message":
                wake([str(notice["data"], "ascii")])

    def ping(self) -> None:
        self._call(PING, lambda server: server.execute_command("SET", PING, "1", "EX", 60))

    def close(self) -> None:
        self._servers.close()

    def _list(self, command: tuple[Any, ...]) -> None:
        self._call(OPEN, lambda server: server.execute_command(*command))

    def _left(self, key: str) -> float:
        return float(self._call(key, lambda server: server.execute_command("PTTL", key))) / 1000

    def _script(self, script: str, keys: list[str], arguments: list[Any]) -> Outcome | Answer:
        call = ("EVAL", script, len(keys), *keys, *arguments)

        def ask(server: Any) -> Any:
            if not self._replicas:
                return _sent(server, *call), self._replicas
            # One connection: WAIT speaks of what its own connection wrote.
            together = server.pipeline(transaction=False)
            together.execute_command(*call)
            together.execute_command("WAIT", self._replicas, REPLICATION)
            return together.execute()

        outcome, replicas = self._call(keys[0], ask)
        vouched = OUTCOMES.get(outcome) if isinstance(outcome, int) else _unpacked(outcome)
        assert vouched is not None
        if replicas < self._replicas and (isinstance(vouched, Answer) or vouched is Outcome.WRITTEN):
            raise StoreUnavailable("too few replicas have the change")
        return vouched

    def _call(self, key: str, ask: Callable[[Any], T]) -> T:
        return self._servers.call(key, ask)


class Breaker:
    """Keeps callers from a server that is away; asks in the background whether it is back."""

    def __init__(self, probe: Callable[[], object]) -> None:
        self._probe = probe
        self._closed = threading.Event()
        self._closed.set()
        self._lock = threading.Lock()

    @property
    def closed(self) -> bool:
        """The server answered when it was last asked."""
        return self._closed.is_set()

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Refuse at once while the server is away; notice when it goes away."""
        if not self._closed.is_set():
            raise StoreUnavailable("the store was away a moment ago")
        try:
            yield
        except (ConnectionError, TimeoutError) as error:
            self._open()
            raise StoreUnavailable(str(error)) from error

    def _open(self) -> None:
        with self._lock:
            if self._closed.is_set():
                self._closed.clear()
                threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        while not self._closed.is_set():
            time.sleep(COOLING)
            try:
                self._probe()
            except (RedisError, OSError):
                continue
            self._closed.set()


class OneServer:
    """One server, or the master that Sentinel names."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._breaker = Breaker(self._server.ping)

    def call(self, key: str, ask: Callable[[Any], T]) -> T:
        """Ask the server, once; redis-py connects anew once where an idle connection turns out to be cut."""
        with self._breaker.guarding():
            try:
                return ask(self._server)
            except (ConnectionError, TimeoutError):
                raise
            except RedisError as error:  # read-only, out of memory, too few replicas: not to be helped by waiting
                raise StoreUnavailable(str(error)) from error

    def any(self) -> Any:
        """A server to listen at."""
        return self._server

    def close(self) -> None:
        self._server.close()


class Cluster:
    """The masters of a cluster, each with its own breaker, and who has which slot."""

    def __init__(self, seeds: list[tuple[str, int]], connect: Callable[[str, int], Any]) -> None:
        self._seeds = seeds
        self._connect = connect
        self._servers: dict[tuple[str, int], Any] = {}
        self._breakers: dict[tuple[str, int], Breaker] = {}
        self._slots: list[tuple[int, int, tuple[str, int]]] = []
        self._asked = 0.0

    def call(self, key: str, ask: Callable[[Any], T]) -> T:
        """Ask the master that has the key; once more where it has moved."""
        for last in (False, True):
            address = self._address(key)
            try:
                with self._breakers[address].guarding():
                    return ask(self._servers[address])
            except (MovedError, AskError) as error:
                self._look()
                if last:
                    raise StoreUnavailable(str(error)) from error
            except RedisError as error:
                self._look()
                raise StoreUnavailable(str(error)) from error
        raise AssertionError("returned or raised")

    def any(self) -> Any:
        """A server to listen at: a notice reaches all of them."""
        self._address(OPEN)
        reachable = [each for each, breaker in self._breakers.items() if breaker.closed]
        return self._servers[secrets.choice(reachable or list(self._servers))]

    def close(self) -> None:
        for server in self._servers.values():
            server.close()

    def _address(self, key: str) -> tuple[str, int]:
        slot = key_slot(key.encode())
        if not self._slots:
            self._look()
        for first, last, address in self._slots:
            if first <= slot <= last:
                return address
        raise StoreUnavailable("no master has this slot")

    def _look(self) -> None:
        """Ask who has which slot, at most four times a second; keep what was known where nobody answers."""
        if time.monotonic() - self._asked < 0.25:
            return
        self._asked = time.monotonic()
        for address in dict.fromkeys([*(each[2] for each in self._slots), *self._seeds]):
            try:
                found = self._server(address).execute_command("CLUSTER SLOTS")
            except (RedisError, OSError):
                continue
            if slots := _masters(found, address[0]):
                self._slots = slots
                for each in {each[2] for each in slots}:
                    self._server(each)
                return

    def _server(self, address: tuple[str, int]) -> Any:
        if address not in self._servers:
            self._servers[address] = server = self._connect(*address)
            self._breakers[address] = Breaker(server.ping)
        return self._servers[address]


def _masters(reply: Any, host: str) -> list[tuple[int, int, tuple[str, int]]]:
    """Slots and masters as CLUSTER SLOTS tells them; a server that does not know its own name is the one asked."""
    if isinstance(reply, dict):  # as redis-py reads it
        return [
            (first, last, (each["primary"][0] or host, each["primary"][1])) for (first, last), each in reply.items()
        ]
    return [(row[0], row[1], (str(row[2][0], "ascii") or host, row[2][1])) for row in reply]


def _servers(url: str) -> tuple[OneServer | Cluster, int]:
    """What a URL names, and how many replicas must have a change."""
    common: dict[str, Any] = {
        "socket_timeout": TIMEOUT,
        "socket_connect_timeout": TIMEOUT,
        "retry": Retry(NoBackoff(), 1, (ConnectionError,)),
        "health_check_interval": 0,
        "max_connections": 256,
        "protocol": 2,
    }
    scheme, _, rest = url.partition("://")
    if scheme not in {"redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster"}:
        plain, _, query = url.partition("?")
        wanted = dict(parse_qsl(query))
        replicas = int(wanted.pop("replicas", 0))
        rebuilt = plain + ("?" + "&".join(f"{name}={value}" for name, value in wanted.items()) if wanted else "")
        pool = redis.ConnectionPool.from_url
        return OneServer(redis.Redis(connection_pool=pool(rebuilt, **common))), replicas
    parts = urlsplit("//" + rest)
    seeds = _addresses(parts.netloc.rpartition("@")[2])
    replicas = int(dict(parse_qsl(parts.query)).get("replicas", 1))
    if scheme.startswith("rediss"):
        common["ssl"] = True
    common.update(_credentials(parts.netloc.rpartition("@")[0]))
    if scheme.endswith("+cluster"):
        return Cluster(seeds, lambda host, port: redis.Redis(host=host, port=port, **common)), replicas
    service, _, number = parts.path.strip("/").partition("/")
    asking = {"socket_timeout": TIMEOUT, "socket_connect_timeout": TIMEOUT}
    sentinel: Any = Sentinel(seeds, sentinel_kwargs=asking)  # type: ignore[no-untyped-call]
    return OneServer(sentinel.master_for(service, db=int(number or 0), **common)), replicas


def _addresses(hosts: str) -> list[tuple[str, int]]:
    pairs = (each.rpartition(":") for each in hosts.split(","))
    return [(host.strip("[]"), int(port)) for host, _, port in pairs]


def _credentials(text: str) -> dict[str, str]:
    name, _, password = text.partition(":")
    given = {"username": unquote(name), "password": unquote(password)}
    return {word: value for word, value in given.items() if value}


def _sent(server: Any, *command: Any) -> Any:
    """A command's answer, by the short way: what redis-py does around one costs as much again as the command.

    Tried again once where the connection was cut: idle ones are, when a server is started again.
    """
    pool = server.connection_pool
    for last in (False, True):
        connection = pool.get_connection()
        try:
            connection.send_command(*command)
            return connection.read_response()
        except ConnectionError:
            connection.disconnect()
            if last:
                raise
        except TimeoutError:
            connection.disconnect()  # an answer that comes late is nobody's
            raise
        finally:
            pool.release(connection)
    raise AssertionError("answered or raised")


def _head(session: str) -> str:
    return f"referee:{{{session}}}"


def _log(session: str) -> str:
    return f"referee:{{{session}}}:log"


def _answers(session: str) -> str:
    return f"referee:{{{session}}}:answers"


def _ticket(session: str, ticket: str) -> str:
    return f"referee:{{{session}}}:ticket:{ticket}"


def _packed(answer: Answer) -> bytes:
    return answer.fingerprint.encode() + b"\n" + answer.body


def _unpacked(kept: bytes) -> Answer:
    fingerprint, _, body = kept.partition(b"\n")
    return Answer(fingerprint.decode(), body)
