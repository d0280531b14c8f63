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

Harm = Callable[[Server, threading.Event], None]  #: Attacks a server until the event is set.


class Beside(NamedTuple):
    """Latency of good clients alone and under attack; MiB of the largest worker before and after; lines not in JSON."""

    alone: Latency
    beside: Latency
    before: float
    after: float
    raw: int

    def __str__(self) -> str:
        return (
            f"p99 {self.alone.p99:.0f} ms alone, {self.beside.p99:.0f} ms beside (p50 {self.beside.p50:.1f}, "
            f"worst {self.beside.worst:.0f}), answers {self.beside.statuses}, "
            f"memory {self.before:.0f} to {self.after:.0f} MiB, raw lines {self.raw}"
        )


def beside(harm: Harm, calls: int = 400, warm: float = 1.0, **settings: str) -> Beside:
    """Measure good clients at a new server, alone and during an attack."""
    with server(**settings) as started:
        good_clients(started, 80)
        return measure_good_clients(started, harm, calls, warm)


def measure_good_clients(started: Server, harm: Harm, calls: int, warm: float = 1.0) -> Beside:
    """Measure good clients at a running server, alone and during an attack."""
    alone, before = good_clients(started, calls), memory(started)
    with meanwhile(partial(harm, started)):
        time.sleep(warm)
        met = good_clients(started, calls)
    raw = [line for line in started.err.read_text("utf-8").splitlines() if not line.startswith("{")]
    return Beside(alone, met, before, memory(started), len(raw))


def server(**settings: str) -> Server:
    return Server(settings={"REFEREE_WORKERS": "2", "REFEREE_REQUEST_LOG": "off", **settings})


def memory(started: Server) -> float:
    """Return the memory of the largest worker in MiB."""
    return max(map(resident, started.workers())) / (1 << 20)


def good_clients(started: Server, calls: int, clients: int = 4) -> Latency:
    """Make calls from several clients, a few milliseconds apart. Half of the clients open a connection for each."""
    met: list[tuple[int, float]] = []

    def ask(fresh: bool) -> None:
        with Client(started.port) as client:
            for _ in range(calls // clients):
                reply = client.ask("POST", "/resolve", RESOLVE)
                met.append((reply.status, reply.seconds))
                if fresh:
                    client.close()
                time.sleep(0.004)

    together(clients // 2, partial(ask, True), partial(ask, False))
    return latency(met)


@contextmanager
def open_connections(
    started: Server, clients: int, first: bytes, over: threading.Event, source: str = "127.0.0.1"
) -> Iterator[list[socket.socket]]:
    """Open `clients` connections from an address and send `first` on each. Stop early if `over` is set."""
    held: list[socket.socket] = []
    with ExitStack() as stack:
        for _ in range(clients):
            if over.is_set():
                break
            with suppress(OSError):
                one = socket.create_connection(("127.0.0.1", started.port), timeout=5, source_address=(source, 0))
                held.append(stack.enter_context(one))
                one.sendall(first)
        yield held


def silent_connections(clients: int, first: bytes) -> Harm:
    """Open connections that send nothing after `first`, and never read an answer."""

    def harm(started: Server, over: threading.Event) -> None:
        with open_connections(started, clients, first, over):
            over.wait()

    return harm


def half_heads(clients: int) -> Harm:
    """Open connections that send half a head."""
    return silent_connections(clients, b"POST /resolve HTTP/1.1\r\nHost: te")


def reading_listeners(clients: int = 1_900, pause: float = 0.2) -> Harm:
    """Listen to one session, in which a move is made every `pause` seconds, and read all events."""

    def harm(started: Server, over: threading.Event) -> None:
        table = open_table(started.port)
        reader = selectors.DefaultSelector()
        with open_connections(started, clients, table.stream_request(), over) as held, Client(started.port) as client:
            for one in held:
                reader.register(one, selectors.EVENT_READ)
            due = 0.0
            while not over.is_set():
                if time.monotonic() > due:
                    make_a_move(client, table)
                    due = time.monotonic() + pause
                for key, _ in reader.select(0.05):
                    if not cast("socket.socket", key.fileobj).recv(65_536):
                        reader.unregister(key.fileobj)

    return harm


def make_a_move(client: Client, table: Table) -> None:
    moves = client.ask("GET", f"{table.path}/legal-moves", None, table.headers).body["moves"]
    client.ask(
        "POST", f"{table.path}/moves", {"moves": [without_knocks([each["move"] for each in moves])[0]]}, table.headers
    )


def posting_clients(requests: Sequence[bytes], clients: int = 8) -> Harm:
    """Post these requests in turn from several clients, each as soon as the client has the previous answer."""

    def harm(started: Server, over: threading.Event) -> None:
        def ask(first: int) -> None:
            with suppress(OSError), started.connect() as one:
                for request in islice(cycle(requests), first, None):
                    if over.is_set():
                        return
                    one.sendall(request)
                    read_answer(one)

        together(1, *(partial(ask, number) for number in range(clients)))

    return harm


def expensive() -> list[bytes]:
    """Return expensive requests: in turn tables to judge and bodies to read."""
    tables = [post(path, json.dumps(body).encode()) for game in costly_requests.GAMES for _, path, body in game()]
    bodies = [post("/resolve", body) for _, body in costly_requests.bodies(costly_requests.MIB, bounds.VALUES)]
    return [each for pair in zip_longest(tables, bodies) for each in pair if each]


class Others(NamedTuple):
    """The statuses of another client's requests, and those of the greedy client."""

    statuses: list[int]
    greedy: Counter[int]


def others_beside_a_greedy_listener(clients: int = 600, places: int = 300) -> Others:
    """Let one client take all streams, then another ask for some. One worker answers both."""
    over = threading.Event()
    with server(REFEREE_WORKERS="1", REFEREE_STREAMS=str(places)) as started:
        table = open_table(started.port)
        with open_connections(started, clients, table.stream_request(), over, "127.0.0.2") as held:
            greedy = Counter(status_of(one) for one in held)
            with open_connections(started, 20, table.stream_request(), over) as other:
                return Others([status_of(one) for one in other], greedy)


def status_of(one: socket.socket) -> int:
    """Return the status of the first answer."""
    one.settimeout(10)
    return int(one.recv(12)[9:12])
