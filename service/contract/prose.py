"""What there is to say of each operation, by its id: `summary` and `description`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from service import seeds

PROSE: Mapping[str, Mapping[str, str]] = seeds.read(Path(__file__).with_suffix(".yaml"))


def operation_id(call: str, game: str | None = None) -> str:
    """`legalMoves`, `legalMovesGinRummy`."""
    first, *rest = [part.capitalize() for part in (*call.split("-"), *(game or "").split("-"))]
    return "".join((first.lower(), *rest))
