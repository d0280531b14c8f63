"""No schema of a request has a member that its game refuses: some body with it is taken, or is impossible (422)."""

from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service.contract.fields import StrictField
from service.contract.rows import body_fields
from service.contract.session_bodies import opening_codec
from service.judging.calls import NAMED
from tests.service.edges import required, smallest

GAMES = engines.registry()
TAKEN = {200, 201, 422}


def opening_fields(game: str) -> dict[str, StrictField]:
    """The members of an opening of this game."""
    return dict(opening_codec().field.members[game].shape.declared())  # type: ignore[attr-defined] # it is a union


def bodies(game: str, members: dict[str, StrictField], name: str) -> list[dict[str, Any]]:
    """Bodies with one optional member, as small as may be, under each ruleset if the body takes one."""
    whole = {each: smallest(field) for each, field in members.items() if field.required} | {
        name: smallest(members[name])
    }
    rulesets = GAMES[game].rulesets if "ruleset" in members and name != "ruleset" else {}
    return [whole, *({**whole, "ruleset": {"name": ruleset}} for ruleset in rulesets)]


OPTIONAL_MEMBERS = [
    (f"/games/{game}/{call}", game, name)
    for game in GAMES
    for call in NAMED
    for name, field in body_fields(NAMED[call], game).items()
    if not field.required
]


@pytest.mark.parametrize(("path", "game", "name"), OPTIONAL_MEMBERS, ids=lambda part: str(part).rpartition("/")[2])
def test_some_body_with_each_optional_member_of_a_call_is_taken(
    client: FlaskClient, path: str, game: str, name: str
) -> None:
    members = dict(body_fields(NAMED[path.rpartition("/")[2]], game))
    assert TAKEN & {client.post(path, json=body).status_code for body in bodies(game, members, name)}


OPENINGS = [(game, name) for game in GAMES for name, field in opening_fields(game).items() if not field.required]


@pytest.mark.parametrize(("game", "name"), OPENINGS)
def test_some_opening_with_each_optional_member_is_taken(client: FlaskClient, game: str, name: str) -> None:
    tried = [client.post("/sessions", json=body) for body in bodies(game, opening_fields(game), name)]
    assert TAKEN & {answer.status_code for answer in tried}, [answer.get_json() for answer in tried]


@pytest.mark.parametrize("game", GAMES)
def test_some_table_with_each_optional_member_is_taken(client: FlaskClient, game: str) -> None:
    state: Any = body_fields(NAMED["audit"], game)["state"]
    refused = [
        name
        for name, field in state.shape.declared().items()
        if not field.required
        and client.post(
            f"/games/{game}/audit", json={"state": {**required(state.shape), name: smallest(field)}}
        ).status_code
        != 200
    ]
    assert refused == []
