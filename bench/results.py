"""Tables of measurements, and the page that they make: bench/RESULTS.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

PAGE = Path(__file__).parent / "RESULTS.md"


@dataclass(frozen=True)
class Table:
    """One part of the page. `text`: what was measured, and how; `conclusion`: what stands below the rows."""

    title: str
    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    conclusion: str = ""

    def written(self) -> str:
        lines = [" | ".join(self.columns), "|".join([" --- ", *[" ---: "] * (len(self.columns) - 1)])]
        lines += [" | ".join(row) for row in self.rows]
        parts = [f"## {self.title}", self.text, "\n".join(f"| {line} |" for line in lines), self.conclusion]
        return "\n\n".join(part for part in parts if part)


def micros(times: Sequence[float]) -> str:
    """Microseconds: the median, and the least and the most."""
    return f"{figure(median(times))} ({figure(min(times))} to {figure(max(times))})"


def figure(number: float) -> str:
    """The number with three significant digits, or more before the point."""
    return f"{number:.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def write(tables: Sequence[Table]) -> None:
    """Write the page anew."""
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    head = (
        "# What it costs\n\n"
        "Written by `make bench`; not by hand. Times are CPU time, which a busy machine changes less than it changes "
        "requests a second; ratios are of one run, in which all are asked by turns. In brackets: least and most.\n\n"
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{cores} cores; {load:.1f} of them were busy on average when it ended, the measurements included."
    )
    PAGE.write_text("\n\n".join([head, *[table.written() for table in tables]]) + "\n", "utf-8")
