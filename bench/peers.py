"""The service over HTTP beside servers that decide nothing.

All servers run at once, one process each on the first core; wrk on the last core loads them in turn. `x` is the CPU of
a request to a Flask route under gunicorn's own threads, divided by the CPU of a request to this server.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Self

from bench.load import POSTS, Call, Measured, Run, load, served
from bench.results import Table, figure, micros
from bench.tables import KNOCK, TAKE_THAT, TWINS, twin_it
from tests.server import ROOT, TICKS, free_port, ticks, until

BIN = Path(sys.executable).parent
NODE = ROOT / "build" / "rivals" / "package.json"
"""The file beside the packages that are installed for node."""
ENTRIES = 100
TABLES = 1_000
"""New tables that are posted in turn; nothing is remembered between calls, so more make no difference."""
ROUNDS = 5
BASE, FASTAPI = "Flask, a constant, gunicorn's threads", "FastAPI and pydantic, a constant, uvicorn"


@dataclass
class Rival:
    """Another server and its child processes. `PORT` in its command stands for the port."""

    command: tuple[str | Path, ...]
    port: int = field(default_factory=free_port)
    patient: bool = True
    """Whether to wait until the server accepts connections."""

    def __enter__(self) -> Self:
        command = [str(each).replace("PORT", str(self.port)) for each in self.command]
        self.process = subprocess.Popen(
            ["taskset", "-c", str(min(os.sched_getaffinity(0))), *command],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if self.patient:
            until(self._answers)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _answers(self) -> bool:
        assert self.process.poll() is None, f"it has ended: {self.command}"
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", self.port)) == 0

    def cpu(self) -> float:
        return sum(map(ticks, family(self.process.pid))) / TICKS


def family(process: int) -> Iterator[int]:
    """A process, its children and theirs, by id."""
    yield process
    for thread in Path(f"/proc/{process}/task").iterdir():
        for child in (thread / "children").read_text("ascii").split():
            yield from family(int(child))


def rivals() -> dict[str, tuple[Rival, Call]]:
    """The rivals that are installed, each with its call. They are all sent a trick of Twins."""
    trick = json.dumps(TWINS)
    constant, resolve = Call("/constant", trick), Call("/resolve", trick)
    gthread = "gunicorn --workers 1 --bind 127.0.0.1:PORT --no-control-socket --worker-class gthread --threads 4"
    uvicorn = "uvicorn --port PORT --no-access-log --loop uvloop --http httptools"
    flask, fastapi = "bench.rivals.flask_app:create_app", "bench.rivals.fastapi_app:app"
    found = {
        BASE: (in_python(f"{gthread} {flask}()"), constant),
        "Flask, a constant, granian": (in_python(f"granian --interface wsgi --factory --port PORT {flask}"), constant),
        FASTAPI: (in_python(f"{uvicorn} {fastapi}"), resolve),
        "FastAPI and pydantic, a constant, granian": (
            in_python(f"granian --interface asgi --port PORT {fastapi}"),
            resolve,
        ),
    }
    if shutil.which("node"):
        command = ("node", ROOT / "bench/rivals/fastify_app.js", NODE, "PORT")
        found["fastify and ajv, a constant"] = (Rival(command), resolve)
    return found


def in_python(command: str) -> Rival:
    """A rival whose program is installed beside this Python."""
    program, *arguments = command.split()
    return Rival((BIN / program, *arguments))


NEW_TABLES = """
local bodies, at = {{{bodies}}}, 0
function request()
  at = at % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[at])
end
"""
"""Posts another table with every request."""


def new_tables(body: Mapping[str, Any], count: int = TABLES) -> Iterator[Mapping[str, Any]]:
    """The same question about other tables: hands, piles and stock in another order, each top card in its place."""
    rng = random.Random(1)
    for _ in range(count):
        each = deepcopy(dict(body))
        state = each["state"]
        for cards in [*state.get("hands", ()), state.get("pile", [])]:
            rng.shuffle(cards)
        for pile in state.get("piles", ()):
            pile[1:] = rng.sample(pile[1:], len(pile) - 1)
        yield each


def listing(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question which moves are legal at the same table."""
    return {name: value for name, value in body.items() if name != "moves"}


def posting(path: str, bodies: Iterable[Any]) -> Call:
    """A call that posts these bodies, one after the other and from the first again."""
    listed = ", ".join(f"[==[{json.dumps(each)}]==]" for each in bodies)
    return Call(path, wrk=POSTS + NEW_TABLES.format(bodies=listed))


def ours() -> Mapping[str, Call]:
    """The calls to the service, by name."""
    tricks = list(new_tables(TWINS))
    batches = [tricks[start : start + ENTRIES] for start in range(0, TABLES, ENTRIES)]
    return {
        "`/livez`": Call("/livez"),
        "`/resolve` without moves": posting("/resolve", new_tables({**TWINS, "moves": []})),
        "a twist of Take That": posting("/resolve", new_tables(TAKE_THAT)),
        "a trick of Twins, six": posting("/resolve", tricks),
        "a knock and its lay-off": posting("/resolve", new_tables(KNOCK)),
        "a claim at Twin it!, 135 cards": posting("/resolve", new_tables(twin_it())),
        "the moves of six at Twins, in words": posting("/legal-moves", map(listing, new_tables(TWINS))),
        "the moves at Twin it!, in words": posting("/legal-moves", map(listing, new_tables(twin_it()))),
        f"a trick of Twins, in a batch of {ENTRIES}": posting(
            "/batch", ({"requests": [{"path": "/resolve", "body": each} for each in batch]} for batch in batches)
        ),
        "`/resolve` without moves, the same table again": Call("/resolve", {**TWINS, "moves": []}),
        "a trick of Twins, the same table again": Call("/resolve", TWINS),
    }


@contextmanager
def all_of_them() -> Iterator[dict[str, tuple[Measured, Call]]]:
    """Every server, started, with its call; the service is there once for each of its calls."""
    with ExitStack() as stack:
        asked: dict[str, tuple[Measured, Call]] = {}
        for name, (rival, call) in rivals().items():
            asked[name] = (stack.enter_context(rival), call)
        server = stack.enter_context(served())
        yield asked | {f"**{name}**": (server, call) for name, call in ours().items()}


def peers() -> Table:
    """The table in bench/RESULTS.md."""
    runs: dict[str, list[Run]] = {}
    with all_of_them() as asked:
        for turn in range(ROUNDS):
            for name in sorted(asked, reverse=bool(turn % 2)):
                server, call = asked[name]
                run = load(server, call, seconds=2)
                assert not run.failed, f"{name}: {run.failed} requests failed"
                runs.setdefault(name, []).append(run)
        names = list(asked)
    costs = {name: [run.cpu / (ENTRIES if "batch" in name else 1) for run in runs[name]] for name in names}
    base = median(costs[BASE])
    rows = [
        [
            name,
            figure(base / median(costs[name])),
            micros(costs[name]),
            figure(median(run.p50 for run in runs[name]) / 1000),
            figure(median(run.p99 for run in runs[name]) / 1000),
        ]
        for name in names
    ]
    return Table(
        "Over HTTP, beside others",
        "CPU of a request, eight connections. In bold what judges; the others answer a constant after they have "
        "validated the same body, and decide nothing. Every request of ours brings a table that was not posted just "
        "before, but for the rows that end in `again`. For a batch the CPU is that of one verdict in it, the times are "
        "those of the whole.",
        ("", "x", "µs CPU", "p50 ms", "p99 ms"),
        rows,
        _behind(costs),
    )


def _behind(costs: Mapping[str, list[float]]) -> str:
    """A sentence on which of our calls cost more than FastAPI's constant, and by how much."""
    yardstick = median(costs[FASTAPI])
    ratios = {name: median(times) / yardstick for name, times in costs.items() if name.startswith("**")}
    behind = [f"{name.strip('*')} {ratio:.2f} times" for name, ratio in ratios.items() if ratio > 1]
    ahead = [name.strip("*") for name, ratio in ratios.items() if ratio <= 1]
    return (
        f"Cheaper than FastAPI's constant: {', '.join(ahead) or 'nothing'}. "
        f"Dearer: {', '.join(behind) or 'nothing'} its CPU."
    )
