"""Seats that are taken by invite, and renewed tokens."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.sessions import changes
from tests.service.sessions.tables import SECRET, SessionClient, open_session

PASS = {"type": "pass", "seat": 0}


@pytest.fixture
def party(client: FlaskClient) -> SessionClient:
    """A table whose blind host has the invites; nobody has taken a seat."""
    return open_session(client, "gin-rummy", host="blind", invite=True)


def take(table: SessionClient, seat: Any, invite: Any, **headers: str) -> TestResponse:
    """Take a seat with an invite, as a client without a token."""
    return table.post("nobody", f"/seats/{seat}", {"invite": invite}, **headers)


def test_an_invite_is_exchanged_for_a_token_that_reads_and_plays_with_the_etag_of_the_answer(
    party: SessionClient,
) -> None:
    assert party.bearers == ["host", "spectator"]
    assert len(set(party.invites)) == 2
    for seat, invite in enumerate(party.invites):
        answer = take(party, seat, invite)
        assert (answer.status_code, set(answer.get_json())) == (201, {"token"})
        party.tokens[f"seat-{seat}"] = answer.get_json()["token"]
        seen = party.get(f"seat-{seat}")
        assert answer.headers["ETag"] == seen.headers["ETag"]
        assert None not in seen.get_json()["state"]["hands"][seat]
    assert party.move("seat-0", PASS, If_Match=party.get("seat-0").headers["ETag"]).status_code == 201


def test_only_one_of_several_simultaneous_requests_takes_the_seat(party: SessionClient) -> None:
    with ThreadPoolExecutor(4) as pool:
        keys = [f"the-key-of-guest-{number}" for number in range(4)]
        answers = list(pool.map(lambda key: take(party, 0, party.invites[0], Idempotency_Key=key), keys))
    assert sorted(each.status_code for each in answers) == [201, 409, 409, 409]


def test_the_same_key_and_invite_give_the_same_token_again(party: SessionClient) -> None:
    first, second = (take(party, 0, party.invites[0], Idempotency_Key=SECRET) for _ in range(2))
    assert (first.status_code, first.get_data()) == (201, second.get_data())


def test_a_wrong_invite_takes_no_seat(client: FlaskClient, party: SessionClient) -> None:
    other = open_session(client, "gin-rummy", invite=True)
    wrong = ["x", party.invites[1], other.invites[0], party.tokens["host"], party.invites[0][:-1] + "!"]
    refusals = [take(party, 0, invite) for invite in wrong]
    refusals += [take(party, seat, party.invites[0]) for seat in (2, -1, "x", "00")]
    assert {each.status_code for each in refusals} == {401}
    assert len({each.get_data() for each in refusals}) == 1
    assert take(party, 0, party.invites[0]).status_code == 201


def test_an_invite_is_no_token(party: SessionClient) -> None:
    party.tokens["invited"] = party.invites[0]
    for answer in (party.get("invited"), party.move("invited", PASS), party.post("invited", "/tokens", {})):
        assert answer.status_code == 401


@pytest.mark.parametrize("invite", [None, 1, "", "x" * 201])
def test_a_malformed_invite_is_refused(party: SessionClient, invite: Any) -> None:
    assert take(party, 0, invite).status_code == 400


def test_an_invite_to_a_deleted_session_is_answered_404(party: SessionClient) -> None:
    party.delete("host")
    assert take(party, 0, party.invites[0]).status_code == 404


# --- renewing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("bearer", ["host", "seat-0"])
def test_a_new_token_invalidates_the_old_one(table: SessionClient, bearer: str) -> None:
    table.tokens["old"] = table.tokens[bearer]
    table.tokens[bearer] = table.post(bearer, "/tokens", {}).get_json()["token"]
    refusals = [table.get("old"), table.move("old", PASS), table.post("old", "/tokens", {}), table.delete("old")]
    assert {each.status_code for each in refusals} == {401}
    assert table.get(bearer).status_code == 200
    assert table.move(bearer, PASS).status_code == 201


def test_a_host_who_sees_all_renews_a_seats_token_again_and_again(table: SessionClient) -> None:
    for _ in range(3):
        token = table.post("host", "/tokens", {"seat": 1}).get_json()["token"]
        assert [table.get(bearer).status_code for bearer in ("host", "seat-0", "seat-1")] == [200, 200, 401]
        table.tokens["seat-1"] = token
        assert table.get("seat-1").get_json()["state"]["hands"][0][0] is None


def test_a_blind_host_renews_only_its_own_token(client: FlaskClient) -> None:
    table = open_session(client, "gin-rummy", host="blind")
    assert table.post("host", "/tokens", {"seat": 0}).status_code == 403
    assert table.post("host", "/tokens", {}).status_code == 201


@pytest.mark.parametrize(
    ("body", "pointer"),
    [([], ""), ({"seat": "0"}, "/seat"), ({"seat": 2}, "/seat"), ({"seat": 99}, "/seat"), ({"seat": -1}, "/seat"),
     ({"more": 1}, "/more")],
)  # fmt: skip
def test_a_malformed_renewal_is_refused(table: SessionClient, body: Any, pointer: str) -> None:
    refused = table.post("host", "/tokens", body)
    assert (refused.status_code, refused.get_json()["errors"][0]["pointer"]) == (400, pointer)


def test_a_renewal_whose_answer_was_lost_is_answered_again_under_its_key(table: SessionClient) -> None:
    """The renewal makes the token of its request void. Only the same request under the same key is still answered."""
    first, second = (table.post("seat-0", "/tokens", {}, Idempotency_Key=SECRET) for _ in range(2))
    assert (first.status_code, first.get_data()) == (201, second.get_data())
    assert table.post("seat-0", "/tokens", {"seat": 0}, Idempotency_Key=SECRET).status_code == 401
    assert table.post("seat-0", "/tokens", {}, Idempotency_Key=SECRET[::-1]).status_code == 401


def test_an_invalidated_token_gets_no_stored_response(table: SessionClient) -> None:
    assert table.move("seat-0", PASS, Idempotency_Key="k").status_code == 201
    assert table.post("seat-0", "/tokens", {}).status_code == 201
    assert table.move("seat-0", PASS, Idempotency_Key="k").status_code == 401


def test_a_seat_whose_token_the_host_received_counts_as_taken(client: FlaskClient) -> None:
    table = open_session(client, "gin-rummy", invite=True)
    assert table.post("host", "/tokens", {"seat": 0}).status_code == 201
    assert take(table, 0, table.invites[0]).status_code == 409


def test_the_number_of_renewals_is_limited(table: SessionClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "RENEWALS", 2)
    statuses = []
    for _ in range(3):
        answer = table.post("seat-0", "/tokens", {})
        statuses.append(answer.status_code)
        table.tokens["seat-0"] = answer.get_json().get("token")
    assert statuses == [201, 201, 409]
    assert table.post("seat-1", "/tokens", {}).status_code == 201


@pytest.mark.parametrize("call", ["/seats/0", "/tokens"])
def test_a_key_that_others_could_guess_is_refused_where_the_answer_has_a_token(party: SessionClient, call: str) -> None:
    body = {"invite": party.invites[0]} if call.startswith("/seats") else {}
    short, long = (party.post("host", call, body, Idempotency_Key="k" * length) for length in (15, 16))
    assert (short.status_code, long.status_code) == (400, 201)
    assert short.get_json()["errors"][0]["detail"] == "An Idempotency-Key has 16 to 255 characters."
