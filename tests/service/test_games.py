"""The description of a game in the requested language: cards, options, names, rulings, rulebook."""

import re
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service.judging import games
from service.judging.sentences import words
from tests.games import OURS


def read(client: FlaskClient, path: str, language: str) -> Any:
    """Read a document in a language."""
    answer = client.get(path, headers={"Accept-Language": language})
    assert answer.headers["Content-Language"] == language
    return answer.get_json()


@pytest.mark.parametrize(
    ("language", "game", "card", "title"),
    [
        ("en", "twins", "blue-10", "blue 10"),
        ("it", "twins", "blue-10", "10 blu"),
        ("fr", "gin-rummy", "KC", "R♣"),
        ("de", "gin-rummy", "QC", "D♣"),
        ("de", "twins", "blue-10", "Blau 10"),
        ("de", "twin-it", "0A", "0A (roter Anker)"),
        ("it", "gin-rummy", "TH", "10♥"),
        ("fr", "take-that", 34, "34"),
        ("it", "twin-it", "0A", "0A (ancora rossa)"),
    ],
)
def test_a_card_has_a_name(client: FlaskClient, language: str, game: str, card: object, title: str) -> None:
    assert {"card": card, "title": title} in read(client, f"/games/{game}", language)["cards"]


@pytest.mark.parametrize(
    ("language", "yes", "no"), [("en", "yes", "no"), ("it", "sì", "no"), ("fr", "oui", "non"), ("de", "ja", "nein")]
)
def test_the_values_of_an_option_that_is_true_or_false_are_called_yes_and_no(
    client: FlaskClient, language: str, yes: str, no: str
) -> None:
    options = read(client, "/games/gin-rummy", language)["options"]
    (oklahoma,) = [each for each in options if each["name"] == "oklahoma"]
    assert oklahoma["titles"] == [{"value": False, "title": no}, {"value": True, "title": yes}]


def test_an_option_has_a_title_a_sentence_and_names_of_its_values(client: FlaskClient) -> None:
    option = read(client, "/games/take-that", "it")["options"][0]
    assert (option["title"], option["text"]) == (
        "Prendere senza obbligo",
        "Stabilisce se chi potrebbe posare o invertire può comunque prendere la fila.",
    )
    assert [each["title"] for each in option["titles"]] == ["permesso", "solo quando non si può fare altro"]


SEATS_OF_TWIN_IT = {"competitive": (2, 6), "team": (4, 6), "cooperative": (1, 6), "timed": (2, 6)}


def test_a_ruleset_says_how_many_may_play_and_whether_in_teams(client: FlaskClient) -> None:
    rulesets = {each["name"]: each for each in read(client, "/games/twin-it", "en")["rulesets"]}
    seats = {name: list(range(least, most + 1)) for name, (least, most) in SEATS_OF_TWIN_IT.items()}
    assert {name: each["seats"] for name, each in rulesets.items()} == seats
    assert [name for name, each in rulesets.items() if each["teams"]] == ["team"]


@pytest.mark.parametrize("game", engines.registry())
def test_a_table_is_dealt_for_each_number_of_seats_of_a_ruleset_and_for_no_other(
    client: FlaskClient, game: str
) -> None:
    for ruleset in read(client, f"/games/{game}", "en")["rulesets"]:
        for seats in engines.registry()[game].seats:
            body = {"seats": seats, "ruleset": {"name": ruleset["name"]}, "seed": "rain"}
            status = client.post(f"/games/{game}/deal", json=body).status_code
            assert status == (200 if seats in ruleset["seats"] else 422), (ruleset["name"], seats)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Team play is for 4 to 6 players, not for 3."),
        ("it", "In modalità a squadre si gioca in numero da 4 a 6, non in 3."),
        ("de", "Im Modus „Team“ spielen 4 bis 6 Personen, nicht 3."),
        ("fr", "En mode équipes, on joue de 4 à 6, pas à 3."),
    ],
)
def test_a_number_of_seats_that_does_not_fit_is_told_with_those_that_do(
    client: FlaskClient, language: str, text: str
) -> None:
    body = {"seats": 3, "ruleset": {"name": "team"}, "seed": "rain"}
    answer = client.post("/games/twin-it/deal", json=body, headers={"Accept-Language": language}).get_json()
    (fault,) = [each for each in answer["faults"] if each["code"] == "seats-unfit"]
    assert fault["params"] == {"ruleset": "team", "seats": 3, "least": 4, "most": 6}
    assert fault["text"] == text


def test_every_kind_of_word_of_a_game_has_names_in_the_requested_language(client: FlaskClient) -> None:
    expected = {"rulesets": ("team", "équipes"), "phases": ("play", "jeu"), "moves": ("flip", "retourner une carte")}
    expected |= {"facts": ("trebles", "triplets"), "zones": ("piles", "piles"), "terms": ("geniuses", "génies")}
    names = read(client, "/games/twin-it", "fr")["names"]
    assert names.keys() == expected.keys()
    for kind, (word, title) in expected.items():
        assert {"name": word, "title": title} in names[kind]


def values_at(state: Any, pattern: str) -> list[Any]:
    """Return the values of a state at all pointers that fit a zone's pattern, such as `/hands/{seat}/{place}`."""
    values = [state]
    for step in pattern.split("/")[1:]:
        values = [each for one in values for each in one or ()] if step[0] == "{" else [one.get(step) for one in values]
    return values


@pytest.mark.parametrize("game", engines.registry())
def test_every_card_of_a_table_lies_at_a_pointer_of_a_zone(client: FlaskClient, game: str) -> None:
    about = read(client, f"/games/{game}", "en")
    assert [zone["name"] for zone in about["zones"]] == [zone["name"] for zone in about["names"]["zones"]]
    setup = {"seats": about["seats"][-1], "deck": about["deck"]} if game != "twin-it" else {"seats": 3, "seed": "rain"}
    state = client.post(f"/games/{game}/deal", json=setup).get_json()["state"]
    cards = [card for zone in about["zones"] for card in values_at(state, zone["pointer"]) if card is not None]
    assert len(cards) == len(about["deck"])
    assert set(cards) <= {card["card"] for card in about["cards"]}


def test_the_sentence_of_a_ruling_is_listed_with_its_parameters_in_braces_and_all_its_forms(
    client: FlaskClient,
) -> None:
    rulings = read(client, "/games/twins", "it")["rulings"]
    (paid,) = {each["text"] for each in rulings if each["code"] == "paid"}
    assert paid.startswith("{seat} paga {amount} gettoni al piatto: Gemelli di {strength} / Coppia di {strength} / ")


RULEBOOK = "/games/twins/rulebook"


FORMS = {
    "*/*": "application/json",
    "text/html, application/json": "application/json",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "text/html",
    "text/markdown": "text/markdown",
    "application/json;q=0.2, text/markdown;q=0.3": "text/markdown",
    "text/*": "text/html",
}


@pytest.mark.parametrize("accept", FORMS)
def test_a_rulebook_comes_in_the_form_that_the_client_prefers(client: FlaskClient, accept: str) -> None:
    answer = client.get(RULEBOOK, headers={"Accept": accept})
    assert (answer.status_code, answer.mimetype) == (200, FORMS[accept])
    assert "Accept" in answer.vary


def test_without_a_form_a_rulebook_is_json_and_in_an_unknown_one_it_is_refused(client: FlaskClient) -> None:
    assert client.get(RULEBOOK).mimetype == "application/json"
    answer = client.get(RULEBOOK, headers={"Accept": "application/pdf"})
    assert answer.status_code == 406
    assert "application/json, text/html and text/markdown" in answer.get_json()["detail"]


def test_a_readable_rulebook_has_every_clause_and_option_in_the_requested_language(client: FlaskClient) -> None:
    headers = {"Accept-Language": "fr", "Accept": "text/markdown"}
    text = client.get("/games/gin-rummy/rulebook", headers=headers).text
    clauses = read(client, "/games/gin-rummy/rulebook", "fr")["clauses"]
    headings = [line[4:] for line in text.splitlines() if line.startswith("### ")]
    options = read(client, "/games/gin-rummy", "fr")["options"]
    assert headings == [clause["id"] for clause in clauses] + [option["title"] for option in options]
    assert all(clause["text"].split(".")[0].split("GR-")[0] in text for clause in clauses)
    assert "[GR-5.5](#gr-55)" in text


@pytest.mark.parametrize("game", OURS)
def test_a_rulebook_as_a_page_keeps_the_strict_policy_and_has_its_own_tag(client: FlaskClient, game: str) -> None:
    answer = client.get(f"/games/{game}/rulebook", headers={"Accept": "text/html"})
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")
    assert (answer.headers["Content-Language"], '<html lang="en">' in answer.text) == ("en", True)
    loaded = re.findall(r'(?:src|href)="(/[^"#]+)"', answer.text)
    assert all(client.get(each).status_code == 200 for each in loaded)
    assert "/docs/pages.css" in loaded
    assert re.findall(r"<script|<style| style=| on\w+=", answer.text) == []
    anchors = set(re.findall(r' id="([^"]+)"', answer.text))
    assert set(re.findall(r'href="#([^"]+)"', answer.text)) <= anchors
    again = {"Accept": "text/html", "If-None-Match": answer.headers["ETag"]}
    of_json = {**again, "Accept": "application/json"}
    assert [client.get(f"/games/{game}/rulebook", headers=each).status_code for each in (again, of_json)] == [304, 200]


def test_the_text_of_a_rulebook_is_escaped_on_its_page(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody may write the text: games may come from packages of others."""
    engine = engines.registry()["twins"]
    english = words(engine, "en")
    texts = {**english.clauses, "TW-1.1": "A <b>bold</b> `<i>` & TW-1.2."}
    monkeypatch.setattr(games, "words", lambda engine, language: replace(english, clauses=texts))
    games.html.cache_clear()
    try:
        page = games.html(engine, "en")
    finally:
        games.html.cache_clear()
    assert 'A &lt;b&gt;bold&lt;/b&gt; <code>&lt;i&gt;</code> &amp; <a href="#TW-1.2">TW-1.2</a>.' in page
