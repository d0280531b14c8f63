"""The published texts of the contract: of operations by their ids, of headers, parameters and tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from service import seeds
from service.problems import BOUNDS


def _filled(text: Any) -> Any:
    if isinstance(text, dict):
        return {name: _filled(each) for name, each in text.items()}
    return text.format_map(BOUNDS)


TEXTS: dict[str, Any] = _filled(seeds.read_table(Path(__file__).with_suffix(".yaml")))
PROSE: dict[str, dict[str, str]] = TEXTS["operations"]  #: The `summary` and `description` of each operation, by its id.


def operation_id(call: str, game: str | None = None) -> str:
    """The id of an operation: `legalMoves`, or for one game `legalMovesGinRummy`."""
    first, *rest = [part.capitalize() for part in (*call.split("-"), *(game or "").split("-"))]
    return "".join((first.lower(), *rest))
