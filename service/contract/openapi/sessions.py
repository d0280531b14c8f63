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
LIMITED = ("RateLimit-Policy", "RateLimit")
PUBLIC = ("bearer", "")
CHANGED = (*OF_BODIES, "forbidden", "request-in-progress", "session-full", "version-mismatch")
"""The problems of every change, beside `idempotency-key-reused` and `too-much-asked`, which come after its own."""
STILL = Described(UNCHANGED, headers=TAGGED)


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
    kept = replace(table, description="It is kept.")
    token = Described("A token.", field(sessions.SessionToken), headers=TAGGED)
    ticket = Described("A ticket.", field(sessions.Ticket), headers=PRIVATE)
    legal = Described("What may be done.", of_all_games(LegalMoves), headers=TAGGED)
    moved = Described("The moves are made.", of_all_games(sessions.EncodedMoved), headers=(*TAGGED, "Content-Language"))
    log = Described("The log.", of_all_games(sessions.EncodedLog), headers=(*PRIVATE, "Content-Language"))
    game = replace(log, description="The whole game.", schema=of_all_games(sessions.Transcript))
    moves = AnyOfField(of_each_game(sessions.Moves).values(), "Moves")
    entry = AnyOfField(of_each_game(sessions.EncodedEntry).values(), "Entry")
    events = {"entry": entry, "incident": field(sessions.EncodedIncident), "clock": field(sessions.RunningClock)}
    stream = Described("What happens.", TextField(), "text/event-stream", headers=PRIVATE, events=events)

    once = ("idempotency-key-reused", "too-much-asked")
    refuses: tuple[str, ...] = (*OF_BODIES, "request-in-progress", "invalid-state", *once, "too-many-requests")
    opening = sessions.opening_codec().field
    yield _operation("post", "openSession", {201: opened}, refuses, (SECRET_KEY,), opening, security=())
    one = "/{session_id}"
    seen, listed = {200: table, 304: STILL}, {200: legal, 304: STILL}
    yield _operation(f"get {one}", "readSession", seen, (), (IF_NONE_MATCH,), security=PUBLIC)
    yield _operation(f"delete {one}", "closeSession", {204: Described("It is gone.", headers=PRIVATE)}, ("forbidden",))
    refuses, invited = (*OF_BODIES, "request-in-progress", "seat-taken", *once), field(sessions.Invited)
    yield _operation(f"post {one}/seats/{{seat}}", "takeSeat", {201: token}, refuses, (SEAT, KEY), invited, ())
    for path, name, answer, body, refuses in (
        ("tokens", "renewToken", token, field(sessions.Renewal), CHANGED),
        ("commitments", "commit", kept, field(sessions.SeatCommitment), CHANGED),
        ("seeds", "giveSeed", kept, field(sessions.SeatSeed), (*CHANGED, "seed-mismatch")),
        ("clock", "startClock", kept, field(sessions.ClockStart), CHANGED),
    ):
        yield _operation(f"post {one}/{path}", name, {201: answer}, (*refuses, *once), (KEY, IF_MATCH), body)
    yield _operation(f"get {one}/legal-moves", "sessionLegalMoves", listed, (), (IF_NONE_MATCH,), security=PUBLIC)
    refuses = (*CHANGED, "illegal-move", "incident-open", "time-over", *once)
    joined = replace(moved, description="The hands have joined the incident.", schema=field(sessions.EncodedJoined))
    made = {201: moved, 202: joined}
    yield _operation(f"post {one}/moves", "makeMoves", made, refuses, (KEY, IF_MATCH), moves)
    wrong = ("invalid-request",)
    yield _operation(f"get {one}/moves", "sessionLog", {200: log}, wrong, (AFTER,), security=PUBLIC)
    yield _operation(f"post {one}/tickets", "takeTicket", {201: ticket})
    reading = (AFTER, TICKET, LAST_EVENT_ID)
    refuses = ("too-many-requests", *wrong)
    yield _operation(f"get {one}/events", "sessionEvents", {200: stream}, refuses, reading, security=PUBLIC)
    refuses = ("forbidden", *wrong)
    yield _operation(f"get {one}/transcript", "transcript", {200: game}, refuses, (AFTER,), security=PUBLIC)


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
    refuses += ("not-acceptable", *OF_ALL, "store-unavailable")
    if body is not None:
        refuses += ("overloaded",)
    if path:
        refuses += ("unauthorized", "not-found")
        parameters = (NAME, *parameters)
    answers = {**answers, **refused(*refuses)}
    parameters += (LANGUAGE, REQUEST_ID)
    return Operation(method, f"/sessions{path}", name, "Sessions", answers, body, parameters, security=security)
