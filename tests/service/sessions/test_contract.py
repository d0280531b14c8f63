"""The answers of sessions follow the published contract."""

import random
from typing import Any

import pytest
from flask.testing import FlaskClient

from engines.core.shuffle import commitment
from tests.service import test_openapi
from tests.service.sessions.tables import GAMES, SessionClient, fewest_seats, open_session

pytestmark = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)


def faults(path: str, method: str, response: Any) -> list[str]:
    """Return where an answer departs from the contract."""
    return test_openapi.departures_from_contract(f"/sessions{path}", method, response)


READ_CALLS = {"": "/{session_id}", "/legal-moves": "/{session_id}/legal-moves", "/moves": "/{session_id}/moves",
         "/transcript": "/{session_id}/transcript"}  # fmt: skip


def read_faults(table: SessionClient) -> list[str]:
    """Return where the answers to reads of all bearers depart from the contract."""
    return [
        fault
        for bearer in table.bearers
        for call, path in READ_CALLS.items()
        for fault in faults(path, "get", table.get(bearer, call))
    ]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("fair", ["committed", "joint"])
def test_a_game_keeps_the_contract(client: FlaskClient, game: str, fair: str) -> None:
    body = {"game": game, "seats": fewest_seats(game), "fair": fair, "public": True}
    for invite in (False, True):
        assert faults("", "post", client.post("/sessions", json=body | {"invite": invite})) == []
    table = open_session(client, game, fair=fair, public=True)
    assert read_faults(table) == []
    changes = {"commitments": {"commitment": commitment("rain")}, "seeds": {"seed": "rain"}}
    for call, change in changes.items() if fair == "joint" else ():
        for seat in range(table.seats):
            assert faults(f"/{{session_id}}/{call}", "post", table.post(f"seat-{seat}", f"/{call}", change)) == []
            assert read_faults(table) == []
    dice = random.Random(game)
    for _ in range(5):
        assert faults("/{session_id}/moves", "post", table.move("host", table.choose(dice))) == []
        assert read_faults(table) == []


def test_refusals_keep_the_contract(client: FlaskClient) -> None:
    table = open_session(client, "gin-rummy")
    passed = {"type": "pass", "seat": 1}
    refusals = [
        table.move("seat-1", passed),
        table.move("seat-0", passed),
        table.move("nobody", passed),
        table.move("seat-1", passed, If_Match='"stale"'),
        table.move("seat-1", {"type": "dance"}),
        table.post("seat-1", "/moves", []),
    ]
    assert [each.status_code for each in refusals] == [422, 403, 401, 412, 400, 400]
    assert [fault for each in refusals for fault in faults("/{session_id}/moves", "post", each)] == []
    assert faults("/{session_id}/tickets", "post", table.post("seat-0", "/tickets", None)) == []
    joint = open_session(client, "gin-rummy", fair="joint")
    joint.commit("rain", "wind")
    party = open_session(client, "gin-rummy", invite=True)
    its_invite, invite_of_seat_1 = party.invites
    for status, invite in ((201, its_invite), (409, its_invite), (401, invite_of_seat_1)):
        taken = party.post("nobody", "/seats/0", {"invite": invite})
        assert (taken.status_code, faults("/{session_id}/seats/{seat}", "post", taken)) == (status, [])
    for seat, status in ((0, 201), (9, 400)):
        renewed = party.post("host", "/tokens", {"seat": seat})
        assert (renewed.status_code, faults("/{session_id}/tokens", "post", renewed)) == (status, [])
    mismatch = joint.post("seat-0", "/seeds", {"seed": "snow"})
    assert (mismatch.status_code, faults("/{session_id}/seeds", "post", mismatch)) == (422, [])
    assert faults("/{session_id}/rematch", "post", table.post("seat-0", "/rematch", None)) == []
    table.delete("host")
    assert faults("/{session_id}", "get", table.get("host")) == []


def test_a_rematch_keeps_the_contract(client: FlaskClient) -> None:
    table = open_session(client, "gin-rummy", ruleset={"name": "standard", "options": {"knock_limit": 99, "target": 1}})
    dice = random.Random(1)
    while move := table.choose_towards_the_end(dice):
        table.move("host", move)
    for bearer, status in (("seat-0", 201), ("seat-0", 200), ("host", 200), ("spectator", 401)):
        answer = table.post(bearer, "/rematch", None)
        assert (answer.status_code, faults("/{session_id}/rematch", "post", answer)) == (status, [])
    assert read_faults(table) == []
