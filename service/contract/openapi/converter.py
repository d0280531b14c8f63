"""From our marshmallow schemas to the JSON Schema of OpenAPI 3.1: every object closed, unions with discriminator."""

from __future__ import annotations

from functools import singledispatchmethod
from typing import Any, TypeAlias, cast

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import resolve_schema_cls
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import Schema
from marshmallow.fields import Field

from service.contract.fields import (
    AnyObjectField,
    AnyOfField,
    BooleanField,
    Built,
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
from service.web.strict_json import Json

AnySchema: TypeAlias = Schema | type[Schema] | str
"""As apispec takes them."""
TYPES = {str: "string", int: "integer", bool: "boolean"}


class Converter(OpenAPIConverter):
    """apispec's converter with words for our fields."""

    def schema2jsonschema(self, schema: AnySchema) -> Json:
        """A closed object."""
        shape: type[Closed] = class_of(schema)
        declared = shape.declared()
        required = [name for name, field in declared.items() if field.required]
        exclusive = shape.exclusive if issubclass(shape, Built) else ()
        return {
            "type": "object",
            "description": " ".join((shape.__doc__ or "").split()),
            "properties": {name: self.field2property(field) for name, field in declared.items()},
            **({"required": required} if required else {}),
            **({"not": {"required": list(exclusive)}} if exclusive else {}),
            "additionalProperties": False,
        }

    def field2property(self, field: Field[Any]) -> Json:
        """A field: null where it is taken, and the default where it is plain."""
        published = self.publish(field)
        if field.allow_none and published:
            published = or_null(published)
        if isinstance(field.load_default, str | int):
            published["default"] = field.load_default
        return published

    @singledispatchmethod
    def publish(self, field: StrictField) -> Json:
        """A field, null and default aside. One without words of its own takes anything."""
        return {}

    @publish.register
    def _(self, field: BooleanField) -> Json:
        return {"type": "boolean"}

    @publish.register
    def _(self, field: ValuesField) -> Json:
        if not field.values:
            return {"type": "null"}
        listed: Json = {"type": TYPES[type(field.values[0])]}
        listed |= {"const": field.values[0]} if len(field.values) == 1 else {"enum": list(field.values)}
        return self._component(field.list_name, listed) if field.list_name else listed

    @publish.register
    def _(self, field: IntegerField) -> Json:
        return {"type": "integer", "minimum": field.least, "maximum": field.most}

    @publish.register
    def _(self, field: TextField) -> Json:
        return {"type": "string"} | _bounds("Length", field.least, field.most)

    @publish.register
    def _(self, field: ListField) -> Json:
        unique = {"uniqueItems": True} if field.unique else {}
        return (
            {"type": "array", "items": self.field2property(field.item)}
            | _bounds("Items", field.least, field.most)
            | unique
        )

    @publish.register
    def _(self, field: ObjectField) -> Json:
        reference: Json = self.resolve_nested_schema(field.shape)  # type: ignore[no-untyped-call]
        return reference

    @publish.register
    def _(self, field: AnyObjectField) -> Json:
        return {"type": "object", "additionalProperties": True}

    @publish.register
    def _(self, field: UnionField) -> Json:
        if not field.members:
            return {"type": "null"}
        references = {tag: self.publish(member) for tag, member in field.members.items()}
        union: Json = {
            "oneOf": list(references.values()),
            "discriminator": {
                "propertyName": field.key,
                "mapping": {tag: reference["$ref"] for tag, reference in references.items()},
            },
        }
        return self._component(field.union, union) if field.union else union

    @publish.register
    def _(self, field: EitherField) -> Json:
        return {"anyOf": [self.publish(member) for member in field.members]}

    @publish.register
    def _(self, field: AnyOfField) -> Json:
        union = {"anyOf": [self.publish(member) for member in field.members]}
        return self._component(field.union, union) if field.union else union

    def _component(self, name: str, published: Json) -> Json:
        if name not in self.spec.components.schemas:
            self.spec.components.schema(name, published)
        assert self.spec.components.schemas[name] == published, f"two shapes are called {name}"
        return {"$ref": f"#/components/schemas/{name}"}


class Plugin(MarshmallowPlugin):
    """apispec's plugin with our converter; components are called as their schemas say."""

    def __init__(self, converter: type[Converter]) -> None:
        super().__init__(lambda schema: class_of(schema).component)
        self.Converter = converter

    def published(self, spec: APISpec, field: StrictField) -> Json:
        """The schema of a field, its components added to the document."""
        assert self.converter is not None
        return self.converter.field2property(field)


def class_of(schema: AnySchema) -> type[Closed]:
    """The schema itself, as apispec passes it around."""
    return cast("type[Closed]", resolve_schema_cls(schema))


def _bounds(of: str, least: int, most: int | None) -> Json:
    low = {f"min{of}": least} if least else {}
    return low if most is None else {**low, f"max{of}": most}


def or_null(published: Json) -> Json:
    """The same, or null."""
    plain = isinstance(published.get("type"), str) and not published.keys() & {"enum", "const"}
    if published == {"type": "null"}:
        return published
    if plain:
        return {**published, "type": [published["type"], "null"]}
    return {"anyOf": [published, {"type": "null"}]}
