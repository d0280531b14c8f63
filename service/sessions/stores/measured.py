"""Every call to a store timed, and those counted that failed: what an operator sees of it in `/metrics`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from time import perf_counter
from typing import ParamSpec, TypeVar

from service.sessions.stores.protocol import Store, StoreUnavailable
from service.web import metrics
from service.web.traces import span

P = ParamSpec("P")
R = TypeVar("R")

CALLS = (
    "read",
    "write",
    "keep",
    "log",
    "delete",
    "count",
    "size",
    "put_ticket",
    "take_ticket",
    "secret",
    "note",
    "noted",
    "risks",
    "ping",
)
"""All that wait for an answer; `watch` waits for as long as somebody listens."""


class _Answered:
    """Whether this worker's last call was: what is said anew is only what has changed."""

    last: bool | None = None


def measured(store: Store) -> Store:
    """The same store, its calls timed and counted."""
    for name in CALLS:
        setattr(store, name, _measured(name, getattr(store, name)))
    return store


def _measured(name: str, call: Callable[P, R]) -> Callable[P, R]:
    seconds = metrics.STORE_SECONDS.labels(name)
    failures = metrics.STORE_FAILURES.labels(name)

    @wraps(call)
    def timed(*args: P.args, **kwargs: P.kwargs) -> R:
        began = perf_counter()
        answered = True
        try:
            with span(f"store {name}"):
                return call(*args, **kwargs)
        except StoreUnavailable:
            answered = False
            failures.inc()
            raise
        finally:
            metrics.took(seconds, began)
            if answered is not _Answered.last:
                _Answered.last = answered
                metrics.store_answers().set(answered)

    return timed
