"""Counts after a clock that binds, while workers or stores are killed: each acknowledged one is in its table's log."""

import random
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from tests.faults.clients import UNSURE, Client, Reply, Table, send_and_retry, together
from tests.faults.runs import killed_stores, kills_of_workers, repeat_blow, service, stores
from tests.server import meanwhile, until

Harm = Callable[[threading.Event], None]  #: What is done until the event, or until it is enough.

SEATS, SECONDS = 4, 10
PAUSE = 4.0  #: The longest time after the end of the clock until a seat counts, in seconds.


class Counts(NamedTuple):
    """What became of the counts. `unlike`: tables whose counts are not in one entry, one for each seat."""

    acknowledged: int
    lost: int
    unlike: int
    stuck: int

    def __str__(self) -> str:
        return (
            f"{self.acknowledged} counts acknowledged, {self.lost} lost, {self.unlike} tables without one entry "
            f"of all, {self.stuck} players stuck"
        )


class Minute:
    """A table of timed Twin it! whose clock runs. `counted`: the acknowledged groups of each seat."""

    def __init__(self, port: int) -> None:
        body = {"game": "twin-it", "seats": SEATS, "ruleset": {"name": "timed"}, "clock_seconds": SECONDS}
        with Client(port) as client:
            opened = client.ask("POST", "/sessions", body).body
            self.table = Table(port, opened["id"], opened["tokens"]["host"])
            self.tokens: list[str] = opened["tokens"]["seats"]
            self.cards: list[str] = opened["state"]["table"]
            started = client.ask("POST", f"{self.table.path}/clock", {}, self.table.headers)
            assert started.status == 201
        self.ends = time.monotonic() + SECONDS
        self.counted: dict[int, Any] = {}
        self.stuck = 0

    def count(self, seat: int, cut: float) -> None:
        """Count a few groups some time after the end."""
        time.sleep(max(self.ends - time.monotonic(), 0) + random.uniform(0, PAUSE))
        cards = random.sample(self.cards, 6)
        move = {"type": "count", "seat": seat, "groups": [cards[:2], cards[2:4], cards[4:]]}
        with Client(self.table.port) as client:
            headers = {"Authorization": f"Bearer {self.tokens[seat]}"}
            reply = send_and_retry(client, self.table, headers, move, cut, _is_undecided)
        self.stuck += reply is UNSURE
        if isinstance(reply, Reply) and reply.status == 202:
            self.counted[seat] = move["groups"]

    def is_over(self) -> bool:
        """Whether the counts are settled. A read settles what is due."""
        with Client(self.table.port) as client:
            session = client.body_of(self.table.path, self.table.headers)
        return session is not None and session["result"] is not None

    def verdict(self) -> Counts:
        """Compare the acknowledged counts with those in the log."""
        until(self.is_over)
        entries = [entry["moves"] for entry in self.table.log() if entry["moves"]]
        groups = {move["seat"]: move["groups"] for moves in entries for move in moves}
        lost = sum(groups.get(seat) != counted for seat, counted in self.counted.items())
        unlike = len(entries) != 1 or sorted(move["seat"] for move in entries[0]) != [*range(SEATS)]
        return Counts(len(self.counted), lost, unlike, self.stuck)


def _is_undecided(reply: Reply) -> bool:
    return reply.status in {409, 503} and reply.body["type"] != "/problems/time-over"


def counts_and_kills(kind: str, tables: int = 20, kills: int = 12, cut: float = 0.1) -> Counts:
    """Let the seats of many tables count while workers are killed. At every second table a seat does not count."""
    with stores(kind) as (url, _), service(url) as server:
        return counts(server.port, tables, kills_of_workers(server, kills), cut)


def counts_and_killed_stores(kind: str, tables: int = 20, rounds: int = 4, cut: float = 0.1) -> Counts:
    """Let the seats of many tables count while a master of the store is killed, so many times."""
    with killed_stores(kind) as (url, kill), service(url) as server:
        return _sum(counts(server.port, tables, repeat_blow(1, 0, 2, kill), cut) for _ in range(rounds))


def counts(port: int, tables: int, harm: Harm, cut: float) -> Counts:
    """Let the seats of many tables count, with `harm` from the first acknowledged count on."""
    minutes = [Minute(port) for _ in range(tables)]
    seats = [(minute, seat) for place, minute in enumerate(minutes) for seat in range(SEATS - place % 2)]

    def harm_later(over: threading.Event) -> None:
        while not any(minute.counted for minute in minutes):
            if over.wait(0.01):
                return
        harm(over)

    calls: list[Callable[[], object]] = [partial(minute.count, seat, cut) for minute, seat in seats]
    with meanwhile(harm_later):
        together(1, *calls)
    return _sum(minute.verdict() for minute in minutes)


def _sum(counts: Iterable[Counts]) -> Counts:
    return Counts(*map(sum, zip(*counts, strict=True)))
