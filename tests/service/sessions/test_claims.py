"""Twin it! in a session: who begins, who may claim, and that a flip shows everyone the same card."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.service.sessions.tables import Seated, opened

SUNS = [["sun", "b0"], ["sun", "b1"], ["sun", "b2"]]


def claim(*hands: tuple[int, str], **more: Any) -> Any:
    return {"type": "claim", "hands": [{"seat": seat, "card": card} for seat, card in hands], **more}


def tops(table: Seated) -> list[str]:
    return [pile[0] for pile in table.get("host").get_json()["state"]["piles"]]


def with_three_suns_on_top(client: FlaskClient) -> Seated:
    """Open sessions until three suns lie on top. The sides are random; one deal in eight shows three suns."""
    tables = (opened(client, "twin-it", 3, designs=SUNS) for _ in range(300))
    return next(table for table in tables if all(top.endswith("A") for top in tops(table)))


def test_the_seat_named_at_the_opening_begins(client: FlaskClient) -> None:
    """TI-1.4."""
    table = opened(client, "twin-it", 3, first=2)
    assert table.get("host").get_json()["state"]["turn"] == 2
    assert table.move("seat-0", {"type": "flip", "seat": 0}).status_code == 422
    assert table.move("seat-2", {"type": "flip", "seat": 2}).status_code == 201
    transcript = table.get("host", "/transcript").get_json()
    assert transcript["deal"]["first"] == 2


def test_only_a_seat_at_a_table_with_turns_can_begin(client: FlaskClient) -> None:
    """TI-1.4."""
    for more in ({"first": 3}, {"first": 0, "ruleset": {"name": "timed"}}):
        response = client.post("/sessions", json={"game": "twin-it", "seats": 3, **more})
        assert response.status_code == 422
        assert [fault["rule"] for fault in response.get_json()["faults"]] == ["TI-1.4"]


def test_a_seat_claims_with_its_own_hands_only(client: FlaskClient) -> None:
    """TI-3.2: a seat may also name the hand on its own top, but it has no effect."""
    table = opened(client, "twin-it", 3)
    first, second, _ = tops(table)
    own = table.move("seat-1", claim((1, second)))
    assert own.status_code == 201
    assert [(event["rule"], event["code"]) for event in own.get_json()["events"]] == [("TI-3.2", "no-effect")]
    assert [each["option"] for each in own.get_json()["contested"]] == ["own_pile_top"]
    assert table.move("seat-1", claim((1, first), (0, second))).status_code == 403


@pytest.mark.parametrize("bearer", ["host", "seat-0", "seat-2"])
def test_the_host_and_every_seat_may_make_a_claim_without_hands(client: FlaskClient, bearer: str) -> None:
    """TI-4.5."""
    table = with_three_suns_on_top(client)
    assert all(claim() in table.legal(each) for each in ("host", "seat-0", "seat-1", "seat-2"))
    turned = table.move(bearer, claim()).get_json()
    assert [event["code"] for event in turned["events"]] == ["treble", "turned", "turned", "turned", "game-over"]


def test_a_flip_shows_everyone_the_same_card(client: FlaskClient) -> None:
    """TI-2.1."""
    table = opened(client, "twin-it", 3, public=True)
    table.move("seat-0", {"type": "flip", "seat": 0})
    for bearer in table.bearers:
        (event,) = table.get(bearer, "/moves").get_json()["entries"][0]["events"]
        assert event["params"]["uncovered"] == tops(table)[0]
        assert event["params"]["card"] == table.get(bearer).get_json()["state"]["table"][0]
        assert table.get(bearer).get_json()["to_act"] == [0, 1, 2]
