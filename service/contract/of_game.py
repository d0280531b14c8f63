"""The shapes of one game: its state, moves, setup and rulings replace the placeholders in bodies and answers.

Rulings of one kind have one shape with the parameters of all codes, because a later version may have more codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache, partial, reduce
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, Union, Unpack, cast, get_type_hints

from engines.core.engine import Engine
from engines.core.gathering import may_gather
from engines.core.judge import audit_setup
from engines.core.records import changed
from engines.core.rulings import Decides, Forbids, Happens, LeavesUndetermined, Refutes, Ruling
from engines.core.shape import Drawn, Length, Player, Whole, inside
from engines.core.shuffle import in_order
from service import seeds
from service.contract import answers, fields
from service.contract.fields import Closed, StrictField
from service.contract.placeholders import M, Placeholder, S, Seat, WithoutChance, WithSetup
from service.contract.shapes import FieldMaker, Shapes, component, title

RULINGS: Mapping[type, type[Ruling]] = {
    answers.EncodedEvent: Happens,
    answers.EncodedViolation: Forbids,
    answers.EncodedFault: Refutes,
    answers.EncodedUndetermined: LeavesUndetermined,
}
"""The kind of ruling that each class encodes."""

MOST_NAMES = 20  #: More than any table has seats. The referee refuses a list that does not fit its table.

AnyEngine: TypeAlias = Engine[Any]


class GameShapes(Shapes):
    """The shapes of one game, placeholders filled in. `stored`: as in `Shapes`."""

    def __init__(self, engine: AnyEngine, *, stored: bool = False) -> None:
        self.engine = engine
        by_game: dict[object, FieldMaker] = {
            placeholder: partial(self.field, annotation) for placeholder, annotation in _annotations(engine).items()
        }
        makers: dict[object, Callable[[], StrictField]] = {
            Placeholder.OPTIONS: lambda: fields.ObjectField(self.options()),
            Placeholder.FACTS: self._facts,
            Placeholder.SEEN_MOVE: self._seen_move,
            answers.Standing: self._standing,
            **{record: partial(self._rulings, record, kind) for record, kind in RULINGS.items()},
        }
        by_game[Placeholder.NAMES] = partial(fields.ListField, fields.NameField(), 1, MOST_NAMES)
        by_game |= {placeholder: partial(_copy_with, cache(make)) for placeholder, make in makers.items()}
        unions = {"Move": engine.kinds.values()}
        super().__init__(title(engine.game), engine.rulesets, unions, by_game, stored=stored)

    def record(self, record: type, tag: tuple[str, str] | None = None, name: str | None = None) -> type[Closed]:
        """As in `Shapes`, with what only the game knows.

        A body `WithSetup` gets the members of the game's setup; `by_ruleset` names those that only some rulesets allow.
        Of a body `WithoutChance`, `drawn` names the members of moves that chance decides: a session refuses them.
        """
        if WithSetup in record.__bases__:
            shape = super().record(with_setup(record, self.engine), tag, name)
            by_ruleset = [each for each in BY_RULESET if each in shape.declared()]
            shape.by_ruleset = {each: rulesets_with(each, self.engine) for each in by_ruleset}
            return shape
        shape = super().record(record, tag, name)
        if WithoutChance in record.__bases__:
            shape.drawn = drawn_members(self.engine)
        return shape

    def of_options(self) -> Mapping[str, str]:
        """The English text of each option."""
        options = seeds.read_words(self.engine, seeds.ENGLISH).get("options") or {}
        return {name: option["text"] for name, option in options.items()}

    def version(self) -> int:
        """The version of the game's rules."""
        return self.engine.version

    def options(self) -> type[Closed]:
        """The options of a ruleset."""
        return cast("type[fields.Ruled]", self.record(self._ruleset)).options()

    # Each of these makes the field of one placeholder.

    def _facts(self) -> StrictField:
        """The facts beside a legal move."""
        hints = dict(self.engine.fact_types)
        if self.engine.deal is not None:
            hints["takes"] = tuple[str, ...]
        declared = {name: self._param(name, hint) for name, hint in hints.items()}
        doc = "What a player would want to know of a legal move."
        return fields.ObjectField(self.closed("Facts", doc, declared))

    def _seen_move(self) -> StrictField:
        """A move as a seat saw it: of any type, with the members of all; any member and any item may be hidden."""
        members = _merged(self.members(kind) for kind in self.engine.kinds.values())
        members["seat"].doc = "Whose move it is; null where it is the table's."
        for member, field in members.items():
            field.required, field.load_default, field.allow_none = False, None, True
            if isinstance(field, fields.AnyOfField):
                field.union = f"{self.prefix}Seen{title(member)}"
            if isinstance(field, fields.ListField):
                field.item.allow_none = True
        type_of_move = fields.TextField(required=True)
        type_of_move.doc = "The type of the move."
        doc = "A move as it was seen. What its reader may not see is null."
        return fields.ObjectField(self.closed("SeenMove", doc, {"type": type_of_move, **members}))

    def _standing(self) -> StrictField:
        """An entry of the ranking: of a seat, or, in a game with teams, of a seat or a team."""
        if self.engine.teams is None:
            return fields.ObjectField(self.record(answers.EncodedStanding))
        declared = self.members(answers.TeamStanding)
        team = declared.pop("team")
        team.required = False
        declared |= {"seat": self.field(Seat), "team": team}
        declared["seat"].doc = "Whose place it is; left out in team play."
        doc = f"{answers.EncodedStanding.__doc__} Of a seat or, in team play, of a team."
        return fields.ObjectField(self.closed("Standing", doc, declared))

    def _rulings(self, record: type, kind: type[Ruling]) -> StrictField:
        """Rulings of one kind, with the parameters of all codes."""
        name = component(record)
        rulings = [each for each in self.engine.rulings if isinstance(each, kind) and not isinstance(each, Decides)]
        params = self._params(name, {ruling.code: ruling.params for ruling in rulings})  # one code, the same parameters
        members = self.members(record, rule=str, code=str, params=fields.ObjectField(params, required=True))
        return fields.ObjectField(self.closed(name, record.__doc__, members))

    def _param(self, name: str, hint: object) -> StrictField:
        """The field of a parameter or a fact."""
        field = self.field(hint)
        field.doc = param_docs().get(name, "")
        return field

    def _params(self, ruling: str, hints: Mapping[str, Mapping[str, object]]) -> type[Closed]:
        """The parameters of all codes. `hints`: those of each code."""
        declared = _merged({name: self._param(name, hint) for name, hint in each.items()} for each in hints.values())
        for name, field in declared.items():
            codes = f"({', '.join(f'`{code}`' for code, each in hints.items() if name in each)})."
            field.doc = " ".join(filter(None, (field.doc.removesuffix("."), codes)))
        doc = "The particulars; in brackets their codes."
        return self.closed(f"{ruling}Params", doc, declared)


def _annotations(engine: AnyEngine) -> dict[object, object]:
    """The annotation that takes the place of each placeholder in this game."""
    names: Any = Literal[tuple(engine.rulesets)]
    seat: Any = Annotated[int, Whole(0, max(engine.seats) - 1), Player()]
    return {
        S: engine.state,
        M: moves_of(engine),
        Placeholder.GAME: Literal[engine.game],
        Placeholder.SEAT: seat,
        Placeholder.CLAUSE: Literal[tuple(engine.rank)],
        Placeholder.RULESET: names,
        Placeholder.SOME_RULESETS: Annotated[tuple[names, ...], Length(1, len(engine.rulesets), unique=True)],
        Placeholder.VIEWPOINTS: Annotated[tuple[seat | None, ...], Length(0, max(engine.seats) + 1, unique=True)],
        Placeholder.STATE: engine.state,
        Placeholder.MOVE: moves_of(engine),
        Placeholder.RANK: Annotated[int, Whole(1, len(engine.seats) + 10)],
    }


def _copy_with(make: Callable[[], StrictField], **presence: Unpack[fields.Presence]) -> StrictField:
    """A copy of the field that `make` returns, with this presence."""
    field = copy(make())
    for name, value in presence.items():
        setattr(field, name, value)
    return field


@cache
def param_docs() -> Mapping[str, str]:
    """The published description of each parameter and fact, by its name."""
    return cast("Mapping[str, str]", seeds.read_table(Path(__file__).with_name("params.yaml")))


def _merged(shapes: Iterable[Mapping[str, StrictField]]) -> dict[str, StrictField]:
    """The members of several shapes; those of one name become the narrowest field that takes what each takes."""
    fields_by_name: dict[str, list[StrictField]] = {}
    for shape in shapes:
        for name, field in shape.items():
            fields_by_name.setdefault(name, []).append(field)
    merged = {name: reduce(_joined, each) for name, each in fields_by_name.items()}
    for name, field in merged.items():
        field.doc = next((each.doc for each in fields_by_name[name] if each.doc), "")
    return merged


def _joined(one: StrictField, other: StrictField) -> StrictField:  # noqa: PLR0911 - a table: one row a pair
    """The narrowest field that takes what both take; a union where they have no type in common."""
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
            return fields.ValuesField(one.values, one.list_name, one.pattern, allow_none=null)
        case fields.BooleanField(), fields.BooleanField():
            return fields.BooleanField(allow_none=null)
        case fields.ListField(), fields.ListField():
            return fields.ListField(_joined(one.item, other.item), allow_none=null)
        case fields.ObjectField(), fields.ObjectField() if one.shape is other.shape:
            return fields.ObjectField(one.shape, allow_none=null)
    if _is_text(one) and _is_text(other):
        return fields.TextField(allow_none=null)
    return fields.AnyOfField([one, other], allow_none=null)


def _is_text(field: StrictField) -> bool:
    """Whether all values of a field are strings."""
    return isinstance(field, fields.TextField) or (
        isinstance(field, fields.ValuesField) and all(isinstance(value, str) for value in field.values)
    )


@cache
def drawn_members(engine: AnyEngine) -> Mapping[str, tuple[str, ...]]:
    """For each type of move in a game, its members that hold the result of chance."""
    return {
        name: tuple(
            each
            for each, hint in get_type_hints(kind, include_extras=True).items()
            if any(isinstance(word, Drawn) for word in inside(hint))
        )
        for name, kind in engine.kinds.items()
    }


def may_count(engine: AnyEngine, state: object) -> bool:
    """Whether groups are counted at this table once its time is up."""
    return bool(engine.owed(state))


BY_RULESET: Mapping[str, Callable[[AnyEngine, Any], bool]] = {"gather_ms": may_gather, "clock_seconds": may_count}
"""The members of an opening that only some rulesets have, of some games: those whose first table passes this."""


@cache
def rulesets_with(member: str, engine: AnyEngine) -> tuple[str, ...]:
    """The names of the rulesets by which a session of this game can have a member of `BY_RULESET`."""
    tables = {name: _first_table(engine, ruleset) for name, ruleset in engine.rulesets.items()}
    return tuple(name for name, state in tables.items() if state is not None and BY_RULESET[member](engine, state))


@cache
def _first_table(engine: AnyEngine, ruleset: object) -> object:
    """A table as it is dealt to the fewest who can play by a ruleset; None where nobody can."""
    setups = (engine.setup(seats=seats, ruleset=ruleset) for seats in engine.seats)
    setup = next((each for each in setups if not audit_setup(engine, each)), None)
    return None if setup is None else engine.opening(changed(setup, deck=in_order(engine.cards(setup), "")))


@cache
def with_setup(body: type, engine: AnyEngine) -> type:
    """The body with the members of the game's setup before its own, without those of `BY_RULESET` that it never has."""
    absent = {
        name: ClassVar[None] for name in BY_RULESET if name in get_type_hints(body) and not rulesets_with(name, engine)
    }
    members = {"__doc__": body.__doc__, "__annotations__": absent, **dict.fromkeys(absent)}
    return dataclass(frozen=True)(type(body.__name__, (body, engine.setup), members))


def moves_of(engine: AnyEngine) -> object:
    """The union of a game's moves, as an annotation."""
    return Union[tuple(engine.kinds.values())]  # noqa: UP007 — there is no other way to join a list of types
