"""Sessions in Redis: one script makes a change, whole or not at all.

`redis://`, `rediss://`, `unix://` name one server; `redis+sentinel://host:port,host:port/service[/db]` a watched one;
`redis+cluster://host:port,host:port` a cluster (`rediss+…` for either over TLS). `redis_address.py` reads them.
`?replicas=n`: how many replicas must have a change before it is acknowledged; 1 with Sentinel and in a cluster, else 0.
That narrows what a lost master can take along; it does not close it.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection
from math import inf
from typing import TypeAlias, TypeVar

from redis import Redis
from redis.client import PubSub
from redis.exceptions import ConnectionError, RedisError, TimeoutError  # noqa: A004

from service.redis_address import read_address
from service.sessions.stores.protocol import (
    Change,
    KeptAnswer,
    KeptEntry,
    KeptSession,
    Keyed,
    Outcome,
    Risk,
    StoreUnavailable,
)
from service.sessions.stores.redis_servers import COOLING, TIMEOUT, Reply, servers_at
from service.sessions.stores.trouble import Trouble

T = TypeVar("T")
Wake: TypeAlias = Callable[[Collection[str]], None]
Part: TypeAlias = str | bytes | int | float
"""A word of a command."""

REPLICATION = 200
"""Milliseconds to wait for replicas."""
LISTENING = 5.0
"""Seconds after which everyone who watches looks again, should a notice have been lost."""
CHANNEL = "referee:changed"
OPEN = "referee:open"
NOTED = "referee:noted"
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
if since > 0 and redis.call('LLEN', KEYS[2]) ~= since then return 4 end
redis.call('HSET', KEYS[1], 'version', since + 1, 'head', ARGV[2], 'generation', ARGV[8])
if since >= 0 then redis.call('RPUSH', KEYS[2], operation .. ARGV[3]) end
if key ~= '' then redis.call('HSET', KEYS[3], key, ARGV[7]) end
for _, each in ipairs(KEYS) do redis.call('PEXPIRE', each, ARGV[4]) end
redis.call('PUBLISH', ARGV[9], ARGV[10])
return 1
"""

# KEYS: head, answers. ARGV: key, answer, its size, most.
KEEP = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local kept = redis.call('HGET', KEYS[2], ARGV[1])
if kept then
    redis.call('HSET', KEYS[2], ARGV[1], kept)
    return kept
end
if tonumber(redis.call('HGET', KEYS[1], 'kept') or 0) >= tonumber(ARGV[4]) then return 3 end
redis.call('HINCRBY', KEYS[1], 'kept', ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
return 1
"""

# KEYS: head, log, answers. ARGV: channel, session.
DELETE = """
if redis.call('DEL', unpack(KEYS)) == 0 then return 0 end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
"""

# KEYS: one of the server's. As every script it is refused where memory is full, and replicas vouch for it.
TRY = """
redis.call('SET', KEYS[1], '1', 'EX', 60)
return 1
"""

OUTCOMES = {0: Outcome.GONE, 1: Outcome.WRITTEN, 2: Outcome.STALE, 3: Outcome.FULL, 4: Outcome.LOST}
UNWRITTEN = {0, 2, 3, 4}
OPERATION = 16


class RedisStore:
    """A `Store` in one Redis server, a watched one or a cluster."""

    def __init__(self, url: str) -> None:
        address = read_address(url)
        self._servers = servers_at(address)
        self._replicas = address.replicas
        self._trouble = Trouble(self.ping)

    def read(self, session: str, key: str | None = None) -> KeptSession | None:
        head = _head(session)

        def ask(server: Redis) -> Reply:
            if key is None:
                return _sent(server, "HMGET", head, "version", "head"), None
            together = server.pipeline(transaction=False)
            together.execute_command("HMGET", head, "version", "head")
            together.execute_command("HGET", _answers(session), key)
            return together.execute()

        (version, body), kept = self._call(head, ask)
        if version is None:
            return None
        if key is not None and kept is not None and self._replicas:
            # A plain read may ask a master that has lost its place: let the replicas vouch for the answer.
            kept = self._script(KEEP, [head, _answers(session)], [key, "", 0, 0])
            return KeptSession(int(version), body, kept if isinstance(kept, KeptAnswer) else None)
        return KeptSession(int(version), body, None if kept is None else _unpacked(kept))

    def write(self, session: str, change: Change, lifetime: float) -> Outcome | KeptAnswer:
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

    def keep(self, session: str, keyed: Keyed, most: int) -> Outcome | KeptAnswer:
        arguments: list[Part] = [keyed.key, _packed(keyed.answer), keyed.size, most]
        return self._script(KEEP, [_head(session), _answers(session)], arguments)

    def log(self, session: str, after: int, most: int, generation: str = "") -> list[KeptEntry]:
        head = _head(session)

        def ask(server: Redis) -> Reply:
            together = server.pipeline(transaction=True)
            together.execute_command("HGET", head, "generation")
            together.execute_command("LRANGE", _log(session), after, after + most - 1)
            return together.execute()

        opening, entries = self._call(head, ask)
        if opening != generation.encode():
            return []
        return [KeptEntry(after + place, entry[OPERATION:]) for place, entry in enumerate(entries, 1)]

    def delete(self, session: str) -> bool:
        outcome = self._script(DELETE, [_head(session), _log(session), _answers(session)], [CHANNEL, session])
        self._list(("ZREM", OPEN, session))
        return outcome is Outcome.WRITTEN

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

    def size(self) -> int:
        """Of a cluster that server's which keeps the list of sessions; the others hold about as much."""
        told = self._call(OPEN, lambda server: server.execute_command("INFO", "memory"))
        return int(told["used_memory"])

    def put_ticket(self, session: str, ticket: str, holder: str, lifetime: float) -> None:
        key = _ticket(session, ticket)
        self._call(key, lambda server: server.execute_command("SET", key, holder, "PX", round(lifetime * 1000)))

    def take_ticket(self, session: str, ticket: str) -> str | None:
        key = _ticket(session, ticket)
        holder = self._call(key, lambda server: server.execute_command("GETDEL", key))
        return None if holder is None else str(holder, "ascii")

    def secret(self, name: str, fresh: bytes) -> bytes:
        key = f"referee:secret:{name}"
        self._call(key, lambda server: server.execute_command("SET", key, fresh, "NX"))
        value: bytes = self._call(key, lambda server: server.execute_command("GET", key))
        return value

    def note(self, name: str, lifetime: float) -> None:
        self._call(NOTED, lambda server: server.execute_command("ZADD", NOTED, time.time() + lifetime, name))

    def noted(self) -> list[str]:
        now = time.time()
        self._call(NOTED, lambda server: server.execute_command("ZREMRANGEBYSCORE", NOTED, "-inf", now))
        names = self._call(NOTED, lambda server: server.execute_command("ZRANGE", NOTED, 0, -1))
        return [str(name, "ascii") for name in names]

    def risks(self) -> tuple[Risk, ...]:
        """Of every server. Asked of INFO, which hosted Redis grants where it refuses CONFIG."""
        found = set()
        for server in self._servers.all():
            try:
                policy, file = server.info("memory").get("maxmemory_policy"), server.info("persistence")
            except RedisError as error:
                raise StoreUnavailable(str(error)) from error
            if policy not in (None, "noeviction"):
                found.add(Risk.EVICTION)
            if not file.get("aof_enabled"):
                found.add(Risk.MEMORY)
        return tuple(risk for risk in Risk if risk in found)

    def watch(self, watched: Callable[[], Collection[str]], wake: Callable[[Collection[str]], None]) -> None:
        while watched():
            try:
                server = self._servers.any()
                with server.pubsub() as listener:
                    listener.subscribe(CHANNEL)
                    self._listen(server, listener, watched, wake)
            except (RedisError, StoreUnavailable):
                self._servers.look()
                time.sleep(COOLING)

    def _listen(
        self,
        server: Redis,
        listener: PubSub,
        watched: Callable[[], Collection[str]],
        wake: Callable[[Collection[str]], None],
    ) -> None:
        """Until nobody watches, or another server has taken this one's place."""
        looked, answered = -inf, True
        while (sessions := watched()) and self._servers.has(server):
            if time.monotonic() - looked > LISTENING:
                if not answered:
                    raise TimeoutError("the server has fallen silent")
                wake(list(sessions))
                looked, answered = time.monotonic(), False
                listener.ping()
            notice = listener.get_message(timeout=TIMEOUT)
            if notice is None:
                continue
            if notice["type"] == "message":
                wake([str(notice["data"], "ascii")])
            answered = answered or notice["type"] == "pong"

    def ping(self) -> None:
        for key in self._servers.spread(PING):
            self._script(TRY, [key], [])

    def close(self) -> None:
        self._trouble.stop()
        self._servers.close()

    def _list(self, command: tuple[Part, ...]) -> None:
        self._call(OPEN, lambda server: server.execute_command(*command))

    def _left(self, key: str) -> float:
        return float(self._call(key, lambda server: server.execute_command("PTTL", key))) / 1000

    def _script(self, script: str, keys: list[str], arguments: list[Part]) -> Outcome | KeptAnswer:
        call = ("EVAL", script, len(keys), *keys, *arguments)

        def ask(server: Redis) -> Reply:
            if not self._replicas:
                return _sent(server, *call)
            # One connection: WAIT speaks of what its own connection wrote.
            together = server.pipeline(transaction=False)
            together.execute_command(*call)
            together.execute_command("WAIT", self._replicas, REPLICATION)
            outcome, replicas = together.execute()
            if replicas < self._replicas and outcome not in UNWRITTEN:
                raise RedisError("too few replicas have the change")
            return outcome

        outcome = self._call(keys[0], ask)
        return OUTCOMES[outcome] if isinstance(outcome, int) else _unpacked(outcome)

    def _call(self, key: str, ask: Callable[[Redis], T]) -> T:
        try:
            return self._servers.call(key, ask)
        except StoreUnavailable as error:
            self._trouble.begins(error)
            raise


def _sent(server: Redis, *command: Part) -> Reply:
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


def _packed(answer: KeptAnswer) -> bytes:
    return answer.fingerprint.encode() + b"\n" + answer.body


def _unpacked(kept: bytes) -> KeptAnswer:
    fingerprint, _, body = kept.partition(b"\n")
    return KeptAnswer(fingerprint.decode(), body)
