"""Tables that a worker knows: who posts one again gets the same answer, and only tables without faults are known."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from engines.core import judge
from service import seeds
from service.conformance import Vector, vectors_in
from service.contract import codecs
from service.judging import tables
from service.judging.referee import Referee
from service.judging.tables import Tables
from service.web import strict_json

GAMES = list(engines.registry())
POT: dict[str, Any] = {"phase": "buying", "chips": [12, 12, 11], "pot": 1, "dealer": 2, "bought": [1, None, None]}
PASS: dict[str, Any] = {"type": "buy", "seat": 1, "count": 0}
every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Yet, by the worker that is asked."""
    monkeypatch.setattr(tables, "KNOWN", Tables())


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The tables that were searched for contradictions."""
    searched: list[Any] = []
    audit = judge.audit

    def noted(engine: Any, state: Any) -> Any:
        searched.append(state)
        return audit(engine, state)

    monkeypatch.setattr(judge, "audit", noted)
    return searched


def of_tables(game: str) -> list[Vector]:
    """The vectors of a game that bring a table."""
    brought = vectors_in(seeds.folder(engines.registry()[game]))
    return [each for each in brought if "state" in (each.request.get("body") or {})]


def asked(client: FlaskClient, call: str, body: Any, language: str = "en") -> tuple[int, Any]:
    answer = client.post(f"/{call}", json={"game": "twins", **body}, headers={"Accept-Language": language})
    return answer.status_code, answer.get_json()


@every_game
def test_whoever_asks_again_gets_the_same_answer(client: FlaskClient, game: str, read: list[Any]) -> None:
    differing, again = [], 0
    for vector in of_tables(game):
        sent = {"data": vector.content, "headers": vector.headers}
        first, before = client.post(vector.request["path"], **sent), len(read)
        second = client.post(vector.request["path"], **sent)
        again += first.status_code == 200 and len(read) == before
        if (first.status_code, first.data) != (second.status_code, second.data):
            differing.append(vector.id)
    assert differing == []
    assert again > 20, "most of these tables are known when they come again"


@every_game
def test_what_legal_moves_make_of_a_table_without_faults_has_none_and_is_read_as_it_was_written(game: str) -> None:
    engine = engines.registry()[game]
    referee, codec = Referee(engine, "en"), codecs(engine).state
    answered = 0
    for vector in of_tables(game):
        if vector.response["status"] != 200 or vector.call == "audit":
            continue
        state = referee.table(codec.load(vector.request["body"]["state"]))
        for move in judge.legal_moves(engine, state)[0][:20]:
            after = judge.resolve(engine, state, [move])
            if after.applied:
                written = strict_json.loads(strict_json.dumps(codec.dump(after.state)))
                assert referee.table(codec.load(written)) == after.state, vector.id
                answered += 1
    assert answered > 100


@pytest.mark.parametrize(
    ("call", "rest"),
    [
        ("resolve", {"moves": []}),
        ("validate", {"move": PASS}),
        ("legal-moves", {}),
        ("view", {"seat": 0}),
    ],
)
def test_a_table_that_was_posted_is_searched_once(
    client: FlaskClient, read: list[Any], call: str, rest: dict[str, Any]
) -> None:
    assert asked(client, call, {"state": POT, **rest}) == asked(client, call, {"state": POT, **rest})
    assert len(read) == 1


def test_what_was_answered_is_not_searched_when_it_is_posted(client: FlaskClient, read: list[Any]) -> None:
    _, opened = asked(client, "deal", {"seats": 3, "seed": "a seed"})
    seat = opened["to_act"][0]
    buys = {"type": "buy", "seat": seat, "count": 0}
    _, bought = asked(client, "resolve", {"state": opened["state"], "moves": [buys]})
    status, answer = asked(client, "legal-moves", {"state": bought["state"]})
    assert (status, answer["to_act"]) == (200, [(seat + 1) % 3])
    assert read == []


def test_a_table_of_one_game_is_none_of_another(client: FlaskClient) -> None:
    assert asked(client, "legal-moves", {"state": POT})[0] == 200
    assert asked(client, "legal-moves", {"state": POT, "game": "gin-rummy"})[0] == 400
    assert client.post("/games/twins/legal-moves", json={"state": POT}).status_code == 200
    assert client.post("/games/take-that/legal-moves", json={"state": POT}).status_code == 400


@pytest.mark.parametrize("game", [None, 7, ["twins"], {"twins": 1}, "bridge"])
def test_a_table_of_no_game_is_refused_as_ever(client: FlaskClient, game: Any) -> None:
    assert asked(client, "legal-moves", {"state": POT})[0] == 200
    status, problem = asked(client, "legal-moves", {"state": POT, "game": game})
    assert (status, problem["errors"][0]["pointer"]) == (400, "/game")


def test_faults_are_told_as_often_as_they_are_posted(client: FlaskClient) -> None:
    faulty = {"state": POT | {"pot": 2}, "moves": []}
    first = asked(client, "resolve", faulty)
    assert first[0] == 422
    assert asked(client, "resolve", faulty) == first


def test_an_audit_says_what_it_said_of_a_table_that_is_known(client: FlaskClient, read: list[Any]) -> None:
    before = asked(client, "audit", {"state": POT})
    asked(client, "resolve", {"state": POT, "moves": []})
    assert asked(client, "audit", {"state": POT}) == before
    assert len(read) == 3


def test_names_are_counted_at_a_table_that_is_known(client: FlaskClient) -> None:
    named = {"state": POT, "moves": [PASS | {"seat": 0}], "names": ["Anna", "Bob", "Carla"]}
    assert asked(client, "resolve", {**named, "names": ["Anna"]})[0] == 400
    _, nameless = asked(client, "resolve", {"state": POT, "moves": named["moves"]})
    _, with_names = asked(client, "resolve", named)
    assert "Anna" not in nameless["violations"][0]["text"]
    assert "Anna" in with_names["violations"][0]["text"]
    status, problem = asked(client, "resolve", {**named, "names": ["Anna", "Bob"]})
    assert (status, problem["errors"][0]["pointer"]) == (400, "/names")


def test_a_known_table_is_judged_in_the_language_of_each_reader(client: FlaskClient) -> None:
    wrong = {"state": POT, "moves": [PASS | {"seat": 0}]}
    said = [asked(client, "resolve", wrong, language)[1]["violations"][0]["text"] for language in ("en", "it", "en")]
    assert said[0] == said[2] != said[1]


def test_what_else_is_wrong_with_a_body_is_told_beside_a_known_table(client: FlaskClient) -> None:
    wrong = {"state": POT, "moves": [PASS | {"count": 9}, PASS | {"seat": 1.5}], "more": 1}
    first = asked(client, "resolve", wrong)
    assert asked(client, "resolve", {"state": POT, "moves": []})[0] == 200
    assert first[0] == 400
    assert asked(client, "resolve", wrong) == first


def test_a_move_that_only_marshmallow_takes_is_taken_beside_a_known_table(client: FlaskClient, read: list[Any]) -> None:
    with_floats = {"state": POT, "moves": [PASS | {"count": 0.0}]}
    first = asked(client, "resolve", with_floats)
    assert first[0] == 200
    assert asked(client, "resolve", with_floats) == first
    assert len(read) == 1


def test_numbers_that_are_equal_but_not_the_same_json_are_told_apart(client: FlaskClient) -> None:
    assert asked(client, "resolve", {"state": POT, "moves": []})[0] == 200
    assert asked(client, "resolve", {"state": POT | {"pot": True}, "moves": []})[0] == 400


def test_every_entry_of_a_batch_finds_what_the_first_one_posted(client: FlaskClient, read: list[Any]) -> None:
    entry = {"path": "/validate", "body": {"game": "twins", "state": POT, "move": PASS}}
    answers = client.post("/batch", json={"requests": [entry] * 5}).get_json()["responses"]
    assert [each["status"] for each in answers] == [200] * 5
    assert len(read) == 1


def test_those_that_were_not_asked_for_the_longest_make_room() -> None:
    each = tables.key("twins", "x" * 8)
    few = Tables(room=32 * len(each[1]))
    keys = [tables.key("twins", f"{number:08}") for number in range(33)]
    for key in keys[:32]:
        few.keep(key, key)
    assert few.find(keys[0]) == keys[0], "so it is asked for last"
    few.keep(keys[32], keys[32])
    assert [key for key in keys if few.find(key) is None] == [keys[1]]


def test_a_table_that_would_drive_out_many_is_not_kept() -> None:
    few = Tables(room=320)
    small, large = tables.key("twins", "x" * 8), tables.key("twins", "x" * 9)
    few.keep(small, "small")
    few.keep(large, "large")
    assert (few.find(small), few.find(large)) == ("small", None)
