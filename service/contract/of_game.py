"""What one game puts in the place of each placeholder, and the bodies that take its setup."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, Literal, Union

from engines.core.engine import Engine
from engines.core.shape import Length, Whole
from service.contract.fields import Closed, Strict
from service.contract.placeholders import ByGame, M, S, WithSetup
from service.contract.shapes import Shapes


class GameShapes(Shapes):
    """The shapes of one game, placeholders filled in."""

    def __init__(self, engine: Engine[Any]) -> None:
        names: Any = Literal[tuple(engine.rulesets)]
        annotations = {
            S: engine.state,
            M: moves_of(engine),
            ByGame.SEAT: Annotated[int, Whole(0, max(engine.seats) - 1)],
            ByGame.SOME_RULESETS: Annotated[tuple[names, ...], Length(1, len(engine.rulesets), unique=True)],
        }
        by_game: dict[Any, Callable[..., Strict]] = {
            placeholder: partial(self.field, annotation) for placeholder, annotation in annotations.items()
        }
        super().__init__(prefix(engine.game), engine.rulesets, {"Move": engine.kinds.values()}, by_game)
        self.engine = engine

    def record(self, record: type, tag: tuple[str, str] | None = None, name: str | None = None) -> type[Closed]:
        """As of all shapes; a body that takes the game's setup takes it."""
        return super().record(with_setup(record, self.engine) if WithSetup in record.__bases__ else record, tag, name)


@cache
def with_setup(body: type, engine: Engine[Any]) -> type:
    """The body with the members of the game's setup before its own."""
    return dataclass(frozen=True)(type(body.__name__, (body, engine.setup), {"__doc__": body.__doc__}))


def moves_of(engine: Engine[Any]) -> Any:
    """The union of a game's moves, as an annotation."""
    return Union[tuple(engine.kinds.values())]  # noqa: UP007 — there is no other way to join a list of types


def prefix(game: str) -> str:
    """How the names of a game's components begin: `GinRummy` of gin-rummy."""
    return "".join(part.capitalize() for part in game.split("-"))
