"""One field that fits what any of several fits: what codes of one kind have in common, told once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from service.contract.fields import AnyField, IntegerField, ListField, ObjectField, StrictField, TextField, ValuesField


def joined(fields: Iterable[StrictField]) -> StrictField:
    """The narrowest field that takes what each of these takes; any value where they have no type in common."""
    return reduce(_either, fields)


def _either(one: StrictField, other: StrictField) -> StrictField:
    null = one.allow_none or other.allow_none
    match one, other:
        case (ValuesField(values=()), IntegerField(least=least, most=most)) | (
            IntegerField(least=least, most=most),
            ValuesField(values=()),
        ):
            return IntegerField(least, most, allow_none=True)
        case IntegerField(), IntegerField():
            return IntegerField(min(one.least, other.least), max(one.most, other.most), allow_none=null)
        case ValuesField(), ValuesField() if one.values == other.values:
            return ValuesField(one.values, one.list_name, allow_none=null)
        case ListField(), ListField():
            return ListField(_either(one.item, other.item), allow_none=null)
        case ObjectField(), ObjectField() if one.shape is other.shape:
            return ObjectField(one.shape, allow_none=null)
    return TextField(allow_none=null) if _is_text(one) and _is_text(other) else AnyField()


def _is_text(field: StrictField) -> bool:
    return isinstance(field, TextField) or (
        isinstance(field, ValuesField) and all(isinstance(value, str) for value in field.values)
    )
