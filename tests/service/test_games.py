"""What there is to know of a game, in the words of the language asked for."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient


def asked(client: FlaskClient, path: str, language: str) -> Any:
    answer = client.get(path, headers={"Accept-Language": language})
    assert answer.headers["Content-Language"] == language
    return answer.get_json()


@pytest.mark.parametrize(
    ("language", "game", "card", "title"),
    [
        ("en", "twins", "blue-10", "blue 10"),
        ("it", "twins", "blue-10", "10 blu"),
        ("fr", "gin-rummy", "KC", "R♣"),
        ("it", "gin-rummy", "TH", "10♥"),
        ("fr", "take-that", 34, "34"),
        ("it", "twin-it", "0A", "0A (ancora rossa)"),
    ],
)
def test_a_card_has_a_name(client: FlaskClient, language: str, game: str, card: object, title: str) -> None:
    assert {"card": card, "title": title} in asked(client, f"/games/{game}", language)["cards"]


@pytest.mark.parametrize(("language", "yes", "no"), [("en", "yes", "no"), ("it", "sì", "no"), ("fr", "oui", "non")])
def test_a_truth_value_is_yes_or_no(client: FlaskClient, language: str, yes: str, no: str) -> None:
    options = asked(client, "/games/gin-rummy", language)["options"]
    (oklahoma,) = [each for each in options if each["name"] == "oklahoma"]
    assert oklahoma["titles"] == [{"value": False, "title": no}, {"value": True, "title": yes}]


def test_an_option_has_a_title_a_sentence_and_names_of_its_values(client: FlaskClient) -> None:
    option = asked(client, "/games/take-that", "it")["options"][0]
    assert (option["title"], option["text"]) == (
        "Prendere senza obbligo",
        "Stabilisce se chi potrebbe posare o invertire può comunque prendere la fila.",
    )
    assert [each["title"] for each in option["titles"]] == ["permesso", "solo quando non si può fare altro"]


@pytest.mark.parametrize(
    ("section", "name", "title"),
    [
        ("rulesets", "team", "équipes"),
        ("phases", "play", "jeu"),
        ("moves", "flip", "retourner une carte"),
        ("facts", "trebles", "triplets"),
        ("zones", "piles", "piles"),
        ("terms", "geniuses", "génies"),
    ],
)
def test_the_words_of_the_wire_have_names(client: FlaskClient, section: str, name: str, title: str) -> None:
    assert {"name": name, "title": title} in asked(client, "/games/twin-it", "fr")["names"][section]


def test_a_ruling_is_listed_with_bare_names_in_braces(client: FlaskClient) -> None:
    rulings = asked(client, "/games/twins", "it")["rulings"]
    (paid,) = {each["text"] for each in rulings if each["code"] == "paid"}
    assert paid == "{seat} paga {amount} gettoni al piatto."
