"""Opening a session, in the same three steps as a change, and closing it."""

from __future__ import annotations

import secrets

import engines
from engines.core.records import changed
from service.contract.sessions import SessionOpened, SessionTokens, opening_codec
from service.judging.referee import Referee
from service.sessions.outcomes import DoesNotFit, Forbidden, Gone, Kept, Opened
from service.sessions.record import SessionRecord, deal_seed, server_seed
from service.sessions.requests import SessionRequest, read
from service.sessions.service import Sessions
from service.sessions.stores.protocol import Change, KeptAnswer, Outcome
from service.sessions.table import Snapshot, Table
from service.sessions.tokens import HOST, Bearer, Tokens, invited, seat, session_names
from service.web.phrases import phrase
from service.web.strict_json import Json

OWN = ("fair", "host", "public", "invite", "names")
"""Members of a body that an opening takes and `/deal` does not."""
DRAWN = ("/seed", "/deck")
"""Members that `/deal` takes and an opening does not: the session draws its own cards."""


def open_session(sessions: Sessions, request: SessionRequest) -> Opened | Kept:
    """Open a session. The same request under the same idempotency key gets the same session."""
    names = session_names(sessions.tokens, request.key_name)
    name, key = names[0], request.key
    with sessions.locks.held(name, request.key_name):
        for each in names if key else ():
            kept = sessions.store.read(each, request.key_name)
            if key and kept is not None and kept.answer is not None:
                return key.replay(kept.answer)
        snapshot = Snapshot(name, HOST, 0, _first_table(request))
        sessions.check_keys()
        sessions.capacity.opening(request.client, len(snapshot.record.written()))
        opened = Opened(_with_tokens(snapshot, sessions.tokens), snapshot.tag)
        keyed = None if key is None else key.keeping(opened)
        table = snapshot.table
        table.record = changed(table.record, size=keyed.size if keyed else 0)
        change = Change(-1, table.record.written(), b"", keyed, table.record.generation)
        written = sessions.store.write(name, change, sessions.lifetime(table.record))
        if isinstance(written, KeptAnswer) and key is not None:
            return key.replay(written)
        assert written is Outcome.WRITTEN, "a name is drawn from 128 bits"
        sessions.remember(name, 0, table)
    return opened if keyed is None else Kept(keyed.answer.body)


def _first_table(request: SessionRequest) -> Table:
    """The table that the request opens. Its cards are dealt, unless every seat has to give a seed first."""
    posted: Json = request.body
    try:
        body = read(opening_codec(), posted)
    except DoesNotFit as refused:
        for each in refused.invalid.errors:
            if each["pointer"] in DRAWN:
                each["detail"] = phrase("own-cards")
        raise
    engine = engines.registry()[posted["game"]]
    server = server_seed()
    referee = Referee(engine, request.language).naming(body.names)
    state = referee.opening(body, deal_seed(server, [], 1))
    seats = engine.seats_of(state)
    joint = body.fair == "joint"
    record = SessionRecord(
        game=engine.game,
        generation=secrets.token_hex(8),
        setup={name: value for name, value in posted.items() if name not in OWN},
        ruleset=vars(referee.ruleset(state.ruleset)).copy(),
        seats=seats,
        server_seed=server,
        fair=body.fair,
        blind=body.host == "blind",
        public=body.public,
        names=posted.get("names"),
        commitments=[None] * seats if joint else [],
        seeds=[None] * seats if joint else [],
        taken=[False] * seats if body.invite else [],
        deals=0 if joint else 1,
        state=None if joint else referee.state(state),
    )
    return Table(referee, record, None if joint else state)


def _with_tokens(snapshot: Snapshot, tokens: Tokens) -> SessionOpened:
    """The session with the tokens of all bearers, or with the invites to its seats."""
    record = snapshot.record

    def token(bearer: Bearer) -> str:
        return tokens.token(snapshot.name, bearer, record.generation)

    kind = invited if record.taken else seat
    seats = [token(kind(number)) for number in range(record.seats)]
    invites, own = (seats, None) if record.taken else (None, seats)
    return SessionOpened(**vars(snapshot.document()), tokens=SessionTokens(token(HOST), own), invites=invites)


def close_session(sessions: Sessions, request: SessionRequest) -> None:
    """Delete the session, and end its streams."""
    if sessions.find(request).bearer != HOST:
        raise Forbidden(phrase("only-the-host"))
    if not sessions.store.delete(request.session):
        raise Gone
    sessions.feed.wake({request.session: None})
