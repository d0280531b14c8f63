"""What clients are told: the contract with room for what later minor versions add, in words that every generator reads.

The converter says exactly what this version takes and gives; that is what tests hold it to. A client that is generated
from a contract has to read the next version's answers as well. So here

- objects that come in answers are open, and have no `const` and no `enum`: their descriptions say what is known so far;
- what a ruling says is one shape a kind, whatever its code: its particulars are all optional, and a map from code to
  particulars, which is never sent, stands beside it for type checkers;
- what leaving out means stands in the description, not in `default`, of which some generators make a required member;
- there is no union without a name, and no bound on the items of a list: some generators make a class of each;
- a list in a request has a name of its own where an empty one says something else than leaving it out: to a list
  without a name Java's generator gives an empty one, which is then sent.
"""

from __future__ import annotations

import json
from functools import singledispatchmethod
from typing import Any

from marshmallow.fields import Field

from service.contract.fields import (
    AnyField,
    AnyOfField,
    Closed,
    EitherField,
    IntegerField,
    ListField,
    ObjectField,
    StrictField,
    TextField,
    UnionField,
    ValuesField,
)
from service.contract.openapi.converter import TYPES, AnySchema, Converter, class_of, or_null
from service.contract.shapes import title
from service.web.strict_json import Json

LISTED = 12
"""So many values are named in a description."""
MOST = (1 << 31) - 1
"""The largest integer that every generator holds without a format."""
TAGS = {"game": ("Name", "The game"), "type": ("Type", "The type of the move")}
"""The members by which unions are told apart: what the names of their one-valued components end in, and what they are.
"""


class Shared:
    """Which shapes requests and answers are made of."""

    def __init__(self, asked: list[StrictField], given: list[StrictField]) -> None:
        self.asked, self.given = _reached(asked), _reached(given)


class OpenConverter(Converter):
    """The converter, for clients."""

    shared: Shared
    _given = False
    _asked = True
    """What is being converted comes in answers, or in requests."""

    def schema2jsonschema(self, schema: AnySchema) -> Json:
        """An object: open where answers have it."""
        shape = class_of(schema)
        around = self._given, self._asked
        self._given, self._asked = shape in self.shared.given, shape in self.shared.asked
        published = super().schema2jsonschema(schema)
        for name, field in shape.declared().items():
            published["properties"][name] = self._member(shape, name, field, published["properties"][name])
        if published.pop("not", None):
            one, other = shape.exclusive  # type: ignore[attr-defined]
            published["description"] += f" `{one}` and `{other}` exclude each other."
        if self._given:
            published["additionalProperties"] = True
        if not shape.sent:
            del published["additionalProperties"]
        if shape.beside is not None:
            published["x-by-code"] = self.resolve_nested_schema(shape.beside)  # type: ignore[no-untyped-call]
        self._given, self._asked = around
        return published

    def field2property(self, field: Field[Any]) -> Json:
        """A field; null where it is taken."""
        if isinstance(field, AnyField) and field.told is not None:
            return self.field2property(field.told)
        published = self.publish(field)
        return or_null(published) if field.allow_none and published else published

    def _member(self, shape: type[Closed], name: str, field: StrictField, published: Json) -> Json:
        if name in TAGS and isinstance(field, ValuesField) and len(field.values) == 1:
            value, (end, what) = str(field.values[0]), TAGS[name]
            said = f"{what}: `{value}`."
            one = {"type": "string", "enum": [value], "description": said}
            return {**self._component(title(value) + end, one), "description": said}
        said = shape.says().get(name) or field.doc or _expected(field)
        words = [said, *self._known(field), *_left_out(field)]
        if self._asked and isinstance(field, ListField) and _has_left_out(field):
            published = self._component(f"{shape.prefix}{title(name.replace('_', '-'))}List", published)
        return {**published, "description": " ".join(filter(None, words))}

    def _known(self, field: StrictField) -> list[str]:
        if not (self._given and isinstance(field, ValuesField) and 1 < len(field.values) <= LISTED):
            return []
        return [f"Known so far: {', '.join(f'`{value}`' for value in field.values)}."]

    @singledispatchmethod
    def publish(self, field: StrictField) -> Json:
        """As exactly, but for what follows."""
        return super().publish(field)

    @publish.register
    def _(self, field: UnionField | AnyOfField) -> Json:
        return super().publish(field) if field.told is None else self.publish(field.told)

    @publish.register
    def _(self, field: EitherField) -> Json:
        return {}

    @publish.register
    def _(self, field: ValuesField) -> Json:
        if not field.values:
            return {"type": "integer"}  # of a seat: it is nobody's
        kind = TYPES[type(field.values[0])]
        if kind == "boolean" or self._given or field.list_name:
            return {"type": kind}
        return {"type": kind, "enum": list(field.values)}

    @publish.register
    def _(self, field: IntegerField) -> Json:
        if not self._asked:
            return {"type": "integer"}
        bounds = {"minimum": field.least, "maximum": field.most}
        return {"type": "integer"} | {name: bound for name, bound in bounds.items() if abs(bound) <= MOST}

    @publish.register
    def _(self, field: TextField) -> Json:
        return super().publish(field) if self._asked else {"type": "string"}

    @publish.register
    def _(self, field: ListField) -> Json:
        published = super().publish(field)
        published.pop("uniqueItems", None)
        if not self._asked:
            published = {"type": "array", "items": published["items"]}
        if isinstance(field.item, IntegerField | TextField | ValuesField):
            published["items"] = {"type": published["items"]["type"]}
        return published


def _expected(field: StrictField) -> str:
    """What fits a member of which nothing else is said."""
    if isinstance(field, ObjectField):
        return " ".join((field.shape.__doc__ or "").split())
    if isinstance(field, ValuesField) and len(field.values) > 1:
        return "" if len(field.values) <= LISTED else f"Such as `{field.values[0]}`."
    expected = str(field.expected)
    return f"{expected[:1].upper()}{expected[1:]}."


def _left_out(field: StrictField) -> list[str]:
    default = field.load_default
    return [f"Left out: `{json.dumps(default)}`."] if isinstance(default, str | int) else []


def _has_left_out(field: ListField) -> bool:
    """Whether leaving a list out says something else than an empty list and null do."""
    return not (field.required or field.allow_none) and field.load_default != ()


def _reached(fields: list[StrictField]) -> frozenset[type[Closed]]:
    """Every shape that these fields are made of, as clients are told."""
    shapes: set[type[Closed]] = set()
    todo = list(fields)
    while todo:
        field = todo.pop()
        told = getattr(field, "told", None)
        if told is not None:
            todo.append(told)
        elif isinstance(field, ObjectField):
            for shape in (field.shape, field.shape.beside):
                if shape is not None and shape not in shapes:
                    shapes.add(shape)
                    todo += shape.declared().values()
        elif isinstance(field, ListField):
            todo.append(field.item)
        elif isinstance(field, UnionField):
            todo += field.members.values()
        elif isinstance(field, AnyOfField | EitherField):
            todo += field.members
    return frozenset(shapes)
