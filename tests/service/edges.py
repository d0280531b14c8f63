"""JSON values at every bound of a schema and beside it, each with whether the schema must accept it."""

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from service.contract import fields

Edges: TypeAlias = Iterator[tuple[Any, bool]]

BEYOND_THE_LEAST = 3  #: So many more items or characters than the least are tried where there is no upper bound.


def edges(field: fields.StrictField) -> Edges:
    """Values at and beside each bound of the field and of every field inside it; true: the value fits."""
    yield None, field.allow_none or field.null_is_left_out
    yield from _edges(field)


def _edges(field: fields.StrictField) -> Edges:
    """Values at and beside each bound, without null; true: the value fits."""
    match field:
        case fields.BooleanField():
            yield from ((True, True), (False, True), (0, False), (1, False))
        case fields.ValuesField():
            yield from _beside_values(field.values)
        case fields.IntegerField(least=least, most=most):
            yield from ((least, True), (most, True), (least - 1, False), (most + 1, False))
            yield from ((0.5, False), (True, False))
        case fields.TextField():
            for length, fits in _lengths(field):
                yield "a" * length, fits
                if field.pattern is None:
                    yield "\U0001f0a1" * length, fits  # one character, two units of UTF-16
                elif length:
                    yield "a" * (length - 1) + "\u2028", False
        case fields.ListField():
            yield from _beside_lengths(field)
        case fields.ObjectField(shape=shape):
            yield from _beside_members(shape)
        case fields.UnionField(key=key, members=members):
            for member in members.values():
                yield from _edges(member)
            yield from (({}, False), ({key: "none"}, False), ({key: None}, False), ([], False))
        case fields.EitherField(members=either):
            for each in either:
                yield from _edges(each)


def _lengths(field: fields.TextField | fields.ListField) -> Iterator[tuple[int, bool]]:
    """Lengths at the bounds of a field and beside them; true: the length fits."""
    if field.least:
        yield field.least - 1, False
    yield field.least, True
    if field.most is None:
        yield field.least + BEYOND_THE_LEAST, True
        return
    yield field.most, True
    yield field.most + 1, False


def _beside_values(values: tuple[Any, ...]) -> Edges:
    """The first and the last of the values that a field lists, others that resemble them, and numbers in its gaps."""
    for value in {*values[:1], *values[-1:]}:
        yield value, True
        if isinstance(value, str):
            neighbours: list[Any] = _neighbours(value)
        else:
            neighbours = [str(value), [value], 1 if value is True else True]
        for neighbour in neighbours:
            yield neighbour, neighbour in values and type(neighbour) is type(value)
    numbers = {value for value in values if type(value) is int}
    below, above = {number - 1 for number in numbers}, {number + 1 for number in numbers}
    for number in (below | above) - numbers:
        yield number, False


def _neighbours(text: str) -> list[str]:
    """Texts that differ from one in a character or in a number by one."""
    last = [text[:-1] + chr(ord(text[-1]) + step) for step in (-1, 1)]
    numbers = [re.sub(r"\d+", lambda number: str(int(number[0]) + step), text) for step in (-1, 1)]  # noqa: B023
    return [text + text[-1], text[:-1], f" {text}", text.swapcase(), *last, *numbers]


def _beside_lengths(field: fields.ListField) -> Edges:
    """Lists of lengths at the bounds and beside them, one with an item twice, and one with each edge of an item."""
    for length, fits in _lengths(field):
        items = different(field.item, length) if field.unique else [smallest(field.item)] * length
        if len(items) == length:
            yield items, fits
    if field.most == 0:
        return
    if field.unique and field.most != 1:
        yield [smallest(field.item)] * max(field.least, 2), False
    for item, fits in edges(field.item):
        others = different(field.item, field.least) if field.unique else [smallest(field.item)] * field.least
        if item in others:
            others.remove(item)
        yield [item, *others[: max(field.least - 1, 0)]], fits


def _beside_members(shape: type[fields.Closed]) -> Edges:
    """The smallest object of a shape; that without a member, with one more, and with each member at its edges."""
    whole, declared = required(shape), shape.declared()
    yield whole, True
    yield {**whole, "none": 1}, False
    for name in whole:
        yield {each: value for each, value in whole.items() if each != name}, False
    if shape.exclusive:
        yield {**whole, **{name: smallest(declared[name]) for name in shape.exclusive}}, False
    for name, field in declared.items():
        for value, fits in edges(field):
            yield {**whole, name: value}, fits


def required(shape: type[fields.Closed]) -> dict[str, Any]:
    """The smallest object of a shape."""
    return {name: smallest(field) for name, field in shape.declared().items() if field.required}


def smallest(field: fields.StrictField) -> Any:
    """The smallest value that a field accepts, null aside."""
    match field:
        case fields.BooleanField():
            return False
        case fields.ValuesField(values=values):
            return values[0] if values else None
        case fields.IntegerField():
            return field.least
        case fields.TextField():
            return "a" * field.least
        case fields.ListField():
            return different(field.item, field.least) if field.unique else [smallest(field.item)] * field.least
        case fields.ObjectField(shape=shape):
            return required(shape)
        case fields.UnionField(members=members):
            return smallest(next(iter(members.values())))
        case fields.EitherField(members=either):
            return smallest(either[0])
    return {}


def different(field: fields.StrictField, count: int) -> list[Any]:
    """So many values of a field, no two alike; fewer if there are not so many."""
    match field:
        case fields.ValuesField(values=values):
            every = [*values[:count]]
        case fields.IntegerField():
            every = [*range(field.least, min(field.most + 1, field.least + count))]
        case _:
            raise TypeError(f"lists of different items of {field} have no edges yet")
    return [*every, *([None] if field.allow_none else [])][:count]
