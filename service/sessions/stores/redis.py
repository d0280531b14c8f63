"""Sessions in Redis: one script makes a change, whole or not at all.

`redis://`, `rediss://`, `unix://` name one server; `redis+sentinel://host:port,host:port/service[/db]` a watched one;
`redis+cluster://host:port,host:port` a cluster (`rediss+…` for either over TLS). `redis_address.py` reads them.
`?replicas=n`: how many replicas must have a change before it is acknowledged; 1 with Sentinel and in a cluster, else 0.
That narrows what a lost master can take along; it does not close it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias, TypeVar
from zlib import crc32

from redis import Redis
from redis.exceptions import ConnectionError, RedisError, TimeoutError  # noqa: A004

from service.redis_address import read_address
from service.sessions.stores.clock import Clock
from service.sessions.stores.protocol import (
    Change,
    Copied,
    KeptAnswer,
    KeptEntry,
    KeptSession,
    Keyed,
    Outcome,
    Remembered,
    Risk,
    StoreUnavailable,
    Wake,
)
from service.sessions.stores.redis_notices import Notices, tell
from service.sessions.stores.redis_servers import Reply, servers_at
from service.sessions.stores.trouble import Trouble

T = TypeVar("T")
Part: TypeAlias = str | bytes | int | float
"""A word of a command."""

BACKSTOP = 30 * 86_400_000
"""Milliseconds for which Redis itself keeps what has expired: `sweep` is before it, unless nobody sweeps any more."""
SHARDS = 64
"""Lists of sessions in a cluster, so that no server has to keep that of all."""
SWEPT = 100
"""Sessions of one list that are cleared away at once."""
LEASE = 60.0
"""Seconds for which sessions that one server clears away are none of the others' business."""
OLDEST = 6, 2
"""The first version that knows all commands that are used here."""
REPLICATION = 200
"""Milliseconds to wait for replicas."""
OPEN = "referee:open"
NOTED = "referee:noted"
PING = "referee:ping"
APART = "referee:secret:"

# Scripts that begin with this know `version`, -1 where nothing is there or it has expired, by the time `now` (in ms).
# A head that a server of before has written since says a wrong time, with another version: then Redis's own counts.
THERE = """
local there = redis.call('HMGET', KEYS[1], 'version', 'generation', 'ends')
local version, same = tonumber(there[1] or -1), there[2] == ARGV[2]
local of, ends = string.match(there[3] or '', '^(%d+):(%d+)$')
local expired = of == there[1] and tonumber(ends) <= tonumber(ARGV[1])
if expired then version, same = -1, false end
"""

# KEYS: head, log, answers. ARGV: now, generation, since, head, entry, lifetime and when it ends in ms, operation, key,
# answer. An operation that is sent twice finds itself in the log, an opening its generation in the
# head. Answering from what is kept writes as well, so that waiting for the replicas vouches for the answer.
WRITE = f"""
{THERE}
local since, operation, key = tonumber(ARGV[3]), ARGV[8], ARGV[9]
if since >= 0 and not same then return 0 end
if expired then redis.call('DEL', unpack(KEYS)) end
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
redis.call('HSET', KEYS[1], 'version', since + 1, 'head', ARGV[4], 'generation', ARGV[2],
    'ends', string.format('%d:%s', since + 1, ARGV[7]))
if since >= 0 then redis.call('RPUSH', KEYS[2], operation .. ARGV[5]) end
if key ~= '' then redis.call('HSET', KEYS[3], key, ARGV[10]) end
for _, each in ipairs(KEYS) do redis.call('PEXPIRE', each, ARGV[6] + {BACKSTOP}) end
{tell("ARGV[2] .. ' ' .. since + 1")}
return 1
"""

# KEYS: head, answers. ARGV: now, nothing, key, answer, its size, most.
KEEP = f"""
{THERE}
if version < 0 then return 0 end
local kept = redis.call('HGET', KEYS[2], ARGV[3])
if kept then
    redis.call('HSET', KEYS[2], ARGV[3], kept)
    return kept
end
if tonumber(redis.call('HGET', KEYS[1], 'kept') or 0) >= tonumber(ARGV[6]) then return 3 end
redis.call('HINCRBY', KEYS[1], 'kept', ARGV[5])
redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
return 1
"""

# KEYS: head, log, answers. ARGV: now, nothing.
DELETE = f"""
{THERE}
redis.call('DEL', unpack(KEYS))
if version < 0 then return 0 end
{tell()}
return 1
"""

# KEYS: head, log, answers. ARGV: what ended before is cleared away, nothing. Answers when the session
# ends (in ms, or by a server of before: in so many, below 0), 0 if it is gone.
CLEAR = f"""
{THERE}
if there[1] and not expired then return of == there[1] and tonumber(ends) or -redis.call('PTTL', KEYS[1]) end
if redis.call('DEL', unpack(KEYS)) > 0 then {tell()} end
return 0
"""

# KEYS: a list of sessions. ARGV: those that ended before, at most so many, and when others may ask for them again.
CLAIM = """
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, each in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[3], each) end
return due
"""

# KEYS: a list of sessions. ARGV: until when they were claimed, and those that are gone; one opened anew is not.
STRIKE = """
for place = 2, #ARGV do
    local listed = redis.call('ZSCORE', KEYS[1], ARGV[place])
    if listed and tonumber(listed) == tonumber(ARGV[1]) then redis.call('ZREM', KEYS[1], ARGV[place]) end
end
"""

# KEYS: head, log. ARGV: generation, first and last entry.
LOG = """
if redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then return {} end
return redis.call('LRANGE', KEYS[2], ARGV[2], ARGV[3])
"""

# KEYS: head, log, answers.
COPY = """
return {
    redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[2], 0, -1), redis.call('HGETALL', KEYS[3]),
    redis.call('PTTL', KEYS[1])
}
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
        self.clock = Clock()
        self._lists = [OPEN]
        if address.kind == "cluster":
            self._lists += [f"{OPEN}:{number}" for number in range(SHARDS)]

    def read(self, session: str, key: str | None = None) -> KeptSession | None:
        head = _head(session)
        get = ("HMGET", head, "version", "head", "ends")

        def ask(server: Redis) -> Reply:
            if key is None:
                return _sent(server, *get), None
            together = server.pipeline(transaction=False)
            together.execute_command(*get)
            together.execute_command("HGET", _answers(session), key)
            return together.execute()

        (version, body, ends), kept = self._call(head, ask)
        if version is None or _ended(version, ends, self.clock.now()):
            return None
        if key is not None and kept is not None and self._replicas:
            # A plain read may ask a master that has lost its place: let the replicas vouch for the answer.
            kept = self._script(KEEP, [head, _answers(session)], [self._now(), "", key, "", 0, 0])
            return KeptSession(int(version), body, kept if isinstance(kept, KeptAnswer) else None)
        return KeptSession(int(version), body, None if kept is None else _unpacked(kept))

    def write(self, session: str, change: Change, lifetime: float) -> Outcome | KeptAnswer:
        keyed = change.keyed
        ends = self.clock.late() + lifetime
        if change.since < 0:
            # Before it is there: what is listed for nothing is found out, what is not listed would stay.
            self._call_list(session, "ZADD", ends, session)
        return self._script(
            WRITE,
            _keys(session),
            [
                self._now(),
                change.generation,
                change.since,
                change.head,
                change.entry,
                round(lifetime * 1000),
                round(ends * 1000),
                secrets.token_hex(OPERATION // 2),
                keyed.key if keyed else "",
                _packed(keyed.answer) if keyed else "",
            ],
        )

    def keep(self, session: str, keyed: Keyed, most: int) -> Outcome | KeptAnswer:
        arguments: list[Part] = [self._now(), "", keyed.key, _packed(keyed.answer), keyed.size, most]
        return self._script(KEEP, [_head(session), _answers(session)], arguments)

    def log(self, session: str, after: int, most: int, generation: str = "") -> list[KeptEntry]:
        head, first, last = _head(session), after, after + most - 1
        entries = self._ask(head, "EVAL", LOG, 2, head, _log(session), generation, first, last)
        return [KeptEntry(after + place, entry[OPERATION:]) for place, entry in enumerate(entries, 1)]

    def delete(self, session: str) -> bool:
        outcome = self._script(DELETE, _keys(session), [self._now(), ""])
        self._call_list(session, "ZREM", session)
        return outcome is Outcome.WRITTEN

    def count(self) -> int:
        return sum(self._servers.call_each(self._lists, lambda listed: ("ZCARD", listed)))

    def size(self) -> int:
        """Of the server that holds most."""
        return max(int(told["used_memory"]) for told in self._told("memory"))

    def sweep(self, due: float) -> bool:
        more = [self._clear(each, due) for each in self._lists]
        return any(more)

    def _clear(self, listed: str, due: float) -> bool:
        lease = self.clock.now() + LEASE
        names = [str(name, "ascii") for name in self._ask(listed, "EVAL", CLAIM, 1, listed, due, SWEPT, lease)]
        gone: list[Part] = []
        later: list[Part] = []
        for name in names:
            ends = self._ask(_head(name), "EVAL", CLEAR, 3, *_keys(name), round(due * 1000), "")
            if ends:
                later += [ends / 1000 if ends > 0 else self.clock.now() - ends / 1000, name]
            else:
                gone.append(name)
        if gone:
            self._ask(listed, "EVAL", STRIKE, 1, listed, lease, *gone)
        if later:
            self._ask(listed, "ZADD", listed, *later)
        return len(names) == SWEPT

    def put_ticket(self, session: str, ticket: str, holder: str, lifetime: float) -> None:
        key = _ticket(session, ticket)
        self._ask(key, "SET", key, holder, "PX", round(lifetime * 1000))

    def take_ticket(self, session: str, ticket: str) -> str | None:
        key = _ticket(session, ticket)
        holder = self._ask(key, "GETDEL", key)
        return None if holder is None else str(holder, "ascii")

    def secret(self, name: str, fresh: bytes) -> bytes:
        key = APART + name
        self._ask(key, "SET", key, fresh, "NX")
        value: bytes = self._ask(key, "GET", key)
        return value

    def note(self, name: str, lifetime: float) -> None:
        self._ask(NOTED, "ZADD", NOTED, self.clock.late() + lifetime, name)

    def noted(self) -> list[str]:
        self._ask(NOTED, "ZREMRANGEBYSCORE", NOTED, "-inf", self.clock.settled())
        names = self._ask(NOTED, "ZRANGEBYSCORE", NOTED, self.clock.now(), "+inf")
        return [str(name, "ascii") for name in names]

    def copies(self) -> Iterator[Copied]:
        for listed in self._lists:
            for name in self._ask(listed, "ZRANGE", listed, 0, -1):
                if copied := self._copy(str(name, "ascii")):
                    yield copied

    def _copy(self, session: str) -> Copied | None:
        head, log, answers, left = self._ask(_head(session), "EVAL", COPY, 3, *_keys(session))
        told = _paired(head)
        if not told:
            return None
        of, _, at = told.get(b"ends", b"").partition(b":")
        ends = int(at) / 1000 if of == told[b"version"] else self.clock.now() + left / 1000
        kept = [Keyed(str(key, "utf-8"), _unpacked(answer)) for key, answer in _paired(answers).items()]
        generation, version = str(told[b"generation"], "ascii"), int(told[b"version"])
        size = int(told.get(b"kept", 0))
        return Copied(session, generation, version, told[b"head"], ends, size, [each[OPERATION:] for each in log], kept)

    def put(self, copied: Copied) -> None:
        session, ends = copied.session, round(copied.ends * 1000)
        head, log, answers = _keys(session)
        self._call_list(session, "ZADD", copied.ends, session)
        for start in range(0, len(copied.log), SWEPT):
            entries = [b"-" * OPERATION + entry for entry in copied.log[start : start + SWEPT]]
            self._ask(head, "RPUSH", log, *entries)
        for keyed in copied.answers:
            self._ask(head, "HSET", answers, keyed.key, _packed(keyed.answer))
        for key in (log, answers):
            self._ask(head, "PEXPIREAT", key, ends + BACKSTOP)
        told: list[Part] = ["version", copied.version, "head", copied.head, "generation", copied.generation]
        told += ["ends", f"{copied.version}:{ends}", "kept", copied.kept]
        self._ask(head, "HSET", head, *told)  # last: before it is there, nobody finds the session
        self._ask(head, "PEXPIREAT", head, ends + BACKSTOP)

    def remembered(self) -> Remembered:
        names = {name for key in self._servers.spread(PING) for name in self._call(key, _apart)}
        secrets = {str(name, "ascii"): self._ask(str(name, "ascii"), "GET", name) for name in names}
        noted = _paired(self._ask(NOTED, "ZRANGE", NOTED, 0, -1, "WITHSCORES"))
        return Remembered(
            {name.removeprefix(APART): secret for name, secret in secrets.items()},
            {str(name, "ascii"): float(ends) for name, ends in noted.items()},
        )

    def remember(self, remembered: Remembered) -> None:
        for name, secret in remembered.secrets.items():
            self._ask(APART + name, "SET", APART + name, secret)
        for name, ends in remembered.noted.items():
            self._ask(NOTED, "ZADD", NOTED, ends, name)

    def risks(self) -> tuple[Risk, ...]:
        """Of every server. Asked of INFO, which hosted Redis grants where it refuses CONFIG."""
        found = set()
        if any(told.get("maxmemory_policy", "noeviction") != "noeviction" for told in self._told("memory")):
            found.add(Risk.EVICTION)
        if not all(told.get("aof_enabled") for told in self._told("persistence")):
            found.add(Risk.MEMORY)
        return tuple(risk for risk in Risk if risk in found)

    def _ask(self, key: str, *command: Part) -> Reply:
        return self._call(key, lambda server: _sent(server, *command))

    def _told(self, section: str) -> list[Reply]:
        """What each server says of itself."""
        return [self._call(key, lambda server: server.info(section)) for key in self._servers.spread(PING)]

    def watch(self, watched: Callable[[], Collection[str]], wake: Wake) -> None:
        Notices(self._servers, watched, wake).pass_on()

    def ping(self) -> None:
        for key in self._servers.spread(PING):
            self._script(TRY, [key], [])
        for version in (str(told["redis_version"]) for told in self._told("server")):
            if tuple(map(int, version.split(".")[:2])) < OLDEST:
                reason = f"Redis {version} is too old: {'.'.join(map(str, OLDEST))} is needed, or newer"
                self._trouble.begins(reason)
                raise StoreUnavailable(reason)

    def close(self) -> None:
        self._trouble.stop()
        self._servers.close()

    def _now(self) -> int:
        return round(self.clock.now() * 1000)

    def _call_list(self, session: str, command: str, *arguments: Part) -> None:
        listed = self._lists[-1 - crc32(session.encode()) % SHARDS] if len(self._lists) > 1 else OPEN
        self._ask(listed, command, listed, *arguments)

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


def _apart(server: Redis) -> list[bytes]:
    """The keys of a server that are of no session."""
    return [*server.scan_iter(f"{APART}*")]


def _sent(server: Redis, *command: Part) -> Reply:
    """A command's answer, by the fast path: what redis-py does around one costs as much again as the command.

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


def _paired(flat: list[bytes]) -> dict[bytes, bytes]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _ended(version: bytes, ends: bytes | None, now: float) -> bool:
    """Whether a head says of itself, as it is, that it has expired."""
    of, _, at = (ends or b"").partition(b":")
    return of == version and int(at) <= now * 1000


def _keys(session: str) -> list[str]:
    return [_head(session), _log(session), _answers(session)]


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
