"""What has happened in a session: a page of its log, and the whole game once it is over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from service.bounds import ANSWER
from service.contract.sessions import PAGE, EncodedLog, Transcript
from service.sessions.asked import Asked
from service.sessions.refusals import gone, misfit
from service.sessions.service import Sessions
from service.sessions.snapshot import Snapshot
from service.sessions.stores.protocol import KeptEntry
from service.sessions.tokens import HOST
from service.web import strict_json
from service.web.fair_scheduling import yield_if_due
from service.web.phrases import phrase
from service.web.problems import Problem

AT_ONCE = 50
"""Entries that are read from the store at once."""
MOST = ANSWER - 64 * 1024
"""Bytes after which a page ends: with what stands around the entries it stays within the bound of an answer."""


def page(sessions: Sessions, asked: Asked) -> EncodedLog:
    """The entries after a version, as many as go on a page; `next`: after which the next page begins."""
    snapshot = sessions.find(asked)
    game, since, size, shown = snapshot.table.engine.game, after(asked), 0, list[Any]()
    for version, entry in _entries(sessions, snapshot, since):
        written = strict_json.dumps(snapshot.table.entry(version, entry, snapshot.bearer))
        size += len(written)
        if shown and (size > MOST or len(shown) == PAGE):
            return EncodedLog(game, shown, since + len(shown))
        shown.append(strict_json.Part(written))
    return EncodedLog(game, shown, None)


def after(asked: Asked) -> int:
    """The version from which to read on."""
    if asked.after is None:
        return 0
    if not is_version(asked.after):
        raise misfit("", phrase("after-is-a-version"))
    return int(asked.after)


def is_version(text: str) -> bool:
    """Whether a text is a version's number."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def transcript(sessions: Sessions, asked: Asked) -> Transcript:
    """The game after a version, as much of it as goes on a page, with the seeds that it was dealt from."""
    snapshot = sessions.find(asked)
    if not snapshot.table.over and (snapshot.bearer != HOST or snapshot.record.blind):
        raise Problem("forbidden", phrase("transcript-later"))
    session = snapshot._replace(bearer=HOST).document()
    since = after(asked)
    return snapshot.table.transcript(session, _entries(sessions, snapshot, 0), since, MOST)


def _entries(sessions: Sessions, snapshot: Snapshot, since: int) -> Iterator[KeptEntry]:
    """The log after a version, read a little at a time; whoever reads it gives others their turn."""
    while since < snapshot.version:
        most = min(AT_ONCE, snapshot.version - since)
        entries = sessions.store.log(snapshot.name, since, most, snapshot.record.generation)
        if not entries:
            raise gone()
        for entry in entries:
            yield entry
            yield_if_due()
        since = entries[-1].version
