"""JSON values for the schemas: valid ones made from the fields, and mutants of them."""

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from engines.core import shape
from service.contract import fields
from service.contract.rows import members
from service.judging.calls import CALLS, NAMED
from tests.mutation import items_of

NASTY_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 5.0, 0.0, 1.5, 1e300, 2**53, 10**30, "", "5", "null", "true", "x" * 300,
    [], [[]], [None], {}, {"": None}, {"type": "deal"}, "blue-10", "AS", "17A", 12,
)  # fmt: skip


OF_A_TABLE = [call.name for call in CALLS if "state" in members(call.takes)]  #: The calls that take a table.
BESIDE_THE_STATE: dict[str, Any] = {"moves": [], "move": {"type": "deal"}, "seat": 0}


def beside_state(call: str) -> dict[str, Any]:
    """The members that the body of a call must have beside `game` and `state`."""
    return {
        name: BESIDE_THE_STATE[name]
        for name, required in members(NAMED[call].takes).items()
        if required and name != "state"
    }


def invalid_values() -> st.SearchStrategy[Any]:
    """Values that are valid nowhere, or only in another place."""
    return st.sampled_from(NASTY_VALUES).map(copy.deepcopy)


def valid(field: fields.StrictField) -> st.SearchStrategy[Any]:
    """Values that a field accepts."""
    accepts_only_null = isinstance(field, fields.ValuesField) and not field.values
    if field.allow_none and not accepts_only_null:
        return st.none() | _valid_beside_null(field)
    return _valid_beside_null(field)


def _valid_beside_null(field: fields.StrictField) -> st.SearchStrategy[Any]:
    """Values that a field accepts, without null where it accepts anything else."""
    match field:
        case fields.BooleanField():
            return st.booleans()
        case fields.ValuesField():
            return st.sampled_from(field.values) if field.values else st.none()
        case fields.IntegerField():
            return st.sampled_from((field.least, field.most)) | st.integers(field.least, field.most)
        case fields.TextField(pattern=shape.VISIBLE):
            return st.sampled_from(["A", "Bo", "Ὀδυσσεύς", "x" * 40])
        case fields.TextField():
            return st.text(min_size=field.least, max_size=min(field.most or 9, field.least + 9))
        case fields.ListField():
            return _listing(field)
        case fields.ObjectField():
            return _object(field.shape)
        case fields.UnionField():
            return st.one_of([valid(member) for member in field.members.values()])
        case fields.EitherField():
            return st.one_of([valid(member) for member in field.members])
    return invalid_values()


def _listing(field: fields.ListField) -> st.SearchStrategy[Any]:
    """Lists that a field accepts, with up to four items more than the fewest."""
    item = field.item
    most = field.least + 4 if field.most is None else min(field.most, field.least + 4)
    if isinstance(item, fields.ValuesField) and most > 12:
        # A deck: drawing each card separately would take most of the tests' time.
        return st.integers(0, len(item.values) - 1).map(
            lambda at: [item.values[(at + i) % len(item.values)] for i in range(most)]
        )
    unique = repr if field.unique else None
    return st.lists(valid(item), min_size=field.least, max_size=most, unique_by=unique)


@st.composite
def _object(draw: st.DrawFn, schema: type[fields.Closed]) -> Any:
    """Objects that a schema accepts. Of members that exclude each other they have one at most."""
    members = {}
    exclusive = getattr(schema, "exclusive", ())
    chosen = draw(st.sampled_from(exclusive or ("",)))  # no member is named "": without exclusive ones all may be there
    for name, field in schema.declared().items():
        if name in exclusive and name != chosen:
            continue
        if field.required or draw(st.booleans()):
            members[name] = draw(valid(field))
    return members


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value inside a value, and the empty path, which is that of the value itself."""
    yield path
    for key, each in items_of(value):
        yield from paths(each, (*path, key))


@st.composite
def mutants(draw: st.DrawFn, of: st.SearchStrategy[Any]) -> Any:
    """A value with one to three changes."""
    value = copy.deepcopy(draw(of))
    for _ in range(draw(st.integers(1, 3))):
        value = _mutated(draw, value)
    return value


def _mutated(draw: st.DrawFn, value: Any) -> Any:
    """A value with one part replaced, dropped, grown or turned into a float."""
    path = draw(st.sampled_from(sorted(paths(value), key=len)))
    if not path:
        return draw(invalid_values()) if draw(st.integers(0, 9)) == 0 else _grown(draw, value)
    parent = value
    for key in path[:-1]:
        parent = parent[key]
    match draw(st.sampled_from(("replace", "drop", "grow", "float"))):
        case "replace":
            parent[path[-1]] = draw(invalid_values())
        case "drop":
            del parent[path[-1]]
        case "grow":
            parent[path[-1]] = _grown(draw, parent[path[-1]])
        case "float" if type(parent[path[-1]]) is int and abs(parent[path[-1]]) < 2**53:
            parent[path[-1]] = float(parent[path[-1]])
    return value


def _grown(draw: st.DrawFn, value: Any) -> Any:
    """Return the value with an unknown member, or with one of its items repeated."""
    if isinstance(value, dict):
        return {
            **value,
            draw(st.sampled_from(("extra", "seat", "_schema", "a/b", "deck", "game"))): draw(invalid_values()),
        }
    if isinstance(value, list):
        return [*value, copy.deepcopy(draw(st.sampled_from(value))) if value else draw(invalid_values())]
    return value
