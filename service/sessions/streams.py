"""Streams of a session's events (server-sent events), each as its bearer sees them."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Iterator

from service.contract.sessions import TICKET_SECONDS, Ticket
from service.sessions.events import Feed
from service.sessions.log import after, is_version
from service.sessions.outcomes import NoFreeStream
from service.sessions.requests import SessionRequest
from service.sessions.service import Sessions
from service.sessions.stores.protocol import StoreUnavailable
from service.sessions.table import Snapshot
from service.sessions.tokens import TokenClaim
from service.web.fair_scheduling import yield_if_due

HEARTBEAT = 15.0
"""Seconds of silence after which a stream sends a comment, which also shows if the client has hung up."""
AWAY = 1.0
"""Seconds after which a stream tries again to read a store that is away."""


def ticket(sessions: Sessions, request: SessionRequest) -> Ticket:
    """A ticket for a stream: `EventSource` cannot send a token in a header, and a token must not be part of a URL."""
    snapshot = sessions.find(request)
    fresh = secrets.token_urlsafe(24)
    record, bearer = snapshot.record, snapshot.bearer
    holder = f"{bearer.name}.{record.generation}.{record.renewal(bearer)}"
    sessions.store.put_ticket(request.session, fresh, holder, TICKET_SECONDS)
    return Ticket(fresh, TICKET_SECONDS)


def stream(sessions: Sessions, request: SessionRequest) -> Iterator[bytes]:
    """The entries after a version, and all later ones, until the session is closed or the bearer's token renewed."""
    if not sessions.feed.has_place(request.client):
        raise NoFreeStream(sessions.settings.streams)
    snapshot = sessions.find(request) if request.ticket is None else sessions.find_by_ticket(request, request.ticket)
    last = request.last_event_id or ""
    return _events(sessions.feed, snapshot, request, int(last) if is_version(last) else after(request))


def _events(feed: Feed, snapshot: Snapshot, request: SessionRequest, last: int) -> Iterator[bytes]:
    record, bearer, name = snapshot.record, snapshot.bearer, snapshot.name
    claim = TokenClaim(bearer, record.generation, record.renewal(bearer))
    del snapshot, record  # streams are many and last long, and a table is large
    yield b"retry: 2000\n\n"
    with feed.listening(request.client, name, claim.generation) as listener:
        listener.due = _next_beat()
        while not listener.ended:
            listener.woken.clear()
            try:
                entries = listener.channel.after(last, claim, request.language)
            except StoreUnavailable:
                yield b": the store is away\n\n"
                listener.woken.wait(AWAY)
                continue
            for each in entries:
                last = each.version
                yield each.encoded
            if entries:
                listener.due = _next_beat()
                yield_if_due()
                continue
            if listener.channel.closed_to(claim):
                yield b"event: closed\ndata: {}\n\n"
                return
            listener.woken.wait()
            if time.monotonic() >= listener.due:  # whatever woke it: a stream may be woken without a new entry
                yield b": still here\n\n"
                listener.due = _next_beat()


def _next_beat() -> float:
    """When to send the next comment. Random, so that streams that sent an entry together send comments apart."""
    return time.monotonic() + HEARTBEAT * random.uniform(0.7, 0.95)  # noqa: S311 - no secret
