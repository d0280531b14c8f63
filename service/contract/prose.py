"""The published texts of the contract: of operations by their ids, of headers, parameters and tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from service import seeds
from service.problems import BOUNDS
from service.words.languages import LANGUAGES


def _filled(text: Any) -> Any:
    """Texts, at any depth of dicts, with numbers and languages for the words in braces."""
    if isinstance(text, dict):
        return {name: _filled(each) for name, each in text.items()}
    *others, last = LANGUAGES
    return text.format_map({**BOUNDS, "languages": f"{', '.join(others)} or {last}"})


TEXTS: dict[str, Any] = _filled(seeds.read_table(Path(__file__).with_suffix(".yaml")))
PROSE: dict[str, dict[str, str]] = TEXTS["operations"]  #: The `summary` and `description` of each operation, by its id.


def operation_id(call: str, game: str | None = None) -> str:
    """The id of an operation: `legalMoves`, or for one game `legalMovesGinRummy`."""
    first, *rest = [part.capitalize() for part in (*call.split("-"), *(game or "").split("-"))]
    return "".join((first.lower(), *rest))
