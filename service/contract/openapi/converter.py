"""Fields as the JSON Schema of OpenAPI 3.1, in words that every client generator reads.

The contract says exactly what a request may hold, and of an answer what a client may rely on:

- a shape that a request has is closed, with its values and bounds. Answers share some of them (states, moves, rulesets,
  cards), so that the state of an answer can be posted again;
- every other shape of answers is open: a later minor version may add members and values, and a description lists the
  values known so far. Rulings of one kind share one shape, whatever their code, with all parameters optional;
- a description that every member of one type has is that of the type's component;
- a default is given in the member's description alone: of a `default` some generators make a required member;
- every union has a name: otherwise some generators make a class of each;
- a list in a request has a name of its own if an empty list means something else than no list. Java's client sends an
  empty list for one that is left out, unless it has a name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import engines
from service.contract import fields
from service.contract.fields import Closed, StrictField
from service.contract.shapes import title
from service.strict_json import Json

SCHEMAS = "#/components/schemas/"
TYPES = {str: "string", int: "integer", bool: "boolean"}
MOST_VALUES_LISTED = 12  #: A description lists at most this many values.
ANY_TYPE = ["object", "array", "string", "number", "boolean", "null"]
"""The schema where any value will do: some generators ignore a member without a type."""
TAGS = {"game": ("Name", "The game"), "type": ("Type", "The type of the move")}
"""The members that distinguish the shapes of a union, each with the end of its components' names and its meaning."""


class Converter:
    """Converts fields and collects the components that they refer to in `schemas`.

    `requests`: the fields of all bodies. `game`: the only game whose shapes are used, in place of unions with those of
    other games; None: every game.
    """

    def __init__(self, requests: Iterable[StrictField], game: str | None = None) -> None:
        self.schemas: dict[str, Json] = {}
        self._game = game
        self._requests = _shapes_of(requests)
        self._made: set[type[Closed]] = set()

    def schema(self, field: StrictField, *, exact: bool, name: str | None = None) -> Json:
        """The schema of a field; `name`: of its component, if it has one.

        `exact`: with its values and bounds; without them a later version may send others.
        """
        schema = self._not_null(field, exact=exact)
        if name is not None:
            schema = self._named(name, schema)
        return _or_null(schema) if field.allow_none or field.null_is_left_out else schema

    def described_once(self) -> dict[str, Json]:
        """All components. Where each member of one type has the same description, it is the component's instead.

        Not of lists: Java's client sends an empty list for one that is left out, unless words stand beside its name.
        """
        members = [each for schema in self.schemas.values() for each in schema.get("properties", {}).values()]
        for name, schema in self.schemas.items():
            of_type = [each for each in members if _component_of(each) == name]
            docs = {each["description"] for each in of_type}
            if len(docs) == 1 and schema.get("description") in (None, *docs) and schema.get("type") != "array":
                schema["description"] = docs.pop()
                for each in of_type:
                    del each["description"]
        return self.schemas

    def _not_null(self, field: StrictField, *, exact: bool) -> Json:  # noqa: C901, PLR0911 - a table: one row a field
        """The schema of a field, null aside."""
        if self._game is not None:
            field = _of_game(field, self._game)
        match field:
            case fields.ValuesField():
                return self._values(field, exact=exact)
            case fields.IntegerField():
                return {"type": "integer"} | ({"minimum": field.least, "maximum": field.most} if exact else {})
            case fields.TextField():
                return {"type": "string"} | (_text_bounds(field) if exact else {})
            case fields.ListField():
                return self._list(field, exact=exact)
            case fields.ObjectField():
                return self._reference(field.shape)
            case fields.UnionField():
                return self._union(field)
            case fields.AnyOfField():
                members = [self._not_null(each, exact=exact) for each in field.members]
                return self._named(field.union, {"anyOf": members})
            case fields.BooleanField():
                return {"type": "boolean"}
            case fields.AnyField():
                return {"type": ANY_TYPE, "additionalProperties": True, "items": {}}
        return {"type": "object", "additionalProperties": True}

    def _values(self, field: fields.ValuesField, *, exact: bool) -> Json:
        """The schema of a closed list of values, which are listed where it is exact or has a name."""
        if not field.values:
            return {"type": ["integer", "null"], "const": None}  # a seat that is always null; Go knows no type of null
        kind = TYPES[type(field.values[0])]
        if not (exact or field.list_name):
            return {"type": kind}
        listed = {"enum": list(field.values)} if field.pattern is None else {"pattern": f"^{field.pattern}$"}
        return self._named(field.list_name, {"type": kind, **listed})

    def _list(self, field: fields.ListField, *, exact: bool) -> Json:
        """The schema of a list."""
        bounds = _bounds("Items", field) if exact else {}
        unique = {"uniqueItems": True} if field.unique and exact else {}
        return {"type": "array", "items": self.schema(field.item, exact=exact), **bounds, **unique}

    def _union(self, field: fields.UnionField) -> Json:
        """The schema of a union whose shapes a member distinguishes."""
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
        """The schema of an object: closed and exact if a request has it, else open."""
        exact = shape in self._requests
        declared = shape.declared()
        required = [name for name, field in declared.items() if field.required]
        schema: Json = {
            "type": "object",
            "description": " ".join((shape.__doc__ or "").split()),
            "properties": {name: self._member(shape, name, field, exact=exact) for name, field in declared.items()},
            **({"required": required} if required else {}),
            "additionalProperties": not exact,
        }
        if refused := [*_refused(shape)]:
            schema["not"] = refused[0] if len(refused) == 1 else {"anyOf": refused}
        return schema

    def _member(self, shape: type[Closed], name: str, field: StrictField, *, exact: bool) -> Json:
        """A member with its description."""
        if name in TAGS and isinstance(field, fields.ValuesField) and len(field.values) == 1:
            value = str(field.values[0])
            end, what = TAGS[name]
            doc = f"{what}: `{value}`."
            return {
                **self._named(title(value) + end, {"type": "string", "enum": [value], "description": doc}),
                "description": doc,
            }
        named = exact and isinstance(field, fields.ListField) and _differs_from_empty(field)
        list_name = f"{shape.prefix}{title(name.replace('_', '-'))}List" if named else None
        schema = self.schema(field, exact=exact, name=list_name)
        docs = [shape.docs().get(name) or field.doc or _expected(field)]
        if not exact and isinstance(field, fields.ValuesField) and 1 < len(field.values) <= MOST_VALUES_LISTED:
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


def _component_of(member: Json) -> str | None:
    """The name of the component that is the type of a member, null aside; None where it has none."""
    match member:
        case {"$ref": reference} | {"anyOf": [{"$ref": reference}, {"type": "null"}]}:
            return str(reference).removeprefix(SCHEMAS)
    return None


def _refused(shape: type[Closed]) -> Iterator[Json]:
    """What no body of this shape may fit."""
    if shape.exclusive:
        some = {"not": {"type": "null"}}
        yield {"required": list(shape.exclusive), "properties": dict.fromkeys(shape.exclusive, some)}
    if drawn := [_move_with(kind, name) for kind, names in shape.drawn.items() for name in names]:
        yield {"required": ["moves"], "properties": {"moves": {"contains": {"anyOf": drawn}}}}
    for name, rulesets in shape.by_ruleset.items():
        field = shape.declared()["ruleset"]
        assert isinstance(field, fields.ObjectField)
        assert issubclass(field.shape, fields.Ruled)
        first, *_ = field.shape.presets
        others = [each for each in field.shape.presets if each not in rulesets]
        if first in rulesets:
            yield {"required": [name, "ruleset"], "properties": {name: {}, "ruleset": _ruleset_of(others)}}
        else:
            named = {"required": ["ruleset"], "properties": {"ruleset": _ruleset_of(rulesets)}}
            yield {"required": [name], "properties": {name: {}}, "not": named}


def _move_with(kind: str, member: str) -> Json:
    """What fits a move of this type that has this member."""
    return {"required": ["type", member], "properties": {"type": {"enum": [kind]}, member: {}}}


def _ruleset_of(names: Iterable[str]) -> Json:
    """What fits a ruleset that says one of these names."""
    return {"type": "object", "required": ["name"], "properties": {"name": {"enum": [*names]}}}


def _bounds(of: str, field: fields.TextField | fields.ListField) -> Json:
    """The least and the most characters or items. `of`: how the keywords end, `Length` or `Items`."""
    low = {f"min{of}": field.least} if field.least else {}
    return low if field.most is None else {**low, f"max{of}": field.most}


def _text_bounds(field: fields.TextField) -> Json:
    """The keywords for length and pattern of a text."""
    fixed = field.pattern is not None and field.least == field.most  # the pattern says the length, too
    pattern = {} if field.pattern is None else {"pattern": f"^{field.pattern}$"}
    return pattern if fixed else {**_bounds("Length", field), **pattern}


def _or_null(schema: Json) -> Json:
    """A schema that takes null as well."""
    if "null" in schema.get("type", ()):
        return schema
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _expected(field: StrictField) -> str:
    """The description of a member that has none of its own: what it takes."""
    if isinstance(field, fields.ObjectField):
        return " ".join((field.shape.__doc__ or "").split())
    if isinstance(field, fields.ValuesField) and len(field.values) > 1:
        return "" if len(field.values) <= MOST_VALUES_LISTED else f"Such as `{field.values[0]}`."
    expected = str(field.expected)
    return f"{expected[:1].upper()}{expected[1:]}."


def _differs_from_empty(field: fields.ListField) -> bool:
    """Whether leaving out the list means something else than an empty list. No for a list that may be null."""
    return not (field.required or field.allow_none) and field.load_default != ()


def _shapes_of(several: Iterable[StrictField]) -> frozenset[type[Closed]]:
    """Every shape that these fields consist of."""
    shapes: set[type[Closed]] = set()
    todo = list(several)
    while todo:
        match todo.pop():
            case fields.ObjectField(shape=shape) if shape not in shapes:
                shapes.add(shape)
                todo += shape.declared().values()
            case fields.ListField(item=item):
                todo.append(item)
            case fields.UnionField(members=by_tag):
                todo += by_tag.values()
            case fields.AnyOfField(members=members):
                todo += members
    return frozenset(shapes)
