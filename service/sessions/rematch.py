"""The next table of the same people, once their game is over.

It is opened under a random name first, and then named in the record of the session, by a change like any other. So of
several who open one at once, the first whose change is written has opened the next table; the others delete theirs. If
a server is killed between the two writes, the table that no session names expires: nobody has a token of it.

Each bearer gets the token of its own place there, and no other. Nothing of the next table follows from what a
transcript discloses.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from engines.core.records import changed
from service.contract.session_bodies import NextTable
from service.judging.calls import stored_setup
from service.judging.referee import Referee
from service.sessions import outcomes
from service.sessions.changes import check_bounds, fresh_table, refuse_if_stale, undealt, write, write_new
from service.sessions.record import SessionRecord, entry_without_moves
from service.sessions.service import ATTEMPTS, Sessions
from service.sessions.session_request import SessionRequest
from service.sessions.stores.protocol import StoredResponse, StoreUnavailable, WriteResult
from service.sessions.table import Snapshot, Table
from service.sessions.tokens import session_names
from service.words.phrases import phrase

CARRIED_OVER = ("fair", "blind", "public", "names", "gather_ms", "clock_seconds", "testing")
"""Members of the record that the next table has as well. Nobody is invited there: each bearer gets its token here."""
FORBIDDEN = "forbidden"  #: The member of the setup that the next table does not have: it is chosen for one game.


class NewTable(NamedTuple):
    """A table that this request has opened."""

    name: str
    generation: str
    share: outcomes.Share


def rematch(sessions: Sessions, request: SessionRequest) -> outcomes.Rematched | StoredResponse:
    """Give the bearer its place at the next table, which is opened if there is none. The game must be over."""
    unnamed: NewTable | None = None  #: What this request has opened and no session names: it is deleted in the end.
    try:
        with sessions.locks.held(request.session, request.key):
            for _ in range(ATTEMPTS):
                snapshot = sessions.find(request)
                if snapshot.response is not None:
                    return request.replayed(snapshot.response)
                _check(snapshot, request)
                is_there = _is_there(sessions, snapshot)
                if is_there and _sits(snapshot):
                    return outcomes.Rematched(_place(sessions, snapshot), None)
                check_bounds(snapshot.record, snapshot.bearer, 0, sessions)
                opened = None
                if not is_there:
                    opened = unnamed = unnamed or _open(sessions, request, snapshot)
                after = _seated(snapshot, opened)
                share = None if opened is None else opened.share
                outcome = outcomes.Rematched(_place(sessions, after), share)
                response = request.stored_response(outcome)
                try:
                    written = write(sessions, snapshot, after, entry_without_moves(after.record.seats), response)
                except StoreUnavailable:  # the change may have been made, and names what was opened
                    unnamed = unnamed if opened is None else None
                    raise
                if isinstance(written, StoredResponse):
                    return request.replayed(written)
                if written is WriteResult.WRITTEN:
                    unnamed = unnamed if opened is None else None
                    return response or outcome
        raise StoreUnavailable("other changes always came first")
    finally:
        if unnamed is not None:
            with suppress(StoreUnavailable):  # then it expires
                sessions.store.delete(unnamed.name)


def _check(snapshot: Snapshot, request: SessionRequest) -> None:
    """Refuse a stale request, and one before the game is over."""
    refuse_if_stale(snapshot, request)
    if not snapshot.table.over:
        raise outcomes.Refused("not-over", phrase("not-over"))


def _is_there(sessions: Sessions, snapshot: Snapshot) -> bool:
    """Whether the next table was opened and still exists. Refuses a bearer whose token of it was renewed."""
    table = snapshot.record.rematch
    stored = None if table is None else sessions.store.read(table["id"])
    if stored is None or table is None:
        return False
    record = SessionRecord.read(stored.record)
    if record.generation != table["generation"]:
        return False
    if record.renewal(snapshot.bearer):
        raise outcomes.Refused("seat-taken", phrase("renewed-since"))
    return True


def _open(sessions: Sessions, request: SessionRequest, snapshot: Snapshot) -> NewTable:
    """Open a table that is set up as this one was. It counts as an opening of the client."""
    record = _next_table(snapshot.table).record
    sessions.mark_signing_key()
    share = sessions.capacity.opening(request.client, len(record.written()))
    (name,) = session_names(sessions.tokens, None)
    write_new(sessions, name, record)
    return NewTable(name, record.generation, share)


def _next_table(table: Table) -> Table:
    """A new table that is set up as this one was."""
    record = table.record
    setup = {name: value for name, value in record.setup.items() if name != FORBIDDEN}
    engine, body = stored_setup(setup)
    referee: Referee[Any] = Referee(engine, table.referee.language, record.names)
    members = {name: getattr(record, name) for name in CARRIED_OVER}
    fresh = fresh_table(referee, body, setup=setup, is_rematch=True, **members)
    return undealt(fresh) if record.fair == "joint" else fresh


def _sits(snapshot: Snapshot) -> bool:
    """Whether the record says already that the bearer has its token of the next table. It never says so of a host."""
    seat, table = snapshot.bearer.seat, snapshot.record.rematch
    return table is not None and (seat is None or seat in table["seated"])


def _seated(snapshot: Snapshot, opened: NewTable | None) -> Snapshot:
    """The session once the bearer has its place. `opened`: the next table, if there was none."""
    table, seat = snapshot.record.rematch, snapshot.bearer.seat
    if opened is not None:
        table = {"id": opened.name, "generation": opened.generation, "by": seat, "seated": []}
    assert table is not None, "there is one, or it was opened now"
    seats = table["seated"] if seat is None else sorted({*table["seated"], seat})
    record = changed(snapshot.record, rematch={**table, "seated": seats})
    return snapshot.followed_by(Table(snapshot.table.referee, record, snapshot.table.state))


def _place(sessions: Sessions, snapshot: Snapshot) -> NextTable:
    """The next table, with the bearer's token of it."""
    table = snapshot.record.rematch
    assert table is not None, "the bearer has its place there"
    return NextTable(table["id"], sessions.tokens.token(table["id"], snapshot.bearer, table["generation"]))
