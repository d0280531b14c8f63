"""JSON to dataclasses and back, by one field; and the codecs of each game."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar, cast

from marshmallow import ValidationError

from engines.core.engine import Engine
from service.contract.accept import DOUBTS, dumper, loader
from service.contract.fields import Invalid, Strict
from service.contract.of_game import GameShapes, moves_of

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
        except DOUBTS:
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
