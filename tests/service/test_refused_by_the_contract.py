"""What the service refuses with 400 for a body's shape, the published contract refuses, and nothing else.

Every body at each bound, and beside it, is sent to every call of every game, and to every change of a session. What
only the session in the path can say is listed in `ONLY_THE_SESSION_KNOWS`.
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient
from jsonschema_rs import Draft202012Validator

import engines
from service.contract import session_bodies
from service.contract.fields import StrictField, UnionField
from service.contract.rows import batch_codec, body_codec
from service.contract.shapes import title
from service.judging.calls import CALLS
from tests.service.edges import edges
from tests.service.sessions.tables import SessionClient, open_session, service_client
from tests.service.test_openapi import published_contract

GAMES = engines.registry()
STATELESS = [(f"/games/{game}/{call.name}", game) for game in GAMES for call in CALLS]
OF_ALL_GAMES = [f"/{call.name}" for call in CALLS]


@cache
def validator(path: str) -> Draft202012Validator:
    """Return a validator of what the contract takes as the body of a POST to this path."""
    body = published_contract()["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return Draft202012Validator({**body, "components": published_contract()["components"]})


def validator_of_change(path: str, game: str) -> Draft202012Validator:
    """Return a validator of what the contract takes as this change of a session of this game.

    The call for moves takes those of every game, which may share a name: `pass` of a game for four has a seat 3.
    """
    if path != "/moves":
        return validator(f"/sessions/{{session_id}}{path.replace('/0', '/{seat}')}")
    components = published_contract()["components"]
    return Draft202012Validator({"$ref": f"#/components/schemas/{title(game)}Moves", "components": components})


def bodies_at_bounds(field: StrictField) -> Iterator[Any]:
    """Yield every body at and beside a bound. (Flask's test client sends no body for null.)"""
    return (value for value, _fits in edges(field) if value is not None)


def disagreements(client: FlaskClient, path: str, values: Iterator[Any]) -> list[tuple[Any, Any]]:
    """Return the bodies that the contract takes and the service refuses for their shape, or the reverse."""
    pairs = []
    for value in values:
        answer = client.post(path, json=value)
        if (answer.status_code == 400) == validator(path).is_valid(value):
            pairs.append((value, answer.get_json()))
    return pairs


@pytest.mark.parametrize(("path", "game"), STATELESS, ids=lambda part: str(part).removeprefix("/games/"))
def test_a_call_of_a_game_takes_what_its_schema_takes(client: FlaskClient, path: str, game: str) -> None:
    call = next(each for each in CALLS if path.endswith(f"/{each.name}"))
    assert disagreements(client, path, bodies_at_bounds(body_codec(call, game).field)) == []


@pytest.mark.parametrize("path", OF_ALL_GAMES)
def test_a_call_of_all_games_takes_what_its_schema_takes(client: FlaskClient, path: str) -> None:
    call = next(each for each in CALLS if path == f"/{each.name}")
    assert disagreements(client, path, bodies_at_bounds(body_codec(call, None).field)) == []


def test_a_batch_takes_what_its_schema_takes(client: FlaskClient) -> None:
    assert disagreements(client, "/batch", bodies_at_bounds(batch_codec(CALLS).field)) == []


def openings(game: str) -> Iterator[Any]:
    """Yield openings of a game: at each bound, and by each ruleset for two and for four players."""
    union = session_bodies.opening_codec().field
    assert isinstance(union, UnionField)
    for value in bodies_at_bounds(union.members[game]):
        yield value
        if isinstance(value, dict) and {"game", "seats"} <= value.keys() and not value.keys() & {"ruleset", "deck"}:
            for name in GAMES[game].rulesets:
                for seats in (2, 4):
                    yield {**value, "seats": seats, "ruleset": {"name": name}}


@pytest.mark.parametrize("game", GAMES)
def test_an_opening_takes_what_its_schema_takes(game: str, tmp_path: Any) -> None:
    client = service_client(f"sqlite:///{tmp_path}/store.db")
    values = (json.loads(text) for text in dict.fromkeys(map(json.dumps, openings(game))))
    assert disagreements(client, "/sessions", values) == []


class Change(NamedTuple):
    """A change of a session: its path, what it takes, and who sends it."""

    path: str
    field: StrictField
    bearer: str


def changes(game: str) -> list[Change]:
    """Return the changes that take a body."""

    def of(body: type) -> StrictField:
        return session_bodies.codec_of(body).field

    return [
        Change("/moves", session_bodies.moves_codec(GAMES[game]).field, "host"),
        Change("/tokens", of(session_bodies.Renewal), "seat-0"),
        Change("/tokens", of(session_bodies.Renewal), "host"),
        Change("/commitments", of(session_bodies.SeatCommitment), "seat-0"),
        Change("/seeds", of(session_bodies.SeatSeed), "seat-0"),
        Change("/clock", of(session_bodies.ClockStart), "host"),
        Change("/seats/0", of(session_bodies.Invited), "nobody"),
    ]


ONLY_THE_SESSION_KNOWS = {
    "/tokens": "/seat",  # how many seats it has
    "/clock": "/seconds",  # whether its opening has set how long the clock lasts
}
"""The call, and what of its body only the session can judge: the descriptions of both say so."""


@pytest.fixture
def table(request: pytest.FixtureRequest, client: FlaskClient) -> SessionClient:
    """Return a session of the game of the test, whose game may end by a clock."""
    game = request.node.callspec.params["game"]
    counted: Any = {"ruleset": {"name": "cooperative"}} if game == "twin-it" else {}
    return open_session(client, game, **counted)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("place", range(7))
def test_a_change_of_a_session_takes_what_its_schema_takes(table: SessionClient, game: str, place: int) -> None:
    path, field, bearer = changes(game)[place]
    schema = validator_of_change(path, game)
    for value in bodies_at_bounds(field):
        answer = table.post(bearer, path, value)
        if answer.status_code == 401 and bearer != "nobody":  # it was renewed
            table = open_session(table.client, game)
            answer = table.post(bearer, path, value)
        if (answer.status_code == 400) == schema.is_valid(value):
            assert {each["pointer"] for each in answer.get_json()["errors"]} == {ONLY_THE_SESSION_KNOWS.get(path)}, (
                value
            )


def test_the_descriptions_say_what_only_the_session_knows() -> None:
    schemas = published_contract()["components"]["schemas"]
    assert "beyond the table is 400" in schemas["Renewal"]["properties"]["seat"]["description"]
    assert "must be there: 400" in schemas["ClockStart"]["properties"]["seconds"]["description"]
    makes_moves = published_contract()["paths"]["/sessions/{session_id}/moves"]["post"]["description"]
    assert "fit this schema, and are 400 all the same" in makes_moves


DRAWN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "buy", "seat": 0, "count": 1}, {"cards": ["blue-1"]}),
    ({"type": "draw", "seat": 0, "from": "stock"}, {"drawn": "KC"}),
    ({"type": "knock", "seat": 0, "discard": "KC"}, {"shown": ["AS"]}),
    ({"type": "lay-off", "seat": 0}, {"shown": ["AS"]}),
    ({"type": "lay", "seat": 0, "card": 31}, {"drawn": 12}),
    ({"type": "twist", "seat": 0, "card": 31}, {"drawn": 12}),
    ({"type": "flip", "seat": 0}, {"uncovered": "1A"}),
    ({"type": "claim", "hands": []}, {"uncovered": [{"seat": 0, "card": "1A"}]}),
    ({"type": "deal"}, {"seed": "s"}),
    ({"type": "deal"}, {"deck": ["AS"] * 52}),
]
"""Moves, each with what chance brings to it."""


@pytest.mark.parametrize(("move", "drawn"), DRAWN, ids=lambda part: " ".join(map(str, part)))
def test_a_session_takes_a_move_only_without_what_chance_brings(move: dict[str, Any], drawn: dict[str, Any]) -> None:
    schema = validator("/sessions/{session_id}/moves")
    assert schema.is_valid({"moves": [move]})
    assert not schema.is_valid({"moves": [{**move, **drawn}]})


WITH_GATHER: dict[str, Any] = {"game": "twin-it", "seats": 2, "gather_ms": 500}
WITH_CLOCK: dict[str, Any] = {"game": "twin-it", "seats": 2, "clock_seconds": 60}


@pytest.mark.parametrize(
    ("opening", "fits"),
    [
        (WITH_GATHER, True),
        (WITH_GATHER | {"ruleset": None}, True),
        (WITH_GATHER | {"ruleset": {"name": "team"}}, True),
        (WITH_GATHER | {"ruleset": {"name": "cooperative"}}, False),
        (WITH_GATHER | {"ruleset": {"name": "timed"}}, False),
        (WITH_CLOCK, False),
        (WITH_CLOCK | {"ruleset": None}, False),
        (WITH_CLOCK | {"ruleset": {}}, False),
        (WITH_CLOCK | {"ruleset": {"name": "competitive"}}, False),
        (WITH_CLOCK | {"ruleset": {"name": "timed"}}, True),
    ],
)
def test_hands_are_gathered_and_a_clock_binds_by_some_rulesets_alone(opening: dict[str, Any], fits: bool) -> None:
    assert validator("/sessions").is_valid(opening) == fits
