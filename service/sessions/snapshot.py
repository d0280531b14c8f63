"""A session at one version, as its bearer may see it."""

from __future__ import annotations

from typing import NamedTuple

from engines.core.shuffle import commitment
from service.contract.answers import RulesetUsed
from service.contract.sessions import EncodedSession
from service.sessions.record import SessionRecord
from service.sessions.stores.protocol import KeptAnswer
from service.sessions.table import Table
from service.sessions.tokens import Bearer


class Snapshot(NamedTuple):
    """`answer`: what is kept under the key of the request that it was read for."""

    name: str
    bearer: Bearer
    version: int
    table: Table
    answer: KeptAnswer | None = None

    @property
    def record(self) -> SessionRecord:
        return self.table.record

    @property
    def tag(self) -> str:
        """The ETag, unquoted. With the generation: a name may be opened again under its key."""
        return f"{self.version}-{self.bearer.name}-{self.record.generation}"

    def document(self) -> EncodedSession:
        """The session as its bearer may see it."""
        return EncodedSession(
            self.name,
            self.record.game,
            RulesetUsed(**self.record.ruleset),
            self.version,
            commitment(self.record.server_seed),
            self.record.commitments,
            self.record.names,
            *self.table.shown(self.bearer),
        )
