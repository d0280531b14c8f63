"""Callers of a rematch while workers are killed: one next table, everybody's own token of it, and nobody else's."""

import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from service.sessions.record import SessionRecord
from service.sessions.stores import open_store
from tests.faults import killed_rematch
from tests.faults.clients import BROKEN, PATIENCE, UNSURE, Client, Reply, together
from tests.faults.servers import cluster_url, one_redis, redis_cluster, watched_redis
from tests.server import Server, until

SHORT = {"name": "standard", "options": {"knock_limit": 99, "target": 1}}  #: Gin rummy that ends at the first knock.
BEARERS = ("host", "seat-0", "seat-1")


@contextmanager
def store(kind: str) -> Iterator[str]:
    """Start a store of this kind, and return its address."""
    if kind == "redis":
        with one_redis() as server:
            yield server.url
    elif kind == "sentinel":
        with watched_redis() as watched:
            yield watched.url(replicas=1)
    elif kind == "cluster":
        with redis_cluster(masters=3, replicas=1) as servers:
            yield cluster_url(servers, replicas=1)
    else:
        with tempfile.TemporaryDirectory(prefix="referee-faults-") as folder:
            yield f"sqlite:///{folder}/sessions.sqlite3"


@contextmanager
def service(url: str, workers: int) -> Iterator[tuple[Server, Path]]:
    """Start the service, and return it with the file that decides when its workers die."""
    with tempfile.TemporaryDirectory(prefix="referee-faults-") as folder:
        fatal = Path(folder, "fatal")
        settings = {"REFEREE_STORE_URL": url, "REFEREE_WORKERS": str(workers), "REFEREE_REQUEST_LOG": "off",
                    "REFEREE_LOG_LEVEL": "error", killed_rematch.FATAL: str(fatal)}  # fmt: skip
        with Server(app="tests.faults.killed_rematch:create_app()", settings=settings) as server:
            yield server, fatal


class OldTable(NamedTuple):
    """A table whose game is over, and the tokens of its bearers."""

    port: int
    id: str
    tokens: dict[str, str]

    @property
    def path(self) -> str:
        return f"/sessions/{self.id}"

    def headers(self, bearer: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[bearer]}"}

    def rematch(self, bearer: str, cut: float = 0.0, key: str | None = None) -> Reply | str:
        """Return the answer to a call of the bearer, which is sent again, with its key if any, until it has one."""
        headers = self.headers(bearer) | ({} if key is None else {"Idempotency-Key": key})
        request = "POST", f"{self.path}/rematch", None, headers
        deadline = time.monotonic() + PATIENCE
        with Client(self.port) as client:
            while time.monotonic() < deadline:
                try:
                    if random.random() < cut:
                        client.cut(*request)
                    reply = client.ask(*request)
                except BROKEN:
                    time.sleep(0.05)
                    continue
                if reply.status not in {409, 503}:
                    return reply
                time.sleep(0.02)
        return UNSURE


def play_to_the_end(port: int) -> OldTable:
    """Play a game of gin rummy to its end."""
    with Client(port) as client:
        opened = client.ask("POST", "/sessions", {"game": "gin-rummy", "seats": 2, "ruleset": SHORT}).body
        host, seats = opened["tokens"]["host"], opened["tokens"]["seats"]
        table = OldTable(port, opened["id"], dict(zip(BEARERS, (host, *seats), strict=True)))
        while True:
            moves = client.ask("GET", f"{table.path}/legal-moves", None, table.headers("host")).body["moves"]
            if not moves:
                return table
            move = next((each for each in moves if each["move"]["type"] == "knock"), moves[0])["move"]
            client.ask("POST", f"{table.path}/moves", {"moves": [move]}, table.headers("host"))


class Outcome(NamedTuple):
    """What came of calls at some tables.

    `several`: tables whose callers were sent to different tables. `foreign`: answers with a token that is not the
    caller's, or that opens nothing. `unlike`: tables whose session shows another next table, or others at it, than
    the answers. `orphans`: tables in the store that no session names.
    """

    acknowledged: int
    several: int
    foreign: int
    unlike: int
    stuck: int
    kills: int
    orphans: int

    def __str__(self) -> str:
        return (
            f"{self.acknowledged} callers placed; {self.several} tables split, {self.foreign} tokens foreign or void, "
            f"{self.unlike} sessions that show something else, {self.stuck} callers stuck; "
            f"{self.kills} workers killed, {self.orphans} orphans left to expire"
        )


def rematches(kind: str, tables: int, callers: int = 20, chance: float = 0.1, cut: float = 0.2) -> Outcome:
    """Have many callers of each table ask at once. Two workers kill themselves beside the write with this `chance`."""
    with store(kind) as url, service(url, workers=2) as (server, fatal):
        everywhere = [play_to_the_end(server.port) for _ in range(tables)]
        first = {*server.workers()}
        answers: list[tuple[OldTable, str, Reply | str]] = []
        seen = {*first}

        def call(table: OldTable, bearer: str) -> None:
            key = random.choice([None, uuid4().hex])
            answers.append((table, bearer, table.rematch(bearer, cut, key)))
            seen.update(server.workers())

        fatal.write_text(str(chance), "ascii")
        for table in everywhere:
            together(1, *(partial(call, table, BEARERS[number % 3]) for number in range(callers)))
        fatal.unlink()
        until(lambda: len(server.workers()) == len(first))
        return outcome(url, everywhere, answers, len(seen - {*server.workers()}))


def outcome(url: str, tables: list[OldTable], answers: list[tuple[OldTable, str, Reply | str]], kills: int) -> Outcome:
    """Compare the answers with one another, with what the sessions show, and with what the store holds."""
    placed = [(table, bearer, reply) for table, bearer, reply in answers if isinstance(reply, Reply)]
    several = foreign = unlike = 0
    for table in tables:
        ids = {reply.body.get("id") for at, _, reply in placed if at is table}
        several += len(ids) > 1
        seats = {int(bearer[-1]) for at, bearer, _ in placed if at is table and bearer != "host"}
        shown = _read(table.port, table.path, table.headers("host"))["rematch"]
        unlike += (shown["id"], shown["seated"]) != (*ids, sorted(seats))
    for table, bearer, reply in placed:
        token = str(reply.body.get("token"))
        headers = {"Authorization": f"Bearer {token}"}
        own = token.startswith(f"{bearer}.") and reply.status in {200, 201}
        foreign += not own or _read(table.port, f"/sessions/{reply.body['id']}", headers) is None
    with closing(open_store(url)) as held:
        records = {name: SessionRecord.read(stored.record) for name in held.names() if (stored := held.read(name))}
    named = {record.rematch["id"] for record in records.values() if record.rematch}
    orphans = {name for name, record in records.items() if record.is_rematch} - named
    return Outcome(len(placed), several, foreign, unlike, len(answers) - len(placed), kills, len(orphans))


def _read(port: int, path: str, headers: dict[str, str]) -> Any:
    with Client(port) as client:
        return until(partial(client.body_of, path, headers))


class Killed(NamedTuple):
    """What came of a request whose worker was killed, once it was sent again. `next_tables`: in the store."""

    status: int
    next_tables: int
    by: int | None
    seated: list[int]
    version: int


class FatalService(NamedTuple):
    """A service with one worker, the address of its store, and the file that decides when the worker dies."""

    url: str
    server: Server
    fatal: Path

    def tables(self) -> int:
        """Count the tables in the store."""
        with closing(open_store(self.url)) as held:
            return held.count()


def killed_once(service: FatalService, moment: str, key: str | None) -> Killed:
    """Kill the only worker, `before` or `after` the write that names the table which a seat has opened."""
    table = play_to_the_end(service.server.port)
    tables = service.tables()
    before = _read(table.port, table.path, table.headers("host"))["version"]
    service.fatal.write_text(moment, "ascii")
    reply = table.rematch("seat-1", key=key)
    assert isinstance(reply, Reply)
    assert not service.fatal.exists(), "a worker was killed"
    shown = _read(table.port, table.path, table.headers("host"))
    assert shown["rematch"]["id"] == reply.body["id"]
    assert _read(table.port, f"/sessions/{reply.body['id']}", {"Authorization": f"Bearer {reply.body['token']}"})
    opened = service.tables() - tables
    return Killed(reply.status, opened, shown["rematch"]["by"], shown["rematch"]["seated"], shown["version"] - before)
