"""What a version of the contract has, thing by thing, and where a later version breaks clients of it.

A request may only accept more; an answer may only gain members, and only in objects that are open.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]
Side: TypeAlias = Literal["requests", "answers"]

BOUNDS = tuple(f"{end}{of}" for of in ("imum", "Length", "Items") for end in ("min", "max"))


@dataclass
class Differences:
    """`broken`: what was removed or narrowed; `added`: what is new."""

    broken: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)


def differences(old: Json, new: Json) -> Differences:
    """Compare two contracts made by `what_must_stay`."""
    result = Differences()
    for side in ("requests", "answers"):
        before, after = old[side], new[side]
        gone = (thing for thing in before if thing not in after and not _is_any(thing, before, after))
        result.broken += [f"{thing} is gone" for thing in _outermost(gone)]
        for thing in before.keys() & after.keys():
            narrowed = _changes_that_break(before[thing], after[thing], side)
            result.broken += [f"{thing} {each}" for each in narrowed]
        added = [thing for thing in after if thing not in before]
        result.added += added
        for thing in added if side == "requests" else ():
            if not after[thing].get("optional", True) and thing.rpartition(".")[0] in before:
                result.broken.append(f"{thing} must be there")
        result.broken += [
            f"{thing} is new in what is closed"
            for thing in added
            if side == "answers" and _is_closed(thing, before, after)
        ]
    return Differences(sorted(set(result.broken)), _outermost(dict.fromkeys(result.added)))


def _outermost(things: Iterable[str]) -> list[str]:
    """Return the things that are not parts of others among them."""
    outermost = list[str]()
    for thing in things:
        if not thing.startswith(tuple(f"{each}{sign}" for each in outermost for sign in ". [")):
            outermost.append(thing)
    return outermost


def _is_any(thing: str, before: Json, after: Json) -> bool:
    """Return whether a thing is one of a list of values that has given way to every value of their type."""
    owner = thing.rpartition(": ")[0]
    return owner in after and "listed" in before.get(owner, {}) and "listed" not in after[owner]


def _is_closed(thing: str, before: Json, after: Json) -> bool:
    """Return whether a thing is a new member, value or shape of what a client knows to be complete."""
    owners = (thing.rpartition(mark)[0] for mark in (": ", " ", "."))
    return any(before.get(owner, {}).get("complete") and owner in after for owner in owners)


def _changes_that_break(was: Json, now: Json, side: str) -> Iterator[str]:
    """Yield what makes a thing break clients."""
    may = {"null": ("may be null", "may not be null"), "optional": ("may be left out", "must be there")}
    for name in was | now:
        old, new = was.get(name), now.get(name)
        if name in BOUNDS:
            least = name.startswith("min")
            old = (0 if least and name != "minimum" else float("-inf" if least else "inf")) if old is None else old
            if side == "requests" and new is not None and (new > old if least else new < old):
                yield f"{name} {new}"
        elif name in may:
            if old and not new and side == "requests":
                yield may[name][1]
            elif new and not old and side == "answers":
                yield may[name][0]
        elif old != new and name != "complete" and not (name in ("listed", "uniqueItems") and new is None):
            yield f"was {old}, is {new}"


def what_must_stay(contract: Json, version: str) -> Json:
    """Return what must stay of a contract."""
    reading = _Reading(contract["components"])
    reading.answers = {f"the component {name}": {} for name in sorted(contract["components"]["schemas"])}
    for path, methods in contract["paths"].items():
        for method, operation in methods.items():
            reading.operation(f"{method.upper()} {path}", operation)
    return {"version": version, "requests": reading.requests, "answers": reading.answers}


class _Reading:
    """Reads a contract; `requests` and `answers`: the things in them, each with what the contract says of it."""

    def __init__(self, components: Json) -> None:
        self.requests: Json = {}
        self.answers: Json = {}
        self._components = components

    def operation(self, where: str, operation: Json) -> None:
        """Read one call."""
        self.requests[where] = {"called": operation["operationId"]}
        for each in map(self._resolved, operation.get("parameters", ())):
            self._schema(f"{where}.{each['name']}", each["schema"], "requests", optional=not each.get("required"))
        self._contents(f"{where}.body", operation.get("requestBody", {}), "requests", optional=False)
        for status, answer in operation["responses"].items():
            self.answers[f"{where} {status}"] = {}
            self.answers |= {f"{where} {status} {name}": {} for name in self._resolved(answer).get("headers", ())}
            self._contents(f"{where} {status}", self._resolved(answer), "answers")

    def _contents(self, where: str, part: Json, side: Side, **known: bool) -> None:
        """Read the content of a body or an answer, whatever its media types. `known`: as of `_schema`."""
        for media_type, content in part.get("content", {}).items():
            getattr(self, side)[f"{where} {media_type}"] = {}
            self._schema(where, content["schema"], side, **known)

    def _schema(self, where: str, schema: Json, side: Side, **known: Any) -> None:
        """Read a schema. `known`: members of the thing that are known already."""
        things: Json = getattr(self, side)
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            things[where] = {"type": name} | known
            if name not in things:
                self._schema(name, self._resolved(schema), side)
            return
        others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
        kinds = [kind for kind in [schema.get("type")] if isinstance(kind, str)] or schema.get("type", [])
        known |= {"null": True} if "null" in kinds or len(others) < len(schema.get("anyOf", ())) else {}
        if len(others) == 1:
            self._schema(where, others[0], side, **known)
            return
        values = schema.get("enum", [])
        known |= {"listed": True} if values else {}
        known |= {
            name: schema[name]
            for name in ("uniqueItems", "not", "pattern", *BOUNDS)
            if name in schema and side == "requests"
        }
        of_moves = schema.get("discriminator", {}).get("propertyName") == "type"  # a client names the game itself
        if side == "answers" and (values or schema.get("additionalProperties") is False or of_moves):
            known["complete"] = True
        things[where] = {"type": " or ".join(sorted({*kinds} - {"null"}))} | known
        things |= {f"{where}: {value!r}": {} for value in values}
        for each in others:
            self._schema(f"{where} {each.get('type', each.get('$ref', ''))}", each, side)
        for tag, reference in schema.get("discriminator", {}).get("mapping", {}).items():
            self._schema(f"{where} {tag}", {"$ref": reference}, side)
        if "items" in schema:
            self._schema(f"{where}[]", schema["items"], side)
        for name, member in schema.get("properties", {}).items():
            self._schema(f"{where}.{name}", member, side, optional=name not in schema.get("required", ()))

    def _resolved(self, part: Json) -> Json:
        """What a reference leads to; anything else as it is."""
        while "$ref" in part:
            _, _, kind, name = part["$ref"].split("/")
            part = self._components[kind][name]
        return part
