"""Counts after a clock that binds, while workers or stores are killed: each acknowledged one is in its table's log."""

import random
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from tests.faults.clients import UNSURE, Client, Reply, Table, must_retry_unless, send_until_answered, together
from tests.faults.runs import kill_workers_in_turn, killable_store, new_store, repeat, server_on
from tests.server import meanwhile, until

Harm = Callable[[threading.Event], None]  #: Does harm to a service, and returns early if the event is set.

SEATS, SECONDS = 4, 10
PAUSE = 4.0  #: The longest time after the end of the clock until a seat counts, in seconds.


class CountsOutcome(NamedTuple):
    """What became of the counts at some tables.

    `unlike`: tables whose log does not have all counts in one entry, one for each seat.
    """

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
    """A table of timed Twin it! whose clock runs. `counted`: the acknowledged groups of each seat; `stuck`: players."""

    def __init__(self, port: int) -> None:
        body = {"game": "twin-it", "seats": SEATS, "ruleset": {"name": "timed"}, "clock_seconds": SECONDS}
        with Client(port) as client:
            session = client.ask("POST", "/sessions", body).body
            self.table = Table(port, session["id"], session["tokens"]["host"])
            self.tokens: list[str] = session["tokens"]["seats"]
            self.cards: list[str] = session["state"]["table"]
            clock = client.ask("POST", f"{self.table.path}/clock", {}, self.table.headers)
            assert clock.status == 201
        self.ends = time.monotonic() + SECONDS
        self.counted: dict[int, Any] = {}
        self.stuck = 0

    def count(self, seat: int, cut_share: float) -> None:
        """Let a seat count three groups at some moment after the clock has ended."""
        time.sleep(max(self.ends - time.monotonic(), 0) + random.uniform(0, PAUSE))
        cards = random.sample(self.cards, 6)
        move = {"type": "count", "seat": seat, "groups": [cards[:2], cards[2:4], cards[4:]]}
        with Client(self.table.port) as client:
            headers = {"Authorization": f"Bearer {self.tokens[seat]}"}
            reply = send_until_answered(client, self.table, headers, move, cut_share, must_retry_unless("time-over"))
        self.stuck += reply is UNSURE
        if isinstance(reply, Reply) and reply.status == 202:
            self.counted[seat] = move["groups"]

    def is_over(self) -> bool:
        """Whether the counts are settled. A read settles what is due."""
        with Client(self.table.port) as client:
            session = client.body_of(self.table.path, self.table.headers)
        return session is not None and session["result"] is not None

    def outcome(self) -> CountsOutcome:
        """Wait until the counts are settled, and compare the acknowledged ones with those in the log."""
        until(self.is_over)
        entries = [entry["moves"] for entry in self.table.log() if entry["moves"]]
        groups = {move["seat"]: move["groups"] for moves in entries for move in moves}
        lost = sum(groups.get(seat) != counted for seat, counted in self.counted.items())
        unlike = len(entries) != 1 or sorted(move["seat"] for move in entries[0]) != [*range(SEATS)]
        return CountsOutcome(len(self.counted), lost, unlike, self.stuck)


def count_while_workers_are_killed(
    kind: str, tables: int = 20, kills: int = 12, cut_share: float = 0.1
) -> CountsOutcome:
    """Let the seats of many tables count while workers are killed."""
    with new_store(kind) as url, server_on(url) as server:
        return run_counts(server.port, tables, kill_workers_in_turn(server, kills), cut_share)


def count_while_masters_are_killed(
    kind: str, tables: int = 20, rounds: int = 4, cut_share: float = 0.1
) -> CountsOutcome:
    """Let the seats of many tables count while a master of the store is killed, once in each round."""
    with killable_store(kind) as (url, kill), server_on(url) as server:
        return _total(run_counts(server.port, tables, repeat(1, 0, 2, kill), cut_share) for _ in range(rounds))


def run_counts(port: int, tables: int, harm: Harm, cut_share: float) -> CountsOutcome:
    """Let the seats of many tables count, and do `harm` from the first acknowledged count on.

    At every second table one seat does not count.
    """
    minutes = [Minute(port) for _ in range(tables)]
    seats = [(minute, seat) for place, minute in enumerate(minutes) for seat in range(SEATS - place % 2)]

    def harm_after_the_first_count(stop: threading.Event) -> None:
        while not any(minute.counted for minute in minutes):
            if stop.wait(0.01):
                return
        harm(stop)

    calls: list[Callable[[], object]] = [partial(minute.count, seat, cut_share) for minute, seat in seats]
    with meanwhile(harm_after_the_first_count):
        together(1, *calls)
    return _total(minute.outcome() for minute in minutes)


def _total(counts: Iterable[CountsOutcome]) -> CountsOutcome:
    """Add up the figures of some outcomes."""
    return CountsOutcome(*map(sum, zip(*counts, strict=True)))
