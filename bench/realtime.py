"""Twin it! in real time: how soon a touch is seen by the others: `python -m bench.realtime [sqlite | redis] [SECONDS]`.

Two workers; the players run in this process, each with a connection of its own and an event stream. First one table
of six beside 200 others, at each of which somebody moves once a second. Then 50 tables of six. At a measured table
every player lays a hand each second, the window closes, and a card is flipped.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any

from bench.http import served
from bench.openings import KINDS
from bench.results import Table, figure
from bench.sessions import store
from tests.server import Server

SEATS, WINDOW, BESIDE, CROWD = 6, 400, 200, 50
ROOM = {"REFEREE_WORKERS": "2", "REFEREE_STREAMS": "100000", "REFEREE_CONNECTIONS": "20000"}


class Connection:
    """A kept-alive connection of one client."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port = port
        self.head = f"Host: bench\r\nAuthorization: Bearer {token}\r\n" if token else "Host: bench\r\n"

    async def _open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 22)

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The status and the body of an answer."""
        if not hasattr(self, "writer"):
            await self._open()
        sent = b"" if body is None else json.dumps(body).encode()
        fields = f"{self.head}Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n"
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{fields}\r\n".encode() + sent)
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0])
        return int(head[9:12]), json.loads(await self.reader.readexactly(length) or b"null")

    async def events(self, path: str) -> None:
        """Begin an event stream."""
        await self._open()
        self.writer.write(f"GET {path} HTTP/1.1\r\n{self.head}\r\n".encode())
        await self.reader.readuntil(b"\r\n\r\n")

    async def event(self) -> tuple[str, Any]:
        """The kind and the data of the next event."""
        kind = ""
        while True:
            line = (await self.reader.readline()).strip()
            if line.startswith(b"event: "):
                kind = line[7:].decode()
            elif line.startswith(b"data: "):
                return kind, json.loads(line[6:])


@dataclass
class Game:
    """A session with all its seats. `seen`: seconds from a touch to each other player's sight of it."""

    port: int
    seen: list[float]
    touched: dict[tuple[int, str], float] = field(default_factory=dict)
    refused: int = 0

    async def open(self, **more: Any) -> None:
        self.host = Connection(self.port)
        status, body = await self.host.ask("POST", "/sessions", {"game": "twin-it", "seats": SEATS, **more})
        assert status == 201, body
        self.path, tokens = f"/sessions/{body['id']}", body["tokens"]
        self.host.head += f"Authorization: Bearer {tokens['host']}\r\n"
        self.tokens = tokens["seats"]
        self.seats = [Connection(self.port, token) for token in self.tokens]

    async def look(self, seat: int) -> None:
        """Follow the table as one seat, and note when each hand of the others is seen first."""
        stream, known = Connection(self.port, self.tokens[seat]), set[tuple[int, str]]()
        await stream.events(f"{self.path}/events")
        while True:
            kind, data = await stream.event()
            now = time.perf_counter()
            for hand in data["hands"] if kind == "incident" else ():
                touch = hand["seat"], hand["card"]
                if touch not in known and touch[0] != seat and touch in self.touched:
                    self.seen.append(now - self.touched[touch])
                known.add(touch)
            if kind == "entry":
                known.clear()

    async def touch(self, seat: int, card: str, after: float) -> None:
        await asyncio.sleep(after)
        self.touched[seat, card] = time.perf_counter()
        hand = {"type": "claim", "hands": [{"seat": seat, "card": card}]}
        status, _ = await self.seats[seat].ask("POST", f"{self.path}/moves", {"moves": [hand]})
        self.refused += status != 202

    async def play(self, until: float) -> None:
        """Flip a card, let every seat touch one, and wait for the settlement, once a second."""
        dice = random.Random(self.path)
        while time.monotonic() < until:
            began = time.monotonic()
            _, session = await self.host.ask("GET", self.path)
            state = session["state"]
            if session["result"] is not None or not any(state["piles"]):
                return
            if state["turn"] is not None:
                flip = {"type": "flip", "seat": state["turn"]}
                _, made = await self.host.ask("POST", f"{self.path}/moves", {"moves": [flip]})
                state = made.get("state", state)
            tops = [pile[0] for pile in state["piles"] if pile]
            self.touched.clear()
            await asyncio.gather(
                *(self.touch(seat, dice.choice(tops + state["table"]), 0.3 * dice.random()) for seat in range(SEATS))
            )
            await asyncio.sleep(max(0.0, began + 1 - time.monotonic()))

    async def move(self, until: float) -> None:
        """Make one flip a second."""
        await asyncio.sleep(random.random())
        while time.monotonic() < until:
            _, found = await self.host.ask("GET", f"{self.path}/legal-moves")
            flips = [each["move"] for each in found["moves"] if each["move"]["type"] == "flip"]
            if not flips:
                return
            await self.host.ask("POST", f"{self.path}/moves", {"moves": flips[:1]})
            await asyncio.sleep(1)


async def measured(port: int, tables: int, beside: int, seconds: float) -> tuple[list[float], int]:
    """Play so many measured tables beside so many others; the times of all touches, and how many were refused."""
    seen: list[float] = []
    games = [Game(port, seen) for _ in range(tables)]
    others = [Game(port, []) for _ in range(beside)]
    for game in games:
        await game.open(gather_ms=WINDOW)
    for other in others:
        await other.open()
    looking = [asyncio.create_task(game.look(seat)) for game in games for seat in range(SEATS)]
    await asyncio.sleep(2)
    until = time.monotonic() + seconds
    playing: list[Coroutine[Any, Any, None]] = [game.play(until) for game in games]
    await asyncio.gather(*playing, *(other.move(until) for other in others))
    await asyncio.sleep(1)
    for task in looking:
        task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*looking)
    return seen, sum(game.refused for game in games)


def _row(name: str, server: Server, tables: int, beside: int, seconds: float) -> tuple[str, ...]:
    before = server.cpu()
    seen, refused = asyncio.run(measured(server.port, tables, beside, seconds))
    cuts = quantiles(seen, n=100)
    times = [figure(each * 1000) for each in (cuts[49], cuts[98], max(seen))]
    return name, f"{len(seen):,}", *times, str(refused), f"{(server.cpu() - before) / seconds:.2f}"


def realtime(kinds: Sequence[str] = tuple(KINDS), seconds: float = 20) -> Table:
    """The times from a touch to its sight, for each store."""
    rows = []

    for kind in kinds:
        with store(kind) as settings, served("service.app:create_app()", **ROOM, **settings) as server:
            rows.append(_row(f"{KINDS[kind]}: one table of six beside {BESIDE}", server, 1, BESIDE, seconds))
            rows.append(_row(f"{KINDS[kind]}: {CROWD} tables of six, a hand a second each", server, CROWD, 0, seconds))
    return Table(
        "Twin it! in real time",
        "Milliseconds from a touch to the moment at which another player's stream shows it. Two workers and all "
        "players share two cores.",
        ("store", "sightings", "median", "99th percentile", "longest", "touches refused", "cores used by the workers"),
        rows,
    )


if __name__ == "__main__":
    chosen = [each for each in sys.argv[1:] if each in KINDS]
    lasts = [float(each) for each in sys.argv[1:] if each not in KINDS]
    print(realtime(chosen or tuple(KINDS), *lasts).written())
