"""Unknown paths name the nearest ones, and unknown games the games that there are."""

import pytest
from flask.testing import FlaskClient

import engines
from service.config import NO_STORE
from tests.service.sessions.tables import service_client

ID = "0123456789abcdef0123456789abcdef"
GAMES = ", ".join(sorted(engines.registry()))
NEAREST = {
    "/legal_moves": "/legal-moves",
    "/legalMoves": "/legal-moves",
    "/Resolve": "/resolve",
    "/api/v1/games": "/games",
    "/v1/deal": "/deal",
    "/game": "/games",
    "/twins/resolve": "/games/twins/resolve",
    "/resolve/twins": "/games/twins/resolve",
    "/session": "/sessions",
    f"/sessions/{ID}/legal_moves": f"/sessions/{ID}/legal-moves",
    f"/session/{ID}/transcript": f"/sessions/{ID}/transcript",
    "/health": "/livez and /readyz",
    "/swagger": "/docs and /openapi.json",
}


@pytest.mark.parametrize("path", NEAREST)
def test_an_unknown_path_names_the_nearest(client: FlaskClient, path: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        problem = client.open(path, method=method).get_json()
        detail = problem["detail"]
        assert (problem["type"], detail.partition("; ")[0]) == ("/problems/not-found", f"Nothing stands at {path}")
        assert detail.split("The nearest ")[1].startswith(("is " + NEAREST[path], "are " + NEAREST[path]))


@pytest.mark.parametrize("path", ["/nowhere", "/" + "legal_moves/" * 20 + "x", "/docs/nothing.js"])
def test_a_path_that_is_like_no_other_names_none(client: FlaskClient, path: str) -> None:
    assert client.get(path).get_json()["detail"] == f"Nothing stands at {path}; /docs lists what there is."


UNKNOWN_GAMES = {
    "/games/gin": "The nearest is /games/gin-rummy.",
    "/games/gin/resolve": "The nearest is /games/gin-rummy/resolve.",
    "/games/Twins/rulebook": "The nearest is /games/twins/rulebook.",
    "/games/ginrummy/legal_moves": "The nearest is /games/gin-rummy/legal-moves.",
    "/games/twins2/openapi.json": "The nearest is /games/twins/openapi.json.",
    "/games/bridge/nothing/at/all": "",
}


@pytest.mark.parametrize("path", UNKNOWN_GAMES)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_unknown_game_lists_the_games_on_every_path(client: FlaskClient, path: str, method: str) -> None:
    answer = client.open(path, method=method)
    game = path.split("/")[2]
    known = f'There is no game "{game}" here; there are {GAMES}. {UNKNOWN_GAMES[path]}'
    assert (answer.status_code, answer.get_json()["detail"]) == (404, known.strip())


def test_an_entry_of_a_batch_to_an_unknown_game_lists_the_games(client: FlaskClient) -> None:
    body = {"requests": [{"path": "/games/gin/resolve", "body": {}}]}
    detail = client.post("/batch", json=body).get_json()["detail"]
    assert detail.endswith(f'There is no game "gin" here; there are {GAMES}. Did you mean "gin-rummy"?')


def test_where_sessions_are_off_no_path_of_theirs_is_the_nearest() -> None:
    assert "The nearest" not in service_client(NO_STORE).get("/session").get_json()["detail"]


def test_the_nearest_path_is_said_in_the_language_of_the_client(client: FlaskClient) -> None:
    assert (
        "Il più vicino è /legal-moves."
        in client.get("/legal_moves", headers={"Accept-Language": "it"}).get_json()["detail"]
    )
