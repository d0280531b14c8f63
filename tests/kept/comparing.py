"""Compare two versions of the contract: what breaks a client of the older one, and what is only new.

The closed reading of each is compared. A request may only accept more; an answer may only gain members.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]
Side: TypeAlias = Literal["asked", "given"]

PROSE = {"description", "summary", "examples", "links", "tags", "title", "x-game", "security"}
"""Keys that do not concern a client's code."""


@dataclass
class Differences:
    """`broken`: what was removed or narrowed; `added`: what is new."""

    broken: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)


def differences(old: Json, new: Json) -> Differences:
    """Compare two documents made by `bare`."""
    found = Differences()
    found.broken += [f"the component {name} is gone" for name in old["names"] if name not in new["names"]]
    comparison = _Comparison(old, new, found)
    for path, methods in old["paths"].items():
        for method, operation in methods.items():
            now = new["paths"].get(path, {}).get(method)
            where = f"{method.upper()} {path}"
            if now is None:
                found.broken.append(f"{where} is gone")
            else:
                comparison.operation(operation, now, where)
    asked = {(path, method) for path, methods in old["paths"].items() for method in methods}
    found.added += [
        f"{method.upper()} {path}"
        for path, methods in new["paths"].items()
        for method in methods
        if (path, method) not in asked
    ]
    found.broken, found.added = list(dict.fromkeys(found.broken)), list(dict.fromkeys(found.added))
    return found


def bare(closed: Json, published: Json, version: str) -> Json:
    """Return the part of the contract that must stay compatible. The component names are those of the open reading."""
    return {
        "version": version,
        "names": sorted(published["components"]["schemas"]),
        "paths": _without_prose(closed["paths"]),
        "components": {kind: _without_prose(closed["components"][kind]) for kind in ("parameters", "schemas")},
    }


def _without_prose(part: Any, *, named: bool = True) -> Any:
    """Drop the keys that concern no code. `named`: the keys of `part` are names of our own, not OpenAPI keywords."""
    if isinstance(part, list):
        return [_without_prose(each, named=False) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        name: _without_prose(each, named=not named and name in ("properties", "mapping", "responses"))
        for name, each in part.items()
        if named or name not in PROSE
    }


@dataclass(frozen=True)
class Shape:
    """A schema without null. `kind`: any, never, values, union, either, or a JSON type; `null`: null is allowed."""

    kind: str
    schema: Json
    null: bool


class _Comparison:
    def __init__(self, old: Json, new: Json, found: Differences) -> None:
        self._old, self._new, self._found = old["components"], new["components"], found
        self._seen: set[tuple[str, str, Side]] = set()

    def operation(self, old: Json, new: Json, where: str) -> None:
        """Compare one call."""
        if old["operationId"] != new["operationId"]:
            self._found.broken.append(f"{where} is no longer called {old['operationId']}")
        before, after = self._parameters(old, self._old), self._parameters(new, self._new)
        for key, parameter in after.items():
            if key in before:
                self._schemas(before[key]["schema"], parameter["schema"], "asked", f"{where} {key}")
            elif parameter.get("required"):
                self._found.broken.append(f"{where} {key} must be there")
            else:
                self._found.added.append(f"{where} {key}")
        self._found.broken += [f"{where} {key} is gone" for key in before if key not in after]
        if "requestBody" in old:
            self._contents(old["requestBody"], new.get("requestBody", {}), "asked", where)
        elif "requestBody" in new:
            self._found.broken.append(f"{where} takes a body")
        for status, answer in old["responses"].items():
            if status in new["responses"]:
                now = new["responses"][status]
                self._contents(answer, now, "given", f"{where} {status}")
                lost = answer.get("headers", {}).keys() - now.get("headers", {}).keys()
                self._found.broken += [f"{where} {status} has no header {name}" for name in sorted(lost)]
            else:
                self._found.broken.append(f"{where} is never answered {status}")
        self._found.added += [f"{where} {status}" for status in new["responses"] if status not in old["responses"]]

    def _parameters(self, operation: Json, components: Json) -> dict[str, Json]:
        every = [_resolved(each, components) for each in operation.get("parameters", ())]
        return {f"{each['in']} {each['name']}": each for each in every}

    def _contents(self, old: Json, new: Json, side: Side, where: str) -> None:
        for media_type, content in old.get("content", {}).items():
            if media_type in new.get("content", {}):
                self._schemas(content["schema"], new["content"][media_type]["schema"], side, where)
            else:
                self._found.broken.append(f"{where} is no {media_type}")

    def _schemas(self, old: Json, new: Json, side: Side, where: str) -> None:
        if "$ref" in old and "$ref" in new:
            where = old["$ref"].rpartition("/")[2]
            if (old["$ref"], new["$ref"], side) in self._seen:
                return
            self._seen.add((old["$ref"], new["$ref"], side))
        before, after = self._shape(old, self._old), self._shape(new, self._new)
        if side == "asked" and before.null and not after.null and after.kind != "any":
            self._found.broken.append(f"{where} may not be null")
        if side == "given" and after.null and not before.null:
            self._found.broken.append(f"{where} may be null")
        inner, inner_now = _inner(old), _inner(new)
        if inner and inner_now:
            self._schemas(inner, inner_now, side, where)
        elif before.kind == after.kind:
            getattr(self, f"_{before.kind}", self._same)(before.schema, after.schema, side, where)
        elif not (side == "asked" and after.kind == "any") and not self._widened(before, after):
            self._found.broken.append(f"{where} was {before.kind}, is {after.kind}")

    def _widened(self, before: Shape, after: Shape) -> bool:
        """Return whether a list of values was replaced by every value of their type."""
        return before.kind == "values" and all(_type_of(value) == after.kind for value in _values(before.schema))

    def _shape(self, schema: Json, components: Json) -> Shape:
        schema = _resolved(schema, components)
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return Shape(next(kind for kind in kinds if kind != "null"), schema, null=True)
        if kinds == "null":
            return Shape("never", schema, null=True)
        if "anyOf" in schema and {"type": "null"} in schema["anyOf"]:
            others = [each for each in schema["anyOf"] if each != {"type": "null"}]
            inner = self._shape(others[0] if len(others) == 1 else {"anyOf": others}, components)
            return Shape(inner.kind, inner.schema, null=True)
        for kind, words in KINDS.items():
            if schema.keys() & words:
                return Shape(kind, schema, null=False)
        return Shape(kinds or "any", schema, null=kinds is None)

    def _same(self, old: Json, new: Json, side: Side, where: str) -> None:
        if side == "asked":
            self._found.broken += [f"{where}: {each}" for each in _narrowed(old, new)]

    def _values(self, old: Json, new: Json, side: Side, where: str) -> None:
        lost = [value for value in _values(old) if value not in _values(new)]
        self._found.broken += [f"{where} is never {value!r}" for value in lost]
        self._found.added += [f"{where}: {value!r}" for value in _values(new) if value not in _values(old)]

    def _array(self, old: Json, new: Json, side: Side, where: str) -> None:
        self._same(old, new, side, where)
        self._schemas(old["items"], new["items"], side, f"{where}[]")

    def _object(self, old: Json, new: Json, side: Side, where: str) -> None:
        before, after = old.get("properties", {}), new.get("properties", {})
        for name, member in before.items():
            if name in after:
                self._schemas(member, after[name], side, f"{where}.{name}")
            else:
                self._found.broken.append(f"{where}.{name} is gone")
        self._found.added += [f"{where}.{name}" for name in after if name not in before]
        needed, needed_now = set(old.get("required", ())), set(new.get("required", ()))
        if side == "asked":
            self._found.broken += [f"{where}.{name} must be there" for name in sorted(needed_now - needed)]
            self._found.broken += (
                [f"{where}: not {new['not']}"] if new.get("not", old.get("not")) != old.get("not") else []
            )
        else:
            left_out = sorted((needed - needed_now) & after.keys())
            self._found.broken += [f"{where}.{name} may be left out" for name in left_out]

    def _union(self, old: Json, new: Json, side: Side, where: str) -> None:
        before, after = old["discriminator"]["mapping"], new["discriminator"]["mapping"]
        for tag, member in before.items():
            if tag in after:
                self._schemas({"$ref": member}, {"$ref": after[tag]}, side, f"{where} {tag}")
            else:
                self._found.broken.append(f"{where} has no {tag}")
        self._found.added += [f"{where}: {tag}" for tag in after if tag not in before]

    def _either(self, old: Json, new: Json, side: Side, where: str) -> None:
        for each in old["anyOf"]:
            if not any(self._fits(each, other, side) for other in new["anyOf"]):
                self._found.broken.append(f"{where} is never {each}")

    def _fits(self, old: Json, new: Json, side: Side) -> bool:
        """Return whether the new member of a union can replace the old one."""
        if "$ref" in old or "$ref" in new:
            if old == new:
                self._schemas(old, new, side, "")
            return old == new
        apart = _Comparison({"components": self._old}, {"components": self._new}, Differences())
        apart._schemas(old, new, side, "")
        return not apart._found.broken


KINDS: Mapping[str, set[str]] = {"values": {"enum", "const"}, "union": {"oneOf"}, "either": {"anyOf"}}


def _resolved(part: Json, components: Json) -> Json:
    while "$ref" in part:
        _, _, kind, name = part["$ref"].split("/")
        part = components[kind][name]
    return part


def _inner(schema: Json) -> Json | None:
    """Return the reference in "this component or null", otherwise None."""
    others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    return others[0] if len(others) == 1 and "$ref" in others[0] else None


def _values(schema: Json) -> list[Any]:
    return list(schema["enum"]) if "enum" in schema else [schema["const"]]


def _type_of(value: object) -> str:
    return {bool: "boolean", int: "integer", str: "string"}[type(value)]


def _narrowed(old: Json, new: Json) -> Iterator[str]:
    """Yield the bounds that are tighter than before."""
    for bound in ("minimum", "minLength", "minItems"):
        if new.get(bound, float("-inf")) > old.get(bound, 0 if bound != "minimum" else float("-inf")):
            yield f"{bound} {new[bound]}"
    for bound in ("maximum", "maxLength", "maxItems"):
        if new.get(bound, float("inf")) < old.get(bound, float("inf")):
            yield f"{bound} {new[bound]}"
    if new.get("uniqueItems") and not old.get("uniqueItems"):
        yield "uniqueItems"
