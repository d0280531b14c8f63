"""The operations on sessions."""

from __future__ import annotations

from collections.abc import Iterator

from service.contract import sessions
from service.contract.answers import LegalMoves
from service.contract.codec import general, of_all_games, of_each_game
from service.contract.fields import AnyOfField, StrictField, TextField
from service.contract.openapi.operations import (
    IF_NONE_MATCH,
    LANGUAGE,
    REQUEST_ID,
    Described,
    Operation,
    Parameter,
    problem,
)
from service.contract.placeholders import Seat

TAG = "Sessions"
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
    f"A name for this request, of 1 to {sessions.LONGEST_KEY} characters: sent again under it, it is answered alike.",
    TextField(1, sessions.LONGEST_KEY),
)
PRIVATE = ("Vary", "Cache-Control")
TAGGED = ("ETag", *PRIVATE)
PUBLIC = ("bearer", "")
CONFLICTS = ("request-in-progress", "session-full")


def operations() -> Iterator[Operation]:
    """Everything that can be asked of sessions."""
    table = {"session_id": "$response.body#/id"}
    links = {
        "readSession": {"operationId": "readSession", "parameters": table, "description": "The table."},
        "sessionLog": {"operationId": "sessionLog", "parameters": table, "description": "What has happened."},
    }
    made = Described("It is open.", of_all_games(sessions.SessionOpened), headers=("Location", *TAGGED), links=links)
    wrong = problem("invalid-state", "idempotency-key-reused", "too-much-asked")
    busy = {409: problem("request-in-progress"), 429: problem("too-many-requests")}
    given = {201: made, 422: wrong} | busy | _body()
    yield _operation("post", "", "openSession", given, (KEY,), sessions.opening(), security=())
    seen = Described("The table.", of_all_games(sessions.EncodedSession), headers=TAGGED)
    still = Described("The answer that the client has still stands.", headers=TAGGED)
    yield _operation("get", "/{session_id}", "readSession", {200: seen, 304: still}, (IF_NONE_MATCH,), security=PUBLIC)
    kept = Described("It is kept.", of_all_games(sessions.EncodedSession), headers=TAGGED)
    yield _operation(
        "delete", "/{session_id}", "closeSession", {204: Described("It is gone.", headers=PRIVATE)} | _mine()
    )
    token = Described("A token.", general().field(sessions.SessionToken), headers=TAGGED)
    given = {201: token} | _changing("idempotency-key-reused", conflicts=("request-in-progress", "seat-taken"))
    del given[403], given[412]
    path = "/{session_id}/seats/{seat}"
    yield _operation("post", path, "takeSeat", given, (SEAT, KEY), sessions.invite(), security=())
    given = {201: token} | _changing("idempotency-key-reused")
    yield _operation("post", "/{session_id}/tokens", "renewToken", given, (KEY, IF_MATCH), sessions.renewal())
    path, given = "/{session_id}/commitments", {201: kept} | _changing("idempotency-key-reused")
    yield _operation("post", path, "commit", given, (KEY, IF_MATCH), sessions.commitment())
    path, given = "/{session_id}/seeds", {201: kept} | _changing("seed-mismatch", "idempotency-key-reused")
    yield _operation("post", path, "giveSeed", given, (KEY, IF_MATCH), sessions.seed())
    legal = Described("What may be done.", of_all_games(LegalMoves), headers=TAGGED)
    listed = {200: legal, 304: still}
    yield _operation("get", "/{session_id}/legal-moves", "sessionLegalMoves", listed, (IF_NONE_MATCH,), security=PUBLIC)
    moved = Described("The moves are made.", of_all_games(sessions.EncodedMoved), headers=(*TAGGED, "Content-Language"))
    yield _operation(
        "post",
        "/{session_id}/moves",
        "makeMoves",
        {201: moved} | _changing("illegal-move", "idempotency-key-reused"),
        (KEY, IF_MATCH),
        sessions.moves(),
    )
    log = {
        200: Described("The log.", of_all_games(sessions.EncodedLog), headers=(*PRIVATE, "Content-Language")),
        **_wrong(),
    }
    yield _operation("get", "/{session_id}/moves", "sessionLog", log, (AFTER,), security=PUBLIC)
    given = {201: Described("A ticket.", general().field(sessions.Ticket), headers=PRIVATE)}
    yield _operation("post", "/{session_id}/tickets", "takeTicket", given)
    entry = AnyOfField(of_each_game(sessions.EncodedEntry).values(), "Entry")
    stream = Described("What happens.", TextField(), "text/event-stream", headers=PRIVATE, events={"entry": entry})
    live = {200: stream, 429: problem("too-many-requests"), **_wrong()}
    yield _operation(
        "get", "/{session_id}/events", "sessionEvents", live, (AFTER, TICKET, LAST_EVENT_ID), security=PUBLIC
    )
    whole = {
        200: Described("The whole game.", of_all_games(sessions.Transcript), headers=(*PRIVATE, "Content-Language")),
        **_mine(),
        **_wrong(),
    }
    yield _operation("get", "/{session_id}/transcript", "transcript", whole, (AFTER,), security=PUBLIC)


def _operation(
    method: str,
    path: str,
    name: str,
    given: dict[int, Described],
    parameters: tuple[Parameter, ...] = (),
    body: StrictField | None = None,
    security: tuple[str, ...] = ("bearer",),
) -> Operation:
    named = {401: problem("unauthorized"), 404: problem("not-found")} if path else {}
    return Operation(
        method,
        f"/sessions{path}",
        name,
        TAG,
        {**named, 406: problem("not-acceptable"), 500: problem("internal-error"), 503: problem("store-unavailable")}
        | given,
        body,
        (*((NAME,) if path else ()), *parameters, LANGUAGE, REQUEST_ID),
        security=security,
    )


def _wrong() -> dict[int, Described]:
    return {400: problem("invalid-request")}


def _mine() -> dict[int, Described]:
    return {403: problem("forbidden")}


def _body() -> dict[int, Described]:
    return {
        400: problem("malformed-json", "invalid-request"),
        413: problem("payload-too-large"),
        415: problem("unsupported-media-type"),
    }


def _changing(*unprocessable: str, conflicts: tuple[str, ...] = CONFLICTS) -> dict[int, Described]:
    """`unprocessable`: what is refused with 422; `conflicts`: with 409."""
    return (
        _body()
        | _mine()
        | {409: problem(*conflicts), 412: problem("version-mismatch"), 422: problem(*unprocessable, "too-much-asked")}
    )
