"""Where sessions are stored: SQLite or Redis, behind the one `Store` of `protocol.py`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from time import perf_counter
from typing import ParamSpec, TypeVar

from service import metrics
from service.sessions.stores.protocol import UNREADABLE, Store, StoreUnavailable, check_format

LOG = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")

CALLS = (
    "read", "write", "store_response", "log", "delete", "count", "size", "put_ticket", "take_ticket", "tickets",
    "begin", "secret", "stored_secret",
    "mark_in_use", "keys_in_use", "risks", "ping",
)  # fmt: skip
"""The methods that are measured. The others run in the background, or for backups."""


class Tracing:
    """How this process begins a span within the request's; None if it does not trace."""

    begin: Callable[[str], AbstractContextManager[object]] | None = None


def open_store(url: str) -> Store:
    """The store that a URL names: `sqlite:///path`, or one of the forms that `redis_address.py` lists.

    Raises ValueError for any other. The message repeats nothing of the URL, which may hold a password.
    """
    if url.startswith("sqlite:///"):
        from service.sessions.stores.sqlite import SqliteStore  # noqa: PLC0415

        return SqliteStore(url.removeprefix("sqlite:///"))
    from service.sessions.stores.redis import RedisStore  # noqa: PLC0415 - 26 MB: only where it is configured

    try:
        return RedisStore(url)
    except ValueError as error:
        raise ValueError(f"REFEREE_STORE_URL: {error}") from None


def newer_format(url: str) -> str | None:
    """The reason not to use a store that a newer version has written; None if there is none, or the store fails."""
    store = open_store(url)
    try:
        number = store.format()
    except (StoreUnavailable, *UNREADABLE):
        return None
    finally:
        store.close()
    try:
        check_format(number)
    except StoreUnavailable as error:
        return f"REFEREE_STORE_URL: {error}"
    return None


def measured(store: Store) -> Store:
    """The same store. From now on `/metrics` has the duration of its calls and the number that failed."""
    for name in CALLS:
        setattr(store, name, _measured(name, getattr(store, name)))
    return store


class _LastCall:
    """Whether the last call of this worker was answered. The gauge is set only when this changes."""

    answered: bool | None = None


def _measured(name: str, call: Callable[P, R]) -> Callable[P, R]:
    """The same method of a store, its duration recorded. Whatever it cannot read raises `StoreUnavailable`."""
    seconds = metrics.STORE_SECONDS.labels(name)
    failures = metrics.STORE_FAILURES.labels(name)

    @wraps(call)
    def timed(*args: P.args, **kwargs: P.kwargs) -> R:
        began = perf_counter()
        answered = True
        try:
            with nullcontext() if Tracing.begin is None else Tracing.begin(f"store {name}"):
                return call(*args, **kwargs)
        except (StoreUnavailable, *UNREADABLE) as error:
            answered = False
            failures.inc()
            if isinstance(error, StoreUnavailable):
                raise
            if _LastCall.answered is not False:
                LOG.exception("the store's answer to %s makes no sense", name)
            raise StoreUnavailable(str(error)) from error
        finally:
            metrics.record_duration(seconds, began)
            if answered is not _LastCall.answered:
                _LastCall.answered = answered
                metrics.store_answers().set(answered)

    return timed
