"""`names` in a call or a session: sentences use the players' names, and nothing else changes."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.seeds import Vector
from service.words.languages import LANGUAGES
from tests.conformance import vectors
from tests.conformance.recording import without_sentences
from tests.service.bodies import OF_A_TABLE, beside_state
from tests.service.sessions.tables import open_session

CALLS = [each for each in vectors() if each.call != "batch" and isinstance(each.request.get("body"), dict)]
NAMES = ["Anna", "Bob", "Chloé", "Dino", "Eva", "Fritz", "Gina", "Hugo"]


def sentences_of(value: Any) -> list[str]:
    """The texts of all rulings in an answer."""
    if isinstance(value, dict):
        own = [value["text"]] if "text" in value else []
        return own + [each for part in value.values() for each in sentences_of(part)]
    return [each for part in value for each in sentences_of(part)] if isinstance(value, list) else []


@pytest.mark.parametrize("vector", CALLS, ids=[each.id for each in CALLS])
def test_no_name_ever_changes_a_verdict(client: FlaskClient, vector: Vector) -> None:
    path, body = vector.request["path"], vector.request["body"]
    plain = client.post(path, json=body)
    for count in range(1, 9):  # until it is the number of the table's seats
        named = client.post(path, json=body | {"names": NAMES[:count]})
        if named.get_json().get("errors", [{}])[0].get("pointer") != "/names":
            break
    else:
        assert plain.status_code == 400, "one of these numbers of names must be valid"
        return
    assert named.status_code == plain.status_code
    assert without_sentences(named.get_json()) == without_sentences(plain.get_json())


STEERING = [
    "\u202eanna", "a\nBob pays", "\x1b[31mAnna", "\x00", " \t ", "  ", "\u2066a", "a\u2028b", "a\u200f", "\u061ca",
]  # fmt: skip


@pytest.mark.parametrize("name", STEERING)
def test_a_name_cannot_change_the_sentence_around_it(client: FlaskClient, name: str) -> None:
    """A name with a character that turns the direction, ends the line or steers a terminal is refused.

    A joined emoji and words of any script are accepted.
    """
    body = {"seats": 3, "names": ["Anna", name, "👩\u200d👧"]}
    for path in ("/games/twins/deal", "/sessions"):
        answer = client.post(path, json=body if path != "/sessions" else body | {"game": "twins"})
        assert (answer.status_code, [each["pointer"] for each in answer.get_json()["errors"]]) == (400, ["/names/1"])
    assert client.post("/games/twins/deal", json=body | {"names": ["Anna", "أنّا", "👩\u200d👧"]}).status_code == 200


PATTERNS = ["{seat}", "{0.__class__}", "{name:>999999999}", "%s%n"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_name_that_looks_like_a_template_stands_in_sentences_as_it_is(client: FlaskClient, language: str) -> None:
    state = client.post("/games/twins/deal", json={"seats": 4}).get_json()["state"]
    moves = [{"type": "buy", "seat": seat, "count": 0} for seat in range(4)]
    body = {"state": state, "moves": moves, "names": PATTERNS}
    answer = client.post("/games/twins/resolve", json=body, headers={"Accept-Language": language}).get_json()
    assert [name for name, event in zip(PATTERNS, answer["events"], strict=True) if name not in event["text"]] == []


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Anna pays 2 chips to the pot: Singles 3, among the weakest."),
        ("it", "Anna paga 2 gettoni al piatto: 3 di Singoli, fra i più deboli."),
        ("de", "Anna zahlt 2 Chips in den Topf: Einzelkarten 3, unter den Schwächsten."),
        ("fr", "Anna paie 2 jetons à la banque\u00a0: simple 3, parmi les plus faibles."),
    ],
)
def test_sentences_name_the_players_in_every_language(client: FlaskClient, language: str, sentence: str) -> None:
    plays = [["pink-1", "blue-2"], ["pink-9", "blue-9"], ["green-9", "brown-10"]]
    body = {
        "state": {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0},
        "moves": [{"type": "play", "seat": seat, "cards": cards} for seat, cards in enumerate(plays)],
        "names": NAMES[:3],
        "views": [None],
    }
    answer = client.post("/games/twins/resolve", json=body, headers={"Accept-Language": language}).get_json()
    for events in (answer["events"], answer["views"][0]["events"]):
        assert sentence in [event["text"] for event in events]


@pytest.mark.parametrize("call", OF_A_TABLE)
@pytest.mark.parametrize("count", [2, 4])
def test_a_number_of_names_that_differs_from_the_seats_is_refused(client: FlaskClient, call: str, count: int) -> None:
    state = {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0}
    body = {"game": "twins", "state": state, "names": (NAMES * 2)[:count], **beside_state(call)}
    answer = client.post(f"/{call}", json=body)
    assert (answer.status_code, answer.get_json()["type"]) == (422, "/problems/invalid-state")
    assert [error["pointer"] for error in answer.get_json()["errors"]] == ["/names"]


@pytest.mark.parametrize(
    ("names", "status", "pointer"),
    [(["", "b", "c"], 400, "/names/0"), (["a", "b", 41 * "c"], 400, "/names/2"), (["a", "b", 3], 400, "/names/2"),
     ("abc", 400, "/names"), ([], 400, "/names"), (NAMES[:4], 422, "/names"), (NAMES[:2], 422, "/names")],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/deal", "/sessions"])
def test_each_seat_has_a_name_of_1_to_40_characters(
    client: FlaskClient, path: str, names: Any, status: int, pointer: str
) -> None:
    answer = client.post(path, json={"game": "twins", "seats": 3, "names": names})
    assert (answer.status_code, [each["pointer"] for each in answer.get_json()["errors"]]) == (status, [pointer])


def test_entries_of_a_batch_have_their_own_names(client: FlaskClient) -> None:
    move = {"type": "pass", "seat": 0}
    dealt = client.post("/deal", json={"game": "gin-rummy", "seats": 2, "seed": "s"}).get_json()["state"]
    bodies = [{"state": dealt, "moves": [move], "names": names} for names in (["Anna", "Bob"], ["Carla", "Bob"])]
    requests = [{"path": "/games/gin-rummy/resolve", "body": body} for body in bodies]
    answers = client.post("/batch", json={"requests": requests}).get_json()["responses"]
    texts = [answer["body"]["events"][0]["text"] for answer in answers]
    assert [text.split()[0] for text in texts] == ["Anna", "Carla"]


def test_a_session_keeps_its_names(client: FlaskClient) -> None:
    table = open_session(client, "gin-rummy", 2, public=True, names=["Anna", "Bob"])
    moved = table.move("seat-0", {"type": "pass", "seat": 0}).get_json()
    assert moved["events"][0]["text"].startswith("Anna ")
    for bearer in table.bearers:
        assert table.get(bearer).get_json()["names"] == ["Anna", "Bob"]
        (entry,) = table.get(bearer, "/moves").get_json()["entries"]
        assert entry["events"][0]["text"] == moved["events"][0]["text"]
    refused = table.move("host", {"type": "pass", "seat": 0}).get_json()
    assert any("Bob" in text for text in sentences_of(refused))
    assert open_session(client, "gin-rummy", 2).get("host").get_json()["names"] is None


def test_a_team_is_named_by_its_members(client: FlaskClient) -> None:
    in_teams = [each for each in CALLS if each.call == "resolve" and "teams" in each.request["body"].get("state", {})]
    texts = []
    for vector in in_teams:
        body = vector.request["body"]
        names = NAMES[: len(body["state"]["teams"])]
        texts += sentences_of(client.post(vector.request["path"], json=body | {"names": names}).get_json())
    assert [text for text in texts if "Team Anna and Chloé" in text]
    assert not [text for text in texts if "team 0" in text.lower()]


MANY: dict[str, Any] = {"game": "gin-rummy", "seats": 2, "names": NAMES[:3]}


def test_three_names_for_a_game_of_two_seats_are_refused_with_422(client: FlaskClient) -> None:
    assert client.post("/deal", json=MANY).status_code == client.post("/sessions", json=MANY).status_code == 422
