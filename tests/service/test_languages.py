"""A game need not have every language: it is answered in one that it has, and `Content-Language` says in which."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from engines.core.engine import Engine
from service import seeds
from service.judging.sentences import words
from service.seeds import vectors_in
from service.words.languages import language_for, languages_of

DEAL = {"game": "twins", "seats": 4, "seed": "a", "dealer": 3}
IN_ITALIAN = {"Accept-Language": "it"}
IT_OR_FR = {"Accept-Language": "it, fr;q=0.5"}


@pytest.fixture(autouse=True)
def twins_without_italian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let Twins lack its Italian words. Other games have all languages."""
    folder_of = seeds.folder
    shutil.copytree(seeds.ROOT / "seeds/twins", tmp_path / "twins")
    (tmp_path / "twins/it.yaml").unlink()

    def folder(engine: Engine[Any]) -> Path:
        return tmp_path / "twins" if engine.game == "twins" else folder_of(engine)

    monkeypatch.setattr(seeds, "folder", folder)
    for cached in (languages_of, language_for, words):
        cached.cache_clear()
    yield
    for cached in (languages_of, language_for, words):
        cached.cache_clear()


def request_of_vector(id: str) -> dict[str, Any]:
    """The request of a vector of Twins."""
    cases = vectors_in(seeds.ROOT / "seeds/twins")
    request: dict[str, Any] = next(each.request for each in cases if each.id == id)
    return request


@pytest.mark.parametrize(
    ("headers", "language"), [(IN_ITALIAN, "en"), (IT_OR_FR, "fr"), ({"Accept-Language": "*"}, "en")]
)
def test_a_call_is_answered_in_a_language_of_its_game(
    client: FlaskClient, headers: dict[str, str], language: str
) -> None:
    body = request_of_vector("twins-first-trick-of-four")["body"]
    without_game = {name: body[name] for name in body if name != "game"}
    for path, posted in {"/resolve": body, "/games/twins/resolve": without_game}.items():
        answer: Any = client.post(path, json=posted, headers=headers)
        assert answer.headers["Content-Language"] == language
        texts = [event["text"] for event in answer.json["events"] if event["code"] == "revealed"]
        assert texts == [words(engines.registry()["twins"], language).sentences["revealed"].template]


@pytest.mark.parametrize(
    ("method", "path", "posted", "status"),
    [
        ("POST", "/resolve", b'{"game": "twins"}', 400),
        ("POST", "/games/twins/resolve", b"{", 400),
        ("GET", "/games/twins/resolve", b"", 405),
        ("POST", "/sessions", b'{"game": "twins"}', 400),
    ],
)
def test_a_problem_is_answered_in_a_language_of_its_game(
    client: FlaskClient, method: str, path: str, posted: bytes, status: int
) -> None:
    answer: Any = client.open(path, method=method, data=posted, content_type="application/json", headers=IN_ITALIAN)
    assert (answer.status_code, answer.headers["Content-Language"]) == (status, "en")
    other = client.open(
        path.replace("twins", "take-that"), method=method, data=posted.replace(b"twins", b"take-that"),
        content_type="application/json", headers=IN_ITALIAN,
    )  # fmt: skip
    assert (other.status_code, other.headers["Content-Language"]) == (status, "it")


def test_a_problem_of_no_game_is_in_a_language_of_the_service(client: FlaskClient) -> None:
    for path in ("/games/tarots", "/nothing"):
        assert client.get(path, headers=IN_ITALIAN).headers["Content-Language"] == "it"


def test_a_rulebook_is_in_a_language_of_its_game(client: FlaskClient) -> None:
    for media_type in ("application/json", "text/html", "text/markdown"):
        answer: Any = client.get("/games/twins/rulebook", headers={"Accept": media_type, **IN_ITALIAN})
        english = client.get("/games/twins/rulebook", headers={"Accept": media_type})
        assert (answer.headers["Content-Language"], answer.data) == ("en", english.data)
    assert client.get("/games/twins", headers=IN_ITALIAN).json == client.get("/games/twins").json


def test_an_answer_over_games_names_every_language_in_it(client: FlaskClient) -> None:
    deals = [{"path": "/deal", "body": {**DEAL, "game": game}} for game in ("take-that", "twins")]
    assert {*client.get("/games", headers=IN_ITALIAN).headers["Content-Language"].split(", ")} == {"it", "en"}
    batch: Any = client.post("/batch", json={"requests": deals}, headers=IN_ITALIAN)
    assert batch.headers["Content-Language"] == "it, en"
    assert client.post("/batch", json={"requests": deals[1:]}, headers=IT_OR_FR).headers["Content-Language"] == "fr"
    unfit = [{"path": "/deal", "body": {"game": game}} for game in ("take-that", "twins")]
    alone: list[Any] = [client.post("/deal", json=each["body"], headers=IN_ITALIAN).json for each in unfit]
    together: Any = client.post("/batch", json={"requests": unfit}, headers=IN_ITALIAN).json
    assert [each["body"]["detail"] for each in together["responses"]] == [each["detail"] for each in alone]
    assert len({each["detail"] for each in alone}) == 2


def test_a_session_is_answered_in_a_language_of_its_game(client: FlaskClient) -> None:
    opened: Any = client.post("/sessions", json={"game": "twins", "seats": 4}, headers=IN_ITALIAN)
    headers = {"Authorization": f"Bearer {opened.json['tokens']['host']}", **IN_ITALIAN}
    path = f"/sessions/{opened.json['id']}"
    buy = {"moves": [{"type": "buy", "seat": opened.json["to_act"][0], "count": 0}]}
    move: Any = client.post(f"{path}/moves", json=buy, headers=headers)
    assert (move.status_code, move.headers["Content-Language"]) == (201, "en")
    again: Any = client.post(f"{path}/moves", json=buy, headers=headers)
    assert (again.status_code, again.headers["Content-Language"]) == (422, "en")
    log: Any = client.get(f"{path}/moves", headers=headers)
    assert log.headers["Content-Language"] == "en"
    assert log.json["entries"][0]["events"][0]["text"].endswith("buys no card.")
    stream = client.get(f"{path}/events", headers={**headers, "Accept": "text/event-stream"})
    assert stream.headers["Content-Language"] == "en"
    stream.close()
