"""Where a request lets others go on: between two pieces of work. How requests take turns is the server's business.

Without a server of ours, as in commands and in tests, nothing is done here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

FEW = 8  #: A sequence of fewer parts is worked through without yielding.


class Overloaded(Exception):
    """The request waited too long for its turn. Nothing of it has been stored."""


def _nothing() -> None:
    """What is called where nothing schedules requests."""


@dataclass
class Scheduler:
    """The functions of the server's scheduler; `serving` sets them. The last two raise Overloaded."""

    start_slice: Callable[[], None] = _nothing  #: Begin a time slice, as each stateless call does.
    yield_if_due: Callable[[], None] = _nothing  #: Let others go on if the time slice is over.
    yield_now: Callable[[], None] = _nothing  #: Let others go on.


SCHEDULER = Scheduler()


def yielding(parts: Sequence[T]) -> Iterable[T]:
    """The same parts, yielding to other requests between them if they are not few."""
    return parts if len(parts) < FEW else _yielding(parts)


def _yielding(parts: Iterable[T]) -> Iterator[T]:
    """Each part in turn; after each the scheduler may let others run."""
    for part in parts:
        yield part
        SCHEDULER.yield_if_due()
