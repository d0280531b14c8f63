"""JSON to dataclasses and back, by one field; and the codecs of each game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Generic, TypeVar, cast

from marshmallow import ValidationError

import engines
from engines.core.engine import Engine
from service.contract.accept import UNSURE, dumper, loader
from service.contract.answers import RulesetUsed
from service.contract.fields import AnyOf, Choice, Invalid, Record, Strict, Values
from service.contract.of_game import GameShapes, moves_of
from service.contract.placeholders import Placeholder
from service.contract.shapes import Shapes, component
from service.seeds import LANGUAGES

T = TypeVar("T")


class Codec(Generic[T]):
    """Loads JSON to `T`, strictly, and dumps it."""

    def __init__(self, field: Strict) -> None:
        self.field = field
        self._accept = loader(field)
        self.dump = dumper(field)

    def load(self, value: Any) -> T:
        """The record that a JSON value stands for; raises `Invalid` with everything that is wrong."""
        try:
            return cast("T", self._accept(value))
        except UNSURE:
            return self.judged(value)

    def judged(self, value: Any) -> T:
        """As `load`, by marshmallow alone."""
        try:
            return cast("T", self.field.deserialize(value))
        except ValidationError as error:
            raise Invalid.told(error, value) from None


@dataclass(frozen=True)
class Codecs:
    """What one game derives. `shapes` derives more of the same family."""

    shapes: GameShapes
    state: Codec[Any]
    move: Codec[Any]


@cache
def codecs(engine: Engine[Any]) -> Codecs:
    """The codecs of a game, made once."""
    shapes = GameShapes(engine)
    return Codecs(shapes, Codec(shapes.field(engine.state)), Codec(shapes.field(moves_of(engine))))


@cache
def general() -> Shapes:
    """The shapes of what no game has for itself."""
    rulesets: Callable[..., Strict] = lambda **kwargs: AnyOf(of_each_game(RulesetUsed).values(), **kwargs)  # noqa: E731
    by_game: dict[Any, Callable[..., Strict]] = {
        Placeholder.GAME: partial(Values, tuple(engines.registry())),
        Placeholder.LANGUAGE: partial(Values, LANGUAGES),
        RulesetUsed: rulesets,
    }
    return Shapes("", {}, {}, by_game)


def of_each_game(record: type) -> dict[str, Record]:
    """What every game makes of a dataclass with placeholders."""
    return {game: Record(codecs(engine).shapes.record(record)) for game, engine in engines.registry().items()}


def of_all_games(record: type, name: str | None = None, *, tagged: bool = False) -> Choice:
    """The same as one field: games are told apart by the member `game`, which the dataclass has, or is `tagged` with.

    `name`: of the component, where it is not the dataclass's.
    """
    name = name or component(record)
    members = {
        game: Record(codecs(engine).shapes.record(record, ("game", game), name))
        for game, engine in engines.registry().items()
    }
    return Choice("game", members if tagged else of_each_game(record), name)
