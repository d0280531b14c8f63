"""A session as it happens: server-sent events, in the view of whoever listens."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator

from service.contract.sessions import PAGE, TICKET_SECONDS, Ticket
from service.sessions.asked import Asked
from service.sessions.log import after, is_version
from service.sessions.record import SessionRecord
from service.sessions.service import Sessions
from service.sessions.snapshot import Snapshot
from service.sessions.stores.protocol import KeptSession, StoreUnavailable
from service.web import strict_json
from service.web.problems import Problem

HEARTBEAT = 15.0
"""Seconds of silence after which a stream sends a comment; it also shows which clients have hung up."""
AWAY = 1.0
"""Seconds until the store is asked again."""


def ticket(sessions: Sessions, asked: Asked) -> Ticket:
    """A ticket for a stream: `EventSource` cannot send a header, and a token has no place in an address."""
    snapshot = sessions.find(asked)
    fresh = secrets.token_urlsafe(24)
    holder = f"{snapshot.bearer.name}.{snapshot.record.generation}"
    sessions.store.put_ticket(asked.session, fresh, holder, TICKET_SECONDS)
    return Ticket(fresh, TICKET_SECONDS)


def stream(sessions: Sessions, asked: Asked) -> Iterator[bytes]:
    """The entries after a version, and whatever follows, until the session is closed."""
    if sessions.feed.listeners >= sessions.settings.streams:
        detail = f"As many streams are open here as may be: {sessions.settings.streams}."
        raise Problem("too-many-requests", detail, {"Retry-After": "5"})
    snapshot = sessions.find(asked) if asked.ticket is None else sessions.find_by_ticket(asked, asked.ticket)
    last = asked.last_event_id or ""
    return _events(sessions, snapshot, int(last) if is_version(last) else after(asked))


def _events(sessions: Sessions, snapshot: Snapshot, last: int) -> Iterator[bytes]:
    yield b"retry: 2000\n\n"
    due = time.monotonic() + HEARTBEAT
    with sessions.feed.listening(snapshot.name) as woken:
        while True:
            woken.clear()
            try:
                entries = sessions.store.log(snapshot.name, last, PAGE, snapshot.record.generation)
                closed = not entries and _is_closed(sessions.store.read(snapshot.name), snapshot.record)
            except StoreUnavailable:
                yield b": the store is away\n\n"
                woken.wait(AWAY)
                continue
            if closed:
                yield b"event: closed\ndata: {}\n\n"
                return
            for entry in entries:
                shown = strict_json.dumps(snapshot.table.entry(*entry, snapshot.bearer))
                yield b"id: %d\nevent: entry\ndata: %b\n\n" % (entry.version, shown)
                last = entry.version
            if entries:
                due = time.monotonic() + HEARTBEAT
            if len(entries) == PAGE:
                continue
            woken.wait(due - time.monotonic())
            if time.monotonic() >= due:  # whatever woke it: the store wakes everyone now and then
                yield b": still here\n\n"
                due = time.monotonic() + HEARTBEAT


def _is_closed(kept: KeptSession | None, record: SessionRecord) -> bool:
    return kept is None or SessionRecord.read(kept.head).generation != record.generation
