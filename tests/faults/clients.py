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

UNSURE = "unsure"  #: Of a move without a definite answer: it may have been made or not.
BROKEN = (OSError, http.client.HTTPException)  #: What a client raises if the connection breaks.
PATIENCE = 60.0
"""Seconds without a definite answer after which a writer counts as stuck. A refusal is a definite answer."""


class Reply(NamedTuple):
    """An answer with its JSON, and the seconds from the request to its end."""

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
        """Send a request and return the reply. Raises one of `BROKEN` if the connection breaks."""
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
        """Get a path. Return the body of a 200; None for any other reply, and if the connection breaks."""
        with suppress(*BROKEN):
            reply = self.ask("GET", path, None, headers)
            return reply.body if reply.status == 200 else None
        return None

    def send_and_hang_up(self, method: str, path: str, body: Any, headers: dict[str, str]) -> None:
        """Send a request and hang up before the reply arrives."""
        self._send(method, path, body, headers)
        time.sleep(random.uniform(0, 0.004))
        self.close()

    def close(self) -> None:
        self._connection.close()

    def _send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> None:
        """Send a request, and do not wait for its reply."""
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
        """Return all entries of the session's log."""
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
    """Open a session at a server."""
    with Client(port) as client:
        body = client.ask("POST", "/sessions", {"game": game, "seats": seats}).body
    return Table(port, body["id"], body["tokens"]["host"])


def without_knocks(moves: list[Any]) -> list[Any]:
    """The moves without knocks. A game of gin rummy in which nobody knocks never ends."""
    return [move for move in moves if move["type"] != "knock"]


@dataclass
class Ledger:
    """The replies to all writers at one table.

    `retried_statuses`: those after which a writer sends its move again; `moves`: the acknowledged move of each version;
    `twice`: versions that were acknowledged twice; `stuck`: writers that gave up; `gap`: the longest time between two
    acknowledged moves, in seconds; `latest`: when the last move was acknowledged; `replies`: how many of each kind.
    """

    retried_statuses: frozenset[int] = frozenset({409, 503})
    moves: dict[int, Any] = field(default_factory=dict)
    twice: int = 0
    stuck: int = 0
    gap: float = 0.0
    latest: float = float("inf")
    replies: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, version: int, move: Any) -> None:
        """Record that a move was answered with 201."""
        with self.lock:
            self.twice += version in self.moves
            self.moves[version] = move
            now = time.monotonic()
            self.gap = max(self.gap, now - self.latest)
            self.latest = now

    def count(self, reply: object) -> None:
        """Count a reply: a status, or the name of an error."""
        with self.lock:
            self.replies[str(reply)] += 1


def make_moves(
    table: Table, ledger: Ledger, moves: float, cut_share: float = 0.0, finished: threading.Event | None = None
) -> None:
    """Make `moves` moves at a table where others move too, or until `finished` is set.

    `cut_share`: the share of requests whose reply is cut off.
    """
    made_moves = 0
    stop = finished or threading.Event()
    deadline = time.monotonic() + PATIENCE
    with Client(table.port) as client:
        while made_moves < moves and time.monotonic() < deadline and not stop.is_set():
            move = _choose_move(client, table, ledger)
            if move is None:
                continue
            version = _version_of_move(client, table, ledger, move, cut_share)
            if version is not UNSURE:
                deadline = time.monotonic() + PATIENCE
            if isinstance(version, int):
                ledger.acknowledge(version, move)
                made_moves += 1
    ledger.stuck += made_moves < moves and not stop.is_set()


def _choose_move(client: Client, table: Table, ledger: Ledger) -> Any:
    """Return one of the legal moves that do not end the game; None if they could not be read."""
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


def _version_of_move(client: Client, table: Table, ledger: Ledger, move: Any, cut_share: float) -> int | str | None:
    """Make a move. Return the version that it made, None if it was refused, or `UNSURE`."""
    reply = send_until_answered(
        client,
        table,
        table.headers,
        move,
        cut_share,
        lambda reply: reply.status in ledger.retried_statuses,
        ledger.count,
    )
    if not isinstance(reply, Reply):
        return reply
    assert reply.status in {201, 422}, reply
    return int(reply.body["version"]) if reply.status == 201 else None


def must_retry_unless(problem: str) -> Callable[[Reply], bool]:
    """Return whether a refused move is sent again: with 409 or 503, unless `problem`, a slug, is why."""
    return lambda reply: reply.status in {409, 503} and reply.body["type"] != f"/problems/{problem}"


def send_until_answered(
    client: Client,
    table: Table,
    headers: dict[str, str],
    move: Any,
    cut_share: float,
    must_retry: Callable[[Reply], bool],
    count_reply: Callable[[object], object] = lambda _: None,
) -> Reply | str:
    """Send a move, under one key, until it has an answer that need not be retried. Return that, or `UNSURE`.

    `cut_share`: the chance that the client first hangs up before the reply; `count_reply` takes each status or error.
    """
    request = "POST", f"{table.path}/moves", {"moves": [move]}, {**headers, "Idempotency-Key": uuid4().hex}
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if random.random() < cut_share:
                client.send_and_hang_up(*request)
                count_reply("cut")
            reply = client.ask(*request)
        except BROKEN as error:
            count_reply(type(error).__name__)
            time.sleep(0.05)
            continue
        count_reply(reply.status)
        if not must_retry(reply):
            return reply
        time.sleep(0.02)
    return UNSURE


def run_writers(
    tables: list[Table],
    writers: int,
    moves: float = float("inf"),
    cut_share: float = 0.0,
    retried_statuses: frozenset[int] = Ledger.retried_statuses,
    finished: threading.Event | None = None,
) -> list[Ledger]:
    """Let `writers` clients make `moves` moves each at every table, all at once, or until `finished` is set."""
    ledgers = [Ledger(retried_statuses) for _ in tables]
    together(
        writers,
        *(
            partial(make_moves, table, ledger, moves, cut_share, finished)
            for table, ledger in zip(tables, ledgers, strict=True)
        ),
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
