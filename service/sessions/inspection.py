"""The commands `sessions list`, `show` and `delete`: what an operator sees and does to the sessions in a store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from service.config import Settings
from service.sessions.backup import path_of
from service.sessions.record import SessionRecord, Unreadable
from service.sessions.stores import open_store
from service.sessions.stores.protocol import Store

SECRET = ("generation", "server_seed", "seeds", "newer", "spent", "renewals", "counted")
"""Members of a record that reveal cards to come, or are of no use to an operator. `newer`: of unknown content."""
TABLE = ("state", "incident", "setup")  #: Members that show what players hold; `setup` may name a deck.


def listed(url: str) -> Iterator[dict[str, Any]]:
    """Each session in the store, by its id: game, seats, version, moves, bytes. One that cannot be read says so."""
    with opened(url) as store:
        for session in store.names():
            stored = store.read(session)
            if stored is None:  # it has ended meanwhile
                continue
            try:
                record = SessionRecord.read(stored.record)
            except Unreadable as error:
                yield {"id": session, "unreadable": str(error)}
                continue
            members = ("game", "seats", "moves", "size", "public", "testing")
            values = {name: value for name in members if (value := getattr(record, name)) is not False}
            yield {"id": session, "version": stored.version, **values}


def shown(url: str, session: str, *, hands: bool) -> dict[str, Any]:
    """All of a session but its seeds and responses; with `hands` the table, too. Raises ValueError if there is none."""
    with opened(url) as store:
        copied = store.copy(session)
    if copied is None or copied.ends <= time.time():
        raise ValueError(f"there is no session {session}")
    members = {**SessionRecord.read(copied.record).__dict__}
    for name in SECRET if hands else (*SECRET, *TABLE):
        del members[name]
    ends = datetime.fromtimestamp(copied.ends, UTC).isoformat(timespec="seconds")
    return {"id": session, "version": copied.version, "ends": ends, **members}


def delete(url: str, session: str) -> None:
    """Delete a session, also while it is played. Raises ValueError if there is none."""
    with opened(url) as store:
        if not store.delete(session):
            raise ValueError(f"there is no session {session}")


@contextmanager
def opened(url: str) -> Iterator[Store]:
    """The store at a URL, by default that of the settings. Raises ValueError where there is none."""
    url = url or Settings.from_environment().store_url
    path = path_of(url)
    if path is not None and not Path(path).exists():
        raise ValueError(f"there is no store at {path}")
    store = open_store(url)
    try:
        yield store
    finally:
        store.close()
