"""Reading what has happened in a session: its log, page by page, and the transcript of the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from service.bounds import ANSWER
from service.contract.sessions import PAGE, EncodedLog, Transcript
from service.sessions.outcomes import DoesNotFit, Forbidden, Gone
from service.sessions.requests import SessionRequest
from service.sessions.service import Sessions
from service.sessions.stores.protocol import KeptEntry
from service.sessions.table import Snapshot
from service.sessions.tokens import HOST
from service.web import strict_json
from service.web.fair_scheduling import yield_if_due
from service.web.phrases import phrase

AT_ONCE = 50
"""Entries that are read from the store at once."""
MOST = ANSWER - 64 * 1024
"""Most bytes of a page's entries. The rest of what an answer may have is left for its other members."""


def page(sessions: Sessions, request: SessionRequest) -> EncodedLog:
    """The page of entries after the request's version. `next`: the version after which the following page begins."""
    snapshot = sessions.find(request)
    game, since, size, shown = snapshot.table.engine.game, after(request), 0, list[Any]()
    for version, entry in _entries(sessions, snapshot, since):
        written = strict_json.dumps(snapshot.table.entry(version, entry, snapshot.bearer))
        size += len(written)
        if shown and (size > MOST or len(shown) == PAGE):
            return EncodedLog(game, shown, since + len(shown))
        shown.append(strict_json.Part(written))
    return EncodedLog(game, shown, None)


def after(request: SessionRequest) -> int:
    """The version after which to read; 0 if the request gives none."""
    if request.after is None:
        return 0
    if not is_version(request.after):
        raise DoesNotFit.at("", phrase("after-is-a-version"))
    return int(request.after)


def is_version(text: str) -> bool:
    """Whether a text is a version's number."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def transcript(sessions: Sessions, request: SessionRequest) -> Transcript:
    """The transcript: a page of the game after the request's version, and the seeds that the cards were dealt from."""
    snapshot = sessions.find(request)
    if not snapshot.table.over and (snapshot.bearer != HOST or snapshot.record.blind):
        raise Forbidden(phrase("transcript-later"))
    session = snapshot._replace(bearer=HOST).document()
    since = after(request)
    return snapshot.table.transcript(session, _entries(sessions, snapshot, 0), since, MOST)


def _entries(sessions: Sessions, snapshot: Snapshot, since: int) -> Iterator[KeptEntry]:
    """The log after version `since`, read in small portions, so that other requests run in between."""
    while since < snapshot.version:
        most = min(AT_ONCE, snapshot.version - since)
        entries = sessions.store.log(snapshot.name, since, most, snapshot.record.generation)
        if not entries:
            raise Gone
        for entry in entries:
            yield entry
            yield_if_due()
        since = entries[-1].version
