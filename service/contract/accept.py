"""The fast path through a schema: Python source generated from its fields.

The generated loader accepts only what marshmallow accepts, and returns the same value. It never refuses: where it is
not sure it raises `Unsure`, and marshmallow judges the value and words the refusal. The generated dumper turns a
dataclass back into JSON values. The loader of a `Play` of Twins:

    def accept_TwinsPlay(d):
        if type(d) is not dict or not only_members_1(d): raise Unsure
        if d['type'] != 'play': raise Unsure
        v_seat = d['seat']
        if type(v_seat) is not int or not 0 <= v_seat <= 5: raise Unsure
        v_cards = d['cards']
        if type(v_cards) is not list or not 2 <= len(v_cards) <= 2 or not values_4.issuperset(v_cards): raise Unsure
        v_cards = tuple(v_cards)
        m = {'seat': v_seat, 'cards': v_cards}
        r = new(Play_2)
        put(r, '__dict__', m)
        return r

A Twins table with six hands takes 3 µs to load, with marshmallow alone 115 µs. A list is checked as a whole
if each item can have only a few values, else item by item.
"""

from __future__ import annotations

import linecache
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from types import NoneType
from typing import ClassVar, cast

from service.contract import fields
from service.contract.fields import Closed, StrictField

NUMBERS = count(1)  #: Numbers for the file names of the generated functions.
SMALL_RANGE = 1024  #: A list of integers from a range smaller than this is checked as a whole.


class Unsure(Exception):
    """The loader is not sure of a value. KeyError (no such member) and TypeError (not hashable) mean the same."""


UNSURE_ERRORS = (Unsure, KeyError, TypeError)


def loader(field: StrictField) -> Callable[[object], object]:
    """A function that loads a JSON value as the field does; where it is not sure, it raises one of `UNSURE_ERRORS`."""
    source = _Accept()
    return source.compiled(*source.checked(field, "v"), "return v")


def dumper(field: StrictField) -> Callable[[object], object]:
    """A function that turns a value loaded by the field back into JSON, with tuples for lists."""
    source = _Dump()
    return source.compiled(f"return {source.encoded(field, 'v')}")


class _Source(ABC):
    """Generates one function for each schema, and keeps the constants that the functions name."""

    verb: ClassVar[str]  #: The beginning of its functions' names.

    def __init__(self) -> None:
        self.names: dict[str, object] = {}
        self._functions: dict[type[Closed], str] = {}

    def constant(self, value: object, what: str) -> str:
        """Keep a value; returns a new name for it, which begins with `what`."""
        name = f"{what}_{len(self.names)}"
        self.names[name] = value
        return name

    def define(self, title: str, argument: str, lines: Iterable[str]) -> str:
        """Compile a function; returns its name. Tracebacks and debuggers find its lines in `linecache`."""
        name = f"{self.verb}_{title}"
        assert name not in self.names, f"two schemas are called {title}"
        source = "\n    ".join([f"def {name}({argument}):", *lines]) + "\n"
        file = f"<generated {next(NUMBERS)}: {name}>"
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
        exec(compile(source, file, "exec"), self.names)  # noqa: S102 — our own source
        return name

    def compiled(self, *lines: str) -> Callable[[object], object]:
        """A function of `v` with these lines."""
        return cast("Callable[[object], object]", self.names[self.define("value", "v", lines)])

    def function(self, schema: type[Closed]) -> str:
        """The name of the function of a schema."""
        if schema not in self._functions:
            self._functions[schema] = self.of_schema(schema)
        return self._functions[schema]

    @abstractmethod
    def of_schema(self, schema: type[Closed]) -> str:
        """The name of a new function for a schema."""


class _Accept(_Source):
    """Generates the functions of a loader."""

    verb = "accept"

    def __init__(self) -> None:
        super().__init__()
        self.names.update(Unsure=Unsure, new=object.__new__, put=object.__setattr__, built=fields.built)

    def of_schema(self, schema: type[Closed]) -> str:
        """The name of a new function. It makes a dataclass or a ruleset of a JSON object; of other schemas, a dict."""
        declared = schema.declared()
        only_members = self.constant(frozenset(declared).issuperset, "only_members")
        is_object = f"if type(d) is not dict or not {only_members}(d): raise Unsure"
        if issubclass(schema, fields.Built):
            record = self.constant(schema.record, schema.record.__name__)
            lines = [is_object, *self._members(schema, declared)]
            lines += [f"r = new({record})", "put(r, '__dict__', m)", "return r"]
            return self.define(schema.component, "d", lines)
        lines = [is_object, "r = {}"]
        for name, field in declared.items():
            lines.append(f"if {name!r} in d:")
            lines += _indented([f"v = d[{name!r}]", *self.checked(field, "v"), f"r[{name!r}] = v"])
        if issubclass(schema, fields.Ruled):
            presets = self.constant(schema.presets, "presets")
            first = self.constant(next(iter(schema.presets)), "first")
            lines.append(f"p = {presets}[r.get('name', {first})]")
            lines.append("m = {**p.__dict__, **r.get('options', {})}")
            lines.append("return p if m == p.__dict__ else built(type(p), m)")
        else:
            lines.append("return r")
        return self.define(schema.component, "d", lines)

    def _members(self, schema: type[fields.Built], declared: Mapping[str, StrictField]) -> Iterator[str]:
        """Lines that set `m` to a dict of the values of all fields of a record, by name."""
        if schema.exclusive:
            yield f"if {' and '.join(f'd.get({name!r}) is not None' for name in schema.exclusive)}: raise Unsure"
        if schema.tag is not None:
            yield f"if d[{schema.tag[0]!r}] != {schema.tag[1]!r}: raise Unsure"
        members = {name: field for name, field in declared.items() if schema.tag is None or name != schema.tag[0]}
        for name, field in members.items():
            if field.required:
                yield from (f"v_{name} = d[{name!r}]", *self.checked(field, f"v_{name}"))
        known = [f"{fields.attribute(name)!r}: v_{name}" for name, field in members.items() if field.required]
        defaults = {fields.attribute(name): field.load_default for name, field in members.items() if not field.required}
        if defaults:
            known.insert(0, f"**{self.constant(defaults, 'defaults')}")
        yield f"m = {{{', '.join(known)}}}"
        for name, field in members.items():
            if not field.required:
                there = f"d.get({name!r}) is not None" if field.null_is_left_out else f"{name!r} in d"
                yield from (f"if {there}:", *_indented(self._optional(name, field)))

    def _optional(self, name: str, field: StrictField) -> Iterator[str]:
        """Lines for an optional member that is there. If it equals a long default (a deck), nothing else is checked."""
        lines = [*self.checked(field, "v"), f"m[{fields.attribute(name)!r}] = v"]
        default = _strings(field.load_default)
        if default:
            lines = [f"if v != {self.constant(default, 'default')}:", *_indented(lines)]
        yield from (f"v = d[{name!r}]", *lines)

    def checked(self, field: StrictField, v: str) -> list[str]:
        """Lines of Python that raise one of `UNSURE_ERRORS` unless a JSON value fits the field, and then load it.

        `v`: the name of the variable that holds the value, and then the loaded one.
        """
        lines = self.check(field, v)
        if not field.allow_none or not lines:
            return list(lines)
        return [f"if {v} is not None:", *_indented(lines)]

    def check(self, field: StrictField, v: str) -> list[str]:  # noqa: C901, PLR0911 — a table: one row a field
        """Lines of Python as `checked` returns them, for a value that is not null; none if the field takes anything."""
        match field:
            case fields.BooleanField():
                return [f"if type({v}) is not bool: raise Unsure"]
            case fields.ValuesField(values=values) if {type(value) for value in values} == {str}:
                return [f"if {v} not in {self.constant(frozenset(values), 'values')}: raise Unsure"]
            case fields.ValuesField(values=values):
                pairs = self.constant(frozenset((type(value), value) for value in values), "values")
                return [f"if (type({v}), {v}) not in {pairs}: raise Unsure"]
            case fields.IntegerField(least=least, most=most):
                return [f"if type({v}) is not int or not {least} <= {v} <= {most}: raise Unsure"]
            case fields.TextField(pattern=pattern):
                conditions = [f"type({v}) is not str", *_wrong_length(field, v)]
                if pattern is not None:
                    conditions.append(f"not {self.constant(re.compile(pattern).fullmatch, 'match')}({v})")
                return [f"if {' or '.join(conditions)}: raise Unsure"]
            case fields.ListField():
                return self._listed(field, v)
            case fields.ObjectField(shape=shape):
                return [f"{v} = {self.function(shape)}({v})"]
            case fields.UnionField():  # the member `field.key` says which shape's function is called
                functions = {tag: self.names[self.function(each.shape)] for tag, each in field.members.items()}
                return [f"{v} = {self.constant(functions, 'accept')}[{v}[{field.key!r}]]({v})"]
            case fields.EitherField():
                lines: list[str] = []
                for kind, member in field.by_kind.items():
                    # A float may be a whole number: `else` leaves that to the schema, which is slower.
                    if kind is not float:
                        lines.append(f"{'elif' if lines else 'if'} type({v}) is {kind.__name__}:")
                        lines += _indented(self.check(member, v) or ["pass"])
                return [*lines, "else: raise Unsure"]
        return []

    def _listed(self, field: fields.ListField, v: str) -> list[str]:
        """`check` of a list."""
        conditions = [f"type({v}) is not list", *_wrong_length(field, v)]
        if known := self._all_known(field.item, v):
            lines = [f"if {' or '.join([*conditions, f'not {known}'])}: raise Unsure", f"{v} = tuple({v})"]
        else:
            item = f"{v}_item"
            inner = [*self.checked(field.item, item), f"{v}_items.append({item})"]
            lines = [f"if {' or '.join(conditions)}: raise Unsure", f"{v}_items = []", f"for {item} in {v}:"]
            lines += [*_indented(inner), f"{v} = tuple({v}_items)"]
        if field.unique:
            lines.append(f"if len(set({v})) < len({v}): raise Unsure")
        return lines

    def _all_known(self, item: StrictField, v: str) -> str | None:
        """An expression that is true if all items of the list in `v` are acceptable; None: check them one by one."""
        match item:
            case fields.ValuesField():
                values = {*item.values}
            case fields.IntegerField() if item.most - item.least < SMALL_RANGE:
                values = {*range(item.least, item.most + 1)}
            case _:
                return None
        if item.allow_none:
            values.add(None)
        kinds = frozenset(map(type, values))
        known = f"{self.constant(frozenset(values), 'values')}.issuperset({v})"
        if kinds <= {str, NoneType}:
            return known
        if kinds <= {int, NoneType}:
            # True equals 1 and 12.0 equals 12, so the set alone would let them pass.
            return f"({self.constant(kinds, 'types')}.issuperset(map(type, {v})) and {known})"
        return None


class _Dump(_Source):
    """Generates the functions of a dumper."""

    verb = "dump"

    def of_schema(self, schema: type[Closed]) -> str:
        """The name of a new function from record to dict. With a tag, members equal to their default are left out."""
        if issubclass(schema, fields.Ruled):
            options = ", ".join(f"{name!r}: r.{name}" for name in schema.options().declared())
            return self.define(schema.component, "r", [f"return {{'name': r.name, 'options': {{{options}}}}}"])
        assert issubclass(schema, fields.Built)
        lines = ["d = {}"]
        for name, field in schema.declared().items():
            if schema.tag is not None and name == schema.tag[0]:
                lines.append(f"d[{name!r}] = {schema.tag[1]!r}")
                continue
            condition = ""
            if not field.required and field.load_default is None and not field.allow_none:  # left out where it is None
                condition = "if v is not None: "
            elif not field.required and schema.tag is not None:
                condition = f"if v != {self.constant(field.load_default, 'default')}: "
            lines += [f"v = r.{fields.attribute(name)}", f"{condition}d[{name!r}] = {self.encoded(field, 'v')}"]
        return self.define(schema.component, "r", [*lines, "return d"])

    def encoded(self, field: StrictField, v: str) -> str:
        """An expression for the JSON of the value in `v`; `v` itself where both are the same."""
        encoded = self.encode(field, v)
        return f"None if {v} is None else {encoded}" if field.allow_none and encoded != v else encoded

    def encode(self, field: StrictField, v: str) -> str:
        """As `encoded`, where the value is not null. All but records, and lists of them, are JSON already."""
        match field:
            case fields.ListField():
                item = f"{v}_item"
                encoded = self.encoded(field.item, item)
                return v if encoded == item else f"[{encoded} for {item} in {v}]"
            case fields.ObjectField():
                return f"{self.function(field.shape)}({v})"
            case fields.UnionField():
                shapes = [cast("type[fields.Built]", each.shape) for each in field.members.values()]
                functions = {shape.record: self.names[self.function(shape)] for shape in shapes}
                return f"{self.constant(functions, 'dump')}[type({v})]({v})"
        return v


def _wrong_length(field: fields.TextField | fields.ListField, v: str) -> list[str]:
    """The condition that the string or list in `v` is too short or too long; none if any length will do."""
    if field.most is not None:
        return [f"not {field.least} <= len({v}) <= {field.most}"]
    return [f"len({v}) < {field.least}"] if field.least else []


def _strings(value: object) -> list[object] | None:
    """A tuple of strings, or of such tuples, as JSON lists; None for anything else.

    Numbers are left out because values of other JSON types equal them: 1 equals true.
    """
    if not isinstance(value, tuple):
        return None
    as_json: list[object] = [item if isinstance(item, str) else _strings(item) for item in value]
    return None if None in as_json else as_json


def _indented(lines: Iterable[str]) -> list[str]:
    """These lines, one level deeper."""
    return [f"    {line}" for line in lines]
