"""Places in a list: things that are there twice, and a copy with one place changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

Place = TypeVar("Place")
Thing = TypeVar("Thing")


def doubled(places: Iterable[tuple[Place, Thing]]) -> dict[Thing, list[Place]]:
    """Each thing that has more than one place, with all its places in order."""
    where: dict[Thing, list[Place]] = {}
    for place, thing in places:
        where.setdefault(thing, []).append(place)
    return {thing: several for thing, several in where.items() if len(several) > 1}


def repeated(things: Iterable[Any]) -> list[int]:
    """The indices of the things that occur earlier in the list, too."""
    return sorted(place for places in doubled(enumerate(things)).values() for place in places[1:])


def replaced(values: Sequence[Any], place: int, value: Any) -> tuple[Any, ...]:
    """A copy of the values with the one at a place replaced: a seat's hand, score or play."""
    new = list(values)
    new[place] = value
    return tuple(new)
