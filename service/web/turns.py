"""Turns: whoever works long lets the others go on in between, and of those who work long one at a time goes on.

Without the second half, thirty long calls would each have their stretch before anybody else has one. What is answered
depends on nothing here; only when.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")

STRETCH = 0.003
"""Seconds that one request keeps a worker to itself."""
ROUNDS = 16
"""How often whoever gives way looks whether others still have something to do: there may be no end to them."""
FEW = 8
"""What has fewer parts is done at once."""

_queue: deque[threading.Event] = deque()


class _Stretch:
    """Since when this worker has been at the same request: greenlets are not changed behind its back."""

    began = 0.0
    stirred = False
    """Something has come from a client since somebody gave way."""


def stir() -> None:
    """Something has come from a client: who has little to ask for needs several rounds until it is answered."""
    _Stretch.stirred = True


def begin() -> None:
    """A request begins."""
    _Stretch.began = perf_counter()


def give() -> None:
    """To be called between two pieces of work: let others come first, if this request has had its stretch."""
    if perf_counter() - _Stretch.began > STRETCH:
        begin()  # of the others', some of which go on with what they have begun
        give_way()
        begin()


def in_turns(parts: Sequence[T], few: int = FEW) -> Iterable[T]:
    """The same, with turns between them. What has fewer parts than `few` is done at once."""
    return parts if len(parts) < few else _in_turns(parts)


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
        for _ in range(ROUNDS):
            _Stretch.stirred = False
            time.sleep(1e-6)  # gevent's, whenever it takes the module's place; of 0 s it would look at no socket
            if not _Stretch.stirred:
                break
    finally:
        first = _queue[0] is place
        _queue.remove(place)
        if first and _queue:
            _queue[0].set()
