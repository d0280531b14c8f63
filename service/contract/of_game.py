"""The shapes of one game: its state, moves, setup and rulings replace the placeholders in bodies and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial, reduce
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, Union, Unpack, cast, get_type_hints

from engines.core.engine import Engine
from engines.core.rulings import Awaits, Decides, Forbids, Happens, Refutes, Ruling
from engines.core.shape import Length, OneOf, Whole
from service import seeds
from service.contract import answers, fields
from service.contract.fields import Closed, StrictField
from service.contract.placeholders import M, Placeholder, S, Seat, WithSetup
from service.contract.shapes import SHARED, FieldMaker, Shapes, component, sentences, title

RULINGS: Mapping[type, type[Ruling]] = {
    answers.EncodedEvent: Happens,
    answers.EncodedViolation: Forbids,
    answers.EncodedFault: Refutes,
    answers.EncodedUndetermined: Awaits,
}
"""The kind of ruling that each class encodes."""
NO_PARAMS = SHARED.closed("NoParams", "There are no particulars.", {})

MOST_NAMES = 20  #: A list of more names than any table has seats; a shorter one must fit the table.

AnyEngine: TypeAlias = Engine[Any]


class GameShapes(Shapes):
    """The shapes of one game, placeholders filled in."""

    def __init__(self, engine: AnyEngine) -> None:
        self.engine = engine
        by_game: dict[object, FieldMaker] = {
            placeholder: partial(self.field, annotation) for placeholder, annotation in _annotations(engine).items()
        }
        made: dict[object, Callable[[], FieldMaker]] = {
            Placeholder.OPTIONS: self._options,
            Placeholder.FACTS: self._facts,
            Placeholder.MOVE: self._told_move,
            Placeholder.SEEN_MOVE: self._seen_move,
            answers.Standing: self._standing,
            answers.EncodedContested: self._contested,
            **{record: partial(self._rulings, record, kind) for record, kind in RULINGS.items()},
        }
        by_game[Placeholder.NAMES] = partial(fields.ListField, fields.NameField(), 1, MOST_NAMES)
        by_game |= {placeholder: _made_once(make) for placeholder, make in made.items()}
        super().__init__(title(engine.game), engine.rulesets, {"Move": engine.kinds.values()}, by_game)

    def record(self, record: type, tag: tuple[str, str] | None = None, name: str | None = None) -> type[Closed]:
        """As in `Shapes`, but a body `WithSetup` has the members of the game's setup as well."""
        return super().record(with_setup(record, self.engine) if WithSetup in record.__bases__ else record, tag, name)

    def of_options(self) -> Mapping[str, str]:
        """The text of each option in the game's messages."""
        options = seeds.read_table(seeds.messages_file(self.engine, "en")).get("options") or {}
        return {name: option["text"] for name, option in options.items()}

    def _options(self) -> FieldMaker:
        ruled = cast("type[fields.Ruled]", self.record(type(next(iter(self.engine.rulesets.values())))))
        return partial(fields.ObjectField, ruled.options())

    def _facts(self) -> FieldMaker:
        declared = {name: self.field(hint) for name, hint in self.engine.fact_types.items()}
        facts = self.closed("Facts", "What a player would want to know of a legal move.", declared)
        facts.docs = param_docs
        return partial(fields.ObjectField, facts)

    def _told_move(self) -> FieldMaker:
        """A move in an answer. In the open reading it may be of a type that only a later version has."""
        shape = self._any_move("AnyMove", "A move of any type: it can be posted as it stands.")
        members = {type_: fields.ObjectField(self.record(kind)) for type_, kind in self.engine.kinds.items()}
        return partial(fields.UnionField, "type", members, f"{self.prefix}Move", fields.ObjectField(shape))

    def _seen_move(self) -> FieldMaker:
        """A move as a seat saw it: any member may be hidden."""
        shape = self._any_move("SeenMove", "A move as it was seen. What its reader may not see is null.", hidden=True)
        return partial(fields.AnyField, fields.ObjectField(shape))

    def _any_move(self, name: str, doc: str, *, hidden: bool = False) -> type[Closed]:
        """A move of any type, with the members of all. `hidden`: every member and every item may be null."""
        members: dict[str, list[StrictField]] = {}
        docs = {"type": "The type of the move.", "seat": "Whose move it is; null where it is the table's."}
        for kind in self.engine.kinds.values():
            for member, field in self.members(kind).items():
                members.setdefault(member, []).append(field)
            docs = {**sentences(kind), **docs}
        seen: dict[str, StrictField] = {"type": fields.TextField(required=True)}
        seen["type"].doc = docs["type"]
        for member, alike in members.items():
            seen[member] = any_of = joined(alike)
            if isinstance(any_of, fields.AnyOfField):
                any_of.union = f"{self.prefix}{name.removesuffix('Move')}{title(member)}"
            any_of.required, any_of.load_default, any_of.doc = False, None, docs.get(member, "")
            if hidden:
                any_of.allow_none = True
                if isinstance(item := getattr(any_of, "item", None), StrictField):
                    item.allow_none = True
        return self.closed(name, doc, seen)

    def _standing(self) -> FieldMaker:
        if self.engine.teams is None:
            return partial(fields.ObjectField, self.record(answers.EncodedStanding))
        declared = self.members(answers.EncodedStanding)
        del declared["seat"]
        declared |= {side: self.field(Seat) for side in ("seat", "team")}
        declared["seat"].doc = "Whose place it is; left out in team play."
        doc = f"{answers.EncodedStanding.__doc__} Of a seat or, in team play, of a team."
        return partial(fields.ObjectField, self.closed("Standing", doc, declared, answers.TeamStanding))

    def _rulings(self, record: type, kind: type[Ruling]) -> FieldMaker:
        """Rulings of one kind: a shape for each code. Rulings that share a code differ only in the clause."""
        groups: dict[str, list[Ruling]] = {}
        for ruling in self.engine.rulings:
            if isinstance(ruling, kind) and not isinstance(ruling, Decides):
                groups.setdefault(ruling.code, []).append(ruling)
        params = {code: self._params(record, code, group[0].params) for code, group in groups.items()}
        shapes = {}
        for code, group in groups.items():
            rules = _one_of(ruling.rule for ruling in group)
            declared = self.members(record, rule=rules, code=Literal[code], params=_required(params[code]))
            doc = f"{_doc(record).removesuffix('.')}: {code}."
            shapes[code] = self.closed(title(code) + component(record), doc, declared, record)
        return self._union("code", record, shapes, self._of_any_code(record, groups, params))

    def _params(self, record: type, code: str, params: Mapping[str, object]) -> type[Closed]:
        if not params:
            return NO_PARAMS
        declared = {name: self.field(hint, required=True) for name, hint in params.items()}
        shape = self.closed(f"{title(code)}{component(record)}Params", f"The particulars of `{code}`.", declared)
        shape.docs = param_docs
        return shape

    def _of_any_code(
        self, record: type, groups: Mapping[str, list[Ruling]], params: Mapping[str, type[Closed]]
    ) -> type[Closed]:
        """Rulings of one kind in the open reading: one shape for all codes, with the parameters of all."""
        hints: dict[str, dict[str, object]] = {}
        for code, group in groups.items():
            for name, hint in group[0].params.items():
                hints.setdefault(name, {})[code] = hint
        of_any = {name: joined(map(self.field, by_code.values())) for name, by_code in hints.items()}
        for name, by_code in hints.items():
            codes = f"Comes with {', '.join(f'`{code}`' for code in by_code)}."
            of_any[name].doc = " ".join(filter(None, (param_docs().get(name), codes)))
        doc = "The particulars; which there are depends on the code."
        some = self.closed(f"{component(record)}Params", doc, of_any)
        declared = self.members(record, rule=str, code=str, params=_required(some))
        shape = self.closed(component(record), _doc(record), declared, record)
        doc = "The particulars of each code, for type checkers to narrow `params` by. It is never sent."
        required = {code: _required(each) for code, each in params.items()}
        shape.beside = self.closed(f"{component(record)}ByCode", doc, required)
        shape.beside.sent = False
        return shape

    def _contested(self) -> FieldMaker:
        hints = get_type_hints(type(next(iter(self.engine.rulesets.values()))), include_extras=True)
        contested = [name for name, option in self.engine.options.items() if option.why]
        shapes = {}
        for option in contested:
            value: Any = hints[option]
            rules = _one_of(each.rule for each in self.engine.rulings if each.option == option)
            given = {"rule": rules, "option": Literal[option], "value": value, "alternatives": tuple[value, ...]}
            shapes[option] = self._contested_shape(title(option.replace("_", "-")), {"value": value}, given)
        return self._union("option", answers.EncodedContested, shapes, self._contested_shape("", {}, {}))

    def _contested_shape(self, name: str, value: Mapping[str, Any], given: Mapping[str, Any]) -> type[Closed]:
        """A contested ruling and its outcomes. `value`, `given`: annotations for each instead of its own."""
        declared = self.members(answers.OtherOutcome, **value)
        outcome = self.closed(f"{name}Outcome", _doc(answers.OtherOutcome), declared, answers.OtherOutcome)
        declared = self.members(
            answers.EncodedContested, **given, outcomes=fields.ListField(fields.ObjectField(outcome))
        )
        return self.closed(f"{name}Contested", _doc(answers.EncodedContested), declared, answers.EncodedContested)

    def _union(self, key: str, record: type, shapes: Mapping[str, type[Closed]], published: type[Closed]) -> FieldMaker:
        """One of several shapes, told apart by the member `key`. `published`: their one shape in the open reading."""
        members = {tag: fields.ObjectField(shape) for tag, shape in shapes.items()}
        return partial(fields.UnionField, key, members, self.prefix + component(record), fields.ObjectField(published))


def _required(shape: type[Closed]) -> fields.ObjectField:
    return fields.ObjectField(shape, required=True)


def _annotations(engine: AnyEngine) -> dict[object, object]:
    names: Any = Literal[tuple(engine.rulesets)]
    seat: Any = Annotated[int, Whole(0, max(engine.seats) - 1)]
    return {
        S: engine.state,
        M: moves_of(engine),
        Placeholder.GAME: Literal[engine.game],
        Placeholder.SEAT: seat,
        Placeholder.CLAUSE: Annotated[str, OneOf(f"{title(engine.game)}Clause", tuple(engine.rank))],
        Placeholder.RULESET: names,
        Placeholder.SOME_RULESETS: Annotated[tuple[names, ...], Length(1, len(engine.rulesets), unique=True)],
        Placeholder.VIEWPOINTS: Annotated[tuple[seat | None, ...], Length(0, max(engine.seats) + 1, unique=True)],
        Placeholder.STATE: engine.state,
        Placeholder.RANK: Annotated[int, Whole(1, len(engine.seats) + 10)],
    }


def _made_once(make: Callable[[], FieldMaker]) -> FieldMaker:
    """Call `make` only when the field is first used: most are needed only to publish the contract."""
    made = cache(make)

    def field(**presence: Unpack[fields.Presence]) -> StrictField:
        return made()(**presence)

    return field


def _one_of(rules: Iterable[str]) -> object:
    return Literal[tuple(dict.fromkeys(rules))]


def _doc(record: type) -> str:
    assert record.__doc__ is not None, f"{record.__name__} is published without a docstring"
    return record.__doc__


@cache
def param_docs() -> Mapping[str, str]:
    """The published description of each parameter and fact, by its name."""
    return cast("Mapping[str, str]", seeds.read_table(Path(__file__).with_name("params.yaml")))


def joined(several: Iterable[StrictField]) -> StrictField:
    """The narrowest field that takes what each of these takes; a union where they have no type in common."""
    return reduce(_joined, several)


def _joined(one: StrictField, other: StrictField) -> StrictField:  # noqa: PLR0911 - a table: one row a pair
    null = one.allow_none or other.allow_none
    match one, other:
        case (fields.ValuesField(values=()), fields.IntegerField() as some) | (
            fields.IntegerField() as some,
            fields.ValuesField(values=()),
        ):
            return fields.IntegerField(some.least, some.most, allow_none=True)
        case fields.IntegerField(), fields.IntegerField():
            return fields.IntegerField(min(one.least, other.least), max(one.most, other.most), allow_none=null)
        case fields.ValuesField(), fields.ValuesField() if one.values == other.values:
            return fields.ValuesField(one.values, one.list_name, allow_none=null)
        case fields.ListField(), fields.ListField():
            return fields.ListField(_joined(one.item, other.item), allow_none=null)
        case fields.ObjectField(), fields.ObjectField() if one.shape is other.shape:
            return fields.ObjectField(one.shape, allow_none=null)
    if _is_text(one) and _is_text(other):
        return fields.TextField(allow_none=null)
    return fields.AnyOfField([one, other], allow_none=null)


def _is_text(field: StrictField) -> bool:
    return isinstance(field, fields.TextField) or (
        isinstance(field, fields.ValuesField) and all(isinstance(value, str) for value in field.values)
    )


@cache
def with_setup(body: type, engine: AnyEngine) -> type:
    """The body with the members of the game's setup before its own."""
    return dataclass(frozen=True)(type(body.__name__, (body, engine.setup), {"__doc__": body.__doc__}))


def moves_of(engine: AnyEngine) -> object:
    """The union of a game's moves, as an annotation."""
    return Union[tuple(engine.kinds.values())]  # noqa: UP007 — there is no other way to join a list of types
