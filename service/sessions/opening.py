"""Opening a session, in the same steps as changing one, and closing it."""

from __future__ import annotations

import secrets

import engines
from engines.core.records import changed
from service.contract.sessions import SessionOpened, SessionTokens
from service.judging.referee import Referee
from service.sessions.asked import Asked
from service.sessions.bodies import opening_of
from service.sessions.fairness import deal_seed, server_seed
from service.sessions.keyed import again, keyed
from service.sessions.record import SessionRecord
from service.sessions.refusals import gone
from service.sessions.service import Sessions
from service.sessions.snapshot import Snapshot
from service.sessions.stores.protocol import Change, KeptAnswer, Outcome
from service.sessions.table import Table
from service.sessions.tokens import HOST, Bearer, Tokens, invited, seat, session_names
from service.web.http import Answer, json_answer
from service.web.phrases import phrase
from service.web.problems import Problem
from service.web.strict_json import Json

OWN = ("fair", "host", "public", "invite", "names")
"""What opening takes beside what `/deal` takes."""


def open_session(sessions: Sessions, asked: Asked) -> Answer:
    """A new session's first table and the tokens for everyone at it; under a key the same session each time."""
    names = session_names(sessions.tokens, asked.key)
    name = names[0]
    with sessions.turns.turn(name, asked.key):
        for each in names if asked.key else ():
            kept = sessions.store.read(each, asked.key)
            if kept is not None and kept.answer is not None:
                return again(kept.answer, asked.fingerprint)
        opened = Snapshot(name, HOST, 0, _first_table(asked))
        sessions.check_keys()
        sessions.capacity.opening(asked.client, len(opened.record.written()))
        answer = _answer(opened, sessions.tokens)
        outcome = _store(sessions, asked, opened, answer)
    return again(outcome, asked.fingerprint) if isinstance(outcome, KeptAnswer) else answer


def _first_table(asked: Asked) -> Table:
    """The table as asked for, dealt unless every seat is to give a seed first."""
    body = opening_of(asked.body)
    posted: Json = asked.body
    engine = engines.registry()[posted["game"]]
    server = server_seed()
    referee = Referee(engine, asked.language).naming(body.names)
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


def _answer(opened: Snapshot, tokens: Tokens) -> Answer:
    record = opened.record

    def given(bearer: Bearer) -> str:
        return tokens.token(opened.name, bearer, record.generation)

    kind = invited if record.taken else seat
    seats = [given(kind(number)) for number in range(record.seats)]
    invites, own = (seats, None) if record.taken else (None, seats)
    body = SessionOpened(**vars(opened.document()), tokens=SessionTokens(given(HOST), own), invites=invites)
    headers = {"Location": f"/sessions/{opened.name}", "ETag": f'"{opened.tag}"'}
    return json_answer(body, 201, headers=headers)


def _store(sessions: Sessions, asked: Asked, opened: Snapshot, answer: Answer) -> Outcome | KeptAnswer:
    kept = None if asked.key is None else keyed(asked.key, asked.fingerprint, answer)
    table = opened.table
    table.record = changed(table.record, size=kept.size if kept else 0)
    change = Change(-1, table.record.written(), b"", kept, table.record.generation)
    outcome = sessions.store.write(opened.name, change, sessions.lifetime(table.record))
    if outcome is Outcome.WRITTEN:
        sessions.remember(opened.name, 0, table)
    else:
        assert isinstance(outcome, KeptAnswer), "a name is drawn from 128 bits"
    return outcome


def close_session(sessions: Sessions, asked: Asked) -> None:
    """Forget the session, and let everyone who listens know."""
    if sessions.find(asked).bearer != HOST:
        raise Problem("forbidden", phrase("only-the-host"))
    if not sessions.store.delete(asked.session):
        raise gone()
    sessions.feed.wake({asked.session: None})
