"""Turns: whoever works long lets the others go on in between, and of those who work long one at a time goes on.

Without the second half, thirty long calls would each have their stretch before anybody else has one. What is answered
depends on nothing here; only when.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter, sleep
from typing import TypeVar

T = TypeVar("T")

STRETCH = 0.01
"""Seconds that one request keeps a worker to itself."""
FEW = 8
"""What has fewer parts is done at once."""

_queue: deque[threading.Event] = deque()


class _Stretch:
    """Since when this worker has been at the same request: greenlets are not changed behind its back."""

    began = 0.0


def begin() -> None:
    """A request begins."""
    _Stretch.began = perf_counter()


def give() -> None:
    """To be called between two pieces of work: let others come first, if this request has had its stretch."""
    if perf_counter() - _Stretch.began > STRETCH:
        give_way()
        _Stretch.began = perf_counter()


def in_turns(parts: Sequence[T]) -> Iterable[T]:
    """The same, with turns between them."""
    return parts if len(parts) < FEW else _in_turns(parts)


def _in_turns(parts: Iterable[T]) -> Iterator[T]:
    for part in parts:
        yield part
        give()


def give_way() -> None:
    """Go on when all who have little to do have had their turn, and those who gave way before us theirs."""
    place = threading.Event()
    _queue.append(place)
    try:
        if _queue[0] is not place:
            place.wait()
        sleep(1e-6)  # of 0 seconds, gevent would look at no socket
    finally:
        first = _queue[0] is place
        _queue.remove(place)
        if first and _queue:
            _queue[0].set()
