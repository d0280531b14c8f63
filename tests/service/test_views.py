"""`views` of a resolution: each player's view is the same as in `/view` and in a session."""

import random
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service.seeds import Vector
from tests.conformance import vectors
from tests.service.sessions.tables import GAMES, open_session, seat_counts, with_house_deck

LEGAL = [each for each in vectors() if each.call == "resolve" and each.response["status"] == 200]


def seats_of(game: str, state: Any) -> int:
    """The number of seats of a state, which has a zone with a part for each."""
    return next(len(state[name]) for name in ("hands", "piles", "chips") if name in state)


def post_successfully(client: FlaskClient, path: str, body: Any) -> Any:
    """Post a body, and return the answer, which has to be 200."""
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return answer.get_json()


@pytest.mark.parametrize("vector", LEGAL, ids=[each.id for each in LEGAL])
def test_each_view_is_what_the_call_view_returns_for_the_resulting_state(client: FlaskClient, vector: Vector) -> None:
    body = {name: value for name, value in vector.request["body"].items() if name not in ("compare", "views")}
    path = vector.request["path"]
    plain = post_successfully(client, path, body)
    viewers = [*range(seats_of(vector.game, plain["state"])), None]
    answer = post_successfully(client, path, body | {"views": viewers})
    views = answer.pop("views")
    assert answer == plain, "asking for views changes nothing else"
    assert [view["seat"] for view in views] == viewers
    for view in views:
        posted = {"game": vector.game, "state": plain["state"], "seat": view["seat"]}
        assert view["state"] == post_successfully(client, "/view", posted)["state"]
        events = [(event["move"], event["rule"], event["code"]) for event in view["events"]]
        assert events == [(event["move"], event["rule"], event["code"]) for event in plain["events"]]


@pytest.mark.parametrize("game", GAMES)
def test_each_view_is_what_a_session_shows_that_seat(client: FlaskClient, game: str) -> None:
    dice = random.Random(game)
    for seats in seat_counts(game)[:2]:
        table = open_session(client, game, seats, public=True)
        viewers = [*range(seats), None]
        for version in range(1, 40):
            before = table.get("host").get_json()["state"]
            move = table.choose(dice)
            if move is None or move["type"] == engines.registry()[game].deal_name:
                break
            body = {"game": game, "state": before, "moves": [move], "views": viewers}
            views = post_successfully(client, "/resolve", body)["views"]
            assert table.move("host", move).status_code == 201
            for seat, view in zip(viewers, views, strict=True):
                bearer = "spectator" if seat is None else f"seat-{seat}"
                assert view["state"] == with_house_deck(game, table.get(bearer).get_json()["state"])
                (entry,) = table.get(bearer, f"/moves?after={version - 1}").get_json()["entries"]
                assert view["events"] == entry["events"]


def test_a_view_shows_an_event_by_the_table_after_its_own_move(client: FlaskClient) -> None:
    hands = [["blue-1", "blue-2"], ["pink-1", "pink-2"], ["green-1", "green-2"]]
    state = {"phase": "trick", "trick": 4, "chips": [12, 12, 12], "pot": 0, "hands": hands}
    plays = [{"type": "play", "seat": seat, "cards": cards} for seat, cards in enumerate(hands)]
    body = {"game": "twins", "state": state, "moves": plays[:2], "views": [0, 1, None]}
    views = post_successfully(client, "/resolve", body)["views"]
    assert [view["state"]["plays"] for view in views] == [
        [hands[0], [None, None], None],
        [[None, None], hands[1], None],
        [[None, None], [None, None], None],
    ]


@pytest.mark.parametrize(
    ("views", "status", "pointer"),
    [([0, 0], 400, "/views/1"), ([None, None], 400, "/views/1"), ([6], 400, "/views/0"), (["0"], 400, "/views/0"),
     (0, 400, "/views"), ([1, 3], 422, "/views/1")],
)  # fmt: skip
def test_each_view_names_a_seat_of_the_table_once(client: FlaskClient, views: Any, status: int, pointer: str) -> None:
    state = {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0}
    answer = client.post("/resolve", json={"game": "twins", "state": state, "moves": [], "views": views})
    assert answer.status_code == status
    problem = answer.get_json()
    named = problem["errors"][0]["pointer"] if status == 400 else problem["faults"][0]["pointers"][0]
    assert named == pointer


def test_an_entry_of_a_batch_may_ask_for_views(client: FlaskClient) -> None:
    body = {"state": {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0}, "moves": [], "views": [None]}
    answer = post_successfully(client, "/batch", {"requests": [{"path": "/games/twins/resolve", "body": body}]})
    assert [view["seat"] for view in answer["responses"][0]["body"]["views"]] == [None]
