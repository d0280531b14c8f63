"""The conformance vectors of all games, and how a test asks about one."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from service.conformance import parts, vectors_of
from service.seeds import Vector

HTTP = "http"  #: The part whose vectors belong to no game.
Ask: TypeAlias = Callable[[Vector], tuple[int, Any]]
"""Sends the request of a vector; returns status and body of the answer."""


def vectors() -> Iterator[Vector]:
    """Every vector of every game, in the order of files and cases."""
    for part in parts():
        if part != HTTP:
            yield from vectors_of(part)
