"""What a session's head and log entries hold, as the store keeps them: JSON, in the wire form of its game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import orjson

from service.sessions.tokens import everyone
from service.web.strict_json import Json


@dataclass(frozen=True)
class SessionRecord:
    """A session but for its version, which the store counts.

    `setup`: what was asked to be dealt, as posted; `ruleset`: as responses spell it. `seeds`: each seat's seed where
    the deal is joint, None until given. `state`: None until the cards are dealt. `moves`: of the log. `size`: bytes of
    the log and of the answers that were kept with its changes.
    """

    game: str
    generation: str
    setup: Json
    ruleset: Json
    seats: int
    server_seed: str
    fair: Literal["committed", "joint"] = "committed"
    blind: bool = False
    public: bool = False
    seeds: list[str | None] = field(default_factory=list)
    deals: int = 0
    moves: int = 0
    size: int = 0
    state: Json | None = None

    @classmethod
    def read(cls, head: bytes) -> SessionRecord:
        """From the store's form."""
        return cls(**orjson.loads(head))

    def written(self) -> bytes:
        """The store's form."""
        return orjson.dumps(self.__dict__)

    @property
    def awaited(self) -> list[int]:
        """The seats whose seed a joint deal waits for."""
        return [seat for seat, seed in enumerate(self.seeds) if seed is None]


class Face(NamedTuple):
    """A log entry as some bearers saw it. Events: [index of the move, rule, code, params]."""

    moves: Sequence[Json]
    events: Sequence[Sequence[Any]]


def entry_written(faces: Sequence[Face], of: dict[str, int]) -> bytes:
    """An entry in the store's form. `of`: which face each bearer saw, by name."""
    return orjson.dumps({"faces": list(map(tuple, faces)), "of": of})


def seed_entry(seats: int) -> bytes:
    """The entry for a seat's seed: it shows nobody more than that the table has changed."""
    return entry_written([Face([], [])], {bearer.name: 0 for bearer in everyone(seats)})


def entry_read(entry: bytes, bearer: str) -> Face:
    """An entry from the store's form, as this bearer saw it."""
    kept = orjson.loads(entry)
    return Face(*kept["faces"][kept["of"][bearer]])
