"""A session as it happens: server-sent events, in the view of whoever listens."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Iterator

from service.contract.sessions import TICKET_SECONDS, Ticket
from service.sessions.asked import Asked
from service.sessions.events import Feed
from service.sessions.log import after, is_version
from service.sessions.service import Sessions
from service.sessions.snapshot import Snapshot
from service.sessions.stores.protocol import StoreUnavailable
from service.sessions.tokens import TokenClaim
from service.web.fair_scheduling import yield_if_due
from service.web.phrases import phrase
from service.web.problems import Problem

HEARTBEAT = 15.0
"""Seconds of silence after which a stream sends a comment; it also shows which clients have hung up."""
AWAY = 1.0
"""Seconds until the store is asked again."""


def ticket(sessions: Sessions, asked: Asked) -> Ticket:
    """A ticket for a stream: `EventSource` cannot send a header, and a token has no place in an address."""
    snapshot = sessions.find(asked)
    fresh = secrets.token_urlsafe(24)
    record, bearer = snapshot.record, snapshot.bearer
    holder = f"{bearer.name}.{record.generation}.{record.renewal(bearer)}"
    sessions.store.put_ticket(asked.session, fresh, holder, TICKET_SECONDS)
    return Ticket(fresh, TICKET_SECONDS)


def stream(sessions: Sessions, asked: Asked) -> Iterator[bytes]:
    """The entries after a version, and whatever follows, until the session is closed or its token is renewed."""
    if not sessions.feed.has_place(asked.client):
        detail = phrase("as-many-streams", most=sessions.settings.streams)
        raise Problem("too-many-requests", detail, {"Retry-After": "5"})
    snapshot = sessions.find(asked) if asked.ticket is None else sessions.find_by_ticket(asked, asked.ticket)
    last = asked.last_event_id or ""
    return _events(sessions.feed, snapshot, asked, int(last) if is_version(last) else after(asked))


def _events(feed: Feed, snapshot: Snapshot, asked: Asked, last: int) -> Iterator[bytes]:
    record, bearer, name = snapshot.record, snapshot.bearer, snapshot.name
    claim = TokenClaim(bearer, record.generation, record.renewal(bearer))
    del snapshot, record  # many listen for long, and the table is large
    yield b"retry: 2000\n\n"
    with feed.listening(asked.client, name, claim.generation) as listener:
        listener.due = _next_beat()
        while not listener.ended:
            listener.woken.clear()
            try:
                told = listener.channel.after(last, claim, asked.language)
            except StoreUnavailable:
                yield b": the store is away\n\n"
                listener.woken.wait(AWAY)
                continue
            for each in told:
                last = each.version
                yield each.event
            if told:
                listener.due = _next_beat()
                yield_if_due()
                continue
            if listener.channel.closed_to(claim):
                yield b"event: closed\ndata: {}\n\n"
                return
            listener.woken.wait()
            if time.monotonic() >= listener.due:  # whatever woke it: the store wakes everyone now and then
                yield b": still here\n\n"
                listener.due = _next_beat()


def _next_beat() -> float:
    """Not the same for all who were told of something at the same time."""
    return time.monotonic() + HEARTBEAT * random.uniform(0.7, 0.95)  # noqa: S311 - no secret
