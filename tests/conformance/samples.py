"""Parameters of every shape that a ruling can have: the numbers 0, 1, 2 and 5, each word, short and long lists."""

import random
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from engines.core.shape import Length, OneOf, Player, Text, Whole

NUMBERS = (0, 1, 2, 5)
DESIGN = "blue-owl"  #: One of the house deck of Twin it!.


MOST_COMBINATIONS = 1_000
"""The most combinations of one ruling's parameters. If there are more, so many are drawn: enough that any two values of
two parameters come together in one of them."""


def samples(params: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield parameters of these types: combinations of sample values, the same ones at each call."""
    values = {name: list(values_of(hint)) for name, hint in params.items()}
    combinations: Any = product(*values.values())
    if prod(map(len, values.values())) > MOST_COMBINATIONS:
        dice = random.Random("samples")
        combinations = ([dice.choice(each) for each in values.values()] for _ in range(MOST_COMBINATIONS))
    for chosen in combinations:
        yield dict(zip(values, chosen, strict=True))


def values_of(hint: Any) -> Iterator[Any]:
    """Sample values of one type."""
    words: list[Any] = list(getattr(hint, "__metadata__", ()))
    plain = get_args(hint)[0] if words else hint
    if get_origin(plain) in (Union, UnionType):
        for member in get_args(plain):
            yield from [None] if member is NoneType else values_of(member)
    elif get_origin(plain) is Literal:
        yield from get_args(plain)
    elif get_origin(plain) is tuple:
        yield from _lists(get_args(plain), next((word for word in words if isinstance(word, Length)), None))
    else:
        yield from _scalars(plain, words)


def _scalars(plain: Any, words: list[Any]) -> Iterator[Any]:
    """Yield sample values of a type that is no list. `words`: what its annotation says beside the type."""
    bound = next((word for word in words if isinstance(word, OneOf | Whole | Text)), None)
    if isinstance(bound, OneOf):
        yield from (bound.values[0], bound.values[-1])
    elif plain is bool:
        yield from (True, False)
    elif isinstance(bound, Text):
        yield DESIGN
    elif isinstance(bound, Whole):
        player = any(isinstance(word, Player) for word in words)
        yield from [number for number in ((0, 1) if player else NUMBERS) if bound.least <= number <= bound.most]
    else:
        yield {}  # a record, of which no sentence speaks


def _lists(items: tuple[Any, ...], length: Length | None) -> Iterator[Any]:
    """Yield sample lists of the shortest length, of one item, and of up to three. `items`: the types of the items."""
    first = [value for value in values_of(items[0]) if value is not None]
    least, most = (len(items), len(items)) if length is None else (length.least, length.most)
    if any(isinstance(word, Player) for word in getattr(items[0], "__metadata__", ())):
        least = max(least, 1)  # no sentence speaks of an empty list of players
    for count in {least, 1, min(3, most), most if most < 3 else 1}:
        if least <= count <= most:
            yield tuple((first * count)[:count])
