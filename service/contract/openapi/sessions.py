"""The operations on sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from service.contract import sessions
from service.contract.answers import LegalMoves
from service.contract.codec import general, of_all_games, of_each_game
from service.contract.fields import AnyOfField, StrictField, TextField
from service.contract.openapi.operations import (
    IF_NONE_MATCH,
    LANGUAGE,
    REQUEST_ID,
    UNCHANGED,
    Described,
    Operation,
    Parameter,
    problem,
)
from service.contract.placeholders import Seat

NAME = Parameter("session_id", "path", "The name of the session.", general().field(sessions.Name))
SEAT = Parameter("seat", "path", "The seat to be taken.", general().field(Seat))
AFTER = Parameter("after", "query", "The version after which to begin.", general().field(sessions.Version))
TICKET = Parameter("ticket", "query", "A ticket, where a header cannot be sent.", TextField(0, 200))
LAST_EVENT_ID = Parameter("Last-Event-ID", "header", "The version of the last entry that was read.", TextField())
IF_MATCH = Parameter(
    "If-Match", "header", "The ETag of the table that the move was decided upon; if it has changed, 412.", TextField()
)
KEY = Parameter(
    "Idempotency-Key",
    "header",
    f"A name for this request, of 1 to {sessions.LONGEST_KEY} characters. "
    "The same request with the same key gets the same answer.",
    TextField(1, sessions.LONGEST_KEY),
)
PRIVATE = ("Vary", "Cache-Control")
TAGGED = ("ETag", *PRIVATE)
PUBLIC = ("bearer", "")
CONFLICTS = ("request-in-progress", "session-full")


STILL = Described(UNCHANGED, headers=TAGGED)
MALFORMED = {
    400: problem("malformed-json", "invalid-request"),
    413: problem("payload-too-large"),
    415: problem("unsupported-media-type"),
}
FORBIDDEN = {403: problem("forbidden")}
WRONG = {400: problem("invalid-request")}


def operations() -> Iterator[Operation]:
    """All operations on sessions."""
    field = general().field
    of_name = {"parameters": {"session_id": "$response.body#/id"}}
    links = {
        "readSession": {"operationId": "readSession", **of_name, "description": "The table."},
        "sessionLog": {"operationId": "sessionLog", **of_name, "description": "What has happened."},
    }
    opened = Described("It is open.", of_all_games(sessions.SessionOpened), headers=("Location", *TAGGED), links=links)
    table = Described("The table.", of_all_games(sessions.EncodedSession), headers=TAGGED)
    kept = replace(table, description="It is kept.")
    token = Described("A token.", field(sessions.SessionToken), headers=TAGGED)
    ticket = Described("A ticket.", field(sessions.Ticket), headers=PRIVATE)
    legal = Described("What may be done.", of_all_games(LegalMoves), headers=TAGGED)
    moved = Described("The moves are made.", of_all_games(sessions.EncodedMoved), headers=(*TAGGED, "Content-Language"))
    log = Described("The log.", of_all_games(sessions.EncodedLog), headers=(*PRIVATE, "Content-Language"))
    game = replace(log, description="The whole game.", schema=of_all_games(sessions.Transcript))
    entry = AnyOfField(of_each_game(sessions.EncodedEntry).values(), "Entry")
    stream = Described("What happens.", TextField(), "text/event-stream", headers=PRIVATE, events={"entry": entry})

    refused = {
        **MALFORMED,
        409: problem("request-in-progress"),
        422: problem("invalid-state", "idempotency-key-reused", "too-much-asked"),
        429: problem("too-many-requests"),
    }
    yield _operation("post", "", "openSession", {201: opened, **refused}, (KEY,), sessions.opening(), security=())
    one = "/{session_id}"
    seen = {200: table, 304: STILL}
    yield _operation("get", one, "readSession", seen, (IF_NONE_MATCH,), security=PUBLIC)
    closed = {204: Described("It is gone.", headers=PRIVATE), **FORBIDDEN}
    yield _operation("delete", one, "closeSession", closed)
    taken = {201: token, **_changing("idempotency-key-reused", conflicts=("request-in-progress", "seat-taken"))}
    del taken[403], taken[412]
    yield _operation("post", f"{one}/seats/{{seat}}", "takeSeat", taken, (SEAT, KEY), field(sessions.Invited), ())
    for path, name, answer, body, refusals in (
        ("tokens", "renewToken", token, field(sessions.Renewal), ()),
        ("commitments", "commit", kept, field(sessions.SeatCommitment), ()),
        ("seeds", "giveSeed", kept, field(sessions.SeatSeed), ("seed-mismatch",)),
    ):
        answers = {201: answer, **_changing(*refusals, "idempotency-key-reused")}
        yield _operation("post", f"{one}/{path}", name, answers, (KEY, IF_MATCH), body)
    listed = {200: legal, 304: STILL}
    yield _operation("get", f"{one}/legal-moves", "sessionLegalMoves", listed, (IF_NONE_MATCH,), security=PUBLIC)
    made = {201: moved, **_changing("illegal-move", "idempotency-key-reused")}
    yield _operation("post", f"{one}/moves", "makeMoves", made, (KEY, IF_MATCH), sessions.moves())
    yield _operation("get", f"{one}/moves", "sessionLog", {200: log, **WRONG}, (AFTER,), security=PUBLIC)
    yield _operation("post", f"{one}/tickets", "takeTicket", {201: ticket})
    live = {200: stream, 429: problem("too-many-requests"), **WRONG}
    reading = (AFTER, TICKET, LAST_EVENT_ID)
    yield _operation("get", f"{one}/events", "sessionEvents", live, reading, security=PUBLIC)
    whole = {200: game, **FORBIDDEN, **WRONG}
    yield _operation("get", f"{one}/transcript", "transcript", whole, (AFTER,), security=PUBLIC)


def _operation(
    method: str,
    path: str,
    name: str,
    answers: Mapping[int, Described],
    parameters: tuple[Parameter, ...] = (),
    body: StrictField | None = None,
    security: tuple[str, ...] = ("bearer",),
) -> Operation:
    common = {406: problem("not-acceptable"), 500: problem("internal-error"), 503: problem("store-unavailable")}
    if path:
        common |= {401: problem("unauthorized"), 404: problem("not-found")}
        parameters = (NAME, *parameters)
    return Operation(
        method,
        f"/sessions{path}",
        name,
        "Sessions",
        {**common, **answers},
        body,
        (*parameters, LANGUAGE, REQUEST_ID),
        security=security,
    )


def _changing(*unprocessable: str, conflicts: tuple[str, ...] = CONFLICTS) -> dict[int, Described]:
    """The refusals of a change. `unprocessable`: the problems of status 422; `conflicts`: those of 409."""
    return {
        **MALFORMED,
        **FORBIDDEN,
        409: problem(*conflicts),
        412: problem("version-mismatch"),
        422: problem(*unprocessable, "too-much-asked"),
    }
