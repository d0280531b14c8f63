"""The measurements of `make bench`, which writes bench/RESULTS.md: `python -m bench [peers embedded growth …]`."""

from __future__ import annotations

import sys
from collections.abc import Callable

from bench.around import around
from bench.embedded import embedded
from bench.growth import growth
from bench.openings import beside_others
from bench.peers import peers
from bench.realtime import realtime
from bench.results import PAGE, Table, write
from bench.sessions import sessions
from bench.starting import starting

PARTS: dict[str, Callable[[], list[Table]]] = {
    "peers": lambda: [peers()],
    "around": lambda: [around()],
    "embedded": lambda: [embedded()],
    "growth": growth,
    "sessions": lambda: [sessions(), beside_others()],
    "realtime": lambda: [realtime()],
    "starting": lambda: [starting()],
}


def main(chosen: list[str]) -> None:
    """Measure the chosen parts. With none chosen, measure all and write the page."""
    tables = []
    for name in chosen or PARTS:
        made = PARTS[name]()
        tables += made
        print("\n\n".join(table.written() for table in made), end="\n\n", flush=True)
    if not chosen:
        write(tables)
        print(f"Written: {PAGE.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
