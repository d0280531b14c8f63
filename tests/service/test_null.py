"""In a few members of requests null means that the member is left out."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

TABLE: dict[str, Any] = {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0}
RESOLVE: dict[str, Any] = {"game": "twins", "state": TABLE, "moves": []}
DEAL: dict[str, Any] = {"game": "twin-it", "seats": 3, "seed": "rain"}


@pytest.mark.parametrize(
    ("path", "body", "names"),
    [
        ("/resolve", RESOLVE, ["compare", "views", "names"]),
        ("/validate", {"game": "twins", "state": TABLE, "move": {"type": "deal"}}, ["names"]),
        ("/legal-moves", {"game": "twins", "state": TABLE}, ["names"]),
        ("/view", {"game": "twins", "state": TABLE, "seat": 0}, ["names"]),
        ("/audit", {"game": "twins", "state": TABLE}, ["names"]),
        ("/deal", DEAL, ["deck", "dealer", "first", "ruleset", "names"]),
        ("/games/twin-it/deal", {"seats": 3, "seed": "rain"}, ["deck", "dealer", "first", "ruleset", "names"]),
    ],
)
def test_a_member_that_is_null_is_answered_as_if_it_were_left_out(
    client: FlaskClient, path: str, body: dict[str, Any], names: list[str]
) -> None:
    plain = client.post(path, json=body)
    assert plain.status_code == 200
    for every in (names, *([name] for name in names)):
        assert client.post(path, json=body | dict.fromkeys(every)).data == plain.data


@pytest.mark.parametrize("path", ["/legal-moves", "/games/twins/legal-moves"])
def test_the_legal_moves_of_a_null_seat_are_refused(client: FlaskClient, path: str) -> None:
    game = {} if "games" in path else {"game": "twins"}
    refused = client.post(path, json={**game, "state": TABLE, "seat": None})
    (error,) = refused.get_json()["errors"]
    assert (refused.status_code, error["pointer"]) == (400, "/seat")
    assert "Leave it out instead." in error["detail"]


def test_a_null_seed_is_drawn_and_may_stand_beside_a_deck(client: FlaskClient) -> None:
    drawn = client.post("/deal", json=DEAL | {"seed": None})
    assert drawn.status_code == 200
    assert drawn.get_json()["seed"]
    dealt = {"game": "gin-rummy", "seats": 2, "deck": client.get("/games/gin-rummy").get_json()["deck"]}
    assert client.post("/deal", json=dealt | {"seed": None}).data == client.post("/deal", json=dealt).data


def test_a_session_and_an_entry_of_a_batch_take_null(client: FlaskClient) -> None:
    opening = {"game": "twin-it", "seats": 3, "dealer": None, "first": None, "ruleset": None, "names": None}
    assert client.post("/sessions", json=opening).status_code == 201
    batch = {"requests": [{"path": "/resolve", "body": RESOLVE | {"compare": None}, "id": None}]}
    (answer,) = client.post("/batch", json=batch).get_json()["responses"]
    assert (answer["status"], "id" in answer) == (200, False)
