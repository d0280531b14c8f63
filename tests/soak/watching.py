"""Measure a server's resources under load, and decide what counts as growth."""

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.faults.servers import one_redis
from tests.server import Server
from tests.soak.load import Load

PARTS = 5  #: The last fifth of the time is compared with the second fifth, because caches fill up in the first.

BOUNDS = {"memory, MiB": (0.05, 4), "descriptors": (0, 8), "threads": (0, 2), "files, MiB": (0.05, 2)}
"""The allowed growth: a part of the earlier value, and a constant beside it."""


@dataclass(frozen=True)
class SoakOutcome:
    """The outcome of a soak.

    `figures`: of each figure the medians in the second and in the last fifth of the time; `counts`: how often each
    action was done; `faults`: what went wrong, each as a line.
    """

    figures: Mapping[str, tuple[float, float]]
    counts: Mapping[str, int]
    faults: list[str] = field(default_factory=list)

    @property
    def grown(self) -> list[str]:
        """Return the names of the figures that exceed their bound."""
        return [
            name
            for name, (part, beside) in BOUNDS.items()
            if self.figures[name][1] > self.figures[name][0] * (1 + part) + beside
        ]

    def __str__(self) -> str:
        lines = [f"{sum(self.counts.values())} things done: {dict(sorted(self.counts.items()))}"]
        for name, (before, after) in self.figures.items():
            lines.append(f"{name:12} {before:8.1f} -> {after:8.1f}   {'GROWN' if name in self.grown else 'flat'}")
        lines += [f"{len(self.faults)} amiss: {self.faults[:5]}"] if self.faults else ["nothing amiss"]
        return "\n".join(lines)


def run_soak(
    seconds: float,
    *,
    redis: bool = False,
    say: Callable[[str], object] = lambda _: None,
    required: Collection[str] = (),
) -> SoakOutcome:
    """Load a server of two workers for `seconds`, and until every action in `required` has been done.

    `say` takes a line of figures at each measurement.
    """
    with ExitStack() as stack:
        settings = {"REFEREE_WORKERS": "2", "REFEREE_REQUEST_LOG": "off"}
        if redis:
            settings["REFEREE_STORE_URL"] = stack.enter_context(one_redis()).url
        server = stack.enter_context(Server(settings=settings))
        load = Load(server)
        samples: list[dict[str, float]] = []
        began = time.monotonic()
        with load.run():
            while (elapsed := time.monotonic() - began) < seconds or set(required) - load.counts.keys():
                samples.append(sample(server))
                say(f"{elapsed:6.0f} s  {'  '.join(f'{name} {value:.1f}' for name, value in samples[-1].items())}")
                time.sleep(min(10, seconds / (PARTS * 3)))
        errors = [f"logged: {each['message']}" for each in server.errors()]
    fifth = len(samples) // PARTS
    figures = {
        name: (
            median(each[name] for each in samples[fifth : 2 * fifth]),
            median(each[name] for each in samples[-fifth:]),
        )
        for name in BOUNDS
    }
    return SoakOutcome(figures, load.counts, load.faults + errors)


def sample(server: Server) -> dict[str, float]:
    """Measure what the workers use now, by the names of `BOUNDS`."""
    workers = server.workers()
    return {
        "memory, MiB": sum(map(_memory, workers)),
        "descriptors": float(sum(len(list(Path(f"/proc/{each}/fd").iterdir())) for each in workers)),
        "threads": float(sum(len(list(Path(f"/proc/{each}/task").iterdir())) for each in workers)),
        "files, MiB": sum(each.stat().st_size for each in Path(server.folder.name).iterdir()) / (1 << 20),
    }


def _memory(process: int) -> float:
    """Return the memory in MiB that a process shares with no other."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text("ascii")
    kib = {line.split()[0]: int(line.split()[1]) for line in text.splitlines()[1:]}
    return (kib["Private_Clean:"] + kib["Private_Dirty:"]) / 1024
