"""What the button of a move says: beside listed moves, in `/validate`, of composed moves, and without templates."""

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service.judging import referee
from service.judging.sentences import words

BUYING = {"phase": "buying", "chips": [12, 12, 12], "pot": 0, "dealer": 2, "bought": [None, None, None]}
BUTTONS = {
    "en": ["Buy no card", "Buy one card for 1 chip", "Buy two cards for 3 chips"],
    "it": ["Non comprare carte", "Comprare una carta per 1 gettone", "Comprare due carte per 3 gettoni"],
    "de": ["Keine Karte kaufen", "Eine Karte kaufen (1 Chip)", "Zwei Karten kaufen (3 Chips)"],
    "fr": ["Ne rien acheter", "Acheter une carte pour 1 jeton", "Acheter deux cartes pour 3 jetons"],
}
HAND = ["4S", "5S", "6S", "9H", "9D", "9C", "AH", "2D", "3C", "AD", "KC"]
DISCARD = {"phase": "discard", "turn": 0, "hands": [HAND, [None] * 10]}
KNOCK = {"type": "knock", "seat": 0, "discard": "KC"}
TABLE = {
    "phase": "play",
    "turn": 0,
    "table": ["0A"],
    "piles": [["1A"], ["2B"]],
    "designs": [["a", "x"], ["b", "y"], ["z", "a"]],
}


def post_to_game(client: FlaskClient, call: str, game: str, body: Any, language: str = "en") -> Any:
    """Post a body to a call of a game, and return the answer, which has to be 200."""
    answer = client.post(f"/games/{game}/{call}", json=body, headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    return answer.get_json()


@pytest.mark.parametrize("language", BUTTONS)
def test_a_listed_move_says_what_its_button_says_in_the_language_asked_for(client: FlaskClient, language: str) -> None:
    listed = post_to_game(client, "legal-moves", "twins", {"state": BUYING}, language)
    assert [each["text"] for each in listed["moves"]] == BUTTONS[language]


def test_a_claim_names_the_players_the_design_and_the_places_of_both_cards(client: FlaskClient) -> None:
    listed = post_to_game(client, "legal-moves", "twin-it", {"state": TABLE, "names": ["Anna", "Bo"]})
    claims = [each["text"] for each in listed["moves"] if each["move"]["type"] == "claim"]
    assert claims == ["Anna claims a: 0A on the table, 2B on Bo's pile"]


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (KNOCK, "Knock, throwing K♣: 7 points"),
        (KNOCK | {"melds": [["4S", "5S", "6S"]]}, "Knock, throwing K♣"),
        (KNOCK | {"discard": "2C"}, "Knock, throwing 2♣"),
        ({"type": "deal"}, "Deal the next hand"),
    ],
)
def test_a_move_that_is_judged_has_words_whether_or_not_it_is_legal(client: FlaskClient, move: Any, text: str) -> None:
    assert post_to_game(client, "validate", "gin-rummy", {"state": DISCARD, "move": move})["text"] == text


def test_a_move_has_no_points_in_its_words_where_a_card_is_unseen(client: FlaskClient) -> None:
    seen = DISCARD | {"hands": [[*HAND[:10], None], [None] * 10]}
    listed = post_to_game(client, "legal-moves", "gin-rummy", {"state": seen, "seat": 0})
    assert "Discard 4♠" in [each["text"] for each in listed["moves"]]


def test_a_game_without_words_for_its_moves_shows_their_titles(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = words(engines.registry()["twins"], "it")
    monkeypatch.setattr(referee, "words", lambda engine, language: replace(own, buttons={}))
    listed = post_to_game(client, "legal-moves", "twins", {"state": BUYING}, "it")
    assert {each["text"] for each in listed["moves"]} == {"comprare carte"}
