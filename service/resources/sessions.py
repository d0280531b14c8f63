"""Tables that remember: every call under `/sessions`.

A change reads the session, judges, and writes on condition that nobody else has written: then it starts again. Within
one worker changes of a session take turns, so that they start again only where another worker was first.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any, get_args, get_type_hints
from weakref import WeakValueDictionary

from flask import Blueprint, Response, current_app, request
from flask.blueprints import BlueprintSetupState

import engines
from engines.core.shape import Told
from engines.core.shuffle import commitment
from service import json
from service.config import Settings
from service.problems import Problem
from service.referee import AnyEngine, Json, Referee
from service.resources.http import accept_json, answer, json_body, language, problem_answer, takes
from service.resources.stateless import invalid_request
from service.schemas import Invalid, codecs
from service.schemas.requests import body_of
from service.sessions.events import Feed
from service.sessions.fairness import deal_seed, server_seed
from service.sessions.record import Record, seed_entry
from service.sessions.store import Answer, Change, Keyed, Outcome, Session, Store, StoreUnavailable, open_store
from service.sessions.tokens import HOST, SPECTATOR, TICKET_SECONDS, Bearer, Tokens, may_make, named, seat, session_name
from service.table import Table

ATTEMPTS = 20
"""How often a change starts again when other workers' changes came first."""
PATIENCE = 0.4
"""Seconds that a change waits for its turn."""
PAGE = 500
"""Log entries in one answer."""
MOST_MOVES = 500
HEARTBEAT = 15.0
AWAY = 1.0
KEPT = ("Content-Type", "Content-Language", "ETag", "Location")
"""The headers that are kept with an answer."""
PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept-Language"}
NAME = re.compile(r"[0-9a-f]{32}", re.ASCII)
KEY = re.compile(r"[\x21-\x7e]{1,255}", re.ASCII)
EVENT_STREAM = "text/event-stream"

Making = Callable[[Table, Bearer], tuple[Record, bytes, Json]]
"""(table, bearer): the record after a change, its log entry, and the answer's body without the version."""


class Unauthorized(Problem):
    """Missing, forged or another session's token: one answer for all, wherever it was sent."""

    def __init__(self) -> None:
        detail = "Send the token of a seat or of the host of this session, as Authorization: Bearer …"
        super().__init__("unauthorized", detail, {"WWW-Authenticate": "Bearer"})

    def document(self, instance: str) -> Json:
        """Without the session's name: the answer is the same whether there is such a session."""
        return super().document("/sessions")


class Turn:
    """One session's changes in this worker, one after the other."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class Sessions:
    """What the calls share in one process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store: Store = open_store(settings.store_url)
        self.tokens = Tokens(settings.token_keys, lambda: self.store)
        self.feed = Feed(self.store)
        self.turns: WeakValueDictionary[str, Turn] = WeakValueDictionary()
        self.running: set[str] = set()

    def ready(self) -> bool:
        """The store can be read and written."""
        try:
            self.store.ping()
        except StoreUnavailable:
            return False
        return True

    @contextmanager
    def turn(self, name: str, running: str | None) -> Iterator[None]:
        """Wait for the session's turn. `running`: the key of the request; its double is refused meanwhile."""
        if running is not None:
            if running in self.running:
                raise Problem("request-in-progress", "This request is still running.", {"Retry-After": "1"})
            self.running.add(running)
        try:
            turn = self.turns.setdefault(name, Turn())
            if not turn.lock.acquire(timeout=PATIENCE):
                raise StoreUnavailable("the session is busy")
            try:
                yield
            finally:
                turn.lock.release()
        finally:
            self.running.discard(running or "")


@dataclass(frozen=True)
class Found:
    """A session as a request found it, and who asks."""

    name: str
    bearer: Bearer
    version: int
    record: Record
    answer: Answer | None = None

    @property
    def table(self) -> Table:
        return Table(engines.registry()[self.record.game], self.record, self.version, _spoken())

    @property
    def tag(self) -> str:
        return f"{self.version}-{self.bearer.name}"

    def document(self) -> Json:
        """The table as the bearer may see it."""
        return _document(self.name, self.table, self.bearer)


def blueprint(settings: Settings) -> Blueprint:
    """Every call under `/sessions`."""
    calls = Blueprint("sessions", __name__)
    calls.record_once(lambda state: _set_up(state, settings))
    calls.after_request(_private)
    calls.register_error_handler(StoreUnavailable, _away)
    one = "/sessions/<session_id>"
    calls.add_url_rule("/sessions", "open", _open, methods=["POST"])
    calls.add_url_rule(one, "read", _read)
    calls.add_url_rule(one, "close", _close, methods=["DELETE"])
    calls.add_url_rule(f"{one}/seeds", "seeds", _seeds, methods=["POST"])
    calls.add_url_rule(f"{one}/legal-moves", "legal_moves", _legal_moves)
    calls.add_url_rule(f"{one}/moves", "move", _move, methods=["POST"])
    calls.add_url_rule(f"{one}/moves", "log", _log)
    calls.add_url_rule(f"{one}/tickets", "tickets", _ticket, methods=["POST"])
    calls.add_url_rule(f"{one}/events", "events", _events)
    calls.add_url_rule(f"{one}/transcript", "transcript", _transcript)
    return calls


def _set_up(state: BlueprintSetupState, settings: Settings) -> None:
    sessions = Sessions(settings)
    state.app.extensions["sessions"] = sessions
    state.app.config["READINESS"]["sessions"] = sessions.ready


def _sessions() -> Sessions:
    sessions: Sessions = current_app.extensions["sessions"]
    return sessions


def _private(response: Response) -> Response:
    response.headers.update(PRIVATE)
    return response


def _away(error: StoreUnavailable) -> Response:
    current_app.logger.warning("the store is away: %s", error)
    detail = (
        "The store of the sessions does not answer. Whether a change under way was made, its Idempotency-Key tells."
    )
    return problem_answer(Problem("store-unavailable", detail, {"Retry-After": "1"}))


def _body() -> Any:
    return json_body(request.environ, _sessions().settings.body_limit)


def _spoken() -> str:
    return language(request.environ)


# --- who asks ------------------------------------------------------------------------------------


def _claim(name: str) -> tuple[Bearer, str] | None:
    """Bearer and generation of the request's token; None without one. A token that is not genuine is refused."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    claim = _sessions().tokens.read(token.strip(), name) if scheme.lower() == "bearer" else None
    if claim is None:
        raise Unauthorized
    return claim


def _found(name: str, claim: tuple[Bearer, str] | None, key: str | None = None) -> Found:
    """The session of a name; a spectator finds public ones only."""
    if not NAME.fullmatch(name):
        raise Unauthorized
    kept: Session | None = _sessions().store.read(name, key)
    if kept is None:
        raise Unauthorized if claim is None else _gone()
    record = Record.read(kept.head)
    if claim is None:
        if not record.public:
            raise Unauthorized
        return Found(name, SPECTATOR, kept.version, record)
    bearer, generation = claim
    if generation != record.generation:
        raise Unauthorized
    return Found(name, bearer, kept.version, record, kept.answer)


def _with_token(name: str) -> tuple[Bearer, str]:
    claim = _claim(name)
    if claim is None:
        raise Unauthorized
    return claim


def _gone() -> Problem:
    return Problem("not-found", "This session was deleted, or has expired.")


# --- reading -------------------------------------------------------------------------------------


def _document(name: str, table: Table, bearer: Bearer) -> Json:
    return {
        "id": name,
        "game": table.record.game,
        "ruleset": table.record.ruleset,
        "version": table.version,
        "commitment": commitment(table.record.server_seed),
        **table.document(bearer),
    }


def _read(session_id: str) -> Response:
    accept_json(request.environ)
    found = _found(session_id, _claim(session_id))
    known = request.if_none_match.contains_weak(found.tag)
    response = Response(status=304) if known else answer(found.document())
    response.set_etag(found.tag)
    return response


def _legal_moves(session_id: str) -> Response:
    accept_json(request.environ)
    found = _found(session_id, _claim(session_id))
    response = answer(found.table.legal_moves(found.bearer))
    response.set_etag(found.tag)
    return response


def _log(session_id: str) -> Response:
    accept_json(request.environ)
    found = _found(session_id, _claim(session_id))
    after = _after()
    entries = _sessions().store.log(session_id, after, PAGE)
    table = found.table
    shown = [table.entry(*entry, found.bearer) for entry in entries]
    more = entries[-1].version if len(entries) == PAGE and entries[-1].version < found.version else None
    return answer({"entries": shown, "next": more}, spoken=_spoken())


def _transcript(session_id: str) -> Response:
    accept_json(request.environ)
    found = _found(session_id, _claim(session_id))
    table = found.table
    if not table.over and (found.bearer != HOST or found.record.blind):
        raise Problem("forbidden", "The transcript comes out when the game is over.")
    entries = [entry for entry in _whole_log(found) if entry[0] <= found.version]
    # The state once the game is over, or for a host who sees it all: nothing of it is hidden from this bearer.
    return answer({**_document(session_id, table, HOST), **table.transcript(entries)}, spoken=_spoken())


def _whole_log(found: Found) -> Iterator[tuple[int, bytes]]:
    after = 0
    while after < found.version:
        entries = _sessions().store.log(found.name, after, PAGE)
        if not entries:
            return
        yield from entries
        after = entries[-1].version


def _after() -> int:
    text = request.args.get("after", "0")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise _refused("", "The parameter `after` is a version: a whole number from 0.")
    return int(text)


# --- opening and closing -------------------------------------------------------------------------


def _open() -> Response:
    accept_json(request.environ)
    sessions = _sessions()
    body = _body()
    key = _key()
    name = session_name(sessions.tokens, key)
    keyed = None if key is None else _stored_key(HOST, key)
    fingerprint = _fingerprint("open", body)
    with sessions.turn(name, None if keyed is None else f"{name} {keyed}"):
        if keyed is not None and (kept := sessions.store.read(name, keyed)) and kept.answer:
            return _again(kept.answer, fingerprint)
        record = _opening(body)
        if sessions.store.count() >= sessions.settings.open_sessions:
            raise Problem("too-many-requests", "As many sessions are open as may be.", {"Retry-After": "60"})
        response = _opened(name, record)
        stored = None if keyed is None else Keyed(keyed, Answer(fingerprint, _packed(response)))
        outcome = sessions.store.write(name, Change(-1, record.written(), keyed=stored), _lifetime())
    if isinstance(outcome, Answer):
        return _again(outcome, fingerprint)
    assert outcome is Outcome.WRITTEN, "a name is drawn from 128 bits"
    return response


def _opening(raw: Any) -> Record:
    """The record of a session as asked for, dealt unless every seat is to give a seed first."""
    own, setup = _split(raw)
    try:
        engine, body = body_of("deal", None, setup)
    except Invalid as error:
        raise invalid_request(error) from None
    server = server_seed()
    referee = Referee(engine, _spoken())
    state = referee.opening(body, deal_seed(server, [], 1))
    seats = engine.seats_of(state)
    record = Record(
        game=engine.game,
        generation=secrets.token_hex(8),
        setup=setup,
        ruleset=referee.ruleset(state.ruleset),
        seats=seats,
        server_seed=server,
        fair=own["fair"],
        blind=own["host"] == "blind",
        public=own["public"],
    )
    if record.fair == "joint":
        return replace(record, seeds=[None] * seats)
    return replace(record, deals=1, state=referee.state(state))


def _opened(name: str, record: Record) -> Response:
    make = _sessions().tokens.token
    found = Found(name, HOST, 0, Record.read(record.written()))
    tokens = {
        "host": make(name, HOST, record.generation),
        "seats": [make(name, seat(number), record.generation) for number in range(record.seats)],
    }
    document = {**found.document(), "tokens": tokens}
    response = answer(document, 201, headers={"Location": f"/sessions/{name}"})
    response.set_etag(found.tag)
    return response


OWN: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "fair": ("committed", ("committed", "joint")),
    "host": ("sees-all", ("sees-all", "blind")),
    "public": (False, (True, False)),
}
"""What opening takes beside what `/deal` takes: default and values."""


def _split(raw: Any) -> tuple[Json, Json]:
    """A body in the session's own fields and those of the deal."""
    if not isinstance(raw, dict):
        return {}, raw
    errors = []
    own = {}
    for name, (default, values) in OWN.items():
        own[name] = raw.get(name, default)
        if not any(own[name] is value or (own[name] == value and isinstance(value, str)) for value in values):
            shown = " or ".join(json.dumps(value).decode() for value in values)
            errors.append({"pointer": f"/{name}", "detail": f"Must be {shown}."})
    drawn_here = ("seed", "deck")
    errors += [
        {"pointer": f"/{name}", "detail": "A session draws its own cards."} for name in drawn_here if name in raw
    ]
    if errors:
        raise Problem("invalid-request", errors[0]["detail"], errors=errors)
    return own, {name: value for name, value in raw.items() if name not in OWN}


def _close(session_id: str) -> Response:
    found = _found(session_id, _with_token(session_id))
    if found.bearer != HOST:
        raise Problem("forbidden", "Only the host closes a session.")
    sessions = _sessions()
    if not sessions.store.delete(session_id):
        raise _gone()
    sessions.feed.wake([session_id])
    return Response(status=204)


# --- changing ------------------------------------------------------------------------------------


def _move(session_id: str) -> Response:
    claim = _with_token(session_id)
    accept_json(request.environ)
    body = _body()

    def make(table: Table, bearer: Bearer) -> tuple[Record, bytes, Json]:
        moves = moves_of(table.engine, body)
        if bearer != HOST and len(moves) != 1:
            raise _refused("/moves", "A seat makes one move a request.")
        for place, move in enumerate(body["moves"]):
            if not may_make(bearer, move):
                raise Problem("forbidden", f"Move {place} is another seat's, or the table's, to make.")
        _has_room(table.record, len(moves))
        return table.moved(bearer, moves)

    return _changed(session_id, claim, _fingerprint("moves", body), make)


def _seeds(session_id: str) -> Response:
    claim = _with_token(session_id)
    accept_json(request.environ)
    body = _body()

    def make(table: Table, bearer: Bearer) -> tuple[Record, bytes, Json]:
        given = seed_of(body)
        record = table.record
        if bearer.seat is None or record.fair != "joint":
            raise Problem("forbidden", "Seeds are given by the seats of a session whose deal is joint.")
        if record.seeds[bearer.seat] is not None:
            raise Problem("forbidden", "This seat has given its seed.")
        seeds = [given if owner == bearer.seat else seed for owner, seed in enumerate(record.seeds)]
        record = replace(record, seeds=seeds)
        if not record.awaited:
            _, setup = body_of("deal", None, record.setup)
            first = deal_seed(record.server_seed, [str(seed) for seed in seeds], 1)
            state = table.referee.opening(setup, first)
            record = replace(record, deals=1, state=table.referee.state(state))
        after = Table(table.engine, Record.read(record.written()), table.version + 1, _spoken())
        return record, seed_entry(record.seats), _document(session_id, after, bearer)

    return _changed(session_id, claim, _fingerprint("seeds", body), make)


def _changed(name: str, claim: tuple[Bearer, str], fingerprint: str, make: Making) -> Response:
    """Make a change against the table as it is, again and again until no other comes first."""
    sessions = _sessions()
    key = _key()
    stored = None if key is None else _stored_key(claim[0], key)
    with sessions.turn(name, None if stored is None else f"{name} {stored}"):
        for _ in range(ATTEMPTS):
            found = _found(name, claim, stored)
            if found.answer is not None:
                return _again(found.answer, fingerprint)
            _matches(found)
            try:
                record, entry, body = make(found.table, found.bearer)
            except Problem as problem:
                if stored is None or problem.kind.slug != "illegal-move":
                    raise
                return _kept(name, stored, fingerprint, problem)
            response = _made(found, body)
            keyed = None if stored is None else Keyed(stored, Answer(fingerprint, _packed(response)))
            outcome = sessions.store.write(name, Change(found.version, record.written(), entry, keyed), _lifetime())
            if isinstance(outcome, Answer):
                return _again(outcome, fingerprint)
            if outcome is Outcome.GONE:
                raise _gone()
            if outcome is Outcome.WRITTEN:
                sessions.feed.wake([name])
                return response
    raise StoreUnavailable("others were always first")


def _made(found: Found, body: Json) -> Response:
    after = replace(found, version=found.version + 1)
    response = answer({**body, "version": after.version}, 201, spoken=_spoken())
    response.set_etag(after.tag)
    return response


def _kept(name: str, key: str, fingerprint: str, problem: Problem) -> Response:
    """An illegal move, kept under its key like a made one."""
    response = problem_answer(problem)
    sessions = _sessions()
    keyed = Keyed(key, Answer(fingerprint, _packed(response)))
    outcome = sessions.store.keep(name, keyed, 2 * sessions.settings.session_moves)
    if isinstance(outcome, Answer):
        return _again(outcome, fingerprint)
    if outcome is Outcome.GONE:
        raise _gone()
    if outcome is Outcome.FULL:
        raise Problem("session-full", "The session keeps as many answers as it may.")
    return response


def _matches(found: Found) -> None:
    """`If-Match`: refuse a change that was decided upon an older table, and show the current one."""
    if request.if_match and found.tag not in request.if_match:
        detail = f"The table is at version {found.version}. Look at it and decide again."
        headers = {"ETag": f'"{found.tag}"'}
        raise Problem("version-mismatch", detail, headers, version=found.version, view=found.document())


def _has_room(record: Record, moves: int) -> None:
    settings = _sessions().settings
    if record.moves + moves > settings.session_moves:
        raise Problem("session-full", f"A session takes up to {settings.session_moves} moves.")
    if record.size > settings.session_bytes:
        raise Problem("session-full", f"The log of a session may have {settings.session_bytes} bytes.")


def moves_of(engine: AnyEngine, body: Any) -> list[Any]:
    """The moves of a body; what chance brings, a session's body may not tell."""
    moves = _only(body, "moves")
    if not isinstance(moves, list) or not 1 <= len(moves) <= MOST_MOVES:
        raise _refused("/moves", f"Must be a list of 1 to {MOST_MOVES} moves.")
    read, errors = [], []
    for place, raw in enumerate(moves):
        try:
            move = codecs(engine).move.load(raw)
        except Invalid as error:
            errors += [{**each, "pointer": f"/moves/{place}{each['pointer']}"} for each in error.errors]
            continue
        told = [name for name in told_fields(engine)[move.type] if getattr(move, name) is not None]
        errors += [{"pointer": f"/moves/{place}/{name}", "detail": "In a session the table draws."} for name in told]
        read.append(move)
    if errors:
        raise invalid_request(Invalid(errors))
    return read


def seed_of(body: Any) -> str:
    """The seed of a body."""
    seed = _only(body, "seed")
    if not isinstance(seed, str) or not 1 <= len(seed) <= 200:
        raise _refused("/seed", "Must be a string of 1 to 200 characters.")
    return seed


@cache
def told_fields(engine: AnyEngine) -> dict[str, tuple[str, ...]]:
    """The fields of each of a game's moves that tell what chance brought."""
    return {
        name: tuple(each for each, hint in get_type_hints(move, include_extras=True).items() if _tells(hint))
        for name, move in engine.moves.items()
    }


def _tells(hint: Any) -> bool:
    return any(isinstance(each, Told) or _tells(each) for each in (*getattr(hint, "__metadata__", ()), *get_args(hint)))


def _only(body: Any, name: str) -> Any:
    if not isinstance(body, dict):
        raise _refused("", "Must be an object.")
    if name not in body:
        raise _refused(f"/{name}", "Is required.")
    unknown = [each for each in body if each != name]
    if unknown:
        escaped = unknown[0].replace("~", "~0").replace("/", "~1")
        raise _refused(f"/{escaped}", "Unknown field.")
    return body[name]


def _refused(pointer: str, detail: str) -> Problem:
    return Problem("invalid-request", detail, errors=[{"pointer": pointer, "detail": detail}])


# --- answers that are given again ----------------------------------------------------------------


def _key() -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not KEY.fullmatch(key):
        raise _refused("", "An Idempotency-Key has 1 to 255 visible ASCII characters.")
    return key


def _stored_key(bearer: Bearer, key: str) -> str:
    return sha256(f"{bearer.name}\n{key}".encode()).hexdigest()


def _fingerprint(call: str, body: Any) -> str:
    """Tells bodies apart by what they say, not by their spaces."""
    return sha256(call.encode() + b"\n" + json.dumps(body)).hexdigest()


def _packed(response: Response) -> bytes:
    kept = [response.status_code, {name: response.headers[name] for name in KEPT if name in response.headers}]
    return json.dumps(kept) + b"\n" + response.get_data()


def _again(kept: Answer, fingerprint: str) -> Response:
    """The answer that was given to the same request."""
    if kept.fingerprint != fingerprint:
        raise Problem("idempotency-key-reused", "This Idempotency-Key came with another body before.")
    first, _, body = kept.body.partition(b"\n")
    status, headers = json.loads(first)
    return Response(body, status, headers)


def _lifetime() -> float:
    return float(_sessions().settings.session_hours) * 3600


# --- live ----------------------------------------------------------------------------------------


def _ticket(session_id: str) -> Response:
    """A page that needs `EventSource` cannot send a header, and a token has no place in an address."""
    found = _found(session_id, _with_token(session_id))
    ticket = secrets.token_urlsafe(24)
    _sessions().store.put_ticket(session_id, ticket, found.bearer.name, TICKET_SECONDS)
    return answer({"ticket": ticket, "expires_in": int(TICKET_SECONDS)}, 201)


def _events(session_id: str) -> Response:
    accept = request.headers.get("Accept")
    if not takes(accept, EVENT_STREAM):
        raise Problem("not-acceptable", f"The answer is {EVENT_STREAM}; the Accept header asks for {accept}.")
    found = _listener(session_id)
    last = request.headers.get("Last-Event-ID", "")
    after = int(last) if last.isascii() and last.isdecimal() and len(last) < 10 else _after()
    stream = _stream(_sessions(), found, _spoken(), after)
    return Response(
        stream,
        mimetype=EVENT_STREAM,
        headers={"X-Accel-Buffering": "no", "Content-Language": _spoken()},
    )


def _listener(name: str) -> Found:
    ticket = request.args.get("ticket")
    if ticket is None:
        return _found(name, _claim(name))
    if not NAME.fullmatch(name):
        raise Unauthorized
    bearer = _sessions().store.take_ticket(name, ticket)
    kept = None if bearer is None else _sessions().store.read(name)
    if bearer is None or kept is None:
        raise Unauthorized
    return Found(name, named(bearer), kept.version, Record.read(kept.head))


def _stream(sessions: Sessions, found: Found, spoken: str, after: int) -> Iterator[bytes]:
    """The log entries after a version, and whatever follows, until the session is closed."""
    table = Table(engines.registry()[found.record.game], found.record, found.version, spoken)
    yield b"retry: 2000\n\n"
    with sessions.feed.listening(found.name) as woken:
        while True:
            woken.clear()
            try:
                entries = sessions.store.log(found.name, after, PAGE)
                if not entries and _closed(sessions.store.read(found.name), found.record):
                    yield b"event: closed\ndata: {}\n\n"
                    return
            except StoreUnavailable:
                yield b": the store is away\n\n"
                woken.wait(AWAY)
                continue
            for entry in entries:
                data = json.dumps(table.entry(*entry, found.bearer))
                yield b"id: %d\nevent: entry\ndata: %b\n\n" % (entry.version, data)
                after = entry.version
            if len(entries) < PAGE and not woken.wait(HEARTBEAT):
                yield b": still here\n\n"


def _closed(kept: Session | None, record: Record) -> bool:
    return kept is None or Record.read(kept.head).generation != record.generation
