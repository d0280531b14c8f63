"""The `summary` and `description` of each operation, by its id."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from service import bounds, seeds
from service.contract.sessions import PAGE, TICKET_SECONDS
from service.web.problems import BOUNDS

IN_WORDS = BOUNDS | {
    "moves": bounds.MOVES,
    "requests": bounds.REQUESTS,
    "moves_in_batch": bounds.MOVES_IN_BATCH,
    "entries": PAGE,
    "ticket_seconds": TICKET_SECONDS,
}
"""The numbers for the words in braces in `prose.yaml`."""

PROSE: Mapping[str, Mapping[str, str]] = {
    operation: {name: text.format_map(IN_WORDS) for name, text in words.items()}
    for operation, words in seeds.read(Path(__file__).with_suffix(".yaml")).items()
}


def operation_id(call: str, game: str | None = None) -> str:
    """The id of an operation: `legalMoves`, or for one game `legalMovesGinRummy`."""
    first, *rest = [part.capitalize() for part in (*call.split("-"), *(game or "").split("-"))]
    return "".join((first.lower(), *rest))
