"""Things that have more than one place, such as a card that lies in two hands."""

from __future__ import annotations

from collections.abc import Iterable
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
