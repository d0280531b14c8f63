"""Opening, changing and closing a session.

A change has three steps: judge the request against the table, encode the outcome, write all of it at once. The store
takes a change only if no other was made since the table was read; otherwise the three steps are repeated. The first
attempt uses the table that this worker cached when it last wrote the session: that saves reading it. In one worker such
changes of a session run one after the other. So the steps are repeated only where another worker was first, or a read
or a timer made a move that was due.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from hashlib import sha256
from itertools import accumulate
from typing import Any, TypeAlias

import engines
from engines.core.gathering import entries, joined
from engines.core.records import changed, replaced
from engines.core.shuffle import commitment
from service import metrics, strict_json
from service.bounds import LONGEST_CLOCK
from service.contract import Invalid
from service.contract.of_game import BY_RULESET, AnyEngine, rulesets_with
from service.contract.placeholders import WithSetup
from service.contract.problem_bodies import too_much
from service.contract.session_bodies import (
    ClockStart,
    EncodedCounted,
    EncodedJoined,
    EncodedMoved,
    EncodedSession,
    EncodedTestingRequest,
    Renewal,
    SeatCommitment,
    SeatSeed,
    SessionOpened,
    SessionToken,
    SessionTokens,
    codec_of,
    opening_codec,
    testing_codec,
)
from service.judging.calls import stored_setup
from service.judging.referee import Referee
from service.problems import Problem
from service.sessions import outcomes
from service.sessions.capacity import lifetime
from service.sessions.record import SessionRecord, deal_seed, entry_without_moves, server_seed
from service.sessions.service import ATTEMPTS, Sessions
from service.sessions.session_request import SessionRequest, moves_of, read
from service.sessions.stores.protocol import Change, StoredResponse, StoreUnavailable, WriteResult
from service.sessions.table import Snapshot, State, Table
from service.sessions.tokens import HOST, Bearer, Tokens, may_make, session_names
from service.strict_json import Json
from service.words.phrases import phrase

LOG = logging.getLogger(__name__)
BYTES_OF_A_PART = 256  #: Bytes that a part of a move counts for: about what it takes in the log.
LARGEST_COUNT = 16 * 1024
"""Most bytes of a count that is collected, ten times what 200 cards take. Each reading of a session reads all."""
RENEWALS = 100  #: How often each bearer's token can be renewed. Each renewal adds an entry to the log.
REFUSALS = 4  #: One part in four of a session's bytes is for stored refusals, so that these cannot fill the session.
LARGEST_REFUSAL = 16 * 1024  #: Most bytes of violations in a stored refusal; later violations are left out.
NOT_OF_THE_SETUP = (
    "fair", "host", "public", "invite", "names", "gather_ms", "clock_seconds", "state", "seed", "expires_in",
)  # fmt: skip
"""Members of an opening's body that are not stored for dealing again."""
DRAWN = {"/seed", "/deck"}  #: Members that `/deal` takes and an opening does not: the session draws its own cards.


def open_session(sessions: Sessions, request: SessionRequest) -> outcomes.Opened | StoredResponse:
    """Open a session. The same request under the same idempotency key gets the same session."""
    testing = sessions.settings.testing
    if not sessions.tokens.by_id:
        _first_table(request, testing=testing)  # so that a refused request makes neither a key nor the store's file
    name, *others = session_names(sessions.tokens, request.key_name)
    with sessions.locks.held(name, request.key):
        for each in (name, *others):
            session = None if request.key is None else sessions.store.read(each, request.key_name)
            if session is not None and session.response is not None:
                return request.replayed(session.response)
        snapshot = Snapshot(name, HOST, 0, _first_table(request, testing=testing))
        if snapshot.record.testing:
            request.on_testing()
        sessions.mark_signing_key()
        share = sessions.capacity.opening(request.client, len(snapshot.record.written()))
        opened = outcomes.Opened(_with_tokens(snapshot, sessions.tokens), snapshot.tag, share)
        response = request.stored_response(opened)
        table = snapshot.table
        table.record = changed(table.record, size=response.size if response else 0)
        earlier = write_new(sessions, name, table.record, response)
        if earlier is not None:
            return request.replayed(earlier)
        sessions.remember(name, 0, table, parts=0, now=0)
    return response or opened


def write_new(
    sessions: Sessions, name: str, record: SessionRecord, response: StoredResponse | None = None
) -> StoredResponse | None:
    """Store a session that is opened now. Returns the stored response instead if the same request has opened it."""
    change = Change(-1, record.written(), b"", response, record.generation)
    written = sessions.store.write(name, change, lifetime(record, sessions.settings))
    if isinstance(written, StoredResponse):
        return written
    if written is not WriteResult.WRITTEN:  # cannot be: its name is random, or its key has no response
        raise StoreUnavailable("a new session was in the store already")
    return None


def _first_table(request: SessionRequest, *, testing: bool) -> Table:
    """The table that the request opens. Its cards are dealt, unless every seat has to give a seed first.

    `testing`: whether this service was started for tests of others.
    """
    posted: Json = request.body
    try:
        body = read(testing_codec(), posted) if testing else read(opening_codec(), posted)
    except outcomes.DoesNotFit as refused:
        for each in refused.invalid.errors:
            if each["pointer"] in (DRAWN - {"/seed"} if testing else DRAWN):
                each["detail"] = phrase("own-cards")
        raise
    referee = Referee(engines.registry()[posted["game"]], request.language_in(posted["game"]), body.names)
    _check_ruleset(referee.engine, body)
    members = {
        "fair": body.fair,
        "blind": body.host == "blind",
        "public": body.public,
        "names": posted.get("names"),
        "gather_ms": body.gather_ms,
        "clock_seconds": body.clock_seconds,
    }
    setup = {name: value for name, value in posted.items() if name not in NOT_OF_THE_SETUP}
    if isinstance(body, EncodedTestingRequest) and body.is_of_tests:
        table = _table_of_tests(referee, body, request, setup, members)
    else:
        table = fresh_table(referee, body, setup=setup, **members)
    if body.invite:
        table.record = changed(table.record, taken=[False] * table.record.seats)
    return undealt(table) if body.fair == "joint" else table


def _check_ruleset(engine: AnyEngine, body: Any) -> None:
    """Refuse a window where no hands are claimed, and a binding clock where nothing is counted."""
    state = getattr(body, "state", None)  # chosen by a test
    for name, why in (("gather_ms", "nothing-to-gather"), ("clock_seconds", "nothing-to-count")):
        may = body.ruleset.name in rulesets_with(name, engine) if state is None else BY_RULESET[name](engine, state)
        if getattr(body, name) is not None and not may:
            raise outcomes.DoesNotFit.at(f"/{name}", phrase(why))


def fresh_table(referee: Referee[Any], setup_body: WithSetup, **members: Any) -> Table:
    """A table whose cards are dealt, from a seed that is drawn now. `members`: what else its record has."""
    members = {"server_seed": server_seed(), "generation": secrets.token_hex(8), **members}
    return Table.dealt(referee, setup_body, deal_seed(members["server_seed"], [], 1), **members)


def _table_of_tests(
    referee: Referee[Any], body: EncodedTestingRequest, request: SessionRequest, setup: Json, members: Json
) -> Table:
    """A new table as the test of a client has chosen it: its state, its seed, or when it expires (`GET /testing`).

    `setup`, `members`: of its record.
    """
    members = {**members, "testing": True, "expires_in": body.expires_in}
    members["server_seed"] = body.seed or server_seed()
    members["generation"] = secrets.token_hex(8) if request.key is None else generation_of_tests(request.key.name)
    if body.state is None:
        return fresh_table(referee, body, setup=setup, **members)
    of_setup = [each.name for each in fields(referee.engine.setup) if each.name != "seats"]
    misfits = {f"/{name}": phrase("state-has-it") for name in of_setup if request.body.get(name) is not None}
    if body.fair == "joint":
        misfits["/fair"] = phrase("state-not-joint")
    if misfits:
        raise outcomes.DoesNotFit(Invalid([{"pointer": at, "detail": why} for at, why in misfits.items()]))
    state = referee.known_table(body.state, getattr(body, "seats"))  # noqa: B009 - a member of every game's setup
    posted = request.body["state"]
    setup = {name: setup[name] for name in ("game", "seats")} | {
        name: posted[name] for name in of_setup if posted.get(name) is not None
    }
    return Table.begun(referee, state, setup=setup, from_state=True, **members)


def generation_of_tests(key: str) -> str:
    """The generation of a session that a test opens under an idempotency key of this name.

    It follows from the key, so that `GET /testing` knows the session's tokens beforehand. It is no secret.
    """
    return sha256(f"generation\n{key}".encode()).hexdigest()[:16]


def undealt(table: Table) -> Table:
    """The table before its joint deal: every seat has to commit to a seed first."""
    none = [None] * table.record.seats
    return Table(table.referee, changed(table.record, commitments=none, seeds=none, deals=0, state=None))


def _with_tokens(snapshot: Snapshot, tokens: Tokens) -> SessionOpened:
    """The session with the tokens of all bearers, or with the invites to its seats."""
    record = snapshot.record

    def token(bearer: Bearer) -> str:
        return tokens.token(snapshot.name, bearer, record.generation)

    document = vars(snapshot.document())
    if record.taken:
        invites = [token(Bearer("invite", seat)) for seat in range(record.seats)]
        return SessionOpened(**document, tokens=SessionTokens(token(HOST)), invites=invites)
    seats = [token(Bearer("seat", seat)) for seat in range(record.seats)]
    return SessionOpened(**document, tokens=SessionTokens(token(HOST), seats))


def close_session(sessions: Sessions, request: SessionRequest) -> None:
    """Delete the session."""
    if sessions.find(request).bearer != HOST:
        raise outcomes.Refused("forbidden", phrase("only-the-host"))
    if not sessions.store.delete(request.session):
        raise outcomes.NotFound
    sessions.forget(request.session)


# --- a change ------------------------------------------------------------------------------------

Judged: TypeAlias = tuple[
    Snapshot, bytes, EncodedMoved | EncodedJoined | EncodedCounted | EncodedSession | SessionToken
]
"""The result of the first step: the session after the change, the log entry, and the body of the answer.

The entry is empty for a part of a move that is still being collected.
"""
Judge: TypeAlias = Callable[[Snapshot, SessionRequest, Sessions], Judged]
"""The first step, for one kind of change. A request that is refused raises its refusal."""


def change(sessions: Sessions, request: SessionRequest) -> outcomes.Changed:
    """Change the session as the request's `call` says. A request sent again under its key gets the stored response."""
    judge = JUDGES[request.call]
    with sessions.locks.held(request.session, request.key):
        cached = None if judge is _clock else sessions.cached(request)  # the cache does not know the store's time
        if cached is not None:
            with suppress(outcomes.Refusal, Problem):  # the cached table may be out of date: judge again below
                if (result := _attempt(sessions, request, judge, cached)) is not None:
                    return result
        for _ in range(ATTEMPTS):
            snapshot = sessions.find(request)
            if snapshot.response is not None:
                return request.replayed(snapshot.response)
            try:
                if (result := _attempt(sessions, request, judge, snapshot)) is not None:
                    return result
            except outcomes.LogLost:
                LOG.warning("the log of a session has gone; nothing is written over it: %s", request.session)
                raise
            except outcomes.Illegal as refused:
                metrics.count_verdict(refused.game, "illegal", [each.code for each in refused.violations])
                if request.key is None:
                    raise
                return _store_refusal(sessions, request, refused)
    raise StoreUnavailable("other changes always came first")


def _attempt(sessions: Sessions, request: SessionRequest, judge: Judge, snapshot: Snapshot) -> outcomes.Changed | None:
    """Judge a change, and store it with its log entry and its response. None if another change came first."""
    refuse_if_stale(snapshot, request)
    after, entry, body = judge(snapshot, request, sessions)
    outcome = outcomes.Made(body, after.tag)
    response = request.stored_response(outcome)
    written = write(sessions, snapshot, after, entry, response)
    if isinstance(written, StoredResponse):
        return request.replayed(written)
    if written is not WriteResult.WRITTEN:
        return None
    if isinstance(body, EncodedMoved):
        metrics.count_verdict(body.game, "legal")
    return response or outcome


def refuse_if_stale(snapshot: Snapshot, request: SessionRequest) -> None:
    """Refuse a request whose `If-Match` names another version."""
    if request.if_match is None or "*" in request.if_match:
        return
    versions = {snapshot.version_of(tag) for tag in request.if_match}  # None: of no version of this session
    if snapshot.version not in versions:
        raise outcomes.Stale(snapshot.document(), snapshot.tag, is_ours=any(each is not None for each in versions))


def write(
    sessions: Sessions, snapshot: Snapshot, after: Snapshot, entry: bytes, response: StoredResponse | None
) -> WriteResult | StoredResponse:
    """Store the session as it is `after` a change, with its log entry and the response to the request."""
    table, before = after.table, snapshot.table.record
    size = len(entry) if entry else BYTES_OF_A_PART
    if response is not None:
        size += response.size
    moves = table.record.moves - before.moves if entry else 1  # a part counts as a move
    spent = _spent(before, snapshot.bearer.seat, moves, size)
    record = table.record = changed(table.record, size=before.size + size, spent=spent)
    sessions.capacity.change()
    expires = lifetime(record, sessions.settings)
    stored = Change(snapshot.version, record.written(), entry, response, record.generation, snapshot.parts)
    written = sessions.store.write(after.name, stored, expires)
    if written is WriteResult.LOST:
        raise outcomes.LogLost
    if written is WriteResult.WRITTEN:
        sessions.remember(after.name, after.version, table, stored.reaches[1], snapshot.now)
    return written


def _store_refusal(sessions: Sessions, request: SessionRequest, refused: outcomes.Illegal) -> StoredResponse:
    """Store the refusal of a move under its key, with at most `LARGEST_REFUSAL` bytes of violations."""
    sizes = accumulate(len(strict_json.dumps(each)) for each in refused.violations)
    fits = sum(size <= LARGEST_REFUSAL for size in sizes)
    if fits < len(refused.violations):
        refused = replace(refused, violations=refused.violations[:fits], more=True)
    response = request.stored_response(refused)
    assert response is not None, "the request has a key"
    written = sessions.store.store_response(
        request.session, response, _bytes_for_refusals(sessions.capacity.session_bytes)
    )
    if isinstance(written, StoredResponse):
        return request.replayed(written)
    if written is WriteResult.GONE:
        raise outcomes.NotFound
    if written is WriteResult.FULL:
        raise outcomes.Refused("session-full", phrase("most-answers"))
    return response


# --- the first step: judge -----------------------------------------------------------------------


def _moves(snapshot: Snapshot, request: SessionRequest, sessions: Sessions) -> Judged:
    """Make the moves of a request, all or none."""
    bearer, record, engine = snapshot.bearer, snapshot.table.record, snapshot.table.engine
    moves = moves_of(engine, request.body)
    if bearer != HOST or record.blind:
        if len(moves) != 1:
            raise outcomes.DoesNotFit.at("/moves", phrase("one-move"))
        if not may_make(bearer, request.body["moves"][0], blind=record.blind):
            raise outcomes.Refused("forbidden", phrase("not-your-move"))
    parts = [move for move in moves if entries(engine, move)] if record.gather_ms is not None else []
    binds = record.clock_seconds is not None
    counts: list[Any] = [move for move in moves if binds and engine.row[type(move)].counts]
    own = [move for move in counts if move.seat is not None]
    if (parts or own) and len(moves) > 1:
        raise outcomes.DoesNotFit.at("/moves", phrase("part-alone" if parts else "count-alone"))
    _check_time(snapshot, parts, counts)
    check_bounds(record, bearer, len(moves), sessions)
    if parts and snapshot.table.state is not None:
        return _joined(snapshot, parts[0])
    if own:
        return _counted(snapshot, own[0])
    table, entry, answer = snapshot.table.moved(bearer, moves, snapshot.version + 1)
    return snapshot.followed_by(table), entry, answer


def _check_time(snapshot: Snapshot, parts: Sequence[Any], counts: Sequence[Any]) -> None:
    """Refuse what comes too early or too late: while an incident is open, or by a clock.

    `parts`: of incidents; `counts`: those that a clock binds.
    """
    record, now = snapshot.record, snapshot.now
    incident, clock = record.running_incident(now), record.running_clock(now)
    if incident is not None and not (parts and snapshot.table.gathered):
        closes = incident.closes_in_ms
        raise outcomes.Refused("incident-open", phrase("closes-in", ms=closes), 1, {"closes_in_ms": closes})
    ends_in = None if clock is None else clock.ends_in_ms
    if counts and ends_in != 0:
        detail = phrase("clock-not-started") if ends_in is None else phrase("clock-ends-in", ms=ends_in)
        raise outcomes.Refused("time-running", detail, more={"ends_in_ms": ends_in})
    if record.is_late(now):
        raise outcomes.Refused("time-over", phrase("time-over"))


def _joined(snapshot: Snapshot, part: Any) -> Judged:
    """Add a part of a move to the incident; if none is open, the part opens one. The version stays the same."""
    engine, record = snapshot.table.engine, snapshot.record
    alone = joined(engine, type(part), entries(engine, part))
    if more := [each.name for each in fields(part) if getattr(part, each.name) != getattr(alone, each.name)]:
        raise outcomes.DoesNotFit.at(f"/moves/0/{more[0]}", phrase("part-says-more"))
    if snapshot.bearer == HOST and record.blind:
        raise outcomes.Refused("forbidden", phrase("not-your-move"))
    if record.incident is None and entries(engine, part)[0].seat in record.idle:
        raise outcomes.Refused("forbidden", phrase("nothing-came"))
    table = snapshot.table.joined_by(snapshot.bearer, part, snapshot.now + (record.gather_ms or 0))
    opened = table.record.running_incident(snapshot.now)
    assert opened is not None, "the part is in it"
    return snapshot._replace(table=table), b"", EncodedJoined(opened, snapshot.version)


def _counted(snapshot: Snapshot, count: Any) -> Judged:
    """Collect the count of a seat. The version stays the same: nobody else sees that the seat has counted."""
    table = snapshot.table.counted_by(snapshot.bearer, count)
    groups = getattr(count, table.engine.row[type(count)].counts)
    if (size := len(strict_json.dumps(groups))) > LARGEST_COUNT:
        raise too_much("too-large-count", size, LARGEST_COUNT)
    return snapshot._replace(table=table), b"", EncodedCounted(groups, snapshot.version)


def _clock(snapshot: Snapshot, request: SessionRequest, sessions: Sessions) -> Judged:
    """Start the clock of a game whose players count once it ends."""
    table, record = snapshot.table, snapshot.record
    lasts = _seconds(record.clock_seconds, request.body) * 1000
    if record.clock is not None:
        raise outcomes.Refused("forbidden", phrase("clock-started"))
    if table.state is None or not table.engine.owed(table.state):
        raise outcomes.Refused("forbidden", phrase("no-clock"))
    check_bounds(record, snapshot.bearer, 0, sessions)
    clock = {"ends": snapshot.now + lasts, "lasts": lasts}
    return _without_moves(snapshot, changed(record, clock=clock), table.state)


def _seconds(due: int | None, body: Json) -> int:
    """How long the clock lasts that a request starts. `due`: as the opening has set it."""
    seconds: int | None = read(codec_of(ClockStart), body).seconds
    if due is not None:
        if seconds not in (None, due):
            raise outcomes.DoesNotFit.at("/seconds", phrase("clock-lasts", seconds=due))
        return due
    if seconds is None:
        expected = phrase("whole", least=1, most=LONGEST_CLOCK)
        raise outcomes.DoesNotFit.at("/seconds", phrase("field-missing", field="seconds", expected=expected))
    return seconds


def _commitment(snapshot: Snapshot, request: SessionRequest, sessions: Sessions) -> Judged:
    """Record, in lower case, a seat's commitment to the seed that it will give."""
    record, text = snapshot.record, read(codec_of(SeatCommitment), request.body).commitment.lower()
    seat = _joint_seat(snapshot)
    if record.commitments[seat] is not None:
        raise outcomes.Refused("forbidden", phrase("commitment-given"))
    return _without_moves(snapshot, changed(record, commitments=replaced(record.commitments, seat, text)))


def _seed(snapshot: Snapshot, request: SessionRequest, sessions: Sessions) -> Judged:
    """Record a seat's seed, and deal after the last. All commitments came before, so none depends on a seed."""
    record, seed = snapshot.record, read(codec_of(SeatSeed), request.body).seed
    seat = _joint_seat(snapshot)
    if None in record.commitments:
        raise outcomes.Refused("forbidden", phrase("commitments-first"))
    if record.seeds[seat] is not None:
        raise outcomes.Refused("forbidden", phrase("seed-given"))
    if commitment(seed) != record.commitments[seat]:
        raise outcomes.Refused("seed-mismatch", phrase("other-seed"))
    record = changed(record, seeds=replaced(record.seeds, seat, seed))
    if record.awaited:
        return _without_moves(snapshot, record)
    referee = snapshot.table.referee
    _engine, setup = stored_setup(record.setup)
    state = referee.opening(setup, deal_seed(record.server_seed, [str(each) for each in record.seeds], 1))
    return _without_moves(snapshot, changed(record, deals=1, state=referee.state(state)), state)


def _seat(snapshot: Snapshot, request: SessionRequest, sessions: Sessions) -> Judged:
    """Take a seat by its invite, and answer with the seat's token. Later requests with the invite are refused."""
    record, seat = snapshot.record, snapshot.bearer.seat
    if seat is None or record.taken[seat]:
        raise outcomes.Refused("seat-taken", phrase("seat-taken"))
    taken = snapshot._replace(bearer=Bearer("seat", seat))  # the answer has the ETag of the seat, not of its invite
    return _with_token(taken, changed(record, taken=record.taking(seat)), taken.bearer, sessions)


def _renewal(snapshot: Snapshot, request: SessionRequest, sessions: Sessions) -> Judged:
    """Replace a token that was lost, or that others know."""
    record, bearer = snapshot.record, _renewed(snapshot, read(codec_of(Renewal), request.body).seat)
    if record.renewal(bearer) >= RENEWALS:
        raise outcomes.Refused("session-full", phrase("most-renewals", most=RENEWALS))
    renewals = record.renewals | {bearer.name: record.renewal(bearer) + 1}
    # The seat counts as taken from now on: its invite must not give out the same token.
    renewed = changed(record, renewals=renewals, taken=record.taking(bearer.seat))
    return _with_token(snapshot, renewed, bearer, sessions)


JUDGES: dict[str, Judge] = {
    "moves": _moves,
    "commitments": _commitment,
    "seeds": _seed,
    "seats": _seat,
    "tokens": _renewal,
    "clock": _clock,
}
"""The first step for each `call` of a request."""


def _renewed(snapshot: Snapshot, seat: int | None) -> Bearer:
    """The bearer of the new token: the sender, or a seat that a host names. A blind host may name none."""
    bearer = snapshot.bearer
    if seat is None or seat == bearer.seat:
        return bearer
    if bearer != HOST or snapshot.record.blind:
        raise outcomes.Refused("forbidden", phrase("not-your-token"))
    if not 0 <= seat < snapshot.record.seats:
        raise outcomes.DoesNotFit.at("/seat", phrase("no-such-seat", seats=snapshot.record.seats))
    return Bearer("seat", seat)


def _without_moves(
    before: Snapshot, record: SessionRecord, state: State = None, token: SessionToken | None = None
) -> Judged:
    """A change without moves, answered with a token or with the session. `state`: of the table after the change."""
    after = before.followed_by(Table(before.table.referee, record, state))
    return after, entry_without_moves(record.seats), token or after.document()


def _with_token(before: Snapshot, record: SessionRecord, bearer: Bearer, sessions: Sessions) -> Judged:
    """A change without moves, answered with the token of this bearer."""
    token = sessions.tokens.token(before.name, bearer, record.generation, record.renewal(bearer))
    return _without_moves(before, record, before.table.state, SessionToken(token))


def _joint_seat(snapshot: Snapshot) -> int:
    """The sender's seat in a joint deal. Every other bearer is refused."""
    if snapshot.bearer.seat is None or snapshot.record.fair != "joint":
        raise outcomes.Refused("forbidden", phrase("joint-seeds"))
    return snapshot.bearer.seat


# --- bounds ---------------------------------------------------------------------------------------


def check_bounds(record: SessionRecord, bearer: Bearer, moves: int, sessions: Sessions) -> None:
    """Refuse what a session, or the bearer's part of it, has no room for."""
    settings, session_bytes = sessions.settings, sessions.capacity.session_bytes
    most = session_bytes - _bytes_for_refusals(session_bytes)
    if record.moves + moves > settings.session_moves:
        raise outcomes.Refused("session-full", phrase("most-moves", most=settings.session_moves))
    if record.size > most:
        raise outcomes.Refused("session-full", phrase("most-bytes", most=session_bytes))
    if bearer.seat is not None:
        count, size = record.spent[bearer.seat] if record.spent else (0, 0)
        own_moves, own_bytes = max(settings.session_moves // record.seats, 1), most // record.seats
        if count + moves > own_moves or size > own_bytes:
            raise outcomes.Refused("session-full", phrase("own-allowance", moves=own_moves, bytes=own_bytes))


def _spent(before: SessionRecord, seat: int | None, moves: int, size: int) -> Sequence[Sequence[int]]:
    """The moves and bytes that each seat has used, counted apart so that no seat uses up another's allowance.

    `seat`: the bearer's, with the `moves` and the bytes (`size`) of its change.
    """
    spent = before.spent or [(0, 0)] * before.seats
    if seat is None:
        return spent
    moves_before, size_before = spent[seat]
    return replaced(spent, seat, (moves_before + moves, size_before + size))


def _bytes_for_refusals(session_bytes: int) -> int:
    """How many of the bytes of a session may be stored refusals."""
    return session_bytes // REFUSALS
