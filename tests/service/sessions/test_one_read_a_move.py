"""`GET /sessions/{id}?legal_moves=true`: the table and the bearer's moves in one answer, with an ETag of its own."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.service.sessions.tables import GAMES, SessionClient, open_session

WITH_LEGAL_MOVES = "?legal_moves=true"


def get(table: SessionClient, bearer: str, call: str, language: str, **more: str) -> Any:
    """Read a session in a language."""
    headers = {"Accept-Language": language} | {name.replace("_", "-"): value for name, value in more.items()}
    return table.client.get(table.path + call, headers=table.headers(bearer, headers))


@pytest.mark.parametrize("host", ["sees-all", "blind"])
@pytest.mark.parametrize("game", GAMES)
def test_every_bearer_gets_its_legal_moves_with_the_table(client: FlaskClient, game: str, host: str) -> None:
    table = open_session(client, game, public=True, host=host)
    for _ in range(3):
        for bearer in table.bearers:
            legal = get(table, bearer, "/legal-moves", "it").get_json()
            session = get(table, bearer, WITH_LEGAL_MOVES, "it").get_json()
            assert session.pop("legal_moves") == {"moves": legal["moves"], "complete": legal["complete"]}
            assert session == get(table, bearer, "", "it").get_json()
        acting = [
            each
            for each in table.tokens
            if each != "host" and get(table, each, WITH_LEGAL_MOVES, "en").get_json()["legal_moves"]["moves"]
        ]
        move = get(table, acting[0], WITH_LEGAL_MOVES, "en").get_json()["legal_moves"]["moves"][0]["move"]
        assert table.move(acting[0], move).status_code == 201


def test_a_spectator_and_a_table_before_its_deal_have_no_moves(client: FlaskClient) -> None:
    table = open_session(client, "twins", public=True, fair="joint")
    for bearer in table.bearers:
        assert get(table, bearer, WITH_LEGAL_MOVES, "en").get_json()["legal_moves"] == {"moves": [], "complete": True}


def test_the_tag_tells_languages_and_the_parameter_apart(client: FlaskClient) -> None:
    table = open_session(client, "twins")
    plain, english, italian = (
        get(table, "seat-0", call, language)
        for call, language in (("", "en"), (WITH_LEGAL_MOVES, "en"), (WITH_LEGAL_MOVES, "it"))
    )
    tags = [each.headers["ETag"] for each in (plain, english, italian)]
    assert tags == [tags[0], f'{tags[0][:-1]}-en"', f'{tags[0][:-1]}-it"']
    assert italian.headers["Content-Language"] == "it"
    assert {"Accept-Language", "Authorization"} <= set(italian.headers["Vary"].replace(" ", "").split(","))
    again = [
        get(table, "seat-0", WITH_LEGAL_MOVES, language, If_None_Match=tag).status_code
        for language, tag in (("it", tags[2]), ("it", tags[1]), ("it", tags[0]), ("en", tags[1]))
    ]
    assert again == [304, 200, 200, 304]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_if_match_takes_the_tag_of_any_language(client: FlaskClient, number: int) -> None:
    table = open_session(client, "twins")
    answers = [get(table, "seat-0", call, "fr") for call in ("", WITH_LEGAL_MOVES, "/legal-moves")]
    move = answers[1].get_json()["legal_moves"]["moves"][0]["move"]
    assert table.move("seat-0", move, If_Match=answers[number].headers["ETag"]).status_code == 201


@pytest.mark.parametrize("value", ["", "1", "True", "null"])
def test_the_parameter_legal_moves_is_true_or_false(client: FlaskClient, value: str) -> None:
    answer = open_session(client, "twins").get("seat-0", f"?legal_moves={value}")
    assert answer.status_code == 400
    assert [each["parameter"] for each in answer.get_json()["errors"]] == ["legal_moves"]


def test_a_read_without_the_parameter_has_no_legal_moves(client: FlaskClient) -> None:
    table = open_session(client, "twins")
    assert ["legal_moves" in table.get("seat-0", call).get_json() for call in ("", "?legal_moves=false")] == [False] * 2


def test_a_deal_that_is_listed_in_a_session_takes_neither_a_seed_nor_a_deck(client: FlaskClient) -> None:
    table = open_session(client, "take-that", seats=2, ruleset={"name": "standard"})
    listed: list[Any] = []
    while not any(each["move"]["type"] == "deal" for each in listed):
        listed = get(table, "host", WITH_LEGAL_MOVES, "en").get_json()["legal_moves"]["moves"]
        table.move("host", next((each for each in listed if each["move"]["type"] != "lay"), listed[0])["move"])
    assert [each["facts"] for each in listed] == [{}]
