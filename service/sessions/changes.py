"""Changing a session, in three steps: judge what is asked upon the table, write the answer, store both.

The store takes a change only if nobody else has made one since; else the three steps begin again from what it holds.
They first go from the table as this worker last wrote it, which saves reading it. Within one worker the changes of a
session take turns, so that they begin again only where another worker was first.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from engines.core.records import changed
from engines.core.shuffle import commitment
from service.config import Settings
from service.contract.calls import body_of
from service.contract.sessions import EncodedMoved, EncodedSession, SessionToken
from service.judging.calls import DEAL
from service.sessions.asked import Asked
from service.sessions.bodies import commitment_of, moves_of, renewed_seat_of, seed_of
from service.sessions.fairness import deal_seed
from service.sessions.keyed import again, keyed
from service.sessions.record import SessionRecord, silent_entry
from service.sessions.refusals import Lost, gone, misfit
from service.sessions.service import Sessions
from service.sessions.snapshot import Snapshot
from service.sessions.stores.protocol import Change, KeptAnswer, Outcome, StoreUnavailable
from service.sessions.table import Table
from service.sessions.tokens import HOST, Bearer, may_make
from service.sessions.tokens import seat as bearer_of
from service.web import metrics, strict_json
from service.web.http import Answer, json_answer, problem_answer
from service.web.phrases import phrase, worded
from service.web.problems import Problem

LOG = logging.getLogger(__name__)
ATTEMPTS = 20
"""How often a change begins again when other workers' changes came first."""
RENEWALS = 100
"""How often each bearer's token can be renewed: each time is an entry of the log."""
REFUSALS = 4
"""Which part of a session's bytes is for answers that refuse: one in so many."""
LARGEST_REFUSAL = 16 * 1024
"""Bytes of the violations in an answer that is kept."""


class Changed(NamedTuple):
    """What a change comes to: the session after it, its log entry, and the body of its answer."""

    after: Snapshot
    entry: bytes
    body: EncodedMoved | EncodedSession | SessionToken


Judge: TypeAlias = Callable[[Snapshot, Asked, Sessions], Changed]
"""The first step; raises Problem where the change is refused."""


def make_moves(sessions: Sessions, asked: Asked) -> Answer:
    """The moves of a request, all or none."""
    return _change(sessions, asked, _judge_moves)


def commit(sessions: Sessions, asked: Asked) -> Answer:
    """A seat binds itself to the seed that it will give."""
    return _change(sessions, asked, _judge_commitment)


def give_seed(sessions: Sessions, asked: Asked) -> Answer:
    """A seat's part in a joint deal, which follows the last."""
    return _change(sessions, asked, _judge_seed)


def take_seat(sessions: Sessions, asked: Asked) -> Answer:
    """A seat is taken by whoever has its invite, once."""
    return _change(sessions, asked, _judge_seat)


def renew_token(sessions: Sessions, asked: Asked) -> Answer:
    """A new token in place of one that was lost, or is known to others."""
    return _change(sessions, asked, _judge_renewal)


def _change(sessions: Sessions, asked: Asked, judge: Judge) -> Answer:
    """Make a change upon the session as it is; again, if another change came first."""
    with sessions.turns.turn(asked.session, asked.key):
        answer = _attempt_on_cached(sessions, asked, judge)
        for _ in range(ATTEMPTS):
            if answer is not None:
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
    except Lost:
        LOG.warning("the log of a session has gone; nothing is written over it: %s", asked.session)
        raise
    except Problem as problem:
        if problem.kind.slug != "illegal-move":
            raise
        _count_refusal(snapshot, problem)
        if asked.key is None:
            raise
        return _store_refusal(sessions, asked, asked.key, _small(problem, asked))


def _attempt(sessions: Sessions, asked: Asked, judge: Judge, snapshot: Snapshot) -> Answer | None:
    """The answer to a change that was made; None if another came first, such as the end of the session."""
    _check_match(asked, snapshot)
    made = judge(snapshot, asked, sessions)
    answer = _answer(made, asked)
    outcome = _store(sessions, asked, snapshot, made, answer)
    if isinstance(outcome, KeptAnswer):
        return again(outcome, asked.fingerprint)
    if outcome is Outcome.LOST:
        raise Lost
    if outcome is not Outcome.WRITTEN:
        return None
    if isinstance(made.body, EncodedMoved):
        metrics.judged(made.body.game, "legal")
    return answer


def _count_refusal(snapshot: Snapshot, refused: Problem) -> None:
    violations = refused.extra["violations"]
    assert isinstance(violations, list)
    metrics.judged(snapshot.table.engine.game, "illegal", [each.code for each in violations])


# --- the first step: judge -----------------------------------------------------------------------


def _check_match(asked: Asked, snapshot: Snapshot) -> None:
    """`If-Match`: refuse a change that was decided upon an older table, and show the current one."""
    if asked.if_match is not None and snapshot.tag not in asked.if_match:
        detail = phrase("at-version", version=snapshot.version)
        headers = {"ETag": f'"{snapshot.tag}"'}
        raise Problem("version-mismatch", detail, headers, version=snapshot.version, view=snapshot.document())


def _judge_moves(snapshot: Snapshot, asked: Asked, sessions: Sessions) -> Changed:
    bearer = snapshot.bearer
    moves = moves_of(snapshot.table.engine, asked.body)
    if bearer != HOST:
        if len(moves) != 1:
            raise misfit("/moves", phrase("one-move"))
        if not may_make(bearer, asked.body["moves"][0], snapshot.table.engine.deal_name):
            raise Problem("forbidden", phrase("not-your-move"))
    _check_room(snapshot.record, bearer, len(moves), sessions.settings)
    table, entry, resolution = snapshot.table.moved(bearer, moves)
    after = _next(snapshot, table)
    return Changed(after, entry, EncodedMoved(**vars(resolution), version=after.version))


def _judge_commitment(snapshot: Snapshot, asked: Asked, sessions: Sessions) -> Changed:
    record, given, seat = snapshot.record, commitment_of(asked.body), _joint_seat(snapshot)
    if record.commitments[seat] is not None:
        raise Problem("forbidden", phrase("commitment-given"))
    record = changed(record, commitments=_with(record.commitments, seat, given))
    after = _next(snapshot, Table(snapshot.table.referee, record))
    return Changed(after, silent_entry(record.seats), after.document())


def _judge_seed(snapshot: Snapshot, asked: Asked, sessions: Sessions) -> Changed:
    referee, state = snapshot.table.referee, None
    record = _with_seed(snapshot.record, seed_of(asked.body), _joint_seat(snapshot))
    if not record.awaited:
        _, setup = body_of(DEAL, None, record.setup)
        state = referee.opening(setup, deal_seed(record.server_seed, [str(seed) for seed in record.seeds], 1))
        record = changed(record, deals=1, state=referee.state(state))
    after = _next(snapshot, Table(referee, record, state))
    return Changed(after, silent_entry(record.seats), after.document())


def _judge_seat(snapshot: Snapshot, asked: Asked, sessions: Sessions) -> Changed:
    """Only the token that is given here makes anybody this seat: it was never told before."""
    record, seat = snapshot.record, snapshot.bearer.seat
    if seat is None or record.taken[seat]:
        raise Problem("seat-taken", phrase("seat-taken"))
    return _with_token(snapshot, changed(record, taken=record.taking(seat)), bearer_of(seat), sessions)


def _judge_renewal(snapshot: Snapshot, asked: Asked, sessions: Sessions) -> Changed:
    record, seat = snapshot.record, renewed_seat_of(asked.body)
    bearer = _renewed(snapshot, seat)
    if record.renewal(bearer) >= RENEWALS:
        raise Problem("session-full", phrase("most-renewals", most=RENEWALS))
    renewals = record.renewals | {bearer.name: record.renewal(bearer) + 1}
    # A seat whose token is given out is taken: its invite must not lead to the same token.
    renewed = changed(record, renewals=renewals, taken=record.taking(bearer.seat))
    return _with_token(snapshot, renewed, bearer, sessions)


def _renewed(snapshot: Snapshot, seat: int | None) -> Bearer:
    """Whose token is renewed: the bearer's own, or a seat's by a host who may see what it shows."""
    bearer = snapshot.bearer
    if seat is None or seat == bearer.seat:
        return bearer
    if bearer != HOST or snapshot.record.blind:
        raise Problem("forbidden", phrase("not-your-token"))
    if seat >= snapshot.record.seats:
        raise misfit("/seat", phrase("no-such-seat", seats=snapshot.record.seats))
    return bearer_of(seat)


def _with_token(before: Snapshot, record: SessionRecord, bearer: Bearer, sessions: Sessions) -> Changed:
    after = _next(before, Table(before.table.referee, record, before.table.state))
    token = sessions.tokens.token(before.name, bearer, record.generation, record.renewal(bearer))
    return Changed(after, silent_entry(record.seats), SessionToken(token))


def _joint_seat(snapshot: Snapshot) -> int:
    """The seat whose part in a joint deal is given: by nobody for another."""
    if snapshot.bearer.seat is None or snapshot.record.fair != "joint":
        raise Problem("forbidden", phrase("joint-seeds"))
    return snapshot.bearer.seat


def _with_seed(record: SessionRecord, given: str, seat: int) -> SessionRecord:
    """A seed is heard only when no commitment can be chosen by it any more."""
    if None in record.commitments:
        raise Problem("forbidden", phrase("commitments-first"))
    if record.seeds[seat] is not None:
        raise Problem("forbidden", phrase("seed-given"))
    if commitment(given) != record.commitments[seat]:
        raise Problem("seed-mismatch", phrase("other-seed"))
    return changed(record, seeds=_with(record.seeds, seat, given))


def _with(given: list[str | None], seat: int, part: str) -> list[str | None]:
    return [*given[:seat], part, *given[seat + 1 :]]


def _next(snapshot: Snapshot, table: Table) -> Snapshot:
    return Snapshot(snapshot.name, snapshot.bearer, snapshot.version + 1, table)


def _check_room(record: SessionRecord, bearer: Bearer, moves: int, settings: Settings) -> None:
    most = settings.session_bytes - _room_for_refusals(settings)
    if record.moves + moves > settings.session_moves:
        raise Problem("session-full", phrase("most-moves", most=settings.session_moves))
    if record.size > most:
        raise Problem("session-full", phrase("most-bytes", most=settings.session_bytes))
    if bearer.seat is not None:
        made, size = record.spent[bearer.seat] if record.spent else (0, 0)
        own = max(settings.session_moves // record.seats, 1)
        if made + moves > own or size > most // record.seats:
            raise Problem("session-full", phrase("own-allowance", moves=own, bytes=most // record.seats))


def _spent(before: Snapshot, moves: int, grown: int) -> list[tuple[int, int]]:
    """What each seat has used of its own allowance: no seat can use up another's."""
    spent = [(made, size) for made, size in before.record.spent] or [(0, 0)] * before.record.seats
    seat = before.bearer.seat
    if seat is not None:
        made, size = spent[seat]
        spent[seat] = made + moves - before.record.moves, size + grown
    return spent


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
    grown = len(made.entry) + (kept.size if kept else 0)
    after.record = changed(
        after.record, size=before.record.size + grown, spent=_spent(before, after.record.moves, grown)
    )
    sessions.capacity.change()
    change = Change(before.version, after.record.written(), made.entry, kept, after.record.generation)
    outcome = sessions.store.write(before.name, change, sessions.lifetime(after.record))
    if outcome is Outcome.WRITTEN:
        sessions.remember(before.name, made.after.version, after)
    return outcome


def _small(problem: Problem, asked: Asked) -> Answer:
    """The answer to an illegal move, with as many of its violations as are worth keeping; `more` says of others."""
    told = worded(problem.extra["violations"], asked.language)
    fits, size = 0, 0
    for each in told:
        size += len(strict_json.dumps(each))
        if size > LARGEST_REFUSAL:
            break
        fits += 1
    if fits < len(told):
        problem.extra |= {"violations": told[:fits], "more": True}
    return problem_answer(problem, asked.path, asked.language)


def _store_refusal(sessions: Sessions, asked: Asked, key: str, answer: Answer) -> Answer:
    """Keep the answer to an illegal move under its key, as a legal one's is kept."""
    kept = keyed(key, asked.fingerprint, answer)
    outcome = sessions.store.keep(asked.session, kept, _room_for_refusals(sessions.settings))
    if isinstance(outcome, KeptAnswer):
        return again(outcome, asked.fingerprint)
    if outcome is Outcome.GONE:
        raise gone()
    if outcome is Outcome.FULL:
        raise Problem("session-full", phrase("most-answers"))
    return answer
