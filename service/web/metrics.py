"""What is counted for operators, right across the workers of one server."""

from __future__ import annotations

import os

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

CONTENT_TYPE = CONTENT_TYPE_LATEST

REQUESTS = Counter("referee_requests_total", "Requests answered.", ["route", "status"])
SECONDS = Histogram(
    "referee_request_seconds",
    "Time from a request's arrival to its answer.",
    ["route"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5),
)


class Route:
    """The counters of one route, looked up once."""

    def __init__(self, route: str) -> None:
        self.route = route
        self.seconds = SECONDS.labels(route)
        self.by_status = {200: REQUESTS.labels(route, "200")}

    def answered(self, status: int, seconds: float) -> None:
        """Count one request."""
        if status not in self.by_status:
            self.by_status[status] = REQUESTS.labels(self.route, str(status))
        self.by_status[status].inc()
        self.seconds.observe(seconds)


def exposition() -> bytes:
    """The counts in Prometheus' text form, of all workers where there are several."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
