"""Codecs, which load JSON to dataclasses and dump them, and the codecs of each game."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property, partial
from typing import Any, Generic, TypeVar, cast

from marshmallow import ValidationError

import engines
from service.contract import fields
from service.contract.accept import UNSURE_ERRORS, dumper, loader
from service.contract.fields import StrictField
from service.contract.of_game import AnyEngine, GameShapes, moves_of
from service.contract.placeholders import Placeholder
from service.contract.shapes import FieldMaker, Shapes, component
from service.words.languages import LANGUAGES

T = TypeVar("T")


class Codec(Generic[T]):
    """Loads JSON to `T`, strictly, and dumps it."""

    def __init__(self, field: StrictField) -> None:
        self.field = field
        self._accept = cast("Callable[[object], T]", loader(field))
        self.dump = cast("Callable[[T], dict[str, object]]", dumper(field))

    def load(self, value: object) -> T:
        """Load a JSON value; raises `Invalid` with everything that is wrong."""
        try:
            return self._accept(value)
        except UNSURE_ERRORS:
            return self.judged(value)

    def judged(self, value: object) -> T:
        """As `load`, without the fast path."""
        try:
            return cast("T", self.field.deserialize(value))
        except ValidationError as error:
            raise fields.Invalid.of(error, value) from None


class Codecs:
    """The codecs of one game, and the shapes that they belong to."""

    def __init__(self, engine: AnyEngine) -> None:
        self.engine = engine
        self.shapes = GameShapes(engine)
        self.state: Codec[Any] = Codec(self.shapes.field(engine.state))
        self.move: Codec[Any] = Codec(self.shapes.field(moves_of(engine)))

    @cached_property
    def _stored_state(self) -> Codec[Any]:
        """As `state`, for texts that only an earlier version took."""
        return Codec(GameShapes(self.engine, stored=True).field(self.engine.state))

    def stored_state(self, value: object) -> Any:
        """Load a state that a store holds. Its texts may be such as only an earlier version took."""
        try:
            return self.state.load(value)
        except fields.Invalid:
            return self._stored_state.load(value)


codecs = cache(Codecs)  #: The codecs of a game, made once.


@cache
def general() -> Shapes:
    """The shapes that are the same for all games."""
    last_seat = max(seats for engine in engines.registry().values() for seats in engine.seats) - 1
    by_game: dict[object, FieldMaker] = {
        Placeholder.SEAT: partial(fields.IntegerField, 0, last_seat),
        Placeholder.GAME: partial(fields.ValuesField, tuple(engines.registry())),
        Placeholder.LANGUAGE: partial(fields.ValuesField, LANGUAGES),
        Placeholder.RULESET: fields.TextField,
        Placeholder.OPTIONS: fields.AnyObjectField,
    }
    return Shapes(by_game=by_game)


def of_each_game(record: type, tagged_as: str | None = None) -> dict[str, fields.ObjectField]:
    """The field of a dataclass for each game, by the game's name, with the game's types for the placeholders.

    `tagged_as`: the name of a component that has the member `game` as well.
    """
    field_of_game = {}
    for game, engine in engines.registry().items():
        shape = codecs(engine).shapes.record(record, ("game", game) if tagged_as else None, tagged_as)
        field_of_game[game] = fields.ObjectField(shape)
    return field_of_game


def of_all_games(record: type, name: str | None = None, *, tagged: bool = False) -> fields.UnionField:
    """The union of a dataclass's fields for each game, distinguished by the member `game`.

    `tagged`: the dataclass has no such member, so it is added. `name`: of the component, if not that of the dataclass.
    """
    name = name or component(record)
    return fields.UnionField("game", of_each_game(record, name if tagged else None), name)
