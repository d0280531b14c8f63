"""The legal moves in the answer of `/resolve` and in its views: a game needs one call a move."""

import random
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service.contract import codecs
from tests.engines.games import random_game
from tests.service.test_move_texts import post_to_game

GAMES = list(engines.registry())


def listing(answer: Any) -> Any:
    """Return the list of moves in an answer, and whether it is complete."""
    return {name: answer[name] for name in ("moves", "complete")}


def every_seventh_table(game: str) -> list[tuple[Any, Any, int]]:
    """Every seventh table of a random game, and the move made there, as JSON; and how many seats it has."""
    engine = engines.registry()[game]
    codec = codecs(engine)
    turns = list(random_game(engine, random.Random(3), 60))[::7]
    return [(codec.state.dump(turn.before), codec.move.dump(turn.move), engine.seats_of(turn.before)) for turn in turns]


@pytest.mark.parametrize("game", GAMES)
def test_the_answer_lists_what_legal_moves_lists_of_its_state(client: FlaskClient, game: str) -> None:
    for state, move, _seats in every_seventh_table(game):
        answer = post_to_game(client, "resolve", game, {"state": state, "moves": [move], "legal_moves": True}, "fr")
        listed = post_to_game(client, "legal-moves", game, {"state": answer["state"]}, "fr")
        assert answer["legal_moves"] == listing(listed)


def names_no_other_seat(move: Any, seat: int) -> bool:
    """Whether a move names no seat but this one."""
    if isinstance(move, dict):
        return all(
            each in (None, seat) if name == "seat" else names_no_other_seat(each, seat) for name, each in move.items()
        )
    return all(names_no_other_seat(each, seat) for each in move) if isinstance(move, list) else True


@pytest.mark.parametrize("game", GAMES)
def test_each_view_lists_what_its_seat_could_post_in_a_session(client: FlaskClient, game: str) -> None:
    for state, move, seats in every_seventh_table(game):
        views = [None, *range(seats)]
        body = {"state": state, "moves": [move], "views": views, "legal_moves": True}
        spectator, *others = post_to_game(client, "resolve", game, body)["views"]
        assert spectator["legal_moves"] == {"moves": [], "complete": True}
        for view in others:
            own = post_to_game(client, "legal-moves", game, {"state": view["state"], "seat": view["seat"]})["moves"]
            all_of_them = post_to_game(client, "legal-moves", game, {"state": view["state"]})["moves"]
            of_the_table = [each for each in all_of_them if each["move"].get("seat") is None and each not in own]
            may = [each for each in (*own, *of_the_table) if names_no_other_seat(each["move"], view["seat"])]
            assert view["legal_moves"]["moves"] == may


BUYING = {"phase": "buying", "chips": [12, 12, 12], "pot": 0, "dealer": 2, "bought": [None, None, None]}
UNDETERMINED = {"phase": "draw", "turn": 0, "hands": [[None] * 10, [None] * 10]}


def test_after_an_illegal_move_the_moves_are_those_of_the_state_that_is_shown(client: FlaskClient) -> None:
    moves = [{"type": "buy", "seat": 0, "count": 1}, {"type": "buy", "seat": 0, "count": 1}]
    answer = post_to_game(
        client, "resolve", "twins", {"state": BUYING, "moves": moves, "views": [1], "legal_moves": True}
    )
    assert (answer["legal"], answer["applied"]) == (False, 1)
    for listed in (answer["legal_moves"], answer["views"][0]["legal_moves"]):
        assert [each["move"]["seat"] for each in listed["moves"]] == [1, 1, 1]


def test_after_an_undetermined_move_the_moves_are_those_of_the_state_that_is_shown(client: FlaskClient) -> None:
    hands = [["blue-1", "blue-2"], ["pink-1", "pink-2"], [None, None]]
    state = {
        "phase": "trick",
        "trick": 4,
        "chips": [12, 12, 12],
        "pot": 0,
        "hands": hands,
        "plays": [None, None, [None, None]],
    }
    moves = [{"type": "play", "seat": seat, "cards": hands[seat]} for seat in (0, 1)]
    answer = post_to_game(client, "resolve", "twins", {"state": state, "moves": moves, "legal_moves": True})
    assert (answer["undetermined"] is not None, answer["applied"]) == (True, 1)
    assert [each["move"]["seat"] for each in answer["legal_moves"]["moves"]] == [1]


@pytest.mark.parametrize("body", [{}, {"legal_moves": False}])
def test_resolve_lists_no_moves_unless_legal_moves_is_true(client: FlaskClient, body: Any) -> None:
    answer = post_to_game(client, "resolve", "twins", {"state": BUYING, "moves": [], "views": [0], **body})
    assert "legal_moves" not in answer
    assert "legal_moves" not in answer["views"][0]


@pytest.mark.parametrize("value", [None, 1, "true", []])
def test_the_member_legal_moves_is_true_or_false(client: FlaskClient, value: Any) -> None:
    answer = client.post("/games/twins/resolve", json={"state": BUYING, "moves": [], "legal_moves": value})
    assert (answer.status_code, answer.get_json()["errors"][0]["pointer"]) == (400, "/legal_moves")


def count_calls_of_a_game(client: FlaskClient, *, listed_by_resolve: bool) -> tuple[int, int]:
    """The calls for a random game of Twins after its deal, and its moves. `together`: the resolution lists moves."""
    dice, calls, moves = random.Random(1), 0, 0
    state = post_to_game(client, "deal", "twins", {"seats": 3, "seed": "rain"})["state"]
    listed: Any = None
    while True:
        if listed is None:
            listed = post_to_game(client, "legal-moves", "twins", {"state": state})["moves"]
            calls += 1
        move = dice.choice(listed)["move"]
        body = {"state": state, "moves": [move | ({"seed": str(moves)} if move["type"] == "deal" else {})]}
        answer = post_to_game(client, "resolve", "twins", body | ({"legal_moves": True} if listed_by_resolve else {}))
        calls, moves, state = calls + 1, moves + 1, answer["state"]
        if answer["result"] is not None:
            return calls, moves
        listed = answer["legal_moves"]["moves"] if listed_by_resolve else None


def test_a_whole_game_takes_one_call_a_move_where_it_took_two(client: FlaskClient) -> None:
    calls, moves = count_calls_of_a_game(client, listed_by_resolve=False)
    assert (calls, moves > 30) == (2 * moves, True)
    assert count_calls_of_a_game(client, listed_by_resolve=True) == (moves + 1, moves), (
        "the first moves are asked for once"
    )
