"""The operations of the service, with their prose. The document is made from this list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import engines
from service import bounds, seeds
from service.contract import problem_bodies, session_bodies
from service.contract.answers import Game, Games, LegalMoves, ProblemKind, Rulebook
from service.contract.codec import general, of_all_games, of_each_game
from service.contract.fields import AnyOfField, BooleanField, StrictField, TextField, ValuesField
from service.contract.openapi.examples import Examples, Exchange, Sample, examples
from service.contract.placeholders import Seat
from service.contract.prose import TEXTS, operation_id
from service.contract.rows import AnyCall, Calls, answer, batch_answer, batch_codec, body_codec, path_of
from service.problems import KINDS, MEDIA_TYPE

JSON = "application/json"
Links: TypeAlias = Mapping[str, Mapping[str, object]]


class Parameter(NamedTuple):
    """A part of the path, of the query, or a header: the last word of its component's name says of which."""

    component: str
    schema: StrictField = TextField()


@dataclass(frozen=True)
class Described:
    """An answer of an operation. `headers`: names from `prose.yaml`; `refuses`: its problems, if it is a refusal.

    `optional`: headers that not each of them has. `events`: the JSON in the `data` of each kind of event of a stream.
    """

    description: str
    schema: StrictField | None = None
    media_type: str = JSON
    headers: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    links: Links = field(default_factory=dict)
    examples: Examples = field(default_factory=dict)
    refuses: tuple[str, ...] = ()
    events: Mapping[str, StrictField] = field(default_factory=dict)


@dataclass(frozen=True)
class Operation:
    """A method on a path. `prose`: its key in `PROSE`, if that is not its id; `examples`: of bodies."""

    method: str
    path: str
    id: str
    tag: str
    answers: Mapping[int, Described]
    body: StrictField | None = None
    parameters: tuple[Parameter, ...] = ()
    examples: Examples = field(default_factory=dict)
    prose: str | None = None
    security: tuple[str, ...] = ()
    """The schemes, of which a client must meet one; an empty name means that none is needed."""


SPOKEN = ("Content-Language", "Vary")
OWN_HEADERS = {
    "unauthorized": ("WWW-Authenticate",),
    "store-unavailable": ("Retry-After",),
    "overloaded": ("Retry-After",),
    "too-many-requests": ("Retry-After",),
    "request-in-progress": ("Retry-After",),
    "incident-open": ("Retry-After",),
    "version-mismatch": ("ETag",),
}
"""The headers of a problem beside `SPOKEN`, which every problem has."""
OF_BODIES = ("malformed-json", "invalid-request", "payload-too-large", "unsupported-media-type")
"""The problems of a JSON body of any operation."""
OF_ALL = ("headers-too-large", "internal-error")  #: The problems of every operation.
OF_STATELESS = (*OF_BODIES, "not-acceptable", "too-much-asked", "overloaded", *OF_ALL)
CACHE_HEADERS = ("ETag", "Cache-Control")
UNCHANGED = "The answer that the client has still stands."

LANGUAGE = Parameter("AcceptLanguageHeader")
REQUEST_ID = Parameter("XRequestIdHeader")
IF_NONE_MATCH = Parameter("IfNoneMatchHeader")

# Sessions.

NAME = Parameter("SessionIdPath", general().field(session_bodies.Name))
SEAT = Parameter("SeatPath", general().field(Seat))
LEGAL_MOVES = Parameter("LegalMovesQuery", BooleanField())
AFTER = Parameter("AfterQuery", general().field(session_bodies.Version))
TICKET = Parameter("TicketQuery")
RESUMED = Parameter("LastEventIdHeader"), Parameter("LastEventIdQuery")
IF_MATCH = Parameter("IfMatchHeader")
KEY = Parameter("IdempotencyKeyHeader", TextField(1, bounds.LONGEST_KEY))
SECRET_KEY = Parameter("SecretKeyHeader", TextField(bounds.SHORTEST_SECRET_KEY, bounds.LONGEST_KEY))
PRIVATE = ("Vary", "Cache-Control")
TAGGED = ("ETag", *PRIVATE)
TAGGED_AND_SPOKEN = (*TAGGED, "Content-Language")
LIMITED = ("RateLimit-Policy", "RateLimit")
PUBLIC = ("bearer", "")
ONCE = ("idempotency-key-reused", "too-much-asked")  #: The problems of every call with an `Idempotency-Key`.
CHANGED = (*OF_BODIES, "forbidden", "request-in-progress", "session-full", "version-mismatch")
"""The problems of every change, beside `ONCE`, which come after its own."""
UNFOLLOWED = (
    "invalid-request", "not-over", "seat-taken", "request-in-progress", "session-full", "version-mismatch",
    "idempotency-key-reused", "too-many-requests", "payload-too-large",
)  # fmt: skip
"""The problems of a rematch."""
ONE_SESSION = "/{session_id}"


def operations(calls: Calls, game: str | None) -> Iterator[Operation]:
    """All operations in the order of the document. `game`: whose stateless calls; None: of all."""
    if game is None:
        for call in calls:
            yield _call(call, None)
        yield _batch(calls)
    yield from _games()
    for each in engines.registry() if game is None else [game]:
        for call in calls:
            yield _call(call, each)
    yield _problems()
    yield from _sessions()


def tags() -> list[dict[str, str]]:
    """The tags, under which the document groups its operations; those of the games come third."""
    books = [seeds.read_words(engine, seeds.ENGLISH)["title"] for engine in engines.registry().values()]
    own = [*TEXTS["tags"].items()]
    every = [*own[:2], *((book, f"The same calls for {book} alone.") for book in books), *own[2:]]
    return [{"name": name, "description": text} for name, text in every]


def refused(*slugs: str) -> dict[int, Described]:
    """The refusals with these problems, by status."""
    by_status: dict[int, tuple[str, ...]] = {}
    for slug in dict.fromkeys(slugs):
        by_status[KINDS[slug].status] = (*by_status.get(KINDS[slug].status, ()), slug)
    return {status: _refusal(alike) for status, alike in by_status.items()}


def _refusal(slugs: tuple[str, ...]) -> Described:
    """The refusals of one status."""
    own = [OWN_HEADERS.get(slug, ()) for slug in slugs]
    some = dict.fromkeys(header for headers in own for header in headers)
    every = [header for header in some if all(header in headers for headers in own)]
    shares = LIMITED if "too-many-requests" in slugs else ()  # of openings, not of streams
    optional = (
        "Cache-Control",
        *(header for header in some if header not in every),
        *shares,
    )  # sessions have the first
    description = " ".join(f"{KINDS[slug].title('en')} (`{slug}`)." for slug in slugs)
    return Described(description, problem_bodies.problem(), MEDIA_TYPE, (*SPOKEN, *every), optional, refuses=slugs)


def _call(call: AnyCall, game: str | None) -> Operation:
    """The operation of a stateless call, for one game, or, with None, for all."""
    answered = Described("The answer.", answer(call, game), headers=SPOKEN)
    return Operation(
        "post",
        path_of(call, game),
        operation_id(call.name, game),
        "Judging" if game is None else seeds.read_words(engines.registry()[game], seeds.ENGLISH)["title"],
        {200: answered, **refused("invalid-state", *OF_STATELESS)},
        body_codec(call, game).field,
        (LANGUAGE, REQUEST_ID),
        prose=None if game is None else operation_id(call.name),
    )


def _batch(calls: Calls) -> Operation:
    """The operation of a batch."""
    by_game = filter(None, map(examples, engines.registry()))
    shown = [min(of_game, key=_length) for of_game in by_game]
    entries = [{"id": each.name, "path": each.operation, "body": each.request} for each in shown]
    shown_answers = [{"id": each.name, "status": 200, "body": each.answer} for each in shown]
    answered = Described(
        "The answers, in the order of the calls.",
        batch_answer(),
        headers=SPOKEN,
        examples={"calls": Sample("What each call alone would have answered.", {"responses": shown_answers})},
    )
    return Operation(
        "post",
        "/batch",
        "batch",
        "Judging",
        {200: answered, **refused(*OF_STATELESS)},
        batch_codec(calls).field,
        (LANGUAGE, REQUEST_ID),
        {"calls": Sample("Calls of every game.", {"requests": entries})},
    )


def _length(exchange: Exchange) -> int:
    """How long an exchange is."""
    return len(repr(exchange))


def _get(path: str, name: str, tag: str, answer: Described, *parameters: Parameter) -> Operation:
    """A `GET` whose answer a client may cache, and revalidate by its ETag."""
    cached = tuple(header for header in answer.headers if header != "Content-Language")
    refuses = (*["not-found"] * ("{" in path), "not-acceptable", "invalid-request", *OF_ALL, "overloaded")
    answers = {200: answer, 304: Described(UNCHANGED, headers=cached), **refused(*refuses)}
    return Operation("get", path, name, tag, answers, parameters=(*parameters, REQUEST_ID, IF_NONE_MATCH))


def _games() -> Iterator[Operation]:
    """The operations that read what is known of games."""
    more = {"game": "More of the first game.", "rulebook": "The rulebook of the first game."}
    links = {
        name: {"operationId": name, "parameters": {"game": "$response.body#/games/0/game"}, "description": why}
        for name, why in more.items()
    }
    listed = Described("The answer.", general().field(Games), headers=(*SPOKEN, *CACHE_HEADERS), links=links)
    one = replace(listed, schema=general().field(Game), links={})
    book = replace(listed, schema=general().field(Rulebook), links={})
    yield _get("/games", "games", "Games", listed, LANGUAGE)
    yield _get("/games/{game}", "game", "Games", one, _game(), LANGUAGE)
    yield _get("/games/{game}/rulebook", "rulebook", "Games", book, _game(), LANGUAGE)


def _game() -> Parameter:
    """The parameter of a path that names a game."""
    return Parameter("GamePath", ValuesField(tuple(engines.registry())))


def _problems() -> Operation:
    """The operation that reads the meanings of problems."""
    slug = Parameter("SlugPath", ValuesField(tuple(KINDS)))
    meaning = Described(
        "What it means, in the language asked for.", general().field(ProblemKind), headers=(*SPOKEN, *CACHE_HEADERS)
    )
    return _get("/problems/{slug}", "problem", "Documents", meaning, slug, LANGUAGE)


def _sessions() -> Iterator[Operation]:
    """The operations on sessions."""
    field = general().field
    of_name = {"parameters": {"session_id": "$response.body#/id"}}
    links = {
        "readSession": {"operationId": "readSession", **of_name, "description": "The table."},
        "sessionLog": {"operationId": "sessionLog", **of_name, "description": "What has happened."},
    }
    opened = Described(
        "It is open.", of_all_games(session_bodies.SessionOpened), headers=("Location", *TAGGED, *LIMITED), links=links
    )
    table = Described("The table.", of_all_games(session_bodies.EncodedSession), headers=TAGGED)
    changed = replace(table, description="It is kept.", headers=TAGGED_AND_SPOKEN)
    token = Described("A token.", field(session_bodies.SessionToken), headers=TAGGED_AND_SPOKEN)
    ticket = Described("A ticket.", field(session_bodies.Ticket), headers=PRIVATE)
    legal = Described("What may be done.", of_all_games(LegalMoves), headers=TAGGED_AND_SPOKEN)
    moved = Described("The moves are made.", of_all_games(session_bodies.EncodedMoved), headers=TAGGED_AND_SPOKEN)
    parts = AnyOfField(map(field, (session_bodies.EncodedJoined, session_bodies.EncodedCounted)), "Part")
    collected = replace(moved, description="The hands have joined the incident; the count is collected.", schema=parts)
    log = Described("The log.", of_all_games(session_bodies.EncodedLog), headers=(*PRIVATE, "Content-Language"))
    game = replace(log, description="The whole game.", schema=of_all_games(session_bodies.Transcript))
    moves = AnyOfField(of_each_game(session_bodies.Moves).values(), "Moves")
    entry = AnyOfField(of_each_game(session_bodies.EncodedEntry).values(), "Entry")
    events = {
        "entry": entry,
        "incident": field(session_bodies.EncodedIncident),
        "clock": field(session_bodies.RunningClock),
    }
    stream = Described(
        "What happens.", TextField(), "text/event-stream", headers=(*PRIVATE, "Content-Language"), events=events
    )

    opening, invited = session_bodies.opening_codec().field, field(session_bodies.Invited)
    unopened = (*OF_BODIES, "request-in-progress", "invalid-state", *ONCE, "too-many-requests")
    yield _on_session("post", "openSession", {201: opened}, unopened, (SECRET_KEY,), opening, security=())
    yield _read("", "readSession", table, LEGAL_MOVES)
    yield _on_session(
        f"delete {ONE_SESSION}", "closeSession", {204: Described("It is gone.", headers=PRIVATE)}, ("forbidden",)
    )
    untaken = (*OF_BODIES, "request-in-progress", "seat-taken", *ONCE)
    yield _on_session(
        f"post {ONE_SESSION}/seats/{{seat}}", "takeSeat", {201: token}, untaken, (SEAT, SECRET_KEY), invited, ()
    )
    yield _change("/tokens", "renewToken", {201: token}, field(session_bodies.Renewal))
    yield _change("/commitments", "commit", {201: changed}, field(session_bodies.SeatCommitment))
    yield _change("/seeds", "giveSeed", {201: changed}, field(session_bodies.SeatSeed), "seed-mismatch")
    yield _change("/clock", "startClock", {201: changed}, field(session_bodies.ClockStart))
    there = Described("It was open already.", field(session_bodies.NextTable), headers=PRIVATE, links=links)
    next_table = replace(there, description="The next table is open.", headers=("Location", *PRIVATE, *LIMITED))
    answers = {201: next_table, 200: there}
    yield _on_session(f"post {ONE_SESSION}/rematch", "rematch", answers, UNFOLLOWED, (SECRET_KEY, IF_MATCH))
    yield _read("/legal-moves", "sessionLegalMoves", legal)
    answers, untimely = {201: moved, 202: collected}, ("incident-open", "time-running", "time-over")
    yield _change("/moves", "makeMoves", answers, moves, "illegal-move", *untimely)
    yield _read("/moves", "sessionLog", log, AFTER)
    yield _on_session(f"post {ONE_SESSION}/tickets", "takeTicket", {201: ticket}, ("payload-too-large",))
    yield _read("/events", "sessionEvents", stream, AFTER, TICKET, *RESUMED, refuses=("too-many-requests",))
    yield _read("/transcript", "transcript", game, AFTER, refuses=("forbidden",))


def _read(path: str, name: str, answer: Described, *parameters: Parameter, refuses: tuple[str, ...] = ()) -> Operation:
    """A `GET`, for which a public session needs no token. A client may revalidate the answer, unless it is a page."""
    answers = {200: answer}
    if AFTER not in parameters:
        answers[304] = Described(UNCHANGED, headers=TAGGED)
        parameters = (*parameters, IF_NONE_MATCH)
    return _on_session(f"get {ONE_SESSION}{path}", name, answers, refuses, parameters, security=PUBLIC)


def _change(path: str, name: str, answers: Mapping[int, Described], body: StrictField, *refuses: str) -> Operation:
    """A change of a table. `refuses`: the problems that others do not have."""
    key = SECRET_KEY if path == "/tokens" else KEY
    return _on_session(f"post {ONE_SESSION}{path}", name, answers, (*CHANGED, *refuses, *ONCE), (key, IF_MATCH), body)


WITHOUT_PREFERENCE = ("closeSession", "takeTicket")  #: They answer whatever the client accepts.


def _on_session(
    route: str,
    name: str,
    answers: Mapping[int, Described],
    refuses: tuple[str, ...] = (),
    parameters: tuple[Parameter, ...] = (),
    body: StrictField | None = None,
    security: tuple[str, ...] = ("bearer",),
) -> Operation:
    """An operation on sessions. `route`: its method and its path; `refuses`: problems beside those of all."""
    method, _, path = route.partition(" ")
    accepting = () if name in WITHOUT_PREFERENCE else ("not-acceptable",)
    refuses += ("invalid-request", *accepting, *OF_ALL, "store-unavailable", "overloaded")
    refuses += ("not-found",)  # where sessions are off
    if path:
        refuses += ("unauthorized",)
        parameters = (NAME, *parameters)
    answers = {**answers, **refused(*refuses)}
    parameters += (LANGUAGE, REQUEST_ID)
    return Operation(method, f"/sessions{path}", name, "Sessions", answers, body, parameters, security=security)
