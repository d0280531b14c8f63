"""The `summary` and `description` of each operation, by its id."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from service import seeds
from service.web.problems import BOUNDS

PROSE: Mapping[str, Mapping[str, str]] = {
    operation: {name: text.format_map(BOUNDS) for name, text in words.items()}
    for operation, words in seeds.read(Path(__file__).with_suffix(".yaml")).items()
}


def operation_id(call: str, game: str | None = None) -> str:
    """The id of an operation: `legalMoves`, or for one game `legalMovesGinRummy`."""
    first, *rest = [part.capitalize() for part in (*call.split("-"), *(game or "").split("-"))]
    return "".join((first.lower(), *rest))
