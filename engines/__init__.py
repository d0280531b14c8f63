"""The registry: every game that this installation referees.

A game is a folder here that exposes `ENGINE`, or an installed package's entry point in the group
"rules_referee.engines" (name: anything, object: an `Engine`).
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any

from engines.core.bounds import unbounded
from engines.core.engine import Engine

GROUP = "rules_referee.engines"


@cache
def registry() -> dict[str, Engine[Any]]:
    """Every game by its name on the wire, in the order of the names.

    Raises `ValueError` for two games of one name, and for a list or a number that a game's model leaves without bounds.
    """
    folders = [import_module(f"{__name__}.{folder.name}") for folder in iter_modules(__path__) if folder.ispkg]
    games = [folder.ENGINE for folder in folders if hasattr(folder, "ENGINE")]
    games += [entry.load() for entry in entry_points(group=GROUP)]
    engines: dict[str, Engine[Any]] = {}
    for engine in sorted(games, key=lambda engine: engine.game):
        if engine.game in engines:
            raise ValueError(f"two engines claim the game {engine.game!r}")
        if found_open := unbounded((engine.state, engine.setup, *engine.kinds.values())):
            raise ValueError("\n".join(found_open))
        engines[engine.game] = engine
    return engines
