"""What the tools take and return, as JSON Schema, in as few words as a model needs.

A shape is spelled out once: a state in `audit`, a move in `resolve`, a ruleset in `deal`. The other tools refer to it.
What a tool takes is closed. What it returns is open, and described to the first level only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from service.contract.openapi.converter import SCHEMAS, Converter
from service.contract.rows import AnyCall, body_fields
from service.strict_json import Json

LOCAL = "#/$defs/"
WHOLE = ""  #: Stands for the schema itself among the names of components.
HANDLE = {"type": "string", "description": "A handle, which a result gave as `state`."}
SPELLED_OUT = {"state": "audit", "move": "resolve", "ruleset": "deal", "deck": "resolve"}
"""Members that one tool spells out."""
REFERENCES: dict[str, Json] = {
    "state": {"type": "object", "description": "Or a whole table, as `audit` takes it."},
    "move": {"type": "object", "description": "A move, as `resolve` takes it."},
    "ruleset": {"type": "object", "description": "As `deal` takes it."},
    "deck": {"type": "array", "description": "All cards in order, top first."},
}
"""What the other tools say of them."""
LEFT_OUT = ("views", "legal_moves")
"""Members of calls of which the schemas say nothing: a result lists legal moves anyway, and `view` shows tables."""
PLAIN = {"seat", "type", "card", "phase"}  #: Members whose names say what they are.
DETAILS = ("discriminator", "pattern", "maxItems", "minItems", "minLength", "maxLength", "maximum", "minimum", "not")
"""Keywords that no tool's schema needs."""

RULINGS = {"type": "array", "items": {"type": "object"}}
RESULTS: dict[str, Json] = {
    "state": HANDLE | {"description": "The handle of the table, to be passed as `state`."},
    "table": {"type": "object", "description": "The table itself; long members are only named."},
    "to_act": {"type": "array", "description": "The seats to act; null: the table."},
    "legal_moves": {"type": "array", "description": "Each with `move`, to be passed to `resolve`, and `text`."},
    "complete": {"type": "boolean", "description": "False: unseen cards may allow more moves."},
    "legal": {"type": "boolean", "description": "Whether nothing visible forbids it."},
    "violations": RULINGS | {"description": "What forbids it, with clauses."},
    "unverified": {"type": "array", "description": "Clauses that were not checked: their cards are unseen."},
    "undetermined": {"type": ["object", "null"], "description": "What must be seen before the move can be applied."},
    "contested": RULINGS | {"description": "Rulings on which published texts differ or are silent."},
    "comparison": RULINGS | {"description": "The outcome under each ruleset of `compare`."},
    "applied": {"type": "integer", "description": "How many of the moves were made."},
    "sentences": {"type": "array", "description": "What happened."},
    "changed": {"type": "object", "description": "The members of the table that changed."},
    "standings": {"type": "array", "description": "Once the game is over."},
    "result": {"type": "object", "description": "Who has won, once the game is over."},
    "caution": {"type": "string", "description": "Why `legal` is less than certain."},
    "text": {"type": ["string", "null"], "description": "The move in words."},
    "seed": {"type": ["string", "null"], "description": "What the deck was shuffled from."},
    "consistent": {"type": "boolean"},
    "faults": RULINGS | {"description": "Every contradiction with the rulebook."},
    "games": RULINGS,
}
"""The members of results."""
LISTING = ("to_act", "legal_moves", "complete")
RETURNS = {
    "games": ("games",),
    "rulebook": (),
    "deal": ("state", "table", "seed", *LISTING),
    "legal_moves": LISTING,
    "validate": ("state", "legal", "caution", "text", "violations", "unverified", "undetermined", *LISTING),
    "resolve": (
        *("state", "legal", "applied", "violations", "unverified", "undetermined", "contested", "comparison"),
        *("caution", "sentences", "changed", "standings", "result", *LISTING),
    ),
    "audit": ("state", "consistent", "faults", "unverified"),
    "view": ("table",),
}
"""The members of each tool's results."""


def output_schema(tool: str) -> Json:
    """What a tool returns, to the first level; a later version may add members. A new call says nothing of it."""
    return {"type": "object", "properties": {name: RESULTS[name] for name in RETURNS.get(tool, ())}}


def input_schema(tool: str, call: AnyCall | None, games: Sequence[str]) -> Json:
    """What a tool takes: each member as any of the games takes it. `call`: the stateless call behind it, if any."""
    bodies = [body_fields(call, game) for game in games] if call else []
    converter = Converter(field for body in bodies for field in body.values())
    members: dict[str, list[Json]] = {"game": [{"enum": list(games)}]}
    if tool == "rulebook":
        members["clauses"] = [{"type": "array", "items": {"type": "string"}, "description": "Such as TW-5.2."}]
    required = set[str]()
    if tool in ("rulebook", "deal") and len(games) > 1:
        required.add("game")
    for name, field in [member for body in bodies for member in body.items()]:
        if name in LEFT_OUT or (name == "names" and tool != "resolve"):
            continue
        is_spelled_out = SPELLED_OUT.get(name, tool) == tool
        schema = converter.schema(field, exact=True) if is_spelled_out else REFERENCES[name]
        options = members.setdefault(name, [HANDLE] if name == "state" else [])
        if schema not in options:
            options.append(schema)
        if field.required:
            required.add(name)
    properties = {name: {"anyOf": each} if len(each) > 1 else each[0] for name, each in members.items()}
    schema = {"type": "object", "properties": properties, "required": sorted(required), "additionalProperties": False}
    return _shortened(schema, converter.schemas, games[0].title().replace("-", "") if len(games) == 1 else "")


def _shortened(schema: Json, components: dict[str, Json], prefix: str) -> Json:
    """A schema with the components that it refers to, without what a model does not need.

    `prefix`: of the components' names, left out. A component that is referred to once stands in its place.
    """
    whole = {name: _changed_inside_out(part, _without_details) for name, part in {WHOLE: schema, **components}.items()}
    for name, component in whole.items():
        if name.endswith("Options"):  # `games` describes them
            component["properties"] = {
                member: _without(part, "description") for member, part in component["properties"].items()
            }
        elif name != WHOLE and "ruleset" in component.get("properties", {}):
            component["properties"]["ruleset"] = REFERENCES["ruleset"]
    used = Counter(_components_in(WHOLE, whole))
    shared = [name for name, count in used.items() if count > 1]

    def placed(part: Json) -> Json:
        if "anyOf" in part and "description" in part:
            return {**part, "anyOf": [_without(each, "description") for each in part["anyOf"]]}
        if "$ref" not in part:
            return part
        name = part["$ref"].removeprefix(SCHEMAS)
        if name in shared:
            return {**part, "$ref": LOCAL + name.removeprefix(prefix)}
        return _changed_inside_out(whole[name], placed) | _without(part, "$ref")

    defs = {name.removeprefix(prefix): _changed_inside_out(whole[name], placed) for name in shared}
    return _changed_inside_out(whole[WHOLE], placed) | ({"$defs": defs} if defs else {})


def _components_in(name: str, whole: dict[str, Json]) -> Iterator[str]:
    """The components that one refers to, directly or not, as often as it does. Those of a component count once."""
    seen = set[str]()
    waiting = [name]
    while waiting:
        references: list[str] = []

        def note(part: Json, references: list[str] = references) -> Json:
            if "$ref" in part:
                references.append(part["$ref"].removeprefix(SCHEMAS))
            return part

        _changed_inside_out(whole[waiting.pop()], note)
        yield from references
        waiting += {*references} - seen
        seen.update(references)


def _without_details(part: Json) -> Json:
    """A part of a schema in fewer words: names say some things, and the service itself checks bounds and patterns."""
    part = _without(part, *DETAILS)
    if "properties" in part:
        part["properties"] = {
            name: _without(member, "description") if name in PLAIN else member
            for name, member in part["properties"].items()
        }
    if "enum" in part:
        part = _without(part, "type")
        return {"const": part["enum"][0]} if len(part["enum"]) == 1 else part
    return part


def _without(part: Json, *names: str) -> Json:
    """A schema without these members."""
    return {name: value for name, value in part.items() if name not in names}


def _changed_inside_out(schema: Json, change: Callable[[Json], Json]) -> Json:
    """The result of `change` on a schema whose inner schemas were changed first."""
    parts: Json = {}
    for name, value in schema.items():
        match name, value:
            case "properties", dict():
                parts[name] = {member: _changed_inside_out(each, change) for member, each in value.items()}
            case (("items" | "not"), dict()):
                parts[name] = _changed_inside_out(value, change)
            case (("anyOf" | "oneOf"), list()):
                parts[name] = [_changed_inside_out(each, change) for each in value]
            case _:
                parts[name] = value
    return change(parts)
