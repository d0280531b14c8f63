"""Measures the service over HTTP: `python -m bench.http [workers | slow | streams]`, all by default.

Other benchmarks use its servers, load and comparisons. Servers are compared in alternating runs under the settings of
deploy/gunicorn.conf.py. On a shared machine the CPU time of a request says more than the requests a second. wrk makes
the load.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any, Protocol
from urllib.request import Request, urlopen

from tests.server import Server

CONSTANT = "bench.constant:create_app()"
SERVICE = "service.app:create_app()"
CORES = str(len(os.sched_getaffinity(0)))


def served(app: str, *options: str, **settings: str) -> Server:
    """A server to measure: one worker on the first core unless set otherwise, without a request log."""
    return Server(app, options, settings={"REFEREE_WORKERS": "1", "REFEREE_REQUEST_LOG": os.devnull} | settings)


POSTS = 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
"""The beginning of a wrk script that posts JSON."""


@dataclass(frozen=True)
class Call:
    """A request that is sent again and again. `wrk`: a script that makes another request each time instead."""

    path: str
    body: Any = None
    wrk: str = ""

    @property
    def script(self) -> str:
        if self.body is None:
            return self.wrk
        text = self.body if isinstance(self.body, str) else json.dumps(self.body)
        return f"{POSTS}wrk.body = [==[{text}]==]\n"


@dataclass(frozen=True)
class Run:
    """One run of load. Times in microseconds; `failed`: answers other than 2xx, and connections broken or timed out."""

    rate: float
    p50: float
    p99: float
    cpu: float
    failed: int

    def __str__(self) -> str:
        return (
            f"{self.rate:8.0f}/s   p50 {self.p50 / 1000:7.2f} ms   p99 {self.p99 / 1000:8.2f} ms   "
            f"{self.cpu:6.0f} µs CPU   {self.failed} failed"
        )


SETTLED = 0.3
"""Seconds in which a server finishes the long calls that the last load has left behind."""
UNITS = {"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6}


class Asked(Protocol):
    """A server under load."""

    @property
    def port(self) -> int:
        """Of 127.0.0.1."""

    def cpu(self) -> float:
        """Seconds of CPU time."""


def load(server: Asked, call: Call, *, connections: int = 8, seconds: int = 3) -> Run:
    """wrk's load of one call, from the last core if there are several."""
    if not shutil.which("wrk"):
        raise SystemExit("wrk makes the load; please install it (Debian: apt-get install wrk).")
    core = max(os.sched_getaffinity(0))
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(call.script)
        script.flush()
        address = f"http://127.0.0.1:{server.port}{call.path}"
        command = ["taskset", "-c", str(core), "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
        time.sleep(SETTLED)
        before = server.cpu()
        report = subprocess.run(
            [*command, "-s", script.name, address], capture_output=True, text=True, check=True
        ).stdout
        used = server.cpu() - before

    def found(pattern: str) -> tuple[str, ...]:
        match = re.search(pattern, report)
        return match.groups() if match else ()

    def percentile(number: int) -> float:
        value, unit = found(rf"{number}%\s+([\d.]+)(us|ms|s|m)\b") or ("nan", "s")
        return float(value) * UNITS[unit]

    requests = int(*found(r"(\d+) requests in"))
    failed = sum(map(int, found(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")))
    failed += sum(map(int, found(r"Non-2xx or 3xx responses: (\d+)")))
    rate = float(*found(r"Requests/sec:\s+([\d.]+)"))
    return Run(rate, percentile(50), percentile(99), used / max(requests, 1) * 1e6, failed)


def compare(named: dict[str, tuple[Server, Call]], rounds: int = 7, seconds: int = 2) -> None:
    """Load all in turn and print the runs, and each one's ratios to the first within each round."""
    runs: dict[str, list[Run]] = {name: [] for name in named}
    for _ in range(rounds):
        for name, (server, call) in named.items():
            runs[name].append(load(server, call, seconds=seconds))
    base, *others = named
    for name, all_runs in runs.items():
        print(f"  {name:<34} {sorted(all_runs, key=lambda run: run.rate)[rounds // 2]}")
    for name in others:
        pairs = list(zip(runs[base], runs[name], strict=True))
        spread("throughput", name, base, [ours.rate / theirs.rate for theirs, ours in pairs])
        spread("1 / CPU", name, base, [theirs.cpu / ours.cpu for theirs, ours in pairs])


def spread(what: str, name: str, base: str, ratios: list[float]) -> None:
    print(f"  {what} of {name} / {base}: {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")


# --- clients that hold on ----------------------------------------------------


@contextmanager
def slow_clients(server: Server, count: int) -> Iterator[list[socket.socket]]:
    """Connections that send one byte of a header a second and never end the header."""
    held = [server.connect() for _ in range(count)]
    over = threading.Event()

    def drip() -> None:
        for client in held:
            client.send(b"POST /constant HTTP/1.1\r\nHost: slow\r\nX-Slow: ")
        while not over.wait(1):
            for client in held:
                try:
                    client.send(b"x")
                except OSError:
                    continue

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield held
    finally:
        over.set()
        thread.join()
        for client in held:
            client.close()


@contextmanager
def streams(server: Server, count: int, path: str) -> Iterator[list[int]]:
    """Readers of server-sent events; yields the bytes that each has received, counted as they come."""
    held = [server.connect() for _ in range(count)]
    received = [0] * count
    over = threading.Event()
    for client in held:
        client.send(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
        client.setblocking(False)

    def read() -> None:
        while not over.wait(0.5):
            for place, client in enumerate(held):
                try:
                    received[place] += len(client.recv(65_536))
                except BlockingIOError:
                    continue

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield received
    finally:
        over.set()
        thread.join()
        for client in held:
            client.close()


# --- what is measured --------------------------------------------------------

WORKERS = {
    "sync": ("-k", "sync"),
    "gthread, 4 threads": ("-k", "gthread", "--threads", "4"),
    "gevent": ("-k", "gevent"),
    "ours": (),
}


def workers() -> None:
    """Every worker class on all cores, free and with one core for each worker."""
    for pinned in ("0", "1"):
        print(f"\nA constant route on all cores, {'one core for each worker' if pinned == '1' else 'workers free'}:")
        for name, options in WORKERS.items():
            with served(CONSTANT, *options, REFEREE_PIN=pinned, REFEREE_WORKERS=CORES) as server:
                print(f"  {name:<34} {load(server, Call('/constant', 'x' * 600))}")


def slow(count: int = 100) -> None:
    """How each worker class serves clients beside others that send a byte a second."""
    print(f"\nA constant route on all cores beside {count} slow clients:")
    for name, options in WORKERS.items():
        settings = {"REFEREE_RECEIVE_SECONDS": "4", "REFEREE_WORKERS": CORES}
        with served(CONSTANT, *options, **settings) as server, slow_clients(server, count) as held:
            time.sleep(1)
            run = load(server, Call("/constant", "x" * 600))
            time.sleep(4)
            closed = sum(is_closed(client) for client in held)
            print(f"  {name:<34} {run}   {closed} slow clients closed after 8 s")


def is_closed(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        while client.recv(4096):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def open_streams(count: int = 500) -> None:
    """Load two workers that hold streams: a constant route beside beats, then verdicts beside a session's events."""
    trick = {"state": {"phase": "trick", "trick": 1, "chips": [10] * 3, "pot": 6}, "moves": []}
    for app, path, call in (
        (CONSTANT, "/events", Call("/constant", "x" * 600)),
        (SERVICE, "", Call("/games/twins/resolve", trick)),
    ):
        print(f"\n{call.path} on two workers, without and beside {count} open streams:")
        with served(app, REFEREE_WORKERS="2") as server:
            print(f"  {'alone':<34} {load(server, call)}")
            with streams(server, count, path or f"/sessions/{public_session(server)}/events") as received:
                time.sleep(3)
                idle = server.cpu()
                time.sleep(3)
                print(f"  the streams by themselves: {(server.cpu() - idle) / 3:.2f} cores")
                print(f"  {'beside streams':<34} {load(server, call)}")
                print(f"  streams that have received something: {sum(map(bool, received))} of {count}")


def public_session(server: Server) -> str:
    body = json.dumps({"game": "twins", "seats": 3, "public": True}).encode()
    headers = {"Content-Type": "application/json"}
    address = f"http://127.0.0.1:{server.port}/sessions"
    with urlopen(Request(address, body, headers)) as answer:
        return str(json.load(answer)["id"])


EVERYTHING = {"workers": workers, "slow": slow, "streams": open_streams}


if __name__ == "__main__":
    for chosen in sys.argv[1:] or EVERYTHING:
        EVERYTHING[chosen]()
