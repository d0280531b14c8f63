"""Reading what has happened in a session: its log by pages, the transcript of the game, and the stream of events."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Iterator
from typing import Any

from service import strict_json
from service.bounds import ANSWER, PAGE, TICKET_SECONDS, TICKETS
from service.contract.session_bodies import EncodedLog, Ticket, Transcript
from service.scheduling import SCHEDULER
from service.sessions.events import Feed, ShownLive, written
from service.sessions.outcomes import DoesNotFit, NotFound, Refused
from service.sessions.service import Sessions
from service.sessions.session_request import SessionRequest
from service.sessions.stores.protocol import LogEntry, StoreUnavailable
from service.sessions.table import Snapshot
from service.sessions.tokens import HOST, TokenClaim
from service.words.phrases import phrase

MOST_BYTES_OF_A_PAGE = ANSWER - 64 * 1024
"""Most bytes of a page's entries. The rest of what an answer may have is left for its other members."""
HEARTBEAT = 15.0
"""The longest silence of a stream, in seconds. A ping ends it, so that either side notices if the other is gone."""
RETRY_SECONDS = 1.0  #: Seconds after which a stream tries again to read an unavailable store.


def page(sessions: Sessions, request: SessionRequest) -> EncodedLog:
    """The page of entries after the request's version. `next`: the version after which the following page begins."""
    snapshot = sessions.find(request)
    game, since = snapshot.table.engine.game, after(request)
    size = 0
    entries: list[Any] = []
    for version, entry in _entries(sessions, snapshot, since):
        written = strict_json.dumps(snapshot.table.entry(version, entry, snapshot.bearer))
        size += len(written)
        is_full = size > MOST_BYTES_OF_A_PAGE or len(entries) == PAGE
        if entries and is_full:
            return EncodedLog(game, entries, next=version - 1)
        entries.append(strict_json.Part(written))
    return EncodedLog(game, entries, next=None)


def after(request: SessionRequest) -> int:
    """The version after which to read; 0 if the request gives none."""
    if request.after is None:
        return 0
    if not is_version(request.after):
        raise DoesNotFit.in_parameter("after", phrase("after-is-a-version"))
    return int(request.after)


def is_version(text: str) -> bool:
    """Whether a text is a version's number."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def transcript(sessions: Sessions, request: SessionRequest) -> Transcript:
    """The transcript: a page of the game after the request's version, and the seeds that the cards were dealt from."""
    snapshot = sessions.find(request)
    if not snapshot.table.over and (snapshot.bearer != HOST or snapshot.record.blind):
        raise Refused("forbidden", phrase("transcript-later"))
    session = snapshot._replace(bearer=HOST).document()
    since = after(request)
    return snapshot.table.transcript(session, _entries(sessions, snapshot, 0), since, MOST_BYTES_OF_A_PAGE)


def _entries(sessions: Sessions, snapshot: Snapshot, since: int) -> Iterator[LogEntry]:
    """The log after version `since`, read in small portions, so that other requests run in between."""
    for portion in sessions.log(snapshot.name, since, snapshot.version, snapshot.record.generation):
        for entry in portion:
            yield entry
            SCHEDULER.yield_if_due()
        since = portion[-1].version
    if since < snapshot.version:
        raise NotFound


# --- the stream (server-sent events) ---------------------------------------------------------------


def ticket(sessions: Sessions, request: SessionRequest) -> Ticket:
    """A ticket for a stream: `EventSource` cannot send a token in a header, and a token must not be part of a URL."""
    snapshot = sessions.find(request)
    fresh = secrets.token_urlsafe(24)
    record, bearer = snapshot.record, snapshot.bearer
    holder = f"{bearer.name}.{record.generation}.{record.renewal(bearer)}"
    sessions.store.put_ticket(request.session, fresh, holder, TICKET_SECONDS, TICKETS)
    return Ticket(fresh, TICKET_SECONDS)


def stream(sessions: Sessions, request: SessionRequest) -> Iterator[bytes]:
    """The entries after a version, and all later ones, until the session is closed or the bearer's token renewed."""
    if not sessions.feed.has_place(request.client):
        raise Refused("too-many-requests", phrase("as-many-streams", most=sessions.settings.streams), 5)
    snapshot = sessions.find(request) if request.ticket is None else sessions.find_by_ticket(request, request.ticket)
    last = request.last_event_id or ""
    return _events(sessions.feed, snapshot, request, int(last) if is_version(last) else after(request))


def _events(feed: Feed, snapshot: Snapshot, request: SessionRequest, last: int) -> Iterator[bytes]:
    """The events of a stream, as bytes. `last`: the version after which its entries begin."""
    record, bearer, name = snapshot.record, snapshot.bearer, snapshot.name
    language = snapshot.table.referee.language
    claim = TokenClaim(bearer, record.generation, record.renewal(bearer))
    nothing = written({}, record)
    del snapshot, record  # streams are many and last long, and a table is large
    yield b"retry: 2000\n\n"
    shown = ShownLive()
    with feed.listening(request.client, name) as listener:
        listener.due = _next_beat()
        while not listener.ended:
            listener.notified.clear()
            try:
                entries = listener.channel.after(last, claim, language)
            except StoreUnavailable:
                yield b": the store is away\n\n"
                listener.notified.wait(RETRY_SECONDS)
                continue
            for each in entries:
                last = each.version
                yield each.body
            live = [*listener.channel.live(last, claim, shown)]
            yield from live
            if entries or live:
                listener.due = _next_beat()
                SCHEDULER.yield_if_due()
                continue
            if listener.channel.closed_to(claim):
                yield b"event: closed\ndata: %b\n\n" % nothing
                return
            listener.notified.wait()
            if time.monotonic() >= listener.due:  # also after a notification without a new entry
                yield b"event: ping\ndata: %b\n\n" % nothing
                listener.due = _next_beat()


def _next_beat() -> float:
    """When to send the next ping. Random, so that streams that sent an entry together send pings apart."""
    return time.monotonic() + HEARTBEAT * random.uniform(0.6, 0.8)  # noqa: S311 - no secret
