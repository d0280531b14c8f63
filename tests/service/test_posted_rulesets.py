"""The ruleset of an answer is posted back as it is. Another version of the rules is refused."""

from typing import Any

import pytest
from flask.testing import FlaskClient

import engines

GAMES = list(engines.registry())


def deal(client: FlaskClient, game: str, **more: Any) -> Any:
    """The answer to a first deal."""
    return client.post(f"/games/{game}/deal", json={"seats": max(engines.registry()[game].seats), "seed": "s", **more})


@pytest.mark.parametrize("game", GAMES)
def test_the_ruleset_of_an_answer_is_posted_back_and_changes_nothing(client: FlaskClient, game: str) -> None:
    state = deal(client, game).get_json()["state"]
    body = {"state": state, "moves": []}
    answer = client.post(f"/games/{game}/resolve", json=body).get_json()
    used = answer["ruleset"]
    assert used["version"] == engines.registry()[game].version
    again = client.post(f"/games/{game}/resolve", json={**body, "state": {**state, "ruleset": used}})
    assert again.get_json() == answer
    assert deal(client, game, ruleset=used).get_json()["state"] == state
    session = client.post(
        "/sessions", json={"game": game, "seats": max(engines.registry()[game].seats), "ruleset": used}
    )
    assert (session.status_code, session.get_json()["ruleset"]) == (201, used)


@pytest.mark.parametrize("game", GAMES)
def test_another_version_is_refused_and_the_present_one_named(client: FlaskClient, game: str) -> None:
    version = engines.registry()[game].version
    (error,) = deal(client, game, ruleset={"version": version + 1}).get_json()["errors"]
    assert error == {
        "pointer": "/ruleset/version",
        "detail": f"This referee judges by version {version} of these rules, not by version {version + 1}: "
        "leave it out, or ask a referee that does.",
    }


def test_a_version_that_is_no_number_is_refused(client: FlaskClient) -> None:
    for version in ("2", None, True, 1.5):
        (error,) = deal(client, "twins", ruleset={"version": version}).get_json()["errors"]
        assert (error["pointer"], error["detail"].startswith("Expected ")) == ("/ruleset/version", True)
