"""How the cost of a call grows with its size, sessions and workers: `python -m bench.growth`."""

from __future__ import annotations

import json
import random
import tempfile
import time
from http import HTTPStatus
from pathlib import Path
from time import process_time
from typing import Any

import engines
from bench.fast_path import answered, environment
from bench.http import CORES, Call, load, served, streams
from bench.results import Table, figure, micros
from bench.verdicts import COLOURS, TWINS
from service.app import create_app
from service.config import Settings
from service.contract import codecs
from tests.engines.games import random_game
from tests.faults.clients import Client
from tests.server import Server

ROUNDS = 9
MOVES = 40
"""Moves measured in each session."""


def costs(settings: Settings, path: str, body: Any) -> list[float]:
    """Microseconds of CPU of a call in process, without a socket, round by round."""
    app = create_app(settings)
    sent = json.dumps(body).encode()
    found = []
    calls = max(3, 30_000 // len(sent))
    for _ in range(ROUNDS):
        requests = [environment("POST", path, sent) for _ in range(calls)]
        began = process_time()
        for request in requests:
            answered(app, request)
        found.append((process_time() - began) / calls * 1e6)
    return found


def trick(seats: int) -> Any:
    """A trick of Twins with so many seats."""
    state: dict[str, Any] = {**TWINS["state"], "chips": [12] * seats}  # type: ignore[dict-item]
    return {**TWINS, "state": {**state, "hands": state["hands"][:seats]}, "moves": TWINS["moves"][:seats]}  # type: ignore[index]


def moves(count: int) -> Any:
    """A body of `/resolve` with so many moves of one game of gin rummy."""
    engine = engines.registry()["gin-rummy"]
    codec = codecs(engine)
    rng = random.Random("bench")
    while True:
        turns = list(random_game(engine, rng, count, engine.rulesets["standard"], checked=False))
        if len(turns) == count:
            made = [codec.move.dump(turn.move) for turn in turns]
            return {"game": "gin-rummy", "state": codec.state.dump(turns[0].before), "moves": made}


def size() -> Table:
    """The cost of a call by seats, by moves, and by entries of a batch."""
    asked: list[tuple[str, int, str, Any]] = [
        *[(f"a trick of Twins, {seats} seats", 1, "/resolve", trick(seats)) for seats in range(3, len(COLOURS) + 1)],
        *[(f"gin rummy, moves: {count}", count, "/resolve", moves(count)) for count in (1, 10, 100, 500)],
        *[
            (
                f"tricks in a batch: {count}",
                count,
                "/batch",
                {"requests": [{"path": "/resolve", "body": TWINS}] * count},
            )
            for count in (1, 10, 100)
        ],
    ]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(store_url=f"sqlite:///{folder}/sessions.sqlite3")
        rows = []
        for name, parts, path, body in asked:
            times = costs(settings, path, body)
            rows.append([name, micros(times), figure(sorted(times)[len(times) // 2] / parts)])
    return Table(
        "With what is asked",
        "CPU of a whole call in process: read, judged, written.",
        ("", "µs CPU", "of each part"),
        rows,
    )


def followed() -> Table:
    """The cost of a move in a session, by the number of moves before it and of listeners."""
    rows = []
    for before, listeners in ((0, 0), (100, 0), (1_000, 0), (0, 10), (0, 100), (0, 1_000)):
        with served("service.app:create_app()", REFEREE_REQUEST_LOG="off", REFEREE_STREAMS="2000") as server:
            with Client(server.port) as client:
                opened = client.ask("POST", "/sessions", {"game": "gin-rummy", "seats": 2, "public": True}).body
            rows.append(
                [f"{before} moves before, {listeners} listeners", micros(_moves(server, opened, before, listeners))]
            )
    return Table("In a session", "CPU of a move over HTTP, SQLite.", ("", "µs CPU"), rows)


def _moves(server: Server, opened: Any, before: int, listeners: int) -> list[float]:
    """Microseconds of CPU of each measured move, until all listeners have got its event."""
    path, headers = f"/sessions/{opened['id']}", {"Authorization": f"Bearer {opened['tokens']['host']}"}
    rng = random.Random("bench")
    found = []
    with Client(server.port) as client, streams(server, listeners, f"{path}/events"):
        for number in range(before + MOVES):
            offered = [each["move"] for each in client.ask("GET", f"{path}/legal-moves", headers=headers).body["moves"]]
            move = rng.choice([each for each in offered if each["type"] != "knock"])
            counted = number >= before
            if counted:
                time.sleep(0.01)
            began = on_cpu(server)
            made = client.ask("POST", f"{path}/moves", {"moves": [move]}, headers)
            assert made.status == HTTPStatus.CREATED, made
            if counted:
                time.sleep(0.02 + listeners / 10_000)
                found.append((on_cpu(server) - began) / 1_000)
    return found


def on_cpu(server: Server) -> int:
    """Nanoseconds of CPU that all threads of the workers have had."""
    return sum(map(on_cpu_of, server.workers()))


def on_cpu_of(process: int) -> int:
    """Nanoseconds of CPU that all threads of a process have had."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((each / "schedstat").read_text("ascii").split()[0]) for each in threads)


def workers() -> Table:
    """Requests a second by the number of workers, up to one for each core. wrk shares the last core."""
    rows = []
    body = json.dumps(TWINS)
    for count in range(1, int(CORES) + 1):
        with served("service.app:create_app()", REFEREE_REQUEST_LOG="off", REFEREE_WORKERS=str(count)) as server:
            runs = [load(server, Call("/resolve", body), connections=8 * count) for _ in range(3)]
            rows.append([f"{count}", figure(sorted(run.rate for run in runs)[1])])
    return Table(
        "With workers",
        f"A trick of Twins over HTTP. The load comes from the last of the {CORES} cores and takes its part of it.",
        ("workers", "requests a second"),
        rows,
    )


def growth() -> list[Table]:
    """The tables in bench/RESULTS.md."""
    return [size(), followed(), workers()]


if __name__ == "__main__":
    for each in growth():
        print(each.written(), end="\n\n")
