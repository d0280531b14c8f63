"""What the calls on sessions share in one process: the store, the tokens, the turns, and who listens."""

from __future__ import annotations

import re
from collections import OrderedDict

from service.config import Settings
from service.sessions.asked import Asked, TokenClaim
from service.sessions.events import Feed
from service.sessions.record import SessionRecord
from service.sessions.refusals import Unauthorized, gone
from service.sessions.snapshot import Snapshot
from service.sessions.stores.by_url import open_store
from service.sessions.stores.protocol import Store, StoreUnavailable
from service.sessions.table import Table
from service.sessions.tokens import Tokens, named
from service.sessions.turns import Turns

CACHED = 512
"""Sessions that a worker keeps at hand."""
NAME = re.compile(r"[0-9a-f]{32}", re.ASCII)


class Sessions:
    """Every session that the store keeps."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lifetime = settings.session_hours * 3600
        self.store: Store = open_store(settings.store_url)
        self.tokens = Tokens(settings.token_keys, lambda: self.store)
        self.feed = Feed(self.store)
        self.turns = Turns()
        self._cached: OrderedDict[str, tuple[int, Table]] = OrderedDict()

    def ready(self) -> bool:
        """The store can be read and written."""
        try:
            self.store.ping()
        except StoreUnavailable:
            return False
        return True

    def claim(self, token: str, session: str) -> TokenClaim:
        """What a token says; one that is not genuine is refused."""
        read = self.tokens.read(token, session)
        if read is None:
            raise Unauthorized
        return TokenClaim(*read)

    def find(self, asked: Asked) -> Snapshot:
        """The session as it is now; a spectator finds public ones only."""
        if not NAME.fullmatch(asked.session):
            raise Unauthorized
        claim = asked.claim
        kept = self.store.read(asked.session, asked.key)
        if kept is None:
            raise Unauthorized if claim is None else gone()
        record = SessionRecord.read(kept.head)
        if claim is None and not record.public:
            raise Unauthorized
        if claim is not None and claim.generation != record.generation:
            raise gone()
        return Snapshot(asked.session, asked.bearer, kept.version, Table.of(record, asked.language), kept.answer)

    def find_by_ticket(self, asked: Asked, ticket: str) -> Snapshot:
        """The session as it is now, for whoever has a ticket, which is good for once."""
        holder = self.store.take_ticket(asked.session, ticket) if NAME.fullmatch(asked.session) else None
        kept = None if holder is None else self.store.read(asked.session)
        if holder is None or kept is None:
            raise Unauthorized
        record = SessionRecord.read(kept.head)
        bearer, _, generation = holder.partition(".")
        if generation != record.generation:
            raise Unauthorized
        return Snapshot(asked.session, named(bearer), kept.version, Table.of(record, asked.language))

    def cached(self, asked: Asked) -> Snapshot | None:
        """The session as this worker last wrote it. Good for a change, which the store makes only if it still is so."""
        version, table = self._cached.get(asked.session, (0, None))
        if table is None or asked.claim is None or table.record.generation != asked.claim.generation:
            return None
        return Snapshot(asked.session, asked.bearer, version, table.in_language(asked.language))

    def remember(self, session: str, version: int, table: Table) -> None:
        """Keep what was written; the least recently written is forgotten first."""
        self._cached.pop(session, None)
        self._cached[session] = version, table
        if len(self._cached) > CACHED:
            self._cached.popitem(last=False)
