"""A session as it happens: server-sent events, in the view of whoever listens."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from urllib.parse import parse_qs

from service.contract.sessions import PAGE, TICKET_SECONDS
from service.sessions.bearers import NAME, Found, Sessions, Unauthorized, refused
from service.sessions.record import Record
from service.sessions.stores.protocol import Session, StoreUnavailable
from service.sessions.table import Table
from service.sessions.tokens import named
from service.web import strict_json
from service.web.http import Answer, Environ, language, takes, written
from service.web.problems import Problem

HEARTBEAT = 15.0
"""Seconds of silence after which a stream gives a sign of life; who has hung up is noticed by it, too."""
AWAY = 1.0
EVENT_STREAM = "text/event-stream"


def ticket(sessions: Sessions, environ: Environ, name: str) -> Answer:
    """`POST /sessions/{id}/tickets`: `EventSource` cannot send a header, and a token has no place in an address."""
    found = sessions.find(environ, name, sessions.with_token(environ, name))
    fresh = secrets.token_urlsafe(24)
    sessions.store.put_ticket(name, fresh, f"{found.bearer.name}.{found.record.generation}", TICKET_SECONDS)
    return written({"ticket": fresh, "expires_in": TICKET_SECONDS}, 201)


def stream(sessions: Sessions, environ: Environ, name: str) -> Iterator[bytes]:
    """`GET /sessions/{id}/events`: the entries after a version, and whatever follows, until the session is closed."""
    accept = environ.get("HTTP_ACCEPT")
    if not takes(accept, EVENT_STREAM):
        raise Problem("not-acceptable", f"The answer is {EVENT_STREAM}; the Accept header asks for {accept}.")
    if sessions.feed.listeners >= sessions.settings.streams:
        detail = f"As many streams are open here as may be: {sessions.settings.streams}."
        raise Problem("too-many-requests", detail, {"Retry-After": "5"})
    found = _listener(sessions, environ, name)
    last = environ.get("HTTP_LAST_EVENT_ID", "")
    return _events(sessions, found, int(last) if is_version(last) else after(environ))


def after(environ: Environ) -> int:
    """The parameter `after`: the version from which to read on."""
    text = _parameter(environ, "after")
    if text is None:
        return 0
    if not is_version(text):
        raise refused("", "The parameter `after` is a version: a whole number from 0.")
    return int(text)


def is_version(text: str) -> bool:
    """Whether a text is a version's number."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def _parameter(environ: Environ, name: str) -> str | None:
    given = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True).get(name)
    return None if given is None else given[-1]


def _listener(sessions: Sessions, environ: Environ, name: str) -> Found:
    given = _parameter(environ, "ticket")
    if given is None:
        return sessions.look(environ, name)
    holder = sessions.store.take_ticket(name, given) if NAME.fullmatch(name) else None
    kept = None if holder is None else sessions.store.read(name)
    if holder is None or kept is None:
        raise Unauthorized
    record = Record.read(kept.head)
    bearer, _, generation = holder.partition(".")
    if generation != record.generation:
        raise Unauthorized
    return Found(name, named(bearer), kept.version, Table.of(record, language(environ)))


def _events(sessions: Sessions, found: Found, last: int) -> Iterator[bytes]:
    yield b"retry: 2000\n\n"
    due = time.monotonic() + HEARTBEAT
    with sessions.feed.listening(found.name) as woken:
        while True:
            woken.clear()
            try:
                entries = sessions.store.log(found.name, last, PAGE, found.record.generation)
                closed = not entries and _closed(sessions.store.read(found.name), found.record)
            except StoreUnavailable:
                yield b": the store is away\n\n"
                woken.wait(AWAY)
                continue
            if closed:
                yield b"event: closed\ndata: {}\n\n"
                return
            for entry in entries:
                data = strict_json.dumps(found.table.entry(*entry, found.bearer))
                yield b"id: %d\nevent: entry\ndata: %b\n\n" % (entry.version, data)
                last = entry.version
            if entries:
                due = time.monotonic() + HEARTBEAT
            if len(entries) == PAGE:
                continue
            woken.wait(due - time.monotonic())
            if time.monotonic() >= due:  # whatever woke it: the store wakes everyone now and then
                yield b": still here\n\n"
                due = time.monotonic() + HEARTBEAT


def _closed(kept: Session | None, record: Record) -> bool:
    return kept is None or Record.read(kept.head).generation != record.generation
