"""A check that a game's dataclasses bound every list, every number and every string."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from engines.core.shape import Length, OneOf, Text, Whole

NEEDED: dict[Any, tuple[str, tuple[type, ...]]] = {
    int: ("an integer without bounds: say Whole(least, most) or OneOf(name, values)", (Whole, OneOf)),
    str: ("a string without bounds: say Text(least, most) or OneOf(name, values)", (Text, OneOf)),
    tuple: ("a list without bounds: say Length(least, most)", (Length,)),
}
"""For each plain type: the complaint if it has no bound, and the annotations that would give it one."""


def unbounded(records: Iterable[type]) -> list[str]:
    """One sentence for each field without bounds, in these dataclasses and in the dataclasses inside them."""
    unbounded: list[str] = []
    seen: set[type] = set()
    waiting = list(records)
    while waiting:
        record = waiting.pop(0)
        if record in seen:
            continue
        seen.add(record)
        hints = get_type_hints(record, include_extras=True)
        for each in fields(record):
            for part in _parts(hints[each.name]):
                if isinstance(part, str):
                    unbounded.append(f"{record.__module__}.{record.__name__}.{each.name}: {part}.")
                else:
                    waiting.append(part)
    return unbounded


def _parts(hint: Any, words: tuple[Any, ...] = ()) -> Iterator[str | type]:
    """The complaints about an annotation, and the dataclasses in it. `words`: those of the annotations around it."""
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _parts(hint.__origin__, (*words, *hint.__metadata__))
    elif origin in (Union, UnionType):
        for member in get_args(hint):
            yield from _parts(member, words)
    elif origin is tuple:
        if get_args(hint)[-1] is ...:
            yield from _complaint(tuple, words)
        for item in set(get_args(hint)) - {...}:
            yield from _parts(item)
    elif is_dataclass(hint) and isinstance(hint, type):
        yield hint
    elif hint in NEEDED:
        yield from _complaint(hint, words)
    elif origin is not Literal and hint not in (None, NoneType, bool):
        yield f"engines.core.shape has no word for {hint!r}"


def _complaint(kind: Any, words: tuple[Any, ...]) -> Iterator[str]:
    """The complaint about a plain type, unless one of the words bounds it."""
    complaint, bounding_words = NEEDED[kind]
    if not any(isinstance(word, bounding_words) for word in words):
        yield complaint
