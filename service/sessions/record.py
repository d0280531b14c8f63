"""What a session's head and log entries hold, as the store keeps them: JSON, in the wire form of its game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import orjson

from service.sessions.tokens import Bearer, TokenClaim, everyone
from service.web.strict_json import Json


@dataclass(frozen=True)
class SessionRecord:
    """A session but for its version, which the store counts.

    `setup`: what was asked to be dealt, as posted; `ruleset`: as responses spell it. `names`: of the players, where
    they were given. `commitments`, `seeds`: each seat's where the deal is joint, None until given. `state`: None until
    the cards are dealt. `moves`: of the log. `size`: bytes of the log, and of the answers kept with its changes.
    `spent`: of these, each seat's own moves and bytes. `taken`: whether each seat is, where they are taken by invite.
    `renewals`: how often the token of a bearer was renewed, by name.
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
    names: list[str] | None = None
    commitments: list[str | None] = field(default_factory=list)
    seeds: list[str | None] = field(default_factory=list)
    deals: int = 0
    moves: int = 0
    size: int = 0
    spent: Sequence[Sequence[int]] = ()
    taken: list[bool] = field(default_factory=list)
    renewals: dict[str, int] = field(default_factory=dict)
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
        """The seats that a joint deal waits for: for their commitments, and for their seeds once it has all of them."""
        owed = self.commitments if None in self.commitments else self.seeds
        return [seat for seat, given in enumerate(owed) if given is None]

    def renewal(self, bearer: Bearer) -> int:
        """How often this bearer's token was renewed."""
        return self.renewals.get(bearer.name, 0)

    def honours(self, claim: TokenClaim) -> bool:
        """Whether a token of this generation is the bearer's last."""
        return claim.renewal == self.renewal(claim.bearer)

    def taking(self, seat: int | None) -> list[bool]:
        """The seats that are taken once this one is; None: as they are."""
        return [was or seat == number for number, was in enumerate(self.taken)]


class Face(NamedTuple):
    """A log entry as some bearers saw it. Events: [index of the move, rule, code, params]."""

    moves: Sequence[Json]
    events: Sequence[Sequence[Any]]


def entry_written(faces: Sequence[Face], of: dict[str, int]) -> bytes:
    """An entry in the store's form. `of`: which face each bearer saw, by name."""
    return orjson.dumps({"faces": list(map(tuple, faces)), "of": of})


def silent_entry(seats: int) -> bytes:
    """The entry for a commitment, a seed or a new token: it shows nobody more than that the table has changed."""
    return entry_written([Face([], [])], {bearer.name: 0 for bearer in everyone(seats)})


def entry_read(entry: bytes, bearer: str) -> Face:
    """An entry from the store's form, as this bearer saw it."""
    kept = orjson.loads(entry)
    return Face(*kept["faces"][kept["of"][bearer]])
