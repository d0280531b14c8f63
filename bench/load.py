"""A server of ours to measure, and the load that wrk makes on it or on another.

On a shared machine the CPU time of a request says more than the requests a second.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import Any, Protocol

from tests.server import Server


def served(**settings: str) -> Server:
    """The service: one worker on the first core, without a request log."""
    return Server(settings={"REFEREE_WORKERS": "1", "REFEREE_REQUEST_LOG": "off"} | settings)


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


SETTLED = 0.3
"""Seconds in which a server finishes the long calls that the last load has left behind."""
UNITS = {"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6}


class Measured(Protocol):
    """A server under load."""

    @property
    def port(self) -> int:
        """Of 127.0.0.1."""

    def cpu(self) -> float:
        """Seconds of CPU time."""


def load(server: Measured, call: Call, *, connections: int = 8, seconds: int = 3) -> Run:
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
