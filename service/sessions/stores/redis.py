"""Sessions in Redis: one script makes a change, whole or not at all.

`redis_address.py` lists the URLs. The option `replicas` says how many replicas must at least have a change before it is
acknowledged. With Sentinel all servers must have it, the former master too. In a cluster a change may be lost with its
master.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from math import inf
from zlib import crc32

from service.redis_address import read_address
from service.sessions.stores.outage import Outage
from service.sessions.stores.protocol import (
    FORMAT,
    Change,
    Clock,
    Copied,
    LogEntry,
    Notify,
    Remembered,
    Risk,
    Size,
    StoredResponse,
    StoredSession,
    StoreUnavailable,
    WriteResult,
    check_format,
)
from service.sessions.stores.redis_messages import channel, publish, relay
from service.sessions.stores.redis_servers import Command, Part, Reply, servers_at

BACKSTOP = 30 * 86_400_000
"""Milliseconds after which Redis itself deletes an expired session. `sweep` deletes it long before."""
SHARDS = 64  #: Lists of sessions in a cluster, so that they are spread over its masters.
SWEPT_AT_ONCE = 100  #: Sessions of one list that are deleted at once.
OLDEST_REDIS = 6, 2  #: The first version of Redis with all commands that are used here.
LATEST = 100
"""Parts whose operation ids a session's hash lists. No table brings so many before a script is sent again."""
REPLICATION = 200  #: Milliseconds that Redis's command WAIT waits for replicas to have what its connection wrote.
MEMORY = 0.95
"""The part of Redis's `maxmemory` that moves may fill. With none left, not even expired sessions could be deleted."""
OPEN = "referee:open"
TICKETS = "referee:tickets"
SECRETS = "referee:secrets"
IN_USE = "referee:noted"
PING = "referee:ping"
FORMATTED = "referee:format"

# The beginning of a script. Afterwards `version` is -1 if there is no session or it has expired. ARGV[1]: now (in ms).
THERE = """
local there = redis.call('HMGET', KEYS[1], 'version', 'generation', 'ends', 'parts', 'operations')
local version, ends = tonumber(there[1] or -1), tonumber(there[3] or 0)
local expired = there[1] and ends <= tonumber(ARGV[1])
if expired then version = -1 end
"""

# Makes a change. KEYS: session, log, responses. ARGV: now, generation, since, record, entry, lifetime and end (in ms),
# operation, key, response, parts.
#
# redis-py may send the script twice. The second run must find that the first made the change: a move finds its
# operation's id in the log, an opening its generation in the session, a part its operation's id among those there.
#
# `_script` waits until replicas have what a script wrote on its connection. A response or an outcome of an earlier run
# has to be on them, too, before it is given again. So a branch that gives one again writes what is there once more.
WRITE = f"""
{THERE}
local same = version >= 0 and there[2] == ARGV[2]
local since, operation, key = tonumber(ARGV[3]), ARGV[8], ARGV[9]
local parts, operations, is_part = tonumber(there[4] or 0), there[5] or '', since >= 0 and ARGV[5] == ''
if since >= 0 and not same then return 0 end
if version < 0 then redis.call('DEL', unpack(KEYS)) end -- also a log whose session Redis has evicted alone
if key ~= '' and version >= 0 then
    local stored = redis.call('HGET', KEYS[3], key)
    if stored then
        redis.call('HSET', KEYS[3], key, stored)
        return stored
    end
end
if version ~= since or (since >= 0 and parts ~= tonumber(ARGV[11])) then
    local repeated = since < 0 and same and version == 0
    if is_part then
        repeated = string.find(operations, operation, 1, true)
    elseif since >= 0 then
        repeated = string.sub(redis.call('LINDEX', KEYS[2], since) or '', 1, #operation) == operation
    end
    if not repeated then return 2 end
    redis.call('HSET', KEYS[1], 'version', version)
    return 1
end
if since > 0 and redis.call('LLEN', KEYS[2]) ~= since then return 4 end
version, parts = since + 1, 0
if is_part then
    version, parts = since, tonumber(ARGV[11]) + 1
    redis.call('HSET', KEYS[1], 'operations', string.sub(operations .. operation, -{LATEST} * #operation))
end
redis.call('HSET', KEYS[1], 'version', version, 'parts', parts, 'head', ARGV[4], 'generation', ARGV[2], 'ends', ARGV[7])
if since >= 0 and not is_part then redis.call('RPUSH', KEYS[2], operation .. ARGV[5]) end
if key ~= '' then redis.call('HSET', KEYS[3], key, ARGV[10]) end
for _, each in ipairs(KEYS) do redis.call('PEXPIRE', each, ARGV[6] + {BACKSTOP}) end
{publish("ARGV[2] .. ' ' .. version .. ' ' .. parts")}
return 1
"""

# Stores the response to a refused request. If one is stored under its key, that one is given, after it was written once
# more (see `WRITE`). KEYS: session, responses. ARGV: now, key, response, its size, most.
STORE_REFUSAL = f"""
{THERE}
if version < 0 then return 0 end
local stored = redis.call('HGET', KEYS[2], ARGV[2])
if stored then
    redis.call('HSET', KEYS[2], ARGV[2], stored)
    return stored
end
if tonumber(redis.call('HGET', KEYS[1], 'kept') or 0) >= tonumber(ARGV[5]) then return 3 end
redis.call('HINCRBY', KEYS[1], 'kept', ARGV[4])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
return 1
"""

# KEYS: session, log, responses. ARGV: now.
DELETE = f"""
{THERE}
redis.call('DEL', unpack(KEYS))
if version < 0 then return 0 end
{publish()}
return 1
"""

# Deletes a session that ended before a time. KEYS: session, log, responses. ARGV: the time (in ms).
# Returns when the session ends (in ms) if it has not ended, otherwise 0.
CLEAR = f"""
{THERE}
if there[1] and not expired then return ends end
if redis.call('DEL', unpack(KEYS)) > 0 then {publish()} end
return 0
"""

# Strikes deleted sessions off a list. KEYS: the list. ARGV: the time before which they ended, and the sessions. One
# that was opened again meanwhile ends later, and stays.
STRIKE = """
for place = 2, #ARGV do
    local ends = redis.call('ZSCORE', KEYS[1], ARGV[place])
    if ends and tonumber(ends) <= tonumber(ARGV[1]) then redis.call('ZREM', KEYS[1], ARGV[place]) end
end
"""

# KEYS: session, log. ARGV: generation, first and last entry.
LOG = """
if redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then return {} end
return redis.call('LRANGE', KEYS[2], ARGV[2], ARGV[3])
"""

# KEYS: session, log, responses.
COPY = """
return {redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[2], 0, -1), redis.call('HGETALL', KEYS[3])}
"""

# Stores a ticket, and deletes the oldest that its holder has beyond the bound. Returns their keys. A list of the
# holder's live tickets has their order. KEYS: ticket, list. ARGV: now, lifetime (in ms), holder, most.
PUT_TICKET = """
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2])
local latest = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
redis.call('ZADD', KEYS[2], math.max(ARGV[1] + ARGV[2], (latest[2] or 0) + 1), KEYS[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
local voided = redis.call('ZRANGE', KEYS[2], 0, -1 - ARGV[4])
for _, key in ipairs(voided) do
    redis.call('DEL', key)
    redis.call('ZREM', KEYS[2], key)
end
return voided
"""

# A trial write. KEYS: any key of the server. Like every script that writes, it is refused if memory is full.
TRY = """
redis.call('SET', KEYS[1], '1', 'EX', 60)
return 1
"""

OUTCOMES = {0: WriteResult.GONE, 1: WriteResult.WRITTEN, 2: WriteResult.STALE, 3: WriteResult.FULL, 4: WriteResult.LOST}
UNWRITTEN_OUTCOMES = {0, 2, 3, 4}
OPERATION = 16
TOO_FEW = "too few replicas have the change"


class RedisStore:
    """A `Store` in one Redis server, one watched by Sentinel, or a cluster."""

    def __init__(self, url: str) -> None:
        address = read_address(url)
        self._servers = servers_at(address)
        self._replicas = address.replicas
        self._outage = Outage(self.ping, (StoreUnavailable,), logged=True)
        self._too_new = ""  #: Why nothing is read or written, where a newer version has written the store.
        self.clock = Clock()
        self._lists, self._tickets = (
            [f"{name}:{number}" for number in range(SHARDS)] if address.kind == "cluster" else [name]
            for name in (OPEN, TICKETS)
        )

    def read(self, session: str, key: str | None = None) -> StoredSession | None:
        """The session, with the response stored under the key if there is one; None if there is no session."""
        name, _log, responses = _keys(session)
        commands: list[Command] = [("HMGET", name, "version", "head", "ends", "parts"), ("TIME",)]
        if key is not None:
            commands.append(("HGET", responses, key))
        (version, record, ends, parts), (seconds, microseconds), *packed = self._call(name, *commands)
        now = _whole(seconds) * 1000 + _whole(microseconds) // 1000
        if version is None or int(ends) <= self._now():
            return None
        response = None
        if key is not None and packed[0] is not None:
            response = _unpacked(key, packed[0])
            if self._replicas:
                # The read may have reached a former master. Write it once more, for the replicas to confirm.
                again = self._script(STORE_REFUSAL, [name, responses], [self._now(), key, "", 0, 0], key)
                response = again if isinstance(again, StoredResponse) else None
        return StoredSession(_whole(version), _bytes(record), response, _whole(parts or 0), now)

    def write(self, session: str, change: Change, lifetime: float) -> WriteResult | StoredResponse:
        """Make the change, or return why not; or the response stored under its key."""
        response = change.response
        ends = self.clock.latest() + lifetime
        if change.since < 0:
            # The list comes first: an entry without a session gets deleted, a session without an entry never would be.
            self._call_list(session, "ZADD", ends, session)
        return self._script(
            WRITE,
            _keys(session),
            [
                self._now(),
                change.generation,
                change.since,
                change.record,
                change.entry,
                round(lifetime * 1000),
                round(ends * 1000),
                secrets.token_hex(OPERATION // 2),
                response.key if response else "",
                _packed(response) if response else "",
                change.parts,
            ],
            response.key if response else "",
        )

    def store_response(self, session: str, response: StoredResponse, most: int) -> WriteResult | StoredResponse:
        """Store a refusal. FULL: refusals of this session have `most` bytes already."""
        arguments: list[Part] = [self._now(), response.key, _packed(response), response.size, most]
        name, _log, responses = _keys(session)
        return self._script(STORE_REFUSAL, [name, responses], arguments, response.key)

    def log(self, session: str, after: int, most: int, generation: str = "") -> list[LogEntry]:
        """At most `most` entries above version `after`, in order; none if the generation is another."""
        name, log, _responses = _keys(session)
        entries = self._ask(name, "EVAL", LOG, 2, name, log, generation, after, after + most - 1)
        return [LogEntry(after + place, _bytes(entry)[OPERATION:]) for place, entry in enumerate(entries, 1)]

    def delete(self, session: str) -> bool:
        """Delete the session; return whether it existed."""
        outcome = self._script(DELETE, _keys(session), [self._now()])
        self._call_list(session, "ZREM", session)
        return outcome is WriteResult.WRITTEN

    def count(self) -> int:
        """The number of sessions in the lists, also of expired ones."""
        return sum(self._ask(listed, "ZCARD", listed) for listed in self._lists)

    def size(self) -> Size:
        """The memory of the fullest server, and the most that it may use."""
        sizes = [
            Size(int(info["used_memory"]), int(info.get("maxmemory", 0)) * MEMORY or inf)
            for info in self._info("memory")
        ]
        return max(sizes, key=lambda size: (size.held / size.most, size.held))

    def sweep(self, due: float) -> bool:
        """Delete some of what expired before `due` on each list; return whether there may be more."""
        more = [self._clear(each, due) for each in self._lists]
        return any(more)

    def _clear(self, listed: str, due: float) -> bool:
        """Delete some sessions of a list that ended before `due`; return whether there may be more of them."""
        names = [
            str(each, "ascii")
            for each in self._ask(listed, "ZRANGEBYSCORE", listed, "-inf", due, "LIMIT", 0, SWEPT_AT_ONCE)
        ]
        deleted: list[Part] = []
        for name in names:
            ends = self._ask(channel(name), "EVAL", CLEAR, 3, *_keys(name), round(due * 1000))
            if ends:  # later than the list says
                self._ask(listed, "ZADD", listed, ends / 1000, name)
            else:
                deleted.append(name)
        if deleted:
            self._ask(listed, "EVAL", STRIKE, 1, listed, due, *deleted)
        return len(names) == SWEPT_AT_ONCE

    def put_ticket(self, session: str, ticket: str, holder: str, lifetime: float, most: int) -> None:
        """Store a ticket; of the holder's tickets of this session only the newest `most` stay."""
        milliseconds, now = round(lifetime * 1000), self._now()
        keys = _ticket_keys(session, ticket, holder)
        voided = self._ask(keys[0], "EVAL", PUT_TICKET, len(keys), *keys, now, milliseconds, holder, most)
        listed = self._list(self._tickets, session)
        commands: list[Command] = [("ZREM", listed, *voided)] if voided else []
        commands += [("ZREMRANGEBYSCORE", listed, "-inf", now), ("ZADD", listed, now + milliseconds, keys[0])]
        self._call(listed, *commands, ("PEXPIRE", listed, milliseconds))

    def take_ticket(self, session: str, ticket: str) -> str | None:
        """Delete the ticket; return its holder, or None if there is none or it has expired."""
        key = _ticket_keys(session, ticket, "")[0]
        taken = self._ask(key, "GETDEL", key)
        if taken is None:
            return None
        holder, listed = str(taken, "ascii"), self._list(self._tickets, session)
        self._ask(key, "ZREM", _ticket_keys(session, ticket, holder)[1], key)
        self._ask(listed, "ZREM", listed, key)
        return holder

    def tickets(self) -> int:
        """The number of tickets that have not expired."""
        return sum(self._ask(listed, "ZCOUNT", listed, f"({self._now()}", "+inf") for listed in self._tickets)

    def begin(self) -> None:
        """Do nothing. (SQLite's store makes its file here, before the first session; Redis needs no such step.)"""

    def secret(self, name: str, fresh: bytes) -> bytes:
        """The secret of this name; `fresh`, if there was none."""
        self._ask(SECRETS, "HSETNX", SECRETS, name, fresh)
        return _bytes(self._ask(SECRETS, "HGET", SECRETS, name))

    def stored_secret(self, name: str) -> bytes | None:
        """The secret of this name; None if there is none."""
        value = self._ask(SECRETS, "HGET", SECRETS, name)
        return None if value is None else _bytes(value)

    def mark_in_use(self, key: str, lifetime: float) -> None:
        """Mark a signing key, by its id, as in use for `lifetime` seconds from now on."""
        self._ask(IN_USE, "ZADD", IN_USE, self.clock.latest() + lifetime, key)

    def keys_in_use(self) -> Mapping[str, float]:
        """The ids of the signing keys in use, each with the time until which it is. Deletes expired marks."""
        self._ask(IN_USE, "ZREMRANGEBYSCORE", IN_USE, "-inf", self.clock.surely_past())
        keys = _paired(self._ask(IN_USE, "ZRANGEBYSCORE", IN_USE, self.clock.now(), "+inf", "WITHSCORES"))
        return {str(key, "ascii"): float(ends) for key, ends in keys.items()}

    def names(self) -> Iterator[str]:
        """All sessions, one list after the other."""
        for listed in self._lists:
            for name in self._ask(listed, "ZRANGE", listed, 0, -1):
                yield str(name, "ascii")

    def copy(self, session: str) -> Copied | None:
        """All of a session at one moment; None if there is none."""
        flat, log, responses = self._ask(channel(session), "EVAL", COPY, 3, *_keys(session))
        if not flat:
            return None
        fields = _paired(flat)
        return Copied(
            session,
            str(fields[b"generation"], "ascii"),
            int(fields[b"version"]),
            fields[b"head"],
            int(fields[b"ends"]) / 1000,
            int(fields.get(b"kept", 0)),
            [entry[OPERATION:] for entry in log],
            [_unpacked(str(key, "utf-8"), packed) for key, packed in _paired(responses).items()],
        )

    def put(self, copied: Copied) -> None:
        """Write a copied session. It exists once its record is written, which is last."""
        session, ends = copied.session, round(copied.ends * 1000)
        name, log, responses = _keys(session)
        self._call_list(session, "ZADD", copied.ends, session)
        for start in range(0, len(copied.log), SWEPT_AT_ONCE):
            entries = [b"-" * OPERATION + entry for entry in copied.log[start : start + SWEPT_AT_ONCE]]
            self._ask(name, "RPUSH", log, *entries)
        for response in copied.responses:
            self._ask(name, "HSET", responses, response.key, _packed(response))
        fields: list[Part] = ["version", copied.version, "head", copied.record, "generation", copied.generation]
        self._ask(name, "HSET", name, *fields, "ends", ends, "kept", copied.refusals_size)  # last: now it exists
        for key in (name, log, responses):
            self._ask(name, "PEXPIREAT", key, ends + BACKSTOP)

    def format(self) -> int:
        """The format of what is stored; 0: nothing is. It begins no outage."""
        return int(self._servers.call(FORMATTED, ("GET", FORMATTED))[0] or 0)

    def remembered(self) -> Remembered:
        """The secrets and the signing keys in use."""
        secrets_by_name = _paired(self._ask(SECRETS, "HGETALL", SECRETS))
        keys_in_use = _paired(self._ask(IN_USE, "ZRANGE", IN_USE, 0, -1, "WITHSCORES"))
        return Remembered(
            {str(name, "ascii"): secret for name, secret in secrets_by_name.items()},
            {str(key, "ascii"): float(ends) for key, ends in keys_in_use.items()},
        )

    def remember(self, remembered: Remembered) -> None:
        """Write these secrets and keys in use, over those of the same names."""
        for name, secret in remembered.secrets.items():
            self._ask(SECRETS, "HSET", SECRETS, name, secret)
        for key, ends in remembered.keys_in_use.items():
            self._ask(IN_USE, "ZADD", IN_USE, ends, key)

    def risks(self) -> tuple[Risk, ...]:
        """The risks of all servers. They are read with INFO, because hosted Redis may refuse CONFIG."""
        risks = []
        if any(info["maxmemory_policy"] != "noeviction" for info in self._info("memory")):
            risks.append(Risk.EVICTION)
        if any(info["aof_enabled"] == "0" for info in self._info("persistence")):
            risks.append(Risk.MEMORY)
        return tuple(risks)

    def sync_seconds(self) -> float:
        """Always 0: Redis does not say how long it waits for its disk."""
        return 0.0

    def watch(self, watched: Callable[[], Collection[str]], notify: Notify) -> None:
        """Relay what Redis publishes of these sessions, while any are watched."""
        relay(self._servers, watched, notify)

    def ping(self) -> None:
        """Try a write on each server; raises `StoreUnavailable`, also for a newer format or a Redis too old."""
        number = self._ask(FORMATTED, "GET", FORMATTED)
        try:
            check_format(int(number or 0))
        except StoreUnavailable as error:
            self._outage.begin(error)
            self._too_new = str(error)
            raise
        self._too_new = ""
        for key in self._servers.spread(PING):
            self._script(TRY, [key], [])
        if number is None:
            self._ask(FORMATTED, "SETNX", FORMATTED, FORMAT)
        for version in (info["redis_version"] for info in self._info("server")):
            if tuple(map(int, version.split(".")[:2])) < OLDEST_REDIS:
                oldest = ".".join(map(str, OLDEST_REDIS))
                raise self._outage.begin(f"Redis {version} is too old: {oldest} is needed, or newer")

    def close(self) -> None:
        """Close every connection."""
        self._outage.stop()
        self._servers.close()

    def _now(self) -> int:
        """The time by which sessions end, in ms."""
        return round(self.clock.now() * 1000)

    def _call_list(self, session: str, command: str, *arguments: Part) -> None:
        """Send a command on the list that the session is in."""
        listed = self._list(self._lists, session)
        self._ask(listed, command, listed, *arguments)

    def _list(self, lists: list[str], session: str) -> str:
        """The one of these lists that a session, or what it has, is in."""
        return lists[crc32(session.encode()) % len(lists)]

    def _info(self, section: str) -> list[dict[str, str]]:
        """A section of each server's INFO."""
        return [
            dict(
                line.split(":", 1) for line in str(self._ask(key, "INFO", section), "utf-8").splitlines() if ":" in line
            )
            for key in self._servers.spread(PING)
        ]

    def _script(
        self, script: str, keys: list[str], arguments: list[Part], response_key: str = ""
    ) -> WriteResult | StoredResponse:
        """Run a script that writes, and check that enough replicas have what it wrote.

        `response_key`: the idempotency key of the stored response that it may return.
        """
        call: Command = ("EVAL", script, len(keys), *keys, *arguments)
        if not self._replicas:
            (outcome,) = self._call(keys[0], call)
        else:
            # On one connection: Redis promises of WAIT that it counts what its own connection wrote, and no more.
            needed = max(self._servers.others(), self._replicas)
            outcome, replicas = self._call(keys[0], call, ("WAIT", needed, REPLICATION))
            if replicas < needed and outcome not in UNWRITTEN_OUTCOMES:
                self._servers.renew()
                raise self._outage.begin(TOO_FEW)
        return OUTCOMES[outcome] if isinstance(outcome, int) else _unpacked(response_key, outcome)

    def _ask(self, key: str, *command: Part) -> Reply:
        """The reply to one command on a key."""
        return self._call(key, command)[0]

    def _call(self, key: str, *commands: Command) -> list[Reply]:
        """The replies to commands on a key, sent together. If there are none, an outage begins."""
        if self._too_new and key != FORMATTED:
            raise StoreUnavailable(self._too_new)
        try:
            return self._servers.call(key, *commands)
        except StoreUnavailable as error:
            self._outage.begin(error)
            raise


def _bytes(reply: Reply) -> bytes:
    """A reply that has to be bytes; raises TypeError for any other."""
    if not isinstance(reply, bytes):
        raise TypeError(f"bytes were due, not {type(reply).__name__}")
    return reply


def _whole(reply: Reply) -> int:
    """A reply that has to be a whole number; raises ValueError for one that JSON could not carry."""
    number = int(reply)
    if not 0 <= number < 1 << 53:
        raise ValueError("the number is out of range")
    return number


def _paired(flat: list[bytes]) -> dict[bytes, bytes]:
    """A reply that lists keys and values in turn."""
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _keys(session: str) -> list[str]:
    """The session's hash, its log and its responses."""
    name = channel(session)
    return [name, f"{name}:log", f"{name}:answers"]


def _ticket_keys(session: str, ticket: str, holder: str) -> tuple[str, str]:
    """The key of a ticket, and that of the list of its holder's tickets."""
    name = channel(session)
    return f"{name}:ticket:{ticket}", f"{name}:tickets:{holder}"


def _packed(response: StoredResponse) -> bytes:
    """A response as Redis holds it under its key."""
    return response.fingerprint.encode() + b"\n" + response.body


def _unpacked(key: str, packed: bytes) -> StoredResponse:
    """The response that `_packed` has packed."""
    fingerprint, _, body = packed.partition(b"\n")
    return StoredResponse(key, fingerprint.decode(), body)
