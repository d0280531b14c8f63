"""Writers that retry: each repeats a move under the same idempotency key until it has a definite answer."""

import http.client
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Self
from uuid import uuid4

from tests.server import until

UNSURE = "unsure"
BROKEN = (OSError, http.client.HTTPException)
PATIENCE = 60.0
"""Seconds without a definite answer after which a writer counts as stuck. A refusal is a definite answer."""


class Reply(NamedTuple):
    status: int
    body: Any
    seconds: float


class Client:
    """A kept-alive connection. When it breaks it is closed, and the next request opens it again."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Reply:
        began = time.perf_counter()
        try:
            self._send(method, path, body, headers or {})
            response = self._connection.getresponse()
            raw = response.read()
        except BROKEN:
            self.close()
            raise
        return Reply(response.status, json.loads(raw) if raw else None, time.perf_counter() - began)

    def body_of(self, path: str, headers: dict[str, str]) -> Any:
        """Return the body of a 200, and None for any other reply, or none."""
        with suppress(*BROKEN):
            reply = self.ask("GET", path, None, headers)
            return reply.body if reply.status == 200 else None
        return None

    def cut(self, method: str, path: str, body: Any, headers: dict[str, str]) -> None:
        """Send a request and hang up before the reply arrives."""
        self._send(method, path, body, headers)
        time.sleep(random.uniform(0, 0.004))
        self.close()

    def close(self) -> None:
        self._connection.close()

    def _send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> None:
        raw = None if body is None else json.dumps(body)
        self._connection.request(method, path, raw, {"Content-Type": "application/json", **headers})


@dataclass
class Table:
    """An open session, played by its host."""

    port: int
    id: str
    token: str

    @property
    def path(self) -> str:
        return f"/sessions/{self.id}"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def stream_request(self, *headers: str) -> bytes:
        """Return the request that opens the session's event stream."""
        lines = f"GET {self.path}/events HTTP/1.1", "Host: test", f"Authorization: Bearer {self.token}", *headers
        return "\r\n".join((*lines, "", "")).encode()

    def log(self) -> list[Any]:
        entries: list[Any] = []
        after: int | None = 0
        with Client(self.port) as client:
            while after is not None:
                address = f"{self.path}/moves?after={after}"
                body = until(partial(client.body_of, address, self.headers))  # a worker may just be replaced
                entries += body["entries"]
                after = body["next"]
        return entries


def open_table(port: int, game: str = "gin-rummy", seats: int = 2) -> Table:
    with Client(port) as client:
        body = client.ask("POST", "/sessions", {"game": game, "seats": seats}).body
    return Table(port, body["id"], body["tokens"]["host"])


def without_knocks(moves: list[Any]) -> list[Any]:
    """Leave out knocks, the only moves that end the game: without them gin rummy never ends."""
    return [move for move in moves if move["type"] != "knock"]


@dataclass
class Ledger:
    """Record the replies to all writers at one table.

    `moves`: the acknowledged move of each version; `again`: statuses after which a writer retries; `gap`: the longest
    time between two acknowledged moves, in seconds.
    """

    again: frozenset[int] = frozenset({409, 503})
    moves: dict[int, Any] = field(default_factory=dict)
    twice: int = 0
    stuck: int = 0
    gap: float = 0.0
    latest: float = float("inf")
    replies: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledged(self, version: int, move: Any) -> None:
        with self.lock:
            self.twice += version in self.moves
            self.moves[version] = move
            now = time.monotonic()
            self.gap = max(self.gap, now - self.latest)
            self.latest = now

    def count(self, what: object) -> None:
        with self.lock:
            self.replies[str(what)] += 1


def write(table: Table, ledger: Ledger, moves: float, cut: float = 0.0, enough: threading.Event | None = None) -> None:
    """Make `moves` moves at a table where others move too. `cut`: the share of requests whose reply is cut off."""
    count = 0
    over = enough or threading.Event()
    deadline = time.monotonic() + PATIENCE
    with Client(table.port) as client:
        while count < moves and time.monotonic() < deadline and not over.is_set():
            move = _choice(client, table, ledger)
            if move is None:
                continue
            version = _make_move(client, table, ledger, move, cut)
            if version is not UNSURE:
                deadline = time.monotonic() + PATIENCE
            if isinstance(version, int):
                ledger.acknowledged(version, move)
                count += 1
    ledger.stuck += count < moves and not over.is_set()


def _choice(client: Client, table: Table, ledger: Ledger) -> Any:
    try:
        reply = client.ask("GET", f"{table.path}/legal-moves", None, table.headers)
    except BROKEN as error:
        ledger.count(type(error).__name__)
        time.sleep(0.05)
        return None
    if reply.status != 200:
        ledger.count(f"reading {reply.status}")
        time.sleep(0.05)
        return None
    moves = without_knocks([each["move"] for each in reply.body["moves"]])
    return random.choice(moves) if moves else None


def _make_move(client: Client, table: Table, ledger: Ledger, move: Any, cut: float) -> int | str | None:
    """Return the version that a move made, or None if it was refused."""
    reply = send_and_retry(
        client, table, table.headers, move, cut, lambda reply: reply.status in ledger.again, ledger.count
    )
    if not isinstance(reply, Reply):
        return reply
    assert reply.status in {201, 422}, reply
    return int(reply.body["version"]) if reply.status == 201 else None


def send_and_retry(
    client: Client,
    table: Table,
    headers: dict[str, str],
    move: Any,
    cut: float,
    again: Callable[[Reply], bool],
    count: Callable[[object], object] = lambda _: None,
) -> Reply | str:
    """Return the answer to a move, which is sent again under one key until it has one. `count`: takes each reply."""
    request = "POST", f"{table.path}/moves", {"moves": [move]}, {**headers, "Idempotency-Key": uuid4().hex}
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if random.random() < cut:
                client.cut(*request)
                count("cut")
            reply = client.ask(*request)
        except BROKEN as error:
            count(type(error).__name__)
            time.sleep(0.05)
            continue
        count(reply.status)
        if not again(reply):
            return reply
        time.sleep(0.02)
    return UNSURE


def write_together(
    tables: list[Table],
    writers: int,
    moves: float = float("inf"),
    cut: float = 0.0,
    again: frozenset[int] = Ledger.again,
    enough: threading.Event | None = None,
) -> list[Ledger]:
    """Let `writers` clients make `moves` moves each at every table, all at the same time, or until it is `enough`."""
    ledgers = [Ledger(again) for _ in tables]
    together(
        writers,
        *(partial(write, table, ledger, moves, cut, enough) for table, ledger in zip(tables, ledgers, strict=True)),
    )
    return ledgers


def together(times: int, *calls: Callable[[], object]) -> None:
    """Make each call so many times, all at once, and wait until they have returned."""
    threads = [threading.Thread(target=call, daemon=True) for call in calls for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Verdict(NamedTuple):
    """How many acknowledged moves were lost or doubled, how many writers got stuck, and the longest wait of a table."""

    acknowledged: int
    lost: int
    doubled: int
    stuck: int
    gap: float
    replies: dict[str, int]

    def __str__(self) -> str:
        replies = ", ".join(f"{count} × {what}" for what, count in sorted(self.replies.items()))
        return (
            f"{self.acknowledged} acknowledged, {self.lost} lost, {self.doubled} doubled, "
            f"{self.stuck} writers stuck, largest gap {self.gap:.1f} s   ({replies})"
        )


def verdict(tables: list[Table], ledgers: list[Ledger]) -> Verdict:
    """Compare the acknowledged moves with the logs: each must be there exactly once, and nothing else."""
    lost = doubled = 0
    replies: Counter[str] = Counter()
    for table, ledger in zip(tables, ledgers, strict=True):
        log = {entry["version"]: entry["moves"] for entry in table.log()}
        assert list(log) == list(range(1, len(log) + 1)), "the version is the length of the log"
        # Of two moves that were acknowledged as one version, the log has only one.
        lost += sum(log.get(version) != [move] for version, move in ledger.moves.items()) + ledger.twice
        doubled += len(log.keys() - ledger.moves.keys())
        replies += ledger.replies
    acknowledged = sum(len(ledger.moves) for ledger in ledgers)
    stuck, gap = sum(each.stuck for each in ledgers), max(each.gap for each in ledgers)
    return Verdict(acknowledged, lost, doubled, stuck, gap, dict(replies))
