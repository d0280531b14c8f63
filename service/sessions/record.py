"""What the store keeps of a session: its head and its log entries, as JSON in the game's wire form. And its seeds.

docs/fairness.md gives the algorithm of the seeds, with vectors and a verifier in another language.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import orjson

from service.sessions.tokens import Bearer, TokenClaim, everyone
from service.web.strict_json import Json


@dataclass(frozen=True)
class SessionRecord:
    """A session but for its version, which the store counts.

    `setup`: the body of the opening, without what `/deal` does not take; `ruleset`: as answers spell it. `names`: of
    the players, if they have any. `commitments`, `seeds`: one a seat where the deal is joint, None until given.
    `state`: None until the cards are dealt. `moves`: how many the log has. `size`: bytes of the log and of the answers
    kept with its changes. `spent`: each seat's own part of these, as moves and bytes. `taken`: one a seat where seats
    are taken by invite. `renewals`: how often a bearer's token was renewed, by the bearer's name.
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
        """The seats whose commitments, or after these seeds, are still to come before a joint deal."""
        owed = self.commitments if None in self.commitments else self.seeds
        return [seat for seat, given in enumerate(owed) if given is None]

    def renewal(self, bearer: Bearer) -> int:
        """How often this bearer's token was renewed."""
        return self.renewals.get(bearer.name, 0)

    def honours(self, claim: TokenClaim) -> bool:
        """Whether a token of this generation is its bearer's last."""
        return claim.renewal == self.renewal(claim.bearer)

    def taking(self, seat: int | None) -> list[bool]:
        """`taken`, after this seat is taken; None: as it is."""
        return [was or seat == number for number, was in enumerate(self.taken)]


class EntryView(NamedTuple):
    """A log entry as some bearers saw it. Events: [index of the move, rule, code, params]."""

    moves: Sequence[Json]
    events: Sequence[Sequence[Any]]


def entry_written(views: Sequence[EntryView], of: dict[str, int]) -> bytes:
    """An entry in the store's form. `of`: the index of each bearer's view, by the bearer's name."""
    return orjson.dumps({"faces": list(map(tuple, views)), "of": of})


def entry_without_moves(seats: int) -> bytes:
    """The entry for a commitment, a seed or a new token: all that it shows is that there was a change."""
    return entry_written([EntryView([], [])], {bearer.name: 0 for bearer in everyone(seats)})


def entry_read(entry: bytes, bearer: str) -> EntryView:
    """An entry from the store's form, as this bearer saw it."""
    kept = orjson.loads(entry)
    return EntryView(*kept["faces"][kept["of"][bearer]])


def server_seed() -> str:
    """256 random bits, in hex. This text is hashed for the commitment, and is the key of every deal."""
    return secrets.token_hex(32)


def deal_seed(server: str, clients: Sequence[str], number: int) -> str:
    """The seed of a session's deal, for the specified shuffle. `clients`: by seat; `number`: from 1."""
    message = json.dumps([*clients, number], ensure_ascii=False, separators=(",", ":"))
    return hmac.digest(server.encode(), message.encode(), "sha256").hex()
