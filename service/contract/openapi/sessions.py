"""The operations on sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from service import bounds
from service.contract import sessions
from service.contract.answers import LegalMoves
from service.contract.codec import general, of_all_games, of_each_game
from service.contract.fields import AnyOfField, StrictField, TextField
from service.contract.openapi.operations import (
    IF_NONE_MATCH,
    LANGUAGE,
    OF_ALL,
    OF_BODIES,
    REQUEST_ID,
    UNCHANGED,
    Described,
    Operation,
    Parameter,
    refused,
)
from service.contract.placeholders import Seat

NAME = Parameter("SessionIdPath", general().field(sessions.Name))
SEAT = Parameter("SeatPath", general().field(Seat))
AFTER = Parameter("AfterQuery", general().field(sessions.Version))
TICKET = Parameter("TicketQuery", TextField(0, 200))
LAST_EVENT_ID = Parameter("LastEventIdHeader")
IF_MATCH = Parameter("IfMatchHeader")
KEY = Parameter("IdempotencyKeyHeader", TextField(1, bounds.LONGEST_KEY))
SECRET_KEY = Parameter("SecretKeyHeader", TextField(bounds.SHORTEST_SECRET_KEY, bounds.LONGEST_KEY))
PRIVATE = ("Vary", "Cache-Control")
TAGGED = ("ETag", *PRIVATE)
MADE = (*TAGGED, "Content-Language")
LIMITED = ("RateLimit-Policy", "RateLimit")
PUBLIC = ("bearer", "")
ONCE = ("idempotency-key-reused", "too-much-asked")  #: The problems of every call with an `Idempotency-Key`.
CHANGED = (*OF_BODIES, "forbidden", "request-in-progress", "session-full", "version-mismatch")
"""The problems of every change, beside `ONCE`, which come after its own."""
ONE = "/{session_id}"


def operations() -> Iterator[Operation]:
    """All operations on sessions."""
    field = general().field
    of_name = {"parameters": {"session_id": "$response.body#/id"}}
    links = {
        "readSession": {"operationId": "readSession", **of_name, "description": "The table."},
        "sessionLog": {"operationId": "sessionLog", **of_name, "description": "What has happened."},
    }
    opened = Described(
        "It is open.", of_all_games(sessions.SessionOpened), headers=("Location", *TAGGED, *LIMITED), links=links
    )
    table = Described("The table.", of_all_games(sessions.EncodedSession), headers=TAGGED)
    kept = replace(table, description="It is kept.", headers=MADE)
    token = Described("A token.", field(sessions.SessionToken), headers=MADE)
    ticket = Described("A ticket.", field(sessions.Ticket), headers=PRIVATE)
    legal = Described("What may be done.", of_all_games(LegalMoves), headers=TAGGED)
    moved = Described("The moves are made.", of_all_games(sessions.EncodedMoved), headers=MADE)
    joined = replace(moved, description="The hands have joined the incident.", schema=field(sessions.EncodedJoined))
    log = Described("The log.", of_all_games(sessions.EncodedLog), headers=(*PRIVATE, "Content-Language"))
    game = replace(log, description="The whole game.", schema=of_all_games(sessions.Transcript))
    moves = AnyOfField(of_each_game(sessions.Moves).values(), "Moves")
    entry = AnyOfField(of_each_game(sessions.EncodedEntry).values(), "Entry")
    events = {"entry": entry, "incident": field(sessions.EncodedIncident), "clock": field(sessions.RunningClock)}
    stream = Described("What happens.", TextField(), "text/event-stream", headers=PRIVATE, events=events)

    opening, invited = sessions.opening_codec().field, field(sessions.Invited)
    unopened = (*OF_BODIES, "request-in-progress", "invalid-state", *ONCE, "too-many-requests")
    yield _operation("post", "openSession", {201: opened}, unopened, (SECRET_KEY,), opening, security=())
    yield _read("", "readSession", table)
    yield _operation(f"delete {ONE}", "closeSession", {204: Described("It is gone.", headers=PRIVATE)}, ("forbidden",))
    untaken = (*OF_BODIES, "request-in-progress", "seat-taken", *ONCE)
    yield _operation(f"post {ONE}/seats/{{seat}}", "takeSeat", {201: token}, untaken, (SEAT, KEY), invited, ())
    yield _change("/tokens", "renewToken", {201: token}, field(sessions.Renewal))
    yield _change("/commitments", "commit", {201: kept}, field(sessions.SeatCommitment))
    yield _change("/seeds", "giveSeed", {201: kept}, field(sessions.SeatSeed), "seed-mismatch")
    yield _change("/clock", "startClock", {201: kept}, field(sessions.ClockStart))
    yield _read("/legal-moves", "sessionLegalMoves", legal)
    made = {201: moved, 202: joined}
    yield _change("/moves", "makeMoves", made, moves, "illegal-move", "incident-open", "time-over")
    yield _read("/moves", "sessionLog", log, AFTER)
    yield _operation(f"post {ONE}/tickets", "takeTicket", {201: ticket})
    yield _read("/events", "sessionEvents", stream, AFTER, TICKET, LAST_EVENT_ID, refuses=("too-many-requests",))
    yield _read("/transcript", "transcript", game, AFTER, refuses=("forbidden",))


def _read(path: str, name: str, answer: Described, *parameters: Parameter, refuses: tuple[str, ...] = ()) -> Operation:
    """A `GET`, for which a public session needs no token. Without parameters, a client may revalidate the answer."""
    answers = {200: answer} if parameters else {200: answer, 304: Described(UNCHANGED, headers=TAGGED)}
    refuses += ("invalid-request",) if parameters else ()
    return _operation(f"get {ONE}{path}", name, answers, refuses, parameters or (IF_NONE_MATCH,), security=PUBLIC)


def _change(path: str, name: str, answers: Mapping[int, Described], body: StrictField, *refuses: str) -> Operation:
    """A change of a table. `refuses`: the problems that others do not have."""
    return _operation(f"post {ONE}{path}", name, answers, (*CHANGED, *refuses, *ONCE), (KEY, IF_MATCH), body)


def _operation(
    route: str,
    name: str,
    answers: Mapping[int, Described],
    refuses: tuple[str, ...] = (),
    parameters: tuple[Parameter, ...] = (),
    body: StrictField | None = None,
    security: tuple[str, ...] = ("bearer",),
) -> Operation:
    method, _, path = route.partition(" ")
    refuses += ("not-acceptable", *OF_ALL, "store-unavailable", "overloaded")
    if path:
        refuses += ("unauthorized", "not-found")
        parameters = (NAME, *parameters)
    answers = {**answers, **refused(*refuses)}
    parameters += (LANGUAGE, REQUEST_ID)
    return Operation(method, f"/sessions{path}", name, "Sessions", answers, body, parameters, security=security)
