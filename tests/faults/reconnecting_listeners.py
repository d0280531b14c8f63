"""Hundreds of listeners that reconnect at once when their streams end, each from the last entry it received."""

import random
import re
import selectors
import signal
import socket
import threading
import time
from collections import Counter
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from tests.faults.clients import BROKEN, Client, Ledger, Table, Verdict, open_table, together, verdict, write
from tests.faults.runs import RESOLVE, Latency, latency, service, stores
from tests.server import Server, meanwhile, until

AGAIN = 0.2  #: Seconds until a refused listener retries. A listener whose stream has ended retries at once.
HEARD = re.compile(rb"id: (\d+)\nevent: entry\n")
BEGUN = re.compile(rb"HTTP/1\.1 (\d+) ")


class Listener:
    """A client of one session's event stream. `versions`: those received, in order; `came`: how many streams."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.versions: list[int] = []
        self.came = 0
        self.gone_at: float | None = None
        self.asks_at = 0.0
        self.socket: socket.socket | None = None
        self._text, self._begun = b"", False

    def ask(self, server: Server) -> socket.socket:
        """Open a new stream after the last received entry."""
        self.socket = server.connect()
        self._text, self._begun = b"", False
        self.socket.sendall(self.table.stream_request(*(f"Last-Event-ID: {last}" for last in self.versions[-1:])))
        self.socket.setblocking(False)
        return self.socket

    def take(self) -> int | None:
        """Read what has arrived. Return a new stream's status, 0 if the stream has ended, otherwise None."""
        assert self.socket is not None
        begins, self._begun = not self._begun, True
        try:
            part = self.socket.recv(1 << 16)
        except BlockingIOError:
            return None
        except OSError:
            return 0
        self._text += part
        end = 0
        for match in HEARD.finditer(self._text):
            self.versions.append(int(match[1]))
            end = match.end()
        self._text = self._text[end:]
        if begins and (answer := BEGUN.match(part)):
            return int(answer[1])
        return None if part else 0


class Herd:
    """All listeners, in one thread. `statuses`: of their answers; `slowest`: the longest reconnection in seconds."""

    def __init__(self, server: Server, tables: list[Table], count: int) -> None:
        self.server = server
        self.listeners = [Listener(tables[number % len(tables)]) for number in range(count)]
        self.statuses: Counter[int] = Counter()
        self.slowest = 0.0
        self._selector = selectors.DefaultSelector()

    def listen(self, over: threading.Event) -> None:
        """Run the listeners until `over` is set."""
        away = set(self.listeners)
        while not over.is_set():
            now = time.monotonic()
            for each in [each for each in away if each.asks_at <= now]:
                with suppress(OSError):
                    self._selector.register(each.ask(self.server), selectors.EVENT_READ, each)
                    away.remove(each)
            for key, _ in self._selector.select(0.02):
                self._hear(key.data, away)
        for each in self.listeners:
            if each.socket is not None:
                each.socket.close()

    def _hear(self, one: Listener, away: set[Listener]) -> None:
        status = one.take()
        if status is None:
            return
        if status:
            self.statuses[status] += 1
        if status == 200:
            one.came += 1
            if one.gone_at is not None:
                self.slowest = max(self.slowest, time.monotonic() - one.gone_at)
            one.gone_at = None
            return
        assert one.socket is not None
        self._selector.unregister(one.socket)
        one.socket.close()
        now = time.monotonic()
        one.gone_at = one.gone_at or now
        one.asks_at = now + AGAIN if status else now
        away.add(one)


class Driven(NamedTuple):
    """The outcome for the moves and the listeners: entries that one missed, or received twice.

    `slowest`: the longest reconnection in seconds; `stateless`: the latency of other calls meanwhile.
    """

    verdict: Verdict
    missed: int
    twice: int
    came_back: int
    slowest: float
    statuses: dict[int, int]
    stateless: Latency

    def __str__(self) -> str:
        return (
            f"{self.verdict}\n"
            f"    {self.missed} entries missed, {self.twice} twice; {self.came_back} came back, {self.statuses}\n"
            f"    the slowest was back after {self.slowest:.1f} s; /resolve {self.stateless}"
        )


def run_listeners(kind: str, listeners: int = 1_000, tables: int = 20, blows: int = 6) -> Driven:
    """Run listeners and moves, while workers are replaced or killed in turn: half of the streams end, or all."""
    with stores(kind) as (url, _), service(url) as server:
        opened_tables = [open_table(server.port) for _ in range(tables)]
        ledgers = [Ledger() for _ in opened_tables]
        herd = Herd(server, opened_tables, listeners)
        others: list[tuple[int, float]] = []

        def ask(over: threading.Event) -> None:
            while not over.wait(0.1):
                with Client(server.port) as client, suppress(*BROKEN):
                    reply = client.ask("POST", "/resolve", RESOLVE)
                    others.append((reply.status, reply.seconds))

        def play(over: threading.Event) -> None:
            pairs = zip(opened_tables, ledgers, strict=True)
            together(1, *(partial(_play_on, table, ledger, over) for table, ledger in pairs))

        with meanwhile(herd.listen):
            until(lambda: herd.statuses[200] >= listeners)
            with meanwhile(play, ask):
                _strike(server, herd, blows)
            writers = verdict(opened_tables, ledgers)
            reached = {each.id: len(ledger.moves) for each, ledger in zip(opened_tables, ledgers, strict=True)}
            with suppress(AssertionError):  # missing entries are counted below
                until(lambda: all(each.versions[-1:] == [reached[each.table.id]] for each in herd.listeners), 30)
        return Driven(
            writers,
            sum(reached[each.table.id] - len(set(each.versions)) for each in herd.listeners),
            sum(later <= earlier for each in herd.listeners for earlier, later in pairwise(each.versions)),
            sum(each.came - 1 for each in herd.listeners),
            herd.slowest,
            dict(herd.statuses),
            latency(others),
        )


def _strike(server: Server, herd: Herd, blows: int) -> None:
    for number in range(blows):
        time.sleep(1)
        old = server.workers()
        if number % 2:
            server.kill(random.choice(old))
        else:
            server.process.send_signal(signal.SIGHUP)
            until(lambda old=old: not set(old) & set(server.workers()))
        time.sleep(0.5)  # all workers have noticed
        until(lambda: not any(each.gone_at for each in herd.listeners))


def _play_on(table: Table, ledger: Ledger, over: threading.Event) -> None:
    while not over.wait(0.2):
        write(table, ledger, 1)
