"""Turns: whoever works long lets the others go on in between, and of those who work long one at a time goes on.

Without the second half, thirty long calls would each have their stretch before anybody else has one. Who has little to
do comes after each stretch, the next who works long after a share of several. What is answered depends on nothing here;
only when.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")

TIME_SLICE = 0.003
"""Seconds that one request keeps a worker to itself."""
SLICES = 4
"""Stretches that a request has before another that works long. By turns after each, all cost a tenth more: what one has
in memory, the next drives out of the core's cache.
"""
ROUNDS = 16
"""How often whoever gives way looks whether others still have something to do: there may be no end to them."""
TICK = 1e-6
"""Seconds of a round, by gevent's clock whenever it takes the place of Python's; of 0 s it would look at no socket."""
FEW = 8
"""What has fewer parts is done at once."""

_queue: deque[threading.Event] = deque()


class _Slice:
    """Since when this worker has been at the same request: greenlets are not changed behind its back."""

    began = 0.0
    input_came = False
    """Something has come from a client since somebody gave way."""


class _Share:
    """What is left, in stretches, of the share of the one who works long; known by its thread, or greenlet."""

    owner = 0
    left = 0
    kept = False
    """The owner lets those pass who have little to do; nobody else goes on."""


def input_arrived() -> None:
    """Something has come from a client: who has little to ask for needs several rounds until it is answered."""
    _Slice.input_came = True


def start_slice() -> None:
    """A request begins."""
    _Slice.began = perf_counter()


def yield_if_due() -> None:
    """To be called between two pieces of work: let others come first, if this request has had its stretch."""
    if perf_counter() - _Slice.began > TIME_SLICE:
        start_slice()  # of the others', some of which go on with what they have begun
        if _Share.left and _Share.owner == threading.get_ident():
            _keep()
        else:
            yield_now()
        start_slice()


def yielding(parts: Sequence[T], few: int = FEW) -> Iterable[T]:
    """The same, with turns between them. What has fewer parts than `few` is done at once."""
    return parts if len(parts) < few else _yielding(parts)


def _yielding(parts: Iterable[T]) -> Iterator[T]:
    for part in parts:
        yield part
        yield_if_due()


def _let_pass() -> None:
    """Go on when all who have little to do have had their turn."""
    for _ in range(ROUNDS):
        _Slice.input_came = False
        time.sleep(TICK)
        if not _Slice.input_came:
            break


def _keep() -> None:
    """The same for the owner of a share, of which this takes a stretch."""
    _Share.left -= 1
    _Share.kept = True
    try:
        _let_pass()
    finally:
        _Share.kept = False


def yield_now() -> None:
    """Go on when all who have little to do have had their turn, and those who gave way before us theirs."""
    place = threading.Event()
    _queue.append(place)
    try:
        if _queue[0] is not place:
            place.wait()
        _let_pass()
        while _Share.kept:
            time.sleep(TICK)
        _Share.owner, _Share.left = threading.get_ident(), SLICES - 1
    finally:
        first = _queue[0] is place
        _queue.remove(place)
        if first and _queue:
            _queue[0].set()
