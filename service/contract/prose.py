"""What there is to say of each operation, by its id: `summary` and `description`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from service import seeds
from service.config import Settings
from service.contract.requests import MOST_MOVES, MOST_MOVES_IN_BATCH, MOST_REQUESTS
from service.contract.sessions import PAGE, TICKET_SECONDS
from service.web.problems import MIB

BOUNDS = {
    "moves": MOST_MOVES,
    "requests": MOST_REQUESTS,
    "moves_in_batch": MOST_MOVES_IN_BATCH,
    "batch_mib": Settings.batch_limit // MIB,
    "entries": PAGE,
    "ticket_seconds": TICKET_SECONDS,
}
"""What words in braces stand for."""

PROSE: Mapping[str, Mapping[str, str]] = {
    operation: {name: text.format_map(BOUNDS) for name, text in words.items()}
    for operation, words in seeds.read(Path(__file__).with_suffix(".yaml")).items()
}


def operation_id(call: str, game: str | None = None) -> str:
    """`legalMoves`, `legalMovesGinRummy`."""
    first, *rest = [part.capitalize() for part in (*call.split("-"), *(game or "").split("-"))]
    return "".join((first.lower(), *rest))
