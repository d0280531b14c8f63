"""What one game puts in the place of each placeholder: in bodies its setup and moves, in answers what it can say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, Union, Unpack, cast, get_type_hints

from engines.core.engine import Engine
from engines.core.rulings import Awaits, Decides, Forbids, Happens, Refutes, Ruling
from engines.core.shape import Length, OneOf, Text, Whole
from service import seeds
from service.contract.answers import (
    EncodedContested,
    EncodedEvent,
    EncodedFault,
    EncodedStanding,
    EncodedUndetermined,
    EncodedViolation,
    OtherOutcome,
    Standing,
    TeamStanding,
)
from service.contract.docstrings import sentences
from service.contract.fields import (
    AnyField,
    Closed,
    ListField,
    ObjectField,
    Presence,
    Ruled,
    StrictField,
    TextField,
    UnionField,
)
from service.contract.joined import joined
from service.contract.placeholders import M, Placeholder, S, Seat, WithSetup
from service.contract.shapes import SHARED, FieldMaker, Shapes, component, title

SAID: Mapping[type, type[Ruling]] = {
    EncodedEvent: Happens,
    EncodedViolation: Forbids,
    EncodedFault: Refutes,
    EncodedUndetermined: Awaits,
}
"""The rulings behind what is said."""

PUBLISHED = {"rule": 0, "code": 1, "params": 2, "text": 4}
"""In which order the contract lists what is said: what all rulings have first, the sentence after what they have more.
"""
NO_PARAMS = SHARED.closed("NoParams", "There are no particulars.", {})

NAME: Any = Annotated[str, Text(1, 40)]
"""What a player is called."""

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
            Placeholder.SEEN_MOVE: self._seen_move,
            Standing: self._standing,
            EncodedContested: self._contested,
            **{said: partial(self._said, said, rulings) for said, rulings in SAID.items()},
        }
        by_game |= {placeholder: _when_asked(make) for placeholder, make in made.items()}
        super().__init__(title(engine.game), engine.rulesets, {"Move": engine.kinds.values()}, by_game)

    def record(self, record: type, tag: tuple[str, str] | None = None, name: str | None = None) -> type[Closed]:
        """As of all shapes; a body that takes the game's setup takes it."""
        return super().record(with_setup(record, self.engine) if WithSetup in record.__bases__ else record, tag, name)

    def of_options(self) -> Mapping[str, str]:
        """As the game's messages say it to a player."""
        told = seeds.read_table(seeds.messages_file(self.engine, "en")).get("options") or {}
        return {name: option["text"] for name, option in told.items()}

    def _options(self) -> FieldMaker:
        ruled = cast("type[Ruled]", self.record(type(next(iter(self.engine.rulesets.values())))))
        return partial(ObjectField, ruled.options())

    def _facts(self) -> FieldMaker:
        declared = {name: self.field(hint) for name, hint in self.engine.fact_types.items()}
        facts = self.closed("Facts", "What a player would want to know of a legal move.", declared)
        facts.docs = particulars
        return partial(ObjectField, facts)

    def _seen_move(self) -> FieldMaker:
        """A move of any type as somebody saw it: any of its members may be hidden."""
        members: dict[str, list[StrictField]] = {}
        said = {"type": "The type of the move.", "seat": "Whose move it is; null where it is the table's."}
        for kind in self.engine.kinds.values():
            for name, field in self.members(kind).items():
                members.setdefault(name, []).append(field)
            said = dict(sentences(kind)) | said
        seen: dict[str, StrictField] = {"type": TextField(required=True)}
        seen["type"].doc = said["type"]
        for name, fields in members.items():
            seen[name] = joined(fields)
            seen[name].allow_none, seen[name].required, seen[name].load_default = True, False, None
            seen[name].doc = said.get(name, "")
            if isinstance(item := getattr(seen[name], "item", None), StrictField):
                item.allow_none = True
        told = self.closed("SeenMove", "A move as it was seen. What its reader may not see is null.", seen)
        return partial(AnyField, ObjectField(told))

    def _standing(self) -> FieldMaker:
        if self.engine.teams is None:
            return partial(ObjectField, self.record(EncodedStanding))
        declared = self.members(EncodedStanding)
        del declared["seat"]
        declared |= {side: self.field(Seat) for side in ("seat", "team")}
        declared["seat"].doc = "Whose place it is; left out in team play."
        doc = f"{EncodedStanding.__doc__} Of a seat or, in team play, of a team."
        return partial(ObjectField, self.closed("Standing", doc, declared, TeamStanding))

    def _said(self, written: type, rulings: type[Ruling]) -> FieldMaker:
        """What rulings of one kind say, by code; those that share a code differ only in the clause."""
        groups: dict[str, list[Ruling]] = {}
        for ruling in self.engine.rulings:
            if isinstance(ruling, rulings) and not isinstance(ruling, Decides):
                groups.setdefault(ruling.code, []).append(ruling)
        params = {code: self._particulars(written, code, group[0].params) for code, group in groups.items()}
        members = {code: self._of_code(written, code, group, params[code]) for code, group in groups.items()}
        return self._family("code", written, members, self._of_any_code(written, groups, params))

    def _of_code(self, written: type, code: str, rulings: list[Ruling], params: type[Closed]) -> type[Closed]:
        rules = _one_of(ruling.rule for ruling in rulings)
        declared = self.members(written, rule=rules, code=Literal[code], params=_required(params))
        in_order = sorted(declared, key=lambda name: PUBLISHED.get(name, 3 if declared[name].required else 5))
        doc = f"{_doc(written).removesuffix('.')}: {code}."
        return self.closed(title(code) + component(written), doc, {name: declared[name] for name in in_order}, written)

    def _particulars(self, written: type, code: str, params: Mapping[str, object]) -> type[Closed]:
        if not params:
            return NO_PARAMS
        declared = {name: self.field(hint, required=True) for name, hint in params.items()}
        shape = self.closed(f"{title(code)}{component(written)}Params", f"The particulars of `{code}`.", declared)
        shape.docs = particulars
        return shape

    def _of_any_code(
        self, written: type, groups: Mapping[str, list[Ruling]], params: Mapping[str, type[Closed]]
    ) -> type[Closed]:
        """What clients are told of one kind, whatever its code: each has some of the particulars."""
        codes: dict[str, list[str]] = {}
        for code, group in groups.items():
            for name in group[0].params:
                codes.setdefault(name, []).append(code)
        any_of = {name: joined(self.field(groups[code][0].params[name]) for code in of) for name, of in codes.items()}
        for name, of in codes.items():
            with_codes = f"Comes with {', '.join(f'`{code}`' for code in of)}."
            any_of[name].doc = f"{particulars()[name]} {with_codes}" if name in particulars() else with_codes
        doc = "The particulars; which of them there are, the code tells."
        declared = self.members(
            written, rule=str, code=str, params=_required(self.closed(f"{component(written)}Params", doc, any_of))
        )
        told = self.closed(component(written), _doc(written), declared, written)
        doc = "The particulars of each code, for type checkers to narrow `params` by. It is never sent."
        told.beside = self.closed(
            f"{component(written)}ByCode", doc, {c: _required(each) for c, each in params.items()}
        )
        told.beside.sent = False
        return told

    def _contested(self) -> FieldMaker:
        hints = get_type_hints(type(next(iter(self.engine.rulesets.values()))), include_extras=True)
        options = {name: hints[name] for name, option in self.engine.options.items() if option.published}
        members = {name: self._contested_option(name, hint) for name, hint in options.items()}
        outcome = self.closed("Outcome", _doc(OtherOutcome), self.members(OtherOutcome), OtherOutcome)
        declared = self.members(EncodedContested, outcomes=ListField(ObjectField(outcome)))
        told = self.closed("Contested", _doc(EncodedContested), declared, EncodedContested)
        return self._family("option", EncodedContested, members, told)

    def _contested_option(self, option: str, value: Any) -> type[Closed]:
        name = title(option.replace("_", "-"))
        outcome = self.closed(
            f"{name}Outcome", _doc(OtherOutcome), self.members(OtherOutcome, value=value), OtherOutcome
        )
        declared = self.members(
            EncodedContested,
            rule=_one_of(each.rule for each in self.engine.rulings if each.option == option),
            option=Literal[option],
            value=value,
            alternatives=tuple[value, ...],
            outcomes=ListField(ObjectField(outcome)),
        )
        return self.closed(f"{name}Contested", _doc(EncodedContested), declared, EncodedContested)

    def _family(self, key: str, written: type, members: Mapping[str, type[Closed]], told: type[Closed]) -> FieldMaker:
        """One of several shapes, by a member; nothing fits where there are none. `told`: what clients are told."""
        shapes = {tag: ObjectField(schema) for tag, schema in members.items()}
        return partial(UnionField, key, shapes, self.prefix + component(written), ObjectField(told))


def _required(shape: type[Closed]) -> ObjectField:
    return ObjectField(shape, required=True)


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
        Placeholder.NAMES: Annotated[tuple[NAME, ...], Length(min(engine.seats), max(engine.seats))],
        Placeholder.STATE: engine.state,
        Placeholder.MOVE: moves_of(engine),
        Placeholder.RANK: Annotated[int, Whole(1, len(engine.seats) + 10)],
    }


def _when_asked(make: Callable[[], FieldMaker]) -> FieldMaker:
    """A field that is made, once, when it is asked for: most are only published."""
    made = cache(make)

    def field(**presence: Unpack[Presence]) -> StrictField:
        return made()(**presence)

    return field


def _one_of(rules: Iterable[str]) -> object:
    return Literal[tuple(dict.fromkeys(rules))]


def _doc(record: type) -> str:
    assert record.__doc__ is not None, f"{record.__name__} is published, and says nothing of itself"
    return record.__doc__


@cache
def particulars() -> Mapping[str, str]:
    """What is said of particulars and facts, by name."""
    return cast("Mapping[str, str]", seeds.read_table(Path(__file__).with_name("particulars.yaml")))


@cache
def with_setup(body: type, engine: AnyEngine) -> type:
    """The body with the members of the game's setup before its own."""
    return dataclass(frozen=True)(type(body.__name__, (body, engine.setup), {"__doc__": body.__doc__}))


def moves_of(engine: AnyEngine) -> object:
    """The union of a game's moves, as an annotation."""
    return Union[tuple(engine.kinds.values())]  # noqa: UP007 — there is no other way to join a list of types
