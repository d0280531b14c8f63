"""The operations on sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from service.contract import answers, sessions
from service.contract.fields import Text, Whole
from service.contract.openapi.operations import (
    IF_NONE_MATCH,
    LANGUAGE,
    REQUEST_ID,
    SPOKEN,
    Answer,
    Operation,
    Parameter,
    problem,
)
from service.web.problems import MEDIA_TYPE

TAG = "Sessions"
NAME = Parameter("session_id", "path", "The name of the session.", Text(32, 32))
AFTER = Parameter("after", "query", "The version after which to begin.", Whole(0, 999_999_999))
TICKET = Parameter("ticket", "query", "A ticket, where a header cannot be sent.", Text(0, 200))
LAST_EVENT_ID = Parameter("Last-Event-ID", "header", "The version of the last entry that was read.", Text())
IF_MATCH = Parameter(
    "If-Match", "header", "The ETag of the table that the move was decided upon; if it has changed, 412.", Text()
)
KEY = Parameter(
    "Idempotency-Key",
    "header",
    "A name for this request, of 1 to 255 characters: sent again under it, it is answered alike.",
    Text(1, 255),
)
PRIVATE = ("Vary", "Cache-Control")
TAGGED = ("ETag", *PRIVATE)
PUBLIC = ("bearer", "")
WITH_BODY = ("malformed-json", "invalid-request")


def operations() -> Iterator[Operation]:
    """Everything that can be asked of sessions."""
    table = {"session_id": "$response.body#/id"}
    links = {
        "readSession": {"operationId": "readSession", "parameters": table, "description": "The table."},
        "sessionLog": {"operationId": "sessionLog", "parameters": table, "description": "What has happened."},
    }
    made = Answer("It is open.", sessions.opened(), headers=("Location", *TAGGED), links=links)
    either = answers.AnyOf([answers.invalid_state(), answers.problem("idempotency-key-reused")])
    wrong = Answer("The deal is impossible, or the key another body's.", either, MEDIA_TYPE, SPOKEN)
    busy = {409: problem("request-in-progress"), 429: problem("too-many-requests")}
    given = {201: made, 422: wrong} | busy | _body()
    yield _operation("post", "", "openSession", given, (KEY,), sessions.opening(), security=())
    seen = Answer("The table.", sessions.document(), headers=TAGGED)
    still = Answer("The answer that the client has still stands.", headers=TAGGED)
    yield _operation("get", "/{session_id}", "readSession", {200: seen, 304: still}, (IF_NONE_MATCH,), security=PUBLIC)
    yield _operation("delete", "/{session_id}", "closeSession", {204: Answer("It is gone.", headers=PRIVATE)} | _mine())
    yield _operation(
        "post", "/{session_id}/seeds", "giveSeed", {201: Answer("It is kept.", sessions.document(), headers=TAGGED)}
        | _changing(), (KEY, IF_MATCH), sessions.seed(),
    )  # fmt: skip
    legal = Answer("What may be done.", answers.answer("legal-moves", None), headers=TAGGED)
    listed = {200: legal, 304: still}
    yield _operation("get", "/{session_id}/legal-moves", "sessionLegalMoves", listed, (IF_NONE_MATCH,), security=PUBLIC)
    moved = Answer("The moves are made.", sessions.moved(), headers=(*TAGGED, "Content-Language"))
    yield _operation(
        "post", "/{session_id}/moves", "makeMoves", {201: moved} | _changing(), (KEY, IF_MATCH), sessions.moves()
    )
    log = {200: Answer("The log.", sessions.log(), headers=(*PRIVATE, "Content-Language")), **_wrong()}
    yield _operation("get", "/{session_id}/moves", "sessionLog", log, (AFTER,), security=PUBLIC)
    given = {201: Answer("A ticket.", sessions.ticket(), headers=PRIVATE)}
    yield _operation("post", "/{session_id}/tickets", "takeTicket", given)
    stream = Answer("What happens.", Text(), "text/event-stream", headers=PRIVATE)
    live = {200: stream, 429: problem("too-many-requests"), **_wrong()}
    yield _operation(
        "get", "/{session_id}/events", "sessionEvents", live, (AFTER, TICKET, LAST_EVENT_ID), security=PUBLIC
    )
    whole = {200: Answer("The whole game.", sessions.transcript(), headers=(*PRIVATE, "Content-Language")), **_mine()}
    yield _operation("get", "/{session_id}/transcript", "transcript", whole, security=PUBLIC)


def _operation(
    method: str,
    path: str,
    name: str,
    given: dict[int, Answer],
    parameters: tuple[Parameter, ...] = (),
    body: Any = None,
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


def _refused(slugs: tuple[str, ...], status: int) -> dict[int, Answer]:
    return {status: Answer("Refused.", answers.problems(slugs, None), MEDIA_TYPE, SPOKEN)}


def _wrong() -> dict[int, Answer]:
    return {400: problem("invalid-request")}


def _mine() -> dict[int, Answer]:
    return {403: problem("forbidden")}


def _body() -> dict[int, Answer]:
    return _refused(WITH_BODY, 400) | {413: problem("payload-too-large"), 415: problem("unsupported-media-type")}


def _changing() -> dict[int, Answer]:
    return (
        _body()
        | _mine()
        | _refused(("request-in-progress", "session-full"), 409)
        | {412: problem("version-mismatch")}
        | _refused(("illegal-move", "idempotency-key-reused"), 422)
    )
