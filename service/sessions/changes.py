"""Changing a session, in three steps: judge what is asked upon the table, write the answer, store both.

The store takes a change only if nobody else has made one since; else the three steps begin again from what it holds.
They first go from the table as this worker last wrote it, which saves reading it. Within one worker the changes of a
session take turns, so that they begin again only where another worker was first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from engines.core.records import changed
from service.config import Settings
from service.contract.calls import body_of
from service.contract.sessions import WrittenMoved, WrittenSession
from service.judging.calls import DEAL
from service.sessions.asked import Asked
from service.sessions.bodies import moves_of, seed_of
from service.sessions.fairness import deal_seed
from service.sessions.keyed import again, keyed
from service.sessions.record import SessionRecord, seed_entry
from service.sessions.refusals import gone, misfit
from service.sessions.service import Sessions
from service.sessions.snapshot import Snapshot
from service.sessions.stores.protocol import Change, KeptAnswer, Outcome, StoreUnavailable
from service.sessions.table import Table
from service.sessions.tokens import HOST, Bearer, may_make
from service.web.http import Answer, json_answer, problem_answer
from service.web.problems import Problem

ATTEMPTS = 20
"""How often a change begins again when other workers' changes came first."""
REFUSALS = 4
"""Which part of a session's bytes is for answers that refuse: one in so many."""


class Changed(NamedTuple):
    """What a change comes to: the session after it, its log entry, and the body of its answer."""

    after: Snapshot
    entry: bytes
    body: WrittenMoved | WrittenSession


Judge: TypeAlias = Callable[[Snapshot, Asked, Settings], Changed]
"""The first step; raises Problem where the change is refused."""


def make_moves(sessions: Sessions, asked: Asked) -> Answer:
    """The moves of a request, all or none."""
    return _change(sessions, asked, _judge_moves)


def give_seed(sessions: Sessions, asked: Asked) -> Answer:
    """A seat's part in a joint deal, which follows the last."""
    return _change(sessions, asked, _judge_seed)


def _change(sessions: Sessions, asked: Asked, judge: Judge) -> Answer:
    """Make a change upon the session as it is; again, if another change came first."""
    with sessions.turns.turn(asked.session, asked.key):
        answer = _attempt_on_cached(sessions, asked, judge)
        for _ in range(ATTEMPTS):
            if answer is not None:
                sessions.feed.wake([asked.session])
                return answer
            answer = _attempt_or_refuse(sessions, asked, judge, sessions.find(asked))
    raise StoreUnavailable("others were always first")


def _attempt_on_cached(sessions: Sessions, asked: Asked, judge: Judge) -> Answer | None:
    """As `_attempt`, upon what this worker has at hand. It refuses nothing: the store may know better."""
    cached = sessions.cached(asked)
    try:
        return None if cached is None else _attempt(sessions, asked, judge, cached)
    except Problem:
        return None


def _attempt_or_refuse(sessions: Sessions, asked: Asked, judge: Judge, snapshot: Snapshot) -> Answer | None:
    """As `_attempt`, upon what the store holds: the answer may be an older one, or a refusal that is kept like one."""
    if snapshot.answer is not None:
        return again(snapshot.answer, asked.fingerprint)
    try:
        return _attempt(sessions, asked, judge, snapshot)
    except Problem as problem:
        if asked.key is None or problem.kind.slug != "illegal-move":
            raise
        return _store_refusal(sessions, asked, asked.key, problem_answer(problem, asked.path, asked.language))


def _attempt(sessions: Sessions, asked: Asked, judge: Judge, snapshot: Snapshot) -> Answer | None:
    """The answer to a change that was made; None if another came first, such as the end of the session."""
    _check_match(asked, snapshot)
    made = judge(snapshot, asked, sessions.settings)
    answer = _answer(made, asked)
    outcome = _store(sessions, asked, snapshot, made, answer)
    if isinstance(outcome, KeptAnswer):
        return again(outcome, asked.fingerprint)
    return answer if outcome is Outcome.WRITTEN else None


# --- the first step: judge -----------------------------------------------------------------------


def _check_match(asked: Asked, snapshot: Snapshot) -> None:
    """`If-Match`: refuse a change that was decided upon an older table, and show the current one."""
    if asked.if_match is not None and snapshot.tag not in asked.if_match:
        detail = f"The table is at version {snapshot.version}. Look at it and decide again."
        headers = {"ETag": f'"{snapshot.tag}"'}
        raise Problem("version-mismatch", detail, headers, version=snapshot.version, view=snapshot.document())


def _judge_moves(snapshot: Snapshot, asked: Asked, settings: Settings) -> Changed:
    bearer = snapshot.bearer
    moves = moves_of(snapshot.table.engine, asked.body)
    if bearer != HOST:
        if len(moves) != 1:
            raise misfit("/moves", "A seat makes one move a request.")
        if not may_make(bearer, asked.body["moves"][0], snapshot.table.engine.deal_name):
            raise Problem("forbidden", "This move is another seat's, or the table's, to make.")
    _check_room(snapshot.record, len(moves), settings)
    table, entry, resolution = snapshot.table.moved(bearer, moves)
    after = _next(snapshot, table)
    return Changed(after, entry, WrittenMoved(**vars(resolution), version=after.version))


def _judge_seed(snapshot: Snapshot, asked: Asked, settings: Settings) -> Changed:
    referee, state = snapshot.table.referee, None
    record = _with_seed(snapshot.record, snapshot.bearer, seed_of(asked.body))
    if not record.awaited:
        _, setup = body_of(DEAL, None, record.setup)
        state = referee.opening(setup, deal_seed(record.server_seed, [str(seed) for seed in record.seeds], 1))
        record = changed(record, deals=1, state=referee.state(state))
    after = _next(snapshot, Table(referee, record, state))
    return Changed(after, seed_entry(record.seats), after.document())


def _with_seed(record: SessionRecord, bearer: Bearer, given: str) -> SessionRecord:
    if bearer.seat is None or record.fair != "joint":
        raise Problem("forbidden", "Seeds are given by the seats of a session whose deal is joint.")
    if record.seeds[bearer.seat] is not None:
        raise Problem("forbidden", "This seat has given its seed.")
    return changed(record, seeds=[given if seat == bearer.seat else seed for seat, seed in enumerate(record.seeds)])


def _next(snapshot: Snapshot, table: Table) -> Snapshot:
    return Snapshot(snapshot.name, snapshot.bearer, snapshot.version + 1, table)


def _check_room(record: SessionRecord, moves: int, settings: Settings) -> None:
    if record.moves + moves > settings.session_moves:
        raise Problem("session-full", f"A session takes up to {settings.session_moves} moves.")
    if record.size > settings.session_bytes - _room_for_refusals(settings):
        raise Problem("session-full", f"A session, with all that it keeps, may have {settings.session_bytes} bytes.")


def _room_for_refusals(settings: Settings) -> int:
    """Bytes for kept answers that refuse; a share of their own, so that they cannot fill the session."""
    return settings.session_bytes // REFUSALS


# --- the second step: answer ---------------------------------------------------------------------


def _answer(made: Changed, asked: Asked) -> Answer:
    return json_answer(made.body, 201, language=asked.language, headers={"ETag": f'"{made.after.tag}"'})


# --- the third step: store -----------------------------------------------------------------------


def _store(sessions: Sessions, asked: Asked, before: Snapshot, made: Changed, answer: Answer) -> Outcome | KeptAnswer:
    """Store a change and, under the request's key, its answer."""
    kept = None if asked.key is None else keyed(asked.key, asked.fingerprint, answer)
    after = made.after.table
    after.record = changed(after.record, size=before.record.size + len(made.entry) + (kept.size if kept else 0))
    change = Change(before.version, after.record.written(), made.entry, kept, after.record.generation)
    outcome = sessions.store.write(before.name, change, sessions.lifetime)
    if outcome is Outcome.WRITTEN:
        sessions.remember(before.name, made.after.version, after)
    return outcome


def _store_refusal(sessions: Sessions, asked: Asked, key: str, answer: Answer) -> Answer:
    """Keep the answer to an illegal move under its key, as a legal one's is kept."""
    kept = keyed(key, asked.fingerprint, answer)
    outcome = sessions.store.keep(asked.session, kept, _room_for_refusals(sessions.settings))
    if isinstance(outcome, KeptAnswer):
        return again(outcome, asked.fingerprint)
    if outcome is Outcome.GONE:
        raise gone()
    if outcome is Outcome.FULL:
        raise Problem("session-full", "The session keeps as many answers as it may.")
    return answer
