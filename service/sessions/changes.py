"""Changing a session: moves and seeds, made against the table as it is, and answered again under the same key.

A change judges, and writes on condition that nobody else has written since; else it starts again from what the store
holds. It first tries upon the table as this worker last wrote it, which saves reading it. Within one worker the changes
of a session take turns, so that they start again only where another worker was first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias, get_args, get_type_hints

from werkzeug.http import parse_etags

from engines.core.records import changed
from engines.core.shape import Drawn
from service.contract import Invalid
from service.contract.calls import body_of
from service.contract.refusals import invalid_request
from service.contract.sessions import LONGEST_KEY, moves_codec, seed_codec
from service.judging.calls import DEAL
from service.judging.referee import AnyEngine
from service.sessions.bearers import Claim, Found, Sessions, document, gone, refused, tag
from service.sessions.fairness import deal_seed
from service.sessions.record import Record, seed_entry
from service.sessions.stores import protocol as store
from service.sessions.stores.protocol import Change, Keyed, Outcome, StoreUnavailable
from service.sessions.table import Table
from service.sessions.tokens import HOST, Bearer, may_make
from service.web import strict_json
from service.web.http import Answer, Environ, accept_json, language, problem_written, written
from service.web.problems import Problem
from service.web.strict_json import Json

ATTEMPTS = 20
"""How often a change starts again when other workers' changes came first."""
REFUSALS = 4
"""Which part of a session's bytes is for answers that refuse: one in so many."""

Making: TypeAlias = Callable[[Found], tuple[Table, bytes, Json]]
"""The table after a change, its log entry, and the answer's body without the version."""


def move(sessions: Sessions, environ: Environ, name: str) -> Answer:
    """`POST /sessions/{id}/moves`: all or none."""
    claim = sessions.with_token(environ, name)
    accept_json(environ)
    body = sessions.body(environ)

    def make(found: Found) -> tuple[Table, bytes, Json]:
        moves = moves_of(found.table.engine, body)
        if found.bearer != HOST:
            if len(moves) != 1:
                raise refused("/moves", "A seat makes one move a request.")
            if not may_make(found.bearer, body["moves"][0], found.table.engine.deal_name):
                raise Problem("forbidden", "This move is another seat's, or the table's, to make.")
        _has_room(sessions, found.record, len(moves))
        return found.table.moved(found.bearer, moves)

    return _changed(sessions, environ, name, claim, ("moves", body), make)


def seeds(sessions: Sessions, environ: Environ, name: str) -> Answer:
    """`POST /sessions/{id}/seeds`: a seat's part in a joint deal, which follows the last."""
    claim = sessions.with_token(environ, name)
    accept_json(environ)
    body = sessions.body(environ)

    def make(found: Found) -> tuple[Table, bytes, Json]:
        referee, state = found.table.referee, None
        record = _with_seed(found.record, found.bearer, seed_of(body))
        if not record.awaited:
            _, setup = body_of(DEAL, None, record.setup)
            state = referee.opening(setup, deal_seed(record.server_seed, [str(seed) for seed in record.seeds], 1))
            record = changed(record, deals=1, state=referee.state(state))
        after = Table(referee, record, state)
        return after, seed_entry(record.seats), document(name, found.version + 1, after, found.bearer)

    return _changed(sessions, environ, name, claim, ("seeds", body), make)


def _with_seed(record: Record, bearer: Bearer, given: str) -> Record:
    if bearer.seat is None or record.fair != "joint":
        raise Problem("forbidden", "Seeds are given by the seats of a session whose deal is joint.")
    if record.seeds[bearer.seat] is not None:
        raise Problem("forbidden", "This seat has given its seed.")
    return changed(record, seeds=[given if seat == bearer.seat else seed for seat, seed in enumerate(record.seeds)])


def _changed(
    sessions: Sessions, environ: Environ, name: str, claim: Claim, asked: tuple[str, Any], make: Making
) -> Answer:
    """Make a change against the table as it is, again and again until no other comes first."""
    key = key_of(environ, claim.bearer)
    fingerprint = fingerprint_of(*asked) if key else ""
    attempt = Attempt(sessions, environ, key, fingerprint, make)
    with sessions.turn(name, key):
        guess = sessions.guess(environ, name, claim)
        answer = None
        if guess is not None:
            with suppress(Problem):  # to refuse takes more than memory
                answer = attempt.made(guess)
        for _ in range(ATTEMPTS):
            if answer is not None:
                sessions.feed.wake([name])
                return answer
            answer = attempt.judged(sessions.find(environ, name, claim, key))
    raise StoreUnavailable("others were always first")


class Attempt(NamedTuple):
    """One request's change, to be tried against one table after the other."""

    sessions: Sessions
    environ: Environ
    key: str | None
    fingerprint: str
    make: Making

    def judged(self, found: Found) -> Answer | None:
        """The answer, be it an older one or a refusal; None if another change came first."""
        if found.answer is not None:
            return again(found.answer, self.fingerprint)
        try:
            return self.made(found)
        except Problem as problem:
            if self.key is None or problem.kind.slug != "illegal-move":
                raise
            return _kept(
                self.sessions, found.name, keyed(self.key, self.fingerprint, problem_written(problem, self.environ))
            )

    def made(self, found: Found) -> Answer | None:
        """The answer to a change that was made; None if another came first, be it the end of the session."""
        _matches(self.environ, found)
        table, entry, body = self.make(found)
        version = found.version + 1
        body["version"] = version
        headers = {"ETag": f'"{tag(version, found.bearer, found.record)}"'}
        answer = written(body, 201, spoken=language(self.environ), headers=headers)
        stored = keyed(self.key, self.fingerprint, answer)[0] if self.key else None
        table.record = changed(table.record, size=found.record.size + len(entry) + (stored.size if stored else 0))
        change = Change(found.version, table.record.written(), entry, stored, table.record.generation)
        outcome = self.sessions.store.write(found.name, change, self.sessions.lifetime)
        if isinstance(outcome, store.Answer):
            return again(outcome, self.fingerprint)
        if outcome is not Outcome.WRITTEN:
            return None
        self.sessions.remember(found.name, version, table)
        return answer


def _kept(sessions: Sessions, name: str, stored: tuple[Keyed, Answer]) -> Answer:
    """An illegal move, kept under its key like a made one."""
    outcome = sessions.store.keep(name, stored[0], _room_for_refusals(sessions))
    if isinstance(outcome, store.Answer):
        return again(outcome, stored[0].answer.fingerprint)
    if outcome is Outcome.GONE:
        raise gone()
    if outcome is Outcome.FULL:
        raise Problem("session-full", "The session keeps as many answers as it may.")
    return stored[1]


def _matches(environ: Environ, found: Found) -> None:
    """`If-Match`: refuse a change that was decided upon an older table, and show the current one."""
    given = environ.get("HTTP_IF_MATCH")
    if given is not None and found.tag not in parse_etags(given):
        detail = f"The table is at version {found.version}. Look at it and decide again."
        headers = {"ETag": f'"{found.tag}"'}
        raise Problem("version-mismatch", detail, headers, version=found.version, view=found.document())


def _has_room(sessions: Sessions, record: Record, moves: int) -> None:
    settings = sessions.settings
    if record.moves + moves > settings.session_moves:
        raise Problem("session-full", f"A session takes up to {settings.session_moves} moves.")
    if record.size > settings.session_bytes - _room_for_refusals(sessions):
        raise Problem("session-full", f"A session, with all that it keeps, may have {settings.session_bytes} bytes.")


def _room_for_refusals(sessions: Sessions) -> int:
    """Bytes for kept answers that refuse; a share of their own, so that who is refused again and again ends no game."""
    return sessions.settings.session_bytes // REFUSALS


# --- bodies --------------------------------------------------------------------------------------


def moves_of(engine: AnyEngine, body: Any) -> list[Any]:
    """The moves of a body; what chance brings, a session's body may not tell."""
    told = list(_drawn_in(engine, body))
    try:
        moves = moves_codec(engine).load(body).moves
    except Invalid as error:
        raise invalid_request(Invalid(error.errors + told)) from None
    if told:
        raise invalid_request(Invalid(told))
    return list(moves)


def _drawn_in(engine: AnyEngine, body: Any) -> Iterator[dict[str, str]]:
    fields = drawn_fields(engine)
    moves = body.get("moves") if isinstance(body, dict) else None
    for place, move in enumerate(moves if isinstance(moves, list) else ()):
        kind = move.get("type") if isinstance(move, dict) else None
        for field in fields.get(kind, ()) if isinstance(kind, str) else ():
            if move.get(field) is not None:
                yield {"pointer": f"/moves/{place}/{field}", "detail": "In a session the table draws."}


def seed_of(body: Any) -> str:
    """The seed of a body."""
    try:
        seed: str = seed_codec().load(body).seed
    except Invalid as error:
        raise invalid_request(error) from None
    return seed


@cache
def drawn_fields(engine: AnyEngine) -> dict[str, tuple[str, ...]]:
    """The fields of each of a game's moves that tell what chance brought."""
    return {
        name: tuple(each for each, hint in get_type_hints(kind, include_extras=True).items() if _is_drawn(hint))
        for name, kind in engine.kinds.items()
    }


def _is_drawn(hint: Any) -> bool:
    return any(
        isinstance(each, Drawn) or _is_drawn(each) for each in (*getattr(hint, "__metadata__", ()), *get_args(hint))
    )


# --- answers that are given again ----------------------------------------------------------------


def key_of(environ: Environ, bearer: Bearer) -> str | None:
    """What stands for the request's Idempotency-Key in the store: keys are one bearer's."""
    key = environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    if not 1 <= len(key) <= LONGEST_KEY:
        raise refused("", f"An Idempotency-Key has 1 to {LONGEST_KEY} characters.")
    return sha256(f"{bearer.name}\n{key}".encode()).hexdigest()


def fingerprint_of(call: str, body: Any) -> str:
    """Tells requests apart by what they say, not by how they spell it."""
    return sha256(call.encode() + b"\n" + strict_json.canonical(body)).hexdigest()


def keyed(key: str, fingerprint: str, answer: Answer) -> tuple[Keyed, Answer]:
    """An answer as the store keeps it, and itself."""
    packed = strict_json.dumps([answer.status, answer.headers]) + b"\n" + answer.body
    return Keyed(key, store.Answer(fingerprint, packed)), answer


def again(kept: store.Answer, fingerprint: str) -> Answer:
    """The answer that was given to the same request."""
    if kept.fingerprint != fingerprint:
        raise Problem("idempotency-key-reused", "This Idempotency-Key came with another body before.")
    first, _, body = kept.body.partition(b"\n")
    status, headers = strict_json.loads(first)
    return Answer(body, status, [(name, value) for name, value in headers])
