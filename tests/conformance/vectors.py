"""The conformance vectors as they stand in `seeds/`, and when an answer agrees with one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SEEDS = Path(__file__).resolve().parents[2] / "seeds"
WORDING = frozenset({"text", "title", "detail"})
"""Members whose sentences are this implementation's own: others may word them differently."""


@dataclass(frozen=True)
class Vector:
    """One case: what is sent, and what comes back."""

    id: str
    clauses: tuple[str, ...]
    why: str
    request: dict[str, Any]
    response: dict[str, Any]
    file: Path


def vectors(game: str = "*") -> Iterator[Vector]:
    """Every vector, in the order of files and cases; `game` names a folder of `seeds/`."""
    for folder in sorted(SEEDS.glob(game)):
        yield from vectors_in(folder)


def vectors_in(folder: Path) -> Iterator[Vector]:
    """The vectors of the game whose seeds these are."""
    for file in sorted(folder.glob("vectors/*.json")):
        for case in json.loads(file.read_text(encoding="utf-8")):
            yield Vector(
                case["id"],
                tuple(case["clauses"]),
                case["why"],
                case["request"],
                case["response"],
                file.relative_to(folder.parent),
            )


def differences(expected: Any, got: Any, pointer: str = "", *, wording: bool) -> Iterator[str]:
    """Where an answer departs from what a vector expects. Members that the vector does not name are free."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for name, value in expected.items():
            if name in WORDING and not wording:
                continue
            if name not in got:
                yield f"{pointer}/{name}: missing"
            else:
                yield from differences(value, got[name], f"{pointer}/{name}", wording=wording)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for index, (one, other) in enumerate(zip(expected, got, strict=True)):
            yield from differences(one, other, f"{pointer}/{index}", wording=wording)
    elif expected != got or isinstance(expected, bool) != isinstance(got, bool):
        yield f"{pointer or '/'}: expected {json.dumps(expected)}, got {json.dumps(got)}"
