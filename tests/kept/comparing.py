"""What a version of the contract has, thing by thing, and where a later version breaks clients of it.

It is read from the closed reading. A request may only accept more; an answer may only gain members.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]
Side: TypeAlias = Literal["asked", "given"]

BOUNDS = tuple(f"{end}{of}" for of in ("imum", "Length", "Items") for end in ("min", "max"))


@dataclass
class Differences:
    """`broken`: what was removed or narrowed; `added`: what is new."""

    broken: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)


def differences(old: Json, new: Json) -> Differences:
    """Compare two contracts made by `bare`."""
    found = Differences()
    for side in ("asked", "given"):
        before, after = old[side], new[side]
        gone = (thing for thing in before if thing not in after and not _is_any(thing, before, after))
        found.broken += [f"{thing} is gone" for thing in _outermost(gone)]
        for thing in before.keys() & after.keys():
            narrowed = _narrowed(before[thing], after[thing], side)
            found.broken += [f"{thing} {each}" for each in narrowed if not _is_a_problem_still(thing, before, after)]
        added = [thing for thing in after if thing not in before]
        found.added += added
        for thing in added if side == "asked" else ():
            if not after[thing].get("optional", True) and thing.rpartition(".")[0] in before:
                found.broken.append(f"{thing} must be there")
    return Differences(sorted(set(found.broken)), _outermost(dict.fromkeys(found.added)))


def _outermost(things: Iterable[str]) -> list[str]:
    """Return the things that are not parts of others among them."""
    found = list[str]()
    for thing in things:
        if not thing.startswith(tuple(f"{each}{sign}" for each in found for sign in ". [")):
            found.append(thing)
    return found


def _is_any(thing: str, before: Json, after: Json) -> bool:
    """Return whether a thing is one of a list of values that has given way to every value of their type."""
    owner = thing.rpartition(": ")[0]
    return owner in after and "listed" in before.get(owner, {}) and "listed" not in after[owner]


def _is_a_problem_still(thing: str, before: Json, after: Json) -> bool:
    """Return whether the only problem of an answer is one of several now."""
    problems = (each for name, each in after.items() if name.startswith(f"{thing} /problems/"))
    return any(each["type"] == before[thing].get("type") for each in problems)


def _narrowed(was: Json, now: Json, side: str) -> Iterator[str]:
    """Yield what makes a thing break clients."""
    may = {"null": ("may be null", "may not be null"), "optional": ("may be left out", "must be there")}
    for name in was | now:
        old, new = was.get(name), now.get(name)
        if name in BOUNDS:
            least = name.startswith("min")
            old = (0 if least and name != "minimum" else float("-inf" if least else "inf")) if old is None else old
            if side == "asked" and new is not None and (new > old if least else new < old):
                yield f"{name} {new}"
        elif name in may:
            if old and not new and side == "asked":
                yield may[name][1]
            elif new and not old and side == "given":
                yield may[name][0]
        elif old != new and not (name in ("listed", "uniqueItems") and new is None):
            yield f"was {old}, is {new}"


def bare(closed: Json, names: Iterable[str], version: str) -> Json:
    """Return what must stay of a contract. `names`: those of the components of the open reading."""
    reading = _Reading(closed["components"])
    reading.given = {f"the component {name}": {} for name in sorted(names)}
    for path, methods in closed["paths"].items():
        for method, operation in methods.items():
            reading.operation(f"{method.upper()} {path}", operation)
    return {"version": version, "asked": reading.asked, "given": reading.given}


class _Reading:
    """Reads a contract; `asked` and `given` are the things in requests and in answers, and what is said of each."""

    def __init__(self, components: Json) -> None:
        self.asked: Json = {}
        self.given: Json = {}
        self._components = components

    def operation(self, where: str, operation: Json) -> None:
        """Read one call."""
        self.asked[where] = {"called": operation["operationId"]}
        for each in map(self._resolved, operation.get("parameters", ())):
            self._schema(f"{where}.{each['name']}", each["schema"], "asked", optional=not each.get("required"))
        self._contents(f"{where}.body", operation.get("requestBody", {}), "asked", optional=False)
        for status, answer in operation["responses"].items():
            self.given[f"{where} {status}"] = {}
            self.given |= {f"{where} {status} {name}": {} for name in self._resolved(answer).get("headers", ())}
            self._contents(f"{where} {status}", self._resolved(answer), "given")

    def _contents(self, where: str, part: Json, side: Side, **said: bool) -> None:
        for media_type, content in part.get("content", {}).items():
            getattr(self, side)[f"{where} {media_type}"] = {}
            self._schema(where, content["schema"], side, **said)

    def _schema(self, where: str, schema: Json, side: Side, **said: Any) -> None:
        """Read a schema. `said`: what is known of the thing already."""
        things: Json = getattr(self, side)
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            things[where] = {"type": name} | said
            if name not in things:
                self._schema(name, self._resolved(schema), side)
            return
        others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
        kinds = [kind for kind in [schema.get("type")] if isinstance(kind, str)] or schema.get("type", [])
        said |= {"null": True} if "null" in kinds or len(others) < len(schema.get("anyOf", ())) else {}
        if len(others) == 1:
            self._schema(where, others[0], side, **said)
            return
        values = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else []
        said |= {"listed": True} if values else {}
        said |= {
            name: schema[name]
            for name in ("uniqueItems", "not", "pattern", *BOUNDS)
            if name in schema and side == "asked"
        }
        things[where] = {"type": " or ".join(sorted({*kinds} - {"null"}))} | said
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
        while "$ref" in part:
            _, _, kind, name = part["$ref"].split("/")
            part = self._components[kind][name]
        return part
