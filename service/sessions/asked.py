"""What a request on a session asks: read from HTTP once, in `routes/asking.py`. This room sees nothing else of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from werkzeug.datastructures import ETags

from service.sessions.tokens import HOST, SPECTATOR, Bearer, TokenClaim

OPENING = TokenClaim(HOST, "")
"""Whoever opens a session will be its host."""


class Asked(NamedTuple):
    """One request on a session.

    `claim`: None without a token. `path`: where it was sent, as WSGI has it. `call`: what of the session is to be
    changed. `key`: what stands for its Idempotency-Key in the store. `fingerprint`: the same for the same request.
    `after`, `last_event_id`: as they were sent. `client`: whose share counts.
    """

    session: str
    claim: TokenClaim | None
    language: str
    path: str
    body: Any = None
    key: str | None = None
    fingerprint: str = ""
    if_match: ETags | None = None
    if_none_match: ETags | None = None
    after: str | None = None
    last_event_id: str | None = None
    ticket: str | None = None
    client: str = ""
    call: str = ""

    @property
    def bearer(self) -> Bearer:
        """Who sends it; without a token a spectator."""
        return SPECTATOR if self.claim is None else self.claim.bearer
