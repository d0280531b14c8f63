"""Greedy and stalling clients: their effect on other clients' latency and on the workers' memory."""

import json
import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import cycle, islice, zip_longest
from typing import NamedTuple, cast

from distributions.worker.tests.raw_http import post, read_answer
from service import bounds
from tests.faults import costly_requests
from tests.faults.clients import Client, Table, open_table, together, without_knocks
from tests.faults.runs import RESOLVE, Latency, latency
from tests.server import Server, meanwhile, resident

Attack = Callable[[Server, threading.Event], None]  #: Attacks a server until the event is set.


class AttackReport(NamedTuple):
    """What an attack cost good clients and the server.

    `alone`, `attacked`: the latency of good clients; `mib_before`, `mib_after`: the memory of the largest worker;
    `raw_lines`: how many lines of the error log are not JSON.
    """

    alone: Latency
    attacked: Latency
    mib_before: float
    mib_after: float
    raw_lines: int

    def __str__(self) -> str:
        return (
            f"p99 {self.alone.p99:.0f} ms alone, {self.attacked.p99:.0f} ms beside (p50 {self.attacked.p50:.1f}, "
            f"worst {self.attacked.worst:.0f}), answers {self.attacked.statuses}, "
            f"memory {self.mib_before:.0f} to {self.mib_after:.0f} MiB, raw lines {self.raw_lines}"
        )


def measure_at_new_server(attack: Attack, calls: int = 400, warm: float = 1.0, **settings: str) -> AttackReport:
    """Measure good clients at a new server, alone and then, `warm` seconds after it has begun, during an attack."""
    with small_server(**settings) as started:
        measure_good_clients(started, 80)
        return measure_under_attack(started, attack, calls, warm)


def measure_under_attack(started: Server, attack: Attack, calls: int, warm: float = 1.0) -> AttackReport:
    """Measure good clients at a running server, alone and then, `warm` seconds after it has begun, during an attack."""
    alone, mib_before = measure_good_clients(started, calls), largest_worker_mib(started)
    with meanwhile(partial(attack, started)):
        time.sleep(warm)
        attacked = measure_good_clients(started, calls)
    raw_lines = [line for line in started.err.read_text("utf-8").splitlines() if not line.startswith("{")]
    return AttackReport(alone, attacked, mib_before, largest_worker_mib(started), len(raw_lines))


def small_server(**settings: str) -> Server:
    """Return a server of two workers, not yet started, that logs no request."""
    return Server(settings={"REFEREE_WORKERS": "2", "REFEREE_REQUEST_LOG": "off", **settings})


def largest_worker_mib(started: Server) -> float:
    """Return the memory of the largest worker in MiB."""
    return max(map(resident, started.workers())) / (1 << 20)


def measure_good_clients(started: Server, calls: int, clients: int = 4) -> Latency:
    """Make calls from several clients, a few milliseconds apart. Half of them open a new connection for each call."""
    replies: list[tuple[int, float]] = []

    def ask(fresh: bool) -> None:
        with Client(started.port) as client:
            for _ in range(calls // clients):
                reply = client.ask("POST", "/resolve", RESOLVE)
                replies.append((reply.status, reply.seconds))
                if fresh:
                    client.close()
                time.sleep(0.004)

    together(clients // 2, partial(ask, True), partial(ask, False))
    return latency(replies)


@contextmanager
def open_connections(
    started: Server, clients: int, first: bytes, stop: threading.Event, source: str = "127.0.0.1"
) -> Iterator[list[socket.socket]]:
    """Open `clients` connections from an address and send `first` on each, until all are open or `stop` is set."""
    connections: list[socket.socket] = []
    with ExitStack() as stack:
        for _ in range(clients):
            if stop.is_set():
                break
            with suppress(OSError):
                connection = socket.create_connection(
                    ("127.0.0.1", started.port), timeout=5, source_address=(source, 0)
                )
                connections.append(stack.enter_context(connection))
                connection.sendall(first)
        yield connections


def stalling_clients(clients: int, first: bytes) -> Attack:
    """An attack of clients that send nothing after `first`, and never read an answer."""

    def attack(started: Server, stop: threading.Event) -> None:
        with open_connections(started, clients, first, stop):
            stop.wait()

    return attack


def clients_with_half_heads(clients: int) -> Attack:
    """An attack of clients that send half a head, and no more."""
    return stalling_clients(clients, b"POST /resolve HTTP/1.1\r\nHost: te")


def listening_clients(clients: int = 1_900, pause: float = 0.2) -> Attack:
    """An attack of clients that all listen to one session, in which a move is made every `pause` seconds."""

    def attack(started: Server, stop: threading.Event) -> None:
        table = open_table(started.port)
        reader = selectors.DefaultSelector()
        with (
            open_connections(started, clients, table.stream_request(), stop) as listeners,
            Client(started.port) as client,
        ):
            for listener in listeners:
                reader.register(listener, selectors.EVENT_READ)
            due = 0.0
            while not stop.is_set():
                if time.monotonic() > due:
                    make_first_move(client, table)
                    due = time.monotonic() + pause
                for key, _ in reader.select(0.05):
                    if not cast("socket.socket", key.fileobj).recv(65_536):
                        reader.unregister(key.fileobj)

    return attack


def make_first_move(client: Client, table: Table) -> None:
    """Make the first of the legal moves that do not end the game."""
    moves = client.ask("GET", f"{table.path}/legal-moves", None, table.headers).body["moves"]
    client.ask(
        "POST", f"{table.path}/moves", {"moves": [without_knocks([each["move"] for each in moves])[0]]}, table.headers
    )


def posting_clients(requests: Sequence[bytes], clients: int = 8) -> Attack:
    """An attack of clients that post these requests in turn, each as soon as it has the previous answer."""

    def attack(started: Server, stop: threading.Event) -> None:
        def ask(first: int) -> None:
            with suppress(OSError), started.connect() as connection:
                for request in islice(cycle(requests), first, None):
                    if stop.is_set():
                        return
                    connection.sendall(request)
                    read_answer(connection)

        together(1, *(partial(ask, number) for number in range(clients)))

    return attack


def expensive_requests() -> list[bytes]:
    """Return the requests of `costly_requests`: tables to judge and bodies to read, in turn."""
    tables = [post(path, json.dumps(body).encode()) for game in costly_requests.GAMES for _, path, body in game()]
    bodies = [post("/resolve", body) for _, body in costly_requests.bodies(costly_requests.MIB, bounds.VALUES)]
    return [each for pair in zip_longest(tables, bodies) for each in pair if each]


class StreamStatuses(NamedTuple):
    """The statuses of the streams that another client opened, and of those that the greedy client opened."""

    statuses: list[int]
    greedy: Counter[int]


def open_streams_beside_a_greedy_listener(clients: int = 600, places: int = 300) -> StreamStatuses:
    """Let one client open more streams than there are places, then another open 20. One worker answers both."""
    never = threading.Event()
    with small_server(REFEREE_WORKERS="1", REFEREE_STREAMS=str(places)) as started:
        table = open_table(started.port)
        with open_connections(started, clients, table.stream_request(), never, "127.0.0.2") as greedy_streams:
            greedy = Counter(read_status(stream) for stream in greedy_streams)
            with open_connections(started, 20, table.stream_request(), never) as other_streams:
                return StreamStatuses([read_status(stream) for stream in other_streams], greedy)


def read_status(connection: socket.socket) -> int:
    """Read the status of the next answer."""
    connection.settimeout(10)
    return int(connection.recv(12)[9:12])
