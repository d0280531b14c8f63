"""How long a server takes until it answers, and its memory."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.load import Measured, load
from bench.peers import BASE, FASTAPI, Rival, family, ours, rivals
from bench.results import Table, figure
from tests.server import Server, free_port

ROUNDS = 3
BROKEN = (http.client.HTTPException, OSError)


def started(server: Server | Rival) -> float:
    """Seconds until a server that has just been started answers a request."""
    began = time.perf_counter()
    while True:
        with suppress(*BROKEN):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=1)
            connection.request("GET", "/livez")
            connection.getresponse().read()
            return time.perf_counter() - began
        time.sleep(0.005)


def memory(process: int) -> float:
    """MiB of a process and its children; memory that several share is counted once."""
    kib = 0
    for each in family(process):
        text = Path(f"/proc/{each}/smaps_rollup").read_text("ascii")
        kib += int(text.partition("\nPss:")[2].split()[0])
    return kib / 1024


@contextmanager
def fresh(name: str) -> Iterator[Server | Rival]:
    """A server of this name that has just been started."""
    if name == OURS:
        with Server(settings={"REFEREE_WORKERS": "1", "REFEREE_REQUEST_LOG": "off"}, patient=False) as server:
            yield server
    else:
        rival = rivals()[name][0]
        rival.port, rival.patient = free_port(), False
        with rival:
            yield rival


OURS = "**the service, one worker**"


def starting() -> Table:
    """The table in bench/RESULTS.md."""
    rows = []
    for name in (OURS, BASE, FASTAPI, "fastify and ajv, a constant"):
        if name != OURS and name not in rivals():
            continue
        seconds, at_rest, after = [], 0.0, 0.0
        for _ in range(ROUNDS):
            with fresh(name) as server:
                seconds.append(started(server))
                at_rest = memory(server.process.pid)
                call = ours()["a trick of Twins, six"] if name == OURS else rivals()[name][1]
                busy: Measured = server
                load(busy, call, seconds=2)
                after = memory(server.process.pid)
        rows.append([name, figure(sorted(seconds)[ROUNDS // 2]), figure(at_rest), figure(after)])
    return Table(
        "Start and memory",
        "Seconds from the command to the first answer, the median of three; MiB of all its processes then, and after "
        "two seconds of load (proportional set size).",
        ("", "seconds", "MiB", "MiB after load"),
        rows,
    )
