"""Tables and requests with something wrong: members dropped, doubled, exchanged, or set to extremes."""

import copy
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

EXTREME_VALUES: tuple[Any, ...] = (None, 0, 1, 2, -1, 11, 60, 9_999, 2**31, True, "", "x", [], [None], {})


def mutated(value: Any, rng: random.Random, most: int = 3) -> Any:
    """A copy of JSON with one to `most` random changes of the kinds in `CHANGES`."""
    other = copy.deepcopy(value)
    for _ in range(rng.randint(1, most)):
        paths = list(places(other))
        if paths:
            rng.choice(CHANGES)(rng, paths)
    return other


Place = tuple[Any, Any]  #: A list or an object, and the index or the name in it.


def items_of(value: Any) -> Iterable[tuple[Any, Any]]:
    """The members of an object by name, or the items of a list by index; of any other value none."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def places(value: Any) -> Iterator[Place]:
    """Every place in a JSON value at any depth, outer ones first; not that of the value itself."""
    for name, each in items_of(value):
        yield value, name
        yield from places(each)


def _drop(rng: random.Random, places: list[Place]) -> None:
    """Delete a value."""
    holder, name = rng.choice(places)
    del holder[name]


def _double(rng: random.Random, places: list[Place]) -> None:
    """Copy an item of a list to another place of the list. A member of an object is left as it is."""
    holder, name = rng.choice(places)
    if isinstance(holder, list):
        holder.insert(rng.randint(0, len(holder)), copy.deepcopy(holder[name]))


def _exchange(rng: random.Random, places: list[Place]) -> None:
    """Exchange two values."""
    if len(places) > 1:
        (one, here), (other, there) = rng.sample(places, 2)
        one[here], other[there] = copy.deepcopy(other[there]), copy.deepcopy(one[here])


def _to_an_extreme(rng: random.Random, places: list[Place]) -> None:
    """Set a value to an extreme one."""
    holder, name = rng.choice(places)
    holder[name] = copy.deepcopy(rng.choice(EXTREME_VALUES))


CHANGES: tuple[Callable[[random.Random, list[Place]], None], ...] = (_drop, _double, _exchange, _to_an_extreme)
