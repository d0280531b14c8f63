"""The measurements of `make bench`, which writes bench/RESULTS.md: `python -m bench [peers sessions …]`."""

from __future__ import annotations

import sys
from collections.abc import Callable

from bench.hostile import hostile
from bench.peers import peers
from bench.results import PAGE, Table, write
from bench.sessions import sessions
from bench.starting import starting

PARTS: dict[str, Callable[[], Table]] = {
    "peers": peers,
    "sessions": sessions,
    "hostile": hostile,
    "starting": starting,
}


def main(chosen: list[str]) -> None:
    """Measure the chosen parts. With none chosen, measure all and write the page."""
    tables = []
    for name in chosen or PARTS:
        tables.append(PARTS[name]())
        print(tables[-1].written(), end="\n\n", flush=True)
    if not chosen:
        write(tables)
        print(f"Written: {PAGE.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
