"""What the calls on sessions share in one process: the store, the tokens, the turns, and who listens."""

from __future__ import annotations

import logging
import re
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from typing import Literal, NamedTuple, TypeAlias

from service.config import Settings
from service.sessions.asked import Asked
from service.sessions.capacity import Capacity, Space, lifetime
from service.sessions.events import Feed
from service.sessions.record import SessionRecord
from service.sessions.refusals import Unauthorized, gone
from service.sessions.snapshot import Snapshot
from service.sessions.stores import measured, open_store
from service.sessions.stores.protocol import ROUND, KeptAnswer, Reached, Risk, Store, StoreUnavailable
from service.sessions.table import Table
from service.sessions.tokens import TokenClaim, Tokens, id_in, key_id, named
from service.sessions.turns import Turns
from service.web.phrases import phrase
from service.web.problems import Problem

LOG = logging.getLogger(__name__)
BETWEEN = 0.02
"""Seconds in which others may write, while much is cleared away."""
NOTED = 60.0
"""Seconds after which a key that is still in use is noted again."""
TOLD = {
    Risk.EVICTION: "the store may drop sessions when its memory is full: set its maxmemory-policy to noeviction",
    Risk.MEMORY: "the store keeps no append-only file: what it has is lost with its process",
}
"""What is logged of each risk, once."""
KeysHealth: TypeAlias = Literal["ready", "missing", "differ"]


class Health(NamedTuple):
    """How it stands with what sessions need. `there`: the store takes what a move writes."""

    there: bool
    keys: KeysHealth
    risks: tuple[Risk, ...]
    space: Space

    @property
    def ready(self) -> bool:
        """Nothing that is acknowledged here is refused elsewhere, or dropped."""
        lasting = self.keys != "differ" and Risk.EVICTION not in self.risks
        return self.there and lasting and self.space != "full"


CACHED = 512
"""Sessions that a worker keeps at hand."""
NAME = re.compile(r"[0-9a-f]{32}", re.ASCII)


class Sessions:
    """Every session that the store keeps."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store: Store = measured(open_store(settings.store_url))
        self.tokens = Tokens(settings.token_keys, lambda: self.store)
        self.feed = Feed(self.store, settings.streams)
        self.turns = Turns()
        self.capacity = Capacity(settings, self.store)
        self._health = Health(True, "ready", (), "ready")
        self._noted: dict[str, float] = {}
        self._cached: OrderedDict[str, tuple[int, Table]] = OrderedDict()

    def lifetime(self, record: SessionRecord) -> float:
        """Seconds that a session lives after the change that made this record."""
        return lifetime(record, self.settings)

    def look(self) -> Health:
        """How it stands with what sessions need; what is amiss is logged once, until it is otherwise."""
        try:
            self.store.ping()
            missing = self._missing()
            health = Health(True, self._keys(missing), self.store.risks(), self.capacity.space())
        except StoreUnavailable:
            return Health(False, "ready", (), "ready")
        if health[:3] != self._health[:3]:
            for risk in health.risks:
                LOG.warning(TOLD[risk])
            if health.keys != "ready":
                LOG.warning("keys that made tokens of these sessions are not set here: %s", ", ".join(missing))
        self._health = health
        return health

    def tidy(self) -> None:
        """Clear away what has expired, round after round. Blocks."""
        while True:
            time.sleep(ROUND)
            self.store.clock.look()
            try:
                while self.store.sweep(self.store.clock.settled()):
                    time.sleep(BETWEEN)
            except StoreUnavailable:
                continue
            except Exception:
                LOG.exception("what has expired stays for a while")

    def _keys(self, missing: Sequence[str]) -> KeysHealth:
        """`differ`: nobody knows the key that signs here, while others' keys have made tokens."""
        if not missing:
            return "ready"
        return "missing" if key_id(self.tokens.keys[0]) in self.store.noted() else "differ"

    def _missing(self) -> list[str]:
        """The ids of keys whose tokens are about, and which are not honoured here."""
        known = {*self.tokens.by_id, *self.settings.dropped_keys}
        return sorted(each for each in self.store.noted() if each not in known)

    def check_keys(self) -> None:
        """Before a token of a new session is made: by a key that other servers do not honour it would be worthless."""
        if self._keys(self._missing()) == "differ":
            self.look()
            raise Problem("store-unavailable", phrase("keys-differ"), {"Retry-After": "5"})
        self._note(key_id(self.tokens.keys[0]))

    def _note(self, key: str) -> None:
        """A key is in use. Its tokens are about for as long as a session lives after its last move."""
        if time.monotonic() - self._noted.get(key, -inf) > NOTED:
            self._noted[key] = time.monotonic()
            with suppress(StoreUnavailable):
                self.store.note(key, self.settings.session_hours * 3600 + NOTED)

    def claim(self, token: str, session: str) -> TokenClaim:
        """What a token says; one that is not genuine is refused, and so is an invite, which is no token."""
        claim = self.tokens.read(token, session)
        if claim is None or claim.bearer.role == "invite":
            raise Unauthorized
        self._note(id_in(token))
        return claim

    def invited(self, invite: str, session: str, seat: str) -> TokenClaim:
        """What an invite says; any other but this seat's is refused."""
        claim = self.tokens.read(invite, session)
        if claim is None or claim.bearer.name != f"invite-{seat}":
            raise Unauthorized
        return claim

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
        if claim is not None and not record.honours(claim) and not _renewed_by(asked, kept.answer):
            raise Unauthorized
        return Snapshot(asked.session, asked.bearer, kept.version, Table.of(record, asked.language), kept.answer)

    def find_by_ticket(self, asked: Asked, ticket: str) -> Snapshot:
        """The session as it is now, for whoever has a ticket, which is good for once."""
        holder = self.store.take_ticket(asked.session, ticket) if NAME.fullmatch(asked.session) else None
        kept = None if holder is None else self.store.read(asked.session)
        if holder is None or kept is None:
            raise Unauthorized
        record = SessionRecord.read(kept.head)
        name, generation, renewal = holder.split(".")
        claim = TokenClaim(named(name), generation, int(renewal))
        if generation != record.generation or not record.honours(claim):
            raise Unauthorized
        return Snapshot(asked.session, claim.bearer, kept.version, Table.of(record, asked.language))

    def cached(self, asked: Asked) -> Snapshot | None:
        """The session as this worker last wrote it. Good for a change, which the store makes only if it still is so."""
        version, table = self._cached.get(asked.session, (0, None))
        claim = asked.claim
        if table is None or claim is None or table.record.generation != claim.generation:
            return None
        if not table.record.honours(claim):
            return None
        return Snapshot(asked.session, asked.bearer, version, table.in_language(asked.language))

    def remember(self, session: str, version: int, table: Table) -> None:
        """Keep what was written, and tell who listens here; the least recently written is forgotten first."""
        self._cached.pop(session, None)
        self._cached[session] = version, table
        if len(self._cached) > CACHED:
            self._cached.popitem(last=False)
        self.feed.wake({session: Reached(table.record.generation, version)})


def _renewed_by(asked: Asked, kept: KeptAnswer | None) -> bool:
    """Whether this request is the one that made its own token void: under its key it is answered again."""
    return asked.call == "tokens" and kept is not None and kept.fingerprint == asked.fingerprint
