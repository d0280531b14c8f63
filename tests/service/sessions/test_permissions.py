"""Try every kind of token at every call of every kind of session. No refusal reveals whether a session exists."""

from itertools import product
from typing import Any
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.sessions.record import SessionRecord, Unreadable, may_be_public
from tests.server import until
from tests.service.sessions.tables import SessionClient, open_session, problem, service_client

BUY = {"moves": [{"type": "buy", "seat": 0, "count": 0}]}
CHANGING_CALLS = {"move", "renewal", "delete"}  #: Calls that change the session.
CALLS: dict[str, tuple[str, str, Any]] = {
    "read": ("GET", "", None),
    "legal-moves": ("GET", "/legal-moves", None),
    "move": ("POST", "/moves", BUY),
    "log": ("GET", "/moves", None),
    "seat": ("POST", "/seats/0", {"invite": "seat-0"}),
    "renewal": ("POST", "/tokens", {"seat": 1}),
    "commitments": ("POST", "/commitments", {"commitment": "0" * 64}),
    "seeds": ("POST", "/seeds", {"seed": "rain"}),
    "ticket": ("POST", "/tickets", None),
    "rematch": ("POST", "/rematch", None),
    "events": ("GET", "/events", None),
    "transcript": ("GET", "/transcript", None),
    "delete": ("DELETE", "", None),
}
SEAT = {"read": 200, "legal-moves": 200, "move": 403, "log": 200, "seat": 401, "renewal": 403, "commitments": 403,
        "seeds": 403, "ticket": 201, "rematch": 409, "events": 200, "transcript": 403, "delete": 403}  # fmt: skip
ALLOWED_CALLS = {
    "host": SEAT | {"move": 201, "renewal": 201, "transcript": 200, "delete": 204},
    "seat-0": SEAT | {"move": 201},
    "seat-1": SEAT | {"renewal": 201},
    "seat-2": SEAT,
}
SPECTATOR = dict.fromkeys(SEAT, 401) | {"read": 200, "legal-moves": 200, "log": 200, "events": 200, "transcript": 403}
STRANGERS = ("none", "junk", "empty", "basic", "forged", "promoted", "other host", "other seat")
KINDS_OF_SESSION = ("private", "public", "deleted", "expired", "never opened")


@pytest.fixture
def short_lived(store_url: str) -> FlaskClient:
    """A client of a service whose sessions expire after 0.05 seconds."""
    return service_client(store_url, session_hours=0.05 / 3600)


def session_of(kind: str, client: FlaskClient, short_lived: FlaskClient) -> SessionClient:
    """Open a session and bring it to this kind, one of `KINDS_OF_SESSION`."""
    table = open_session(short_lived if kind == "expired" else client, "twins", public=kind == "public")
    if kind == "deleted":
        table.delete("host")
    elif kind == "expired":
        until(lambda: table.get("host").status_code == 404)
    elif kind == "never opened":
        table.id = table.id[::-1]
    return table


def authorization(holder: str, table: SessionClient, other: SessionClient) -> str | None:
    """Return the `Authorization` header of a stranger or a bearer."""
    seat = table.tokens["seat-0"]
    strange = {
        "none": None,
        "junk": "Bearer junk",
        "empty": "Bearer ",
        "basic": f"Basic {seat}",
        "forged": f"Bearer {seat[:-1]}{'A' if seat[-1] != 'A' else 'B'}",
        "promoted": f"Bearer {seat.replace('seat-0', 'host')}",
        "other host": f"Bearer {other.tokens['host']}",
        "other seat": f"Bearer {other.tokens['seat-0']}",
    }
    return strange[holder] if holder in strange else f"Bearer {table.tokens[holder]}"


def expected(kind: str, holder: str, call: str) -> int:
    """Return the status that the table of permissions has for a call by this holder in a session of this kind."""
    if kind == "never opened" or call == "seat":  # a seat is taken with its invite alone
        return 401
    if holder in ALLOWED_CALLS:
        return ALLOWED_CALLS[holder][call] if kind in {"private", "public"} else 404
    return SPECTATOR[call] if (kind, holder) == ("public", "none") else 401


def ask(table: SessionClient, call: str, header: str | None) -> TestResponse:
    """Make a call with this `Authorization` header, or without one."""
    method, path, body = CALLS[call]
    headers = {} if header is None else {"Authorization": header}
    arguments = {} if body is None else {"json": body}
    response = table.client.open(table.path + path, method=method, headers=headers, **arguments)
    response.close()
    return response


def test_every_token_may_do_exactly_what_the_table_of_permissions_says(
    client: FlaskClient, short_lived: FlaskClient
) -> None:
    other = open_session(client, "twins")
    wrong = []
    tables = {kind: session_of(kind, client, short_lived) for kind in KINDS_OF_SESSION}
    for kind, holder, call in product(KINDS_OF_SESSION, (*ALLOWED_CALLS, *STRANGERS), CALLS):
        if call in CHANGING_CALLS and expected(kind, holder, call) in {201, 204}:  # it succeeds only in a fresh session
            tables[kind] = session_of(kind, client, short_lived)
        status = ask(tables[kind], call, authorization(holder, tables[kind], other)).status_code
        if status != expected(kind, holder, call):
            wrong.append((kind, holder, call, status))
        if status in {201, 204} and call in CHANGING_CALLS:  # the session has changed
            tables[kind] = session_of(kind, client, short_lived)
    assert wrong == []


def test_a_refusal_does_not_reveal_whether_the_session_exists(client: FlaskClient) -> None:
    table, other = (open_session(client, "twins") for _ in range(2))
    nowhere = SessionClient(client, "f" * 32, "twins", dict(table.tokens))
    for holder, call in product(STRANGERS, CALLS):
        refusals = [ask(each, call, authorization(holder, table, other)) for each in (table, nowhere)]
        for each in refusals:
            del each.headers["X-Request-ID"]
            assert (problem(each), each.headers["WWW-Authenticate"]) == ((401, "unauthorized"), "Bearer")
        first, second = [(each.get_data(), [*each.headers]) for each in refusals]
        assert first == second


@pytest.mark.parametrize("name", ["x", "../etc", "%00", "0" * 31, "G" * 32, "é", "0" * 5000])
def test_a_malformed_session_id_is_refused_like_an_unknown_one(client: FlaskClient, name: str) -> None:
    assert client.get(f"/sessions/{name}").status_code in {401, 404}


def test_without_a_token_a_private_session_is_not_even_decoded(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a session that is there takes longer, is settled by strangers, and answers 503 if it is damaged."""
    table = open_session(client, "twins")
    monkeypatch.setattr(SessionRecord, "read", Mock(side_effect=Unreadable))
    for call in ("", "/legal-moves", "/moves", "/transcript", "/events"):
        assert problem(table.get("spectator", call)) == (401, "unauthorized")


def test_a_name_cannot_make_a_session_public(client: FlaskClient) -> None:
    table = open_session(client, "twins", names=['"public":true', "b", "c"])
    assert may_be_public(b'{"public":true}')
    assert problem(table.get("spectator")) == (401, "unauthorized")
