"""What an opening and a move cost beside many other sessions: `python -m bench.openings [sqlite | redis] [COUNT ...]`.

The store is called directly, without HTTP. TEST_REDIS names the Redis binary to measure instead of the tests'.
"""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import median
from tempfile import TemporaryDirectory

from bench.results import Table, figure
from service.sessions.stores import open_store
from service.sessions.stores.protocol import Change, Copied, Store, WriteResult
from tests.faults.servers import one_redis

KINDS = {"sqlite": "SQLite", "redis": "Redis"}
HEAD = secrets.token_bytes(1200)
ENTRY = secrets.token_bytes(200)
ASKED = 500
HOUR, DAY = 3600, 86_400


@contextmanager
def store_of(kind: str) -> Iterator[Store]:
    if kind == "redis":
        with one_redis() as server:
            store = open_store(server.url)
            yield store
            store.close()
    else:
        with TemporaryDirectory(prefix="referee-bench-") as folder:
            store = open_store(f"sqlite:///{folder}/sessions.sqlite3")
            yield store
            store.close()


def fill(store: Store, count: int) -> None:
    for _ in range(count):
        ends = time.time() + HOUR + secrets.randbelow(DAY)
        store.put(Copied(secrets.token_hex(16), "g", 0, HEAD, ends, 0, [], []))


def taken(call: Callable[[], object], expected: object = None) -> float:
    """Microseconds that a call takes."""
    began = time.perf_counter()
    made = call()
    seconds = time.perf_counter() - began
    assert expected is None or made is expected
    return seconds * 1e6


def measured(store: Store) -> tuple[float, float, float]:
    """The median of counting the sessions, of opening one, and of a move in it."""
    figures = []
    for _ in range(ASKED):
        name = secrets.token_hex(16)
        opening, move = Change(-1, HEAD, generation="g"), Change(0, HEAD, ENTRY, generation="g")
        figures.append((
            taken(store.count),
            taken(partial(store.write, name, opening, HOUR), WriteResult.WRITTEN),
            taken(partial(store.write, name, move, DAY), WriteResult.WRITTEN),
        ))  # fmt: skip
    count, opened, moved = (median(each) for each in zip(*figures, strict=True))
    return count, opened, moved


def beside_others(kinds: Sequence[str] = tuple(KINDS), counts: Sequence[int] = (0, 100_000, 300_000)) -> Table:
    """How long each store's calls take beside so many open sessions."""
    rows = []
    for kind in kinds:
        with store_of(kind) as store:
            for count in counts:
                fill(store, count - store.count())
                rows.append((f"{KINDS[kind]}, {count:,} sessions", *map(figure, measured(store))))
    return Table(
        "Beside other sessions",
        "What the store alone takes, without HTTP, beside so many open sessions: microseconds until it has answered, "
        f"the median of {ASKED}.",
        ("store", "to count them", "an opening", "a move"),
        rows,
    )


if __name__ == "__main__":
    chosen = [each for each in sys.argv[1:] if each in KINDS]
    numbers = [int(each) for each in sys.argv[1:] if each not in KINDS]
    print(beside_others(chosen or ["sqlite"], numbers or (0, 100_000, 1_000_000)).written())
