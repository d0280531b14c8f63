"""Fair scheduling: long requests run one at a time, and each yields to short ones every 3 ms of CPU time.

Eight long requests take turns; a further one waits until one of them is done, or is refused after five seconds.

A long request has four time slices before the next long one. Without this order a short request would wait for one
slice of each of thirty long ones. Scheduling changes when a request is answered, never what.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from time import perf_counter, thread_time

from greenlet import getcurrent, greenlet

TIME_SLICE = 0.003
"""Seconds of CPU time that a request runs before it yields. Time in which the system runs other processes does not
count: a short request that was interrupted so would have to wait among the long ones.
"""
SLICES = 4
"""Time slices of a long request before the next long one. With one slice each, eight batches cost 4 to 5 % more:
each finds the core's cache full of the other's data.
"""
ROUNDS = 16  #: The most rounds in which a request that yields waits for short ones, of which there may always be more.
TICK = 1e-6  #: Seconds that a round sleeps. After a sleep of 0 s gevent would not look at its sockets.
PLACES = 8
"""How many long requests take turns. If all took turns, all would be answered late: nearly at the same time."""
PATIENCE = 5.0  #: Seconds that a request waits for a place.

_places = threading.BoundedSemaphore(PLACES)
_has_place: dict[greenlet, bool] = {}
"""Whether each request between `begin` and `end` has a place, by its greenlet. A short one needs none."""
_queue: deque[threading.Event] = deque()  #: The long requests that wait; the first one goes on next.


class _Slice:
    """The running time slice of this worker. Greenlets switch only where they yield, so one is enough."""

    began = began_cpu = 0.0
    """When it began, by `perf_counter` and by `thread_time`."""
    input_came = False  #: Whether a client has sent something since the last round.


class _LongRequest:
    """The long request that has the worker, by its greenlet."""

    owner: greenlet | None = None
    slices_left = 0
    yields = False  #: Whether it is yielding to short requests. No other long request may go on meanwhile.


class Overloaded(Exception):
    """No place became free in time. Nothing of the request has been done that lasts."""


def begin() -> None:
    """Begin a request. It may run for one time slice; to go on after that it needs a place, which `end` frees."""
    _has_place[getcurrent()] = False


def end() -> None:
    """End a request, and free its place."""
    if _has_place.pop(getcurrent()):
        _places.release()


def input_arrived() -> None:
    """Note that a client has sent something: a request that yields then waits another round for it."""
    _Slice.input_came = True


def start_slice() -> None:
    """Begin a time slice, as each request does."""
    _Slice.began, _Slice.began_cpu = perf_counter(), thread_time()


def yield_if_due() -> None:
    """Let other requests run if the time slice is over. To be called between two pieces of work."""
    if perf_counter() - _Slice.began > TIME_SLICE and thread_time() - _Slice.began_cpu > TIME_SLICE:
        start_slice()  # so that a request that goes on now does not yield again at once
        if _LongRequest.slices_left and _LongRequest.owner == getcurrent():
            _LongRequest.slices_left -= 1
            _LongRequest.yields = True
            try:
                _wait_for_short_requests()
            finally:
                _LongRequest.yields = False
        else:
            yield_now()
        start_slice()


def yield_now() -> None:
    """Wait for short requests, and for long ones already in the queue; then hold the worker for `SLICES` slices.

    Raises `Overloaded`, see `begin`.
    """
    me = getcurrent()
    if _has_place.get(me) is False:
        if not _places.acquire(timeout=PATIENCE):
            raise Overloaded
        _has_place[me] = True
    place = threading.Event()
    _queue.append(place)
    try:
        if _queue[0] is not place:
            place.wait()
        _wait_for_short_requests()
        while _LongRequest.yields:
            time.sleep(TICK)
        _LongRequest.owner, _LongRequest.slices_left = me, SLICES - 1
    finally:
        was_first = _queue[0] is place
        _queue.remove(place)
        if was_first and _queue:
            _queue[0].set()


def _wait_for_short_requests() -> None:
    """Let short requests run, until no client has sent anything for a round, or `ROUNDS` are over."""
    for _ in range(ROUNDS):
        _Slice.input_came = False
        time.sleep(TICK)
        if not _Slice.input_came:
            break
