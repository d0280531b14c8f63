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

from tests.faults.clients import BROKEN, Client, Ledger, Table, Verdict, make_moves, open_table, together, verdict
from tests.faults.runs import RESOLVE, Latency, latency, new_store, server_on
from tests.server import Server, meanwhile, until

RETRY_SECONDS = 0.2  #: Seconds until a refused listener retries. A listener whose stream has ended retries at once.
ENTRY = re.compile(rb"id: (\d+)\nevent: entry\n")
STATUS_LINE = re.compile(rb"HTTP/1\.1 (\d+) ")


class Listener:
    """A client of one session's event stream.

    `versions`: those received, in order; `streams`: how many it has opened; `ended_at`: when its last stream ended,
    None while it has one; `due_at`: when it may open the next.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.versions: list[int] = []
        self.streams = 0
        self.ended_at: float | None = None
        self.due_at = 0.0
        self.socket: socket.socket | None = None
        self._text, self._has_status = b"", False

    def ask(self, server: Server) -> socket.socket:
        """Ask for a stream of the entries after the last received one."""
        self.socket = server.connect()
        self._text, self._has_status = b"", False
        self.socket.sendall(self.table.stream_request(*(f"Last-Event-ID: {last}" for last in self.versions[-1:])))
        self.socket.setblocking(False)
        return self.socket

    def receive(self) -> int | None:
        """Read what has arrived. Return a new stream's status, 0 if the stream has ended, otherwise None."""
        assert self.socket is not None
        begins, self._has_status = not self._has_status, True
        try:
            part = self.socket.recv(1 << 16)
        except BlockingIOError:
            return None
        except OSError:
            return 0
        self._text += part
        end = 0
        for match in ENTRY.finditer(self._text):
            self.versions.append(int(match[1]))
            end = match.end()
        self._text = self._text[end:]
        if begins and (answer := STATUS_LINE.match(part)):
            return int(answer[1])
        return None if part else 0


class Herd:
    """All listeners, in one thread. `statuses`: of their streams; `slowest`: the longest reconnection in seconds."""

    def __init__(self, server: Server, tables: list[Table], count: int) -> None:
        self.server = server
        self.listeners = [Listener(tables[number % len(tables)]) for number in range(count)]
        self.statuses: Counter[int] = Counter()
        self.slowest = 0.0
        self._selector = selectors.DefaultSelector()

    def listen(self, stop: threading.Event) -> None:
        """Run the listeners until `stop` is set."""
        disconnected = set(self.listeners)
        while not stop.is_set():
            now = time.monotonic()
            for each in [each for each in disconnected if each.due_at <= now]:
                with suppress(OSError):
                    self._selector.register(each.ask(self.server), selectors.EVENT_READ, each)
                    disconnected.remove(each)
            for key, _ in self._selector.select(0.02):
                self._handle(key.data, disconnected)
        for each in self.listeners:
            if each.socket is not None:
                each.socket.close()

    def _handle(self, listener: Listener, disconnected: set[Listener]) -> None:
        """Take what has arrived for a listener: entries, a new stream, a refusal, or the end of its stream."""
        status = listener.receive()
        if status is None:
            return
        if status:
            self.statuses[status] += 1
        if status == 200:
            listener.streams += 1
            if listener.ended_at is not None:
                self.slowest = max(self.slowest, time.monotonic() - listener.ended_at)
            listener.ended_at = None
            return
        assert listener.socket is not None
        self._selector.unregister(listener.socket)
        listener.socket.close()
        now = time.monotonic()
        listener.ended_at = listener.ended_at or now
        listener.due_at = now + RETRY_SECONDS if status else now
        disconnected.add(listener)


class ListenersOutcome(NamedTuple):
    """What became of the moves and of the listeners.

    `missed`, `twice`: entries that a listener did not receive, or received twice; `came_back`: streams that followed an
    earlier one; `slowest`: the longest reconnection in seconds; `stateless`: the latency of other calls meanwhile.
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


def run_listeners(kind: str, listeners: int = 1_000, tables: int = 20, blows: int = 6) -> ListenersOutcome:
    """Run listeners and moves, while all workers are reloaded and one of two is killed, in turn, so many `blows`."""
    with new_store(kind) as url, server_on(url) as server:
        opened_tables = [open_table(server.port) for _ in range(tables)]
        ledgers = [Ledger() for _ in opened_tables]
        herd = Herd(server, opened_tables, listeners)
        replies: list[tuple[int, float]] = []

        def ask(stop: threading.Event) -> None:
            while not stop.wait(0.1):
                with Client(server.port) as client, suppress(*BROKEN):
                    reply = client.ask("POST", "/resolve", RESOLVE)
                    replies.append((reply.status, reply.seconds))

        def play(stop: threading.Event) -> None:
            pairs = zip(opened_tables, ledgers, strict=True)
            together(1, *(partial(_make_moves_until, table, ledger, stop) for table, ledger in pairs))

        with meanwhile(herd.listen):
            until(lambda: herd.statuses[200] >= listeners)
            with meanwhile(play, ask):
                _exchange_workers(server, herd, blows)
            writers = verdict(opened_tables, ledgers)
            last_versions = {each.id: len(ledger.moves) for each, ledger in zip(opened_tables, ledgers, strict=True)}
            with suppress(AssertionError):  # missing entries are counted below
                until(lambda: all(each.versions[-1:] == [last_versions[each.table.id]] for each in herd.listeners), 30)
        return ListenersOutcome(
            writers,
            sum(last_versions[each.table.id] - len(set(each.versions)) for each in herd.listeners),
            sum(later <= earlier for each in herd.listeners for earlier, later in pairwise(each.versions)),
            sum(each.streams - 1 for each in herd.listeners),
            herd.slowest,
            dict(herd.statuses),
            latency(replies),
        )


def _exchange_workers(server: Server, herd: Herd, blows: int) -> None:
    """Reload all workers and kill one, in turn, each time when all listeners are back."""
    for number in range(blows):
        time.sleep(1)
        old = server.workers()
        if number % 2:
            server.kill(random.choice(old))
        else:
            server.process.send_signal(signal.SIGHUP)
            until(lambda old=old: not set(old) & set(server.workers()))
        time.sleep(0.5)  # all workers have noticed
        until(lambda: not any(each.ended_at for each in herd.listeners))


def _make_moves_until(table: Table, ledger: Ledger, stop: threading.Event) -> None:
    """Make a move every 0.2 seconds until `stop` is set."""
    while not stop.wait(0.2):
        make_moves(table, ledger, 1)
