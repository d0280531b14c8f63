"""The playground's files, and which vectors it shows."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

import engines
from tests.conformance.vectors import vectors


def test_the_page_may_load_nothing_from_elsewhere(client: FlaskClient) -> None:
    policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
    with client.get("/") as page:
        assert page.headers["Content-Security-Policy"] == policy


@pytest.mark.parametrize("file", ["playground.js", "words.js", "playground.css", "icon.svg"])
def test_its_files_are_served(client: FlaskClient, file: str) -> None:
    with client.get(f"/playground/{file}") as answer:
        assert answer.status_code == 200


def test_nothing_else_of_the_machine_is_served(client: FlaskClient) -> None:
    assert client.get("/playground/../config.py").status_code == 404


@pytest.mark.parametrize("game", engines.registry())
def test_examples_are_vectors_of_the_game(client: FlaskClient, game: str) -> None:
    known = {vector.id: vector.why for vector in vectors()}
    shown = client.get(f"/playground/examples/{game}.json").json
    assert [known[each["id"]] for each in shown] == [each["why"] for each in shown]


@pytest.mark.parametrize("game", sorted({vector.request["body"].get("game") for vector in vectors()} - {None}))
def test_a_legal_resolution_is_shown_and_then_one_that_is_not(client: FlaskClient, game: str) -> None:
    first, second, *_ = client.get(f"/playground/examples/{game}.json").json
    answers = [client.post(f"/games/{game}/{each['call']}", json=each["body"]).json for each in (first, second)]
    assert [answer["legal"] for answer in answers] == [True, False]


def test_a_game_that_is_not_refereed_has_no_examples(client: FlaskClient) -> None:
    assert client.get("/playground/examples/whist.json").json["type"] == "/problems/not-found"
