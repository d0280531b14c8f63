"""Fields as the JSON Schema of OpenAPI 3.1, in one of two readings.

The closed reading says exactly what this version takes and returns; tests hold every answer to it.

The open reading is `openapi.yaml`. A client that is generated from it must read the answers of later minor versions,
and every generator must understand it. So in the open reading

- objects in answers are open and have no `const`, no `enum` and no bounds; a description lists the values known so far;
- a move in an answer has one shape, whatever its type, with the members of all types optional;
- rulings of one kind share one shape, whatever their code, with all parameters optional. `x-by-code` beside it maps
  each code to its parameters, for type checkers; it is never sent;
- a default is given in the member's description alone: of a `default` some generators make a required member;
- every union has a name, and items of lists have no bounds: otherwise some generators make a class of each;
- a list in a request has a name of its own if an empty list means something else than no list. Java's client sends an
  empty list for one that is left out, unless it has a name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal, TypeAlias

import engines
from service.contract import fields
from service.contract.fields import Closed, StrictField
from service.contract.shapes import title
from service.strict_json import Json

Reading: TypeAlias = Literal["open", "closed", "writing"]
"""`writing` is the closed reading for clients: without links, examples, and operations that no client calls."""

SCHEMAS = "#/components/schemas/"
TYPES = {str: "string", int: "integer", bool: "boolean"}
LISTED = 12  #: A description lists at most this many values.
MOST = (1 << 31) - 1  #: The largest integer that every generator holds without a format.
TAGS = {"game": ("Name", "The game"), "type": ("Type", "The type of the move")}
"""The members that tell the shapes of a union apart, each with the end of its components' names and its meaning."""


ANY_TYPE = ["object", "array", "string", "number", "boolean", "null"]
"""Said where any value will do, because a member without a type is none for some generators."""


class Converter:
    """Converts fields and collects the components that they refer to in `schemas`.

    `game`: the only game whose shapes are used, in place of unions with those of other games; None: every game.
    """

    def __init__(
        self,
        reading: Reading,
        requests: Iterable[StrictField],
        answers: Iterable[StrictField],
        game: str | None = None,
    ) -> None:
        self.schemas: dict[str, Json] = {}
        self._open = reading == "open"
        self._game = game
        self._requests = _shapes_of(requests)
        self._answers = _shapes_of(answers)
        self._made: set[type[Closed]] = set()

    def schema(self, field: StrictField, *, sent: bool = False, name: str | None = None) -> Json:
        """The schema of a field; `name`: of its component, if it has one.

        `sent`: its shape is one of answers; it has no bounds then, because a later version may send more.
        """
        schema = self._not_null(field, sent=sent)
        if name is not None:
            schema = self._named(name, schema)
        if (field.allow_none or field.null_is_left_out) and not isinstance(field, fields.AnyField):
            schema = _or_null(schema)
        if not self._open and isinstance(field.load_default, str | int):
            schema["default"] = field.load_default
        return schema

    def _not_null(self, field: StrictField, *, sent: bool) -> Json:  # noqa: C901, PLR0911 — a table: one row a field
        """The schema of a field, null aside."""
        if self._open and field.published is not None:
            field = field.published
        if self._game is not None:
            field = _of_game(field, self._game)
        match field:
            case fields.BooleanField():
                return {"type": "boolean"}
            case fields.ValuesField():
                return self._values(field, sent=sent)
            case fields.IntegerField():
                return {"type": "integer"} | ({} if sent else self._integer_bounds(field))
            case fields.TextField():
                return {"type": "string"} | ({} if sent else _text_bounds(field))
            case fields.ListField():
                return self._list(field, sent=sent)
            case fields.ObjectField():
                return self._reference(field.shape)
            case fields.AnyObjectField():
                return {"type": "object", "additionalProperties": True}
            case fields.UnionField():
                return self._union(field)
            case fields.AnyOfField():
                return self._named(field.union, {"anyOf": [self._not_null(each, sent=sent) for each in field.members]})
        return {"type": ANY_TYPE}

    def _values(self, field: fields.ValuesField, *, sent: bool) -> Json:
        """The schema of a closed list of values. The open reading lists them only for requests, and if it is short."""
        if not field.values:
            return (
                {"type": "integer"} if self._open else {"type": "null"}
            )  # the only member that is always null is a seat
        kind = TYPES[type(field.values[0])]
        if not self._open and field.pattern is not None:
            return self._named(field.list_name, {"type": kind, "pattern": f"^{field.pattern}$"})
        if not self._open:
            listed = {"const": field.values[0]} if len(field.values) == 1 else {"enum": list(field.values)}
            return self._named(field.list_name, {"type": kind, **listed})
        if kind == "boolean" or sent or field.list_name:
            return {"type": kind}
        return {"type": kind, "enum": list(field.values)}

    def _integer_bounds(self, field: fields.IntegerField) -> Json:
        """The bounds of an integer; in the open reading those that every generator can hold."""
        bounds = {"minimum": field.least, "maximum": field.most}
        return {name: bound for name, bound in bounds.items() if not self._open or abs(bound) <= MOST}

    def _list(self, field: fields.ListField, *, sent: bool) -> Json:
        """The schema of a list; in the open reading plain items have no bounds."""
        items = self.schema(field.item, sent=sent)
        if self._open and isinstance(field.item, fields.IntegerField | fields.TextField | fields.ValuesField):
            items = {"type": items["type"]}
        bounds = {} if sent else _bounds("Items", field)
        unique = {"uniqueItems": True} if field.unique and not self._open else {}
        return {"type": "array", "items": items, **bounds, **unique}

    def _union(self, field: fields.UnionField) -> Json:
        """The schema of a union whose shapes a member tells apart."""
        if not field.members:
            return {"type": "null"}
        references = {tag: self._reference(member.shape) for tag, member in field.members.items()}
        mapping = {tag: reference["$ref"] for tag, reference in references.items()}
        discriminator = {"propertyName": field.key, "mapping": mapping}
        return self._named(field.union, {"oneOf": list(references.values()), "discriminator": discriminator})

    def _reference(self, shape: type[Closed]) -> Json:
        """A reference to the component of a shape; the first reference makes the component."""
        if shape not in self._made:
            self._made.add(shape)
            self._named(shape.component, self._object(shape))
        return {"$ref": SCHEMAS + shape.component}

    def _named(self, name: str | None, schema: Json) -> Json:
        """A reference to the component of this name; the schema itself where there is no name."""
        if name is None:
            return schema
        assert self.schemas.setdefault(name, schema) == schema, f"two shapes are called {name}"
        return {"$ref": SCHEMAS + name}

    def _object(self, shape: type[Closed]) -> Json:
        """The schema of an object; in the open reading those in answers may have more members."""
        sent = self._open and shape in self._answers
        declared = shape.declared()
        required = [name for name, field in declared.items() if field.required]
        schema: Json = {
            "type": "object",
            "description": " ".join((shape.__doc__ or "").split()),
            "properties": {name: self._member(shape, name, field, sent=sent) for name, field in declared.items()},
            **({"required": required} if required else {}),
        }
        if shape.exclusive and self._open:
            one, other = shape.exclusive
            schema["description"] += f" `{one}` and `{other}` exclude each other."
        elif shape.exclusive:
            some = {"not": {"type": "null"}}
            schema["not"] = {"required": list(shape.exclusive), "properties": dict.fromkeys(shape.exclusive, some)}
        if shape.sent:
            schema["additionalProperties"] = sent
        if shape.beside is not None and self._open:
            schema["x-by-code"] = self._reference(shape.beside)
        return schema

    def _member(self, shape: type[Closed], name: str, field: StrictField, *, sent: bool) -> Json:
        """A member with its description; in the open reading every one has one."""
        if not self._open:
            schema, doc = self.schema(field), shape.docs().get(name) or field.doc
            return {**schema, "description": doc} if doc else schema
        if name in TAGS and isinstance(field, fields.ValuesField) and len(field.values) == 1:
            value = str(field.values[0])
            end, what = TAGS[name]
            doc = f"{what}: `{value}`."
            component = self._named(title(value) + end, {"type": "string", "enum": [value], "description": doc})
            return {**component, "description": doc}
        named = shape in self._requests and isinstance(field, fields.ListField) and _differs_from_empty(field)
        list_name = f"{shape.prefix}{title(name.replace('_', '-'))}List" if named else None
        schema = self.schema(field, sent=sent or named, name=list_name)  # no bounds: they differ from shape to shape
        docs = [shape.docs().get(name) or field.doc or _expected(field)]
        if sent and isinstance(field, fields.ValuesField) and 1 < len(field.values) <= LISTED:
            docs.append(f"Known so far: {', '.join(f'`{value}`' for value in field.values)}.")
        if isinstance(field.load_default, str | int):
            docs.append(f"Left out: `{json.dumps(field.load_default)}`.")
        return {**schema, "description": " ".join(filter(None, docs))}


def _of_game(field: StrictField, game: str) -> StrictField:
    """The part of a union of all games, or of a list of them, that is of this game; any other field as it is."""
    match field:
        case fields.UnionField(key="game", members=by_game):
            return by_game[game]
        case fields.ValuesField(values=values) if values == tuple(engines.registry()):
            return fields.ValuesField((game,))
        case fields.AnyOfField(members=members):
            mine = [each for each in members if _prefix(each) in ("", title(game))]
            return mine[0] if len(mine) == 1 else fields.AnyOfField(mine, field.union)
    return field


def _prefix(field: StrictField) -> str:
    """How the component of a field begins: with a game, or with nothing."""
    match field:
        case fields.ListField(item=item):
            return _prefix(item)
        case fields.UnionField(members=members):
            return _prefix(next(iter(members.values())))
        case fields.ObjectField(shape=shape):
            return shape.prefix
    return ""


def _bounds(of: str, field: fields.TextField | fields.ListField) -> Json:
    """The least and the most characters or items. `of`: how the keywords end, `Length` or `Items`."""
    low = {f"min{of}": field.least} if field.least else {}
    return low if field.most is None else {**low, f"max{of}": field.most}


def _text_bounds(field: fields.TextField) -> Json:
    fixed = field.pattern is not None and field.least == field.most  # the pattern says the length, too
    pattern = {} if field.pattern is None else {"pattern": f"^{field.pattern}$"}
    return pattern if fixed else {**_bounds("Length", field), **pattern}


def _or_null(schema: Json) -> Json:
    """A schema that takes null as well."""
    if not schema or schema == {"type": "null"}:  # an empty schema takes anything
        return schema
    if isinstance(schema.get("type"), str) and not schema.keys() & {"enum", "const"}:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _expected(field: StrictField) -> str:
    """The description of a member that has none of its own: what it takes."""
    if isinstance(field, fields.ObjectField):
        return " ".join((field.shape.__doc__ or "").split())
    if isinstance(field, fields.ValuesField) and len(field.values) > 1:
        return "" if len(field.values) <= LISTED else f"Such as `{field.values[0]}`."
    expected = str(field.expected)
    return f"{expected[:1].upper()}{expected[1:]}."


def _differs_from_empty(field: fields.ListField) -> bool:
    """Whether leaving out the list means something else than an empty list. No for a list that may be null."""
    return not (field.required or field.allow_none) and field.load_default != ()


def _shapes_of(several: Iterable[StrictField]) -> frozenset[type[Closed]]:
    """Every shape that these fields consist of in the open reading."""
    shapes: set[type[Closed]] = set()
    todo = list(several)
    while todo:
        match todo.pop():
            case StrictField(published=StrictField() as field):
                todo.append(field)
            case fields.ObjectField(shape=shape):
                for each in (shape, shape.beside):
                    if each is not None and each not in shapes:
                        shapes.add(each)
                        todo += each.declared().values()
            case fields.ListField(item=item):
                todo.append(item)
            case fields.UnionField(members=by_tag):
                todo += by_tag.values()
            case fields.AnyOfField(members=members):
                todo += members
    return frozenset(shapes)
