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

SHORT_GAME = {
    "name": "standard",
    "options": {"knock_limit": 99, "target": 1},
}  #: Gin rummy that ends at the first knock.
BEARERS = ("host", "seat-0", "seat-1")


@contextmanager
def run_store(kind: str) -> Iterator[str]:
    """Start a store of this kind, and yield its address."""
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
def run_service(url: str, workers: int) -> Iterator[tuple[Server, Path]]:
    """Start the service of `killed_rematch`; yield it with the file that decides when its workers die."""
    with tempfile.TemporaryDirectory(prefix="referee-faults-") as folder:
        fatal = Path(folder, "fatal")
        settings = {"REFEREE_STORE_URL": url, "REFEREE_WORKERS": str(workers), "REFEREE_REQUEST_LOG": "off",
                    "REFEREE_LOG_LEVEL": "error", killed_rematch.FATAL: str(fatal)}  # fmt: skip
        with Server(app="tests.faults.killed_rematch:create_app()", settings=settings) as server:
            yield server, fatal


class FinishedTable(NamedTuple):
    """A table whose game is over, and the tokens of its bearers."""

    port: int
    id: str
    tokens: dict[str, str]

    @property
    def path(self) -> str:
        return f"/sessions/{self.id}"

    def headers(self, bearer: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[bearer]}"}

    def ask_for_rematch(self, bearer: str, cut_share: float = 0.0, key: str | None = None) -> Reply | str:
        """Ask for a rematch as this bearer, under its key if it has one, until there is an answer; return that."""
        headers = self.headers(bearer) | ({} if key is None else {"Idempotency-Key": key})
        request = "POST", f"{self.path}/rematch", None, headers
        deadline = time.monotonic() + PATIENCE
        with Client(self.port) as client:
            while time.monotonic() < deadline:
                try:
                    if random.random() < cut_share:
                        client.send_and_hang_up(*request)
                    reply = client.ask(*request)
                except BROKEN:
                    time.sleep(0.05)
                    continue
                if reply.status not in {409, 503}:
                    return reply
                time.sleep(0.02)
        return UNSURE


def play_to_the_end(port: int) -> FinishedTable:
    """Play a game of gin rummy to its end."""
    with Client(port) as client:
        session = client.ask("POST", "/sessions", {"game": "gin-rummy", "seats": 2, "ruleset": SHORT_GAME}).body
        host, seats = session["tokens"]["host"], session["tokens"]["seats"]
        table = FinishedTable(port, session["id"], dict(zip(BEARERS, (host, *seats), strict=True)))
        while True:
            moves = client.ask("GET", f"{table.path}/legal-moves", None, table.headers("host")).body["moves"]
            if not moves:
                return table
            move = next((each for each in moves if each["move"]["type"] == "knock"), moves[0])["move"]
            client.ask("POST", f"{table.path}/moves", {"moves": [move]}, table.headers("host"))


class Placed(NamedTuple):
    """A bearer whose call of a rematch was answered."""

    table: FinishedTable
    bearer: str
    reply: Reply


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


def call_rematches(kind: str, tables: int, callers: int = 20, chance: float = 0.1, cut_share: float = 0.2) -> Outcome:
    """Let many callers of each table ask for a rematch at once, while two workers kill themselves beside the write.

    `chance`: that of a worker to die, before the write and after it. `cut_share`: the share of replies cut off.
    """
    with run_store(kind) as url, run_service(url, workers=2) as (server, fatal):
        finished_tables = [play_to_the_end(server.port) for _ in range(tables)]
        first_workers = {*server.workers()}
        placed: list[Placed] = []
        workers = {*first_workers}

        def call(table: FinishedTable, bearer: str) -> None:
            key = random.choice([None, uuid4().hex])
            reply = table.ask_for_rematch(bearer, cut_share, key)
            if isinstance(reply, Reply):
                placed.append(Placed(table, bearer, reply))
            workers.update(server.workers())

        fatal.write_text(str(chance), "ascii")
        for table in finished_tables:
            together(1, *(partial(call, table, BEARERS[number % 3]) for number in range(callers)))
        fatal.unlink()
        until(lambda: len(server.workers()) == len(first_workers))
        stuck, kills = tables * callers - len(placed), len(workers - {*server.workers()})
        return outcome_of(url, finished_tables, placed, stuck, kills)


def outcome_of(url: str, tables: list[FinishedTable], placed: list[Placed], stuck: int, kills: int) -> Outcome:
    """Compare the answers with one another, with what the sessions show, and with what the store holds."""
    several = unlike = 0
    for table in tables:
        answers = [each for each in placed if each.table is table]
        ids = {each.reply.body.get("id") for each in answers}
        seats = {int(each.bearer[-1]) for each in answers if each.bearer != "host"}
        rematch = _read_session(table.port, table.path, table.headers("host"))["rematch"]
        several += len(ids) > 1
        unlike += (rematch["id"], rematch["seated"]) != (*ids, sorted(seats))
    foreign = sum(not _has_own_token(each) for each in placed)
    return Outcome(len(placed), several, foreign, unlike, stuck, kills, _count_orphans(url))


def _has_own_token(placed: Placed) -> bool:
    """Whether the answer has a token of the bearer's own seat, or of the host, and the token opens the next table."""
    reply = placed.reply
    token = str(reply.body.get("token"))
    if reply.status not in {200, 201} or not token.startswith(f"{placed.bearer}."):
        return False
    headers = {"Authorization": f"Bearer {token}"}
    return _read_session(placed.table.port, f"/sessions/{reply.body['id']}", headers) is not None


def _count_orphans(url: str) -> int:
    """Count the tables in the store that were opened for a rematch and that no session names."""
    with closing(open_store(url)) as store:
        records = {name: SessionRecord.read(stored.record) for name in store.names() if (stored := store.read(name))}
    next_tables = {record.rematch["id"] for record in records.values() if record.rematch}
    return len({name for name, record in records.items() if record.is_rematch} - next_tables)


def _read_session(port: int, path: str, headers: dict[str, str]) -> Any:
    """Read a session, again until that succeeds: a worker may just be replaced."""
    with Client(port) as client:
        return until(partial(client.body_of, path, headers))


class OutcomeOfKill(NamedTuple):
    """What came of a call of a rematch whose worker was killed, and which was sent again.

    `next_tables`: how many tables were opened; `by`, `seated`: what the session shows of the next table; `version`: by
    how much that of the session has grown.
    """

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

    def count_tables(self) -> int:
        """Count the tables in the store."""
        with closing(open_store(self.url)) as store:
            return store.count()


def kill_once(service: FatalService, moment: str, key: str | None) -> OutcomeOfKill:
    """Ask for a rematch, and kill the only worker `before` or `after` the write that names the next table."""
    table = play_to_the_end(service.server.port)
    tables_before = service.count_tables()
    version_before = _read_session(table.port, table.path, table.headers("host"))["version"]
    service.fatal.write_text(moment, "ascii")
    reply = table.ask_for_rematch("seat-1", key=key)
    assert isinstance(reply, Reply)
    assert not service.fatal.exists(), "a worker was killed"
    session = _read_session(table.port, table.path, table.headers("host"))
    assert session["rematch"]["id"] == reply.body["id"]
    assert _read_session(
        table.port, f"/sessions/{reply.body['id']}", {"Authorization": f"Bearer {reply.body['token']}"}
    )
    next_tables = service.count_tables() - tables_before
    return OutcomeOfKill(
        reply.status,
        next_tables,
        session["rematch"]["by"],
        session["rematch"]["seated"],
        session["version"] - version_before,
    )
