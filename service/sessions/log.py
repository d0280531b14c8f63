"""What has happened in a session: a page of its log, and the whole game once it is over."""

from __future__ import annotations

from collections.abc import Iterator

from service.contract.sessions import PAGE, Transcript, WrittenLog
from service.sessions.asked import Asked
from service.sessions.refusals import gone, misfit
from service.sessions.service import Sessions
from service.sessions.snapshot import Snapshot
from service.sessions.stores.protocol import KeptEntry
from service.sessions.tokens import HOST
from service.web.problems import Problem


def page(sessions: Sessions, asked: Asked) -> WrittenLog:
    """The entries after a version, as many as go on a page; `next`: after which the next page begins."""
    snapshot = sessions.find(asked)
    entries = sessions.store.log(asked.session, after(asked), PAGE, snapshot.record.generation)
    shown = [snapshot.table.entry(*entry, snapshot.bearer) for entry in entries]
    more = entries[-1].version if len(entries) == PAGE and entries[-1].version < snapshot.version else None
    return WrittenLog(shown, more)


def after(asked: Asked) -> int:
    """The version from which to read on."""
    if asked.after is None:
        return 0
    if not is_version(asked.after):
        raise misfit("", "The parameter `after` is a version: a whole number from 0.")
    return int(asked.after)


def is_version(text: str) -> bool:
    """Whether a text is a version's number."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def transcript(sessions: Sessions, asked: Asked) -> Transcript:
    """The whole game, with the seeds that it was dealt from."""
    snapshot = sessions.find(asked)
    if not snapshot.table.over and (snapshot.bearer != HOST or snapshot.record.blind):
        raise Problem("forbidden", "The transcript comes out when the game is over.")
    session = snapshot._replace(bearer=HOST).document()
    return snapshot.table.transcript(session, _whole_log(sessions, snapshot))


def _whole_log(sessions: Sessions, snapshot: Snapshot) -> Iterator[KeptEntry]:
    read = 0
    while read < snapshot.version:
        most = min(PAGE, snapshot.version - read)
        entries = sessions.store.log(snapshot.name, read, most, snapshot.record.generation)
        if not entries:
            raise gone()
        yield from entries
        read = entries[-1].version
