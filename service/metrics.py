"""Figures for operators, summed over the workers of a server.

Each worker sums up in memory and writes the sums, twice a second, to the files that all workers share. Writing there at
each request would cost more than reading the request.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from platform import python_version
from time import perf_counter
from typing import Any, ClassVar

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.build import VERSION, commit

CONTENT_TYPE = CONTENT_TYPE_LATEST
PERIOD = 0.5  #: Seconds between two writes.
EXPOSED_FOR = 1.0  #: Seconds for which a worker answers the same figures.

REQUESTS = Counter("referee_requests_total", "Requests answered.", ["route", "status"])
SECONDS = Histogram(
    "referee_request_seconds",
    "Time from a request's arrival to its answer.",
    ["route"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5),
)
VERDICTS = Counter("referee_verdicts_total", "Moves judged, and tables audited.", ["game", "verdict"])
RULINGS = Counter("referee_rulings_total", "Rulings that forbade a move or found a fault.", ["game", "code"])
STORE_SECONDS = Histogram(
    "referee_store_seconds",
    "Time of a call to the store, answered or not.",
    ["call"],
    buckets=(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.01, 0.05, 0.25, 1),
)
WORKERS_FROZEN = Counter("referee_workers_frozen_total", "Workers that were replaced because they did not run.")
"""Raised by the master: `service.serving.counters`."""
STORE_FAILURES = Counter("referee_store_failures_total", "Calls that the store refused or did not answer.", ["call"])


# A gauge without labels takes a place in a worker's files when it is made, so each is made when it is first set.


@cache
def connections() -> Gauge:
    return Gauge("referee_connections", "Open connections of clients.", multiprocess_mode="livesum")


@cache
def streams() -> Gauge:
    return Gauge("referee_streams", "Open event streams.", multiprocess_mode="livesum")


@cache
def store_answers() -> Gauge:
    meaning = "1 if the last call to the store was answered, else 0."
    return Gauge("referee_store_answers", meaning, multiprocess_mode="livemostrecent")


@cache
def store_sync_seconds() -> Gauge:
    meaning = "Seconds that the store last waited for its disk, or waits for it now; of the workers the longest."
    return Gauge("referee_store_sync_seconds", meaning, multiprocess_mode="livemax")


class Unwritten:
    """What was recorded since the last write: for each number of a metric, by how much it has grown."""

    growth: ClassVar[dict[Any, float]] = defaultdict(float)
    due: ClassVar[float] = 0.0  #: When `record_duration` writes next. The worker writes as well.


def _add(number: Any, amount: float) -> None:
    """Add to a number of a metric, in memory."""
    Unwritten.growth[number] += amount


def record_duration(histogram: Histogram, began: float) -> None:
    """Record how long something has taken until now. `began`: when it began, by `perf_counter`."""
    now = perf_counter()
    bucket = bisect_left(histogram._upper_bounds, now - began)  # noqa: SLF001 - the library cannot add several at once
    _add(histogram._buckets[bucket], 1)  # noqa: SLF001
    _add(histogram._sum, now - began)  # noqa: SLF001
    if now > Unwritten.due:
        write()


def write() -> None:
    """Write what was recorded since the last time."""
    growth = Unwritten.growth
    Unwritten.growth, Unwritten.due = defaultdict(float), perf_counter() + PERIOD
    for number, amount in growth.items():
        number.inc(amount)


@cache
def _part(metric: Any, *labels: object) -> Any:
    """The part of a metric with these labels."""
    return metric.labels(*labels)


def count_request(route: str, status: int, began: float) -> None:
    """Count one request. `began`: when it arrived, by `perf_counter`."""
    _add(_part(REQUESTS, route, status), 1)
    record_duration(_part(SECONDS, route), began)


def count_verdict(game: str, verdict: str, codes: Iterable[str] = ()) -> None:
    """Count a verdict, and the codes of the rulings that forbade the move or found a fault."""
    _add(_part(VERDICTS, game, verdict), 1)
    for code in codes:
        _add(_part(RULINGS, game, code), 1)


NOW = {
    "referee_sessions": "Open sessions in the store, of all servers.",
    "referee_sessions_limit": "How many sessions may be open.",
    "referee_tickets": "Tickets for event streams that can be used, of all servers.",
    "referee_sessions_unreadable": "Sessions in the store that this version cannot read.",
    "referee_older_tokens_seconds": "Seconds until no token of an older key is in use, if none is sent again; else 0.",
    "referee_store_bytes": "Bytes that the store holds.",
    "referee_store_bytes_limit": "Bytes that the store may hold.",
    "referee_connections_limit": "How many connections all workers hold at once.",
    "referee_streams_limit": "How many event streams all workers hold at once.",
}


class Now(Collector):
    """Figures of this moment, not sums: those of `NOW` that are known, and two of each check.

    `checks`: whether `/readyz` reports nothing under its name; `ready`: whether it lets `/readyz` answer 200.
    """

    def __init__(self, figures: Mapping[str, float], checks: Mapping[str, bool], ready: Mapping[str, bool]) -> None:
        self.figures, self.checks, self.ready = figures, checks, ready

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The figures as the library writes them."""
        build = GaugeMetricFamily(
            "referee_build_info", "What is running; always 1.", labels=["version", "commit", "python"]
        )
        build.add_metric([VERSION, commit() or "", python_version()], 1)
        yield build
        for name, figure in self.figures.items():
            yield GaugeMetricFamily(name, NOW[name], figure)
        yield _by_check("referee_check", "1 unless /readyz reports this check.", self.checks)
        yield _by_check("referee_ready", "1 unless this check makes /readyz answer 503.", self.ready)


def _by_check(name: str, meaning: str, values: Mapping[str, bool]) -> GaugeMetricFamily:
    """A gauge of 0 and 1, by check."""
    gauge = GaugeMetricFamily(name, meaning, labels=["check"])
    for check, value in values.items():
        gauge.add_metric([check], value)
    return gauge


class _LastExposition:
    """The figures that this worker answered last, and until when it answers the same ones."""

    text = b""
    until = 0.0


def exposition(now: Callable[[], Now]) -> bytes:
    """All figures in Prometheus' text form. A worker collects those of all workers at most once a second."""
    is_worker = "PROMETHEUS_MULTIPROC_DIR" in os.environ
    if is_worker and _LastExposition.text and perf_counter() < _LastExposition.until:
        return _LastExposition.text
    _LastExposition.until = perf_counter() + EXPOSED_FOR
    write()
    registry = CollectorRegistry()
    if is_worker:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(now())
    _LastExposition.text = (b"" if is_worker else generate_latest(REGISTRY)) + generate_latest(registry)
    return _LastExposition.text
