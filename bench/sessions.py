"""A move in a session beside the same move posted to /resolve.

Twins with three seats: the buys and three tricks of every session. All sessions make their first move, then all their
second, so that no move waits for another. Each move is made once. Redis runs on the core that makes the load.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any, NamedTuple

import engines
from bench.load import Run, served
from bench.results import Table, micros
from engines.core.judge import resolve
from service.contract import codecs
from tests.faults.clients import Client
from tests.faults.servers import one_redis
from tests.server import Server

KINDS = {"sqlite": "SQLite", "redis": "Redis"}
SESSIONS = 300
SEATS = 3
ENGINE = engines.registry()["twins"]
CODECS = codecs(ENGINE)


class Sent(NamedTuple):
    """One move as two requests: to `/resolve` with the whole table, and to the session that has the table."""

    stateless: bytes
    session: bytes


def game(port: int) -> list[Sent]:
    """The buys of a new session and the moves of its first three tricks."""
    with Client(port) as client:
        opened = client.ask("POST", "/sessions", {"game": "twins", "seats": SEATS}).body
    path, token = f"/sessions/{opened['id']}/moves", opened["tokens"]["host"]
    state = CODECS.state.load(opened["state"])
    sent = []
    for number in range(4 * SEATS):
        seat = number % SEATS
        bare = {"type": "buy", "seat": seat, "count": 0}
        move = bare if number < SEATS else {"type": "play", "seat": seat, "cards": state.hands[seat][:2]}
        body = {"game": "twins", "state": CODECS.state.dump(state), "moves": [move]}
        sent.append(Sent(request("/resolve", None, body), request(path, token, {"moves": [move]})))
        made = resolve(ENGINE, state, [CODECS.move.load(json.loads(json.dumps(move)))])
        assert made.legal
        state = made.state
    return sent


def request(path: str, token: str | None, body: Any) -> bytes:
    sent = json.dumps(body).encode()
    who = f"Authorization: Bearer {token}\r\n" if token else ""
    head = f"POST {path} HTTP/1.1\r\nHost: bench\r\n{who}Content-Type: application/json\r\n"
    return f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent


def send_all(server: Server, requests: list[bytes], connections: int = 8) -> Run:
    """Send every request once, each connection the next one as soon as it has its answer."""
    waiting = selectors.DefaultSelector()
    todo = iter(requests)
    failed = 0
    before, began = server.cpu(), time.perf_counter()
    for _ in range(connections):
        connection = server.connect()
        connection.sendall(next(todo))
        waiting.register(connection, selectors.EVENT_READ)
    while waiting.get_map():
        for key, _ in waiting.select():
            assert isinstance(key.fileobj, socket.socket)
            connection = key.fileobj
            failed += status(connection) // 100 != 2
            following = next(todo, None)
            if following is None:
                waiting.unregister(connection)
                connection.close()
            else:
                connection.sendall(following)
    seconds = time.perf_counter() - began
    used = server.cpu() - before
    return Run(len(requests) / seconds, float("nan"), float("nan"), used / len(requests) * 1e6, failed)


def status(connection: socket.socket) -> int:
    """Read one answer; return its status."""
    head, _, body = connection.recv(65_536).partition(b"\r\n\r\n")
    missing = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]) - len(body)
    while missing:
        missing -= len(connection.recv(65_536))
    return int(head[9:12])


@contextmanager
def store(kind: str) -> Iterator[dict[str, str]]:
    if kind == "sqlite":
        yield {}
        return
    with one_redis() as redis:
        os.sched_setaffinity(redis.pid, {max(os.sched_getaffinity(0))})
        yield {"REFEREE_STORE_URL": redis.url}


def compare(kind: str, rounds: int = 5) -> list[tuple[Run, Run]]:
    """Runs of moves posted to `/resolve` and of the same moves in sessions, in turn, against one worker."""
    found = []
    cores = os.sched_getaffinity(0)
    with store(kind) as settings, served(**settings) as server:
        os.sched_setaffinity(0, {max(cores)})
        try:
            for _ in range(rounds):
                games = [game(server.port) for _ in range(SESSIONS)]
                moves = [each for step in zip(*games, strict=True) for each in step]
                stateless = send_all(server, [move.stateless for move in moves])
                session = send_all(server, [move.session for move in moves])
                assert stateless.failed == session.failed == 0
                found.append((stateless, session))
        finally:
            os.sched_setaffinity(0, cores)
    return found


def sessions() -> Table:
    """The CPU and the ratios of each store. Each ratio is taken within its round."""
    rows = []
    for kind, name in KINDS.items():
        runs = compare(kind)
        rates = [session.rate / stateless.rate for stateless, session in runs]
        costs = [stateless.cpu / session.cpu for stateless, session in runs]
        row = [name, micros([stateless.cpu for stateless, _ in runs]), micros([session.cpu for _, session in runs])]
        row += [f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})" for ratios in (costs, rates)]
        rows.append(row)
    return Table(
        "A move in a session, beside the same /resolve",
        "Twins of three: every move of three tricks, once with its table in the body, once to a session that has it, "
        f"{SESSIONS} sessions by turns. CPU is the worker's; what Redis does itself is in requests a second only.",
        ("store", "/resolve, µs CPU", "session, µs CPU", "1 / CPU", "requests a second"),
        rows,
    )
