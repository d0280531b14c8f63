"""The playground's files, and the vectors that it shows."""

import gzip
import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service import seeds
from service.http.playground import words
from service.judging.calls import CALLS
from service.words.pages import FILES, FOLDERS

GAMES = list(engines.registry())


def examples(client: FlaskClient) -> dict[str, list[dict[str, Any]]]:
    """Return the examples that the page offers, by game."""
    shown: dict[str, list[dict[str, Any]]] = client.get("/playground/examples.json").get_json()
    return shown


def test_the_pages_may_load_nothing_from_other_origins(client: FlaskClient) -> None:
    policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    policy += "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    for path in ("/", "/play", "/settle", "/docs"):
        with client.get(path) as page:
            assert page.headers["Content-Security-Policy"] == policy


MOST_BYTES_OF_A_VISIT = 160_000  #: The most compressed bytes that a first visit may load.


def test_the_page_and_everything_it_loads_are_small() -> None:
    """A visit loads the words of its language, and those in English, which stand in for what is missing there."""
    others = [each for folder in FOLDERS.values() for each in folder.glob("*.js") if each.stem not in ("en", "fr")]
    files = [each for each in FILES.rglob("*") if each.is_file() and each not in others]
    assert sum(len(gzip.compress(each.read_bytes())) for each in files) < MOST_BYTES_OF_A_VISIT


def test_the_element_is_served_for_other_pages(client: FlaskClient) -> None:
    with client.get("/elements.js") as answer:
        mimetype, module = answer.mimetype, answer.get_data(as_text=True)
    assert mimetype == "text/javascript"
    with client.get("/" + module.split('"./')[1].split('"')[0]) as answer:
        assert answer.status_code == 200


@pytest.mark.parametrize("file", ["playground.js", "words/fr.js", "playground.css", "icon.svg", "../config.py"])
def test_the_files_of_the_page_are_served_and_no_others(client: FlaskClient, file: str) -> None:
    with client.get(f"/playground/{file}") as answer:
        assert answer.status_code == (404 if ".." in file else 200)


@pytest.mark.parametrize("game", GAMES)
def test_examples_are_different_vectors_of_the_game_first_a_legal_one(client: FlaskClient, game: str) -> None:
    known = {vector.id for vector in seeds.vectors_in(seeds.folder(engines.registry()[game]))}
    shown = examples(client)[game]
    assert {each["id"] for each in shown} <= known
    assert len({each["id"] for each in shown}) == len(shown)
    assert len({each["why"] for each in shown}) == len(shown)
    answers = [client.post(f"/games/{game}/{each['call']}", json=each["body"]).get_json() for each in shown[:2]]
    assert [answer["legal"] for answer in answers] == [True, False]


@pytest.mark.parametrize(
    ("language", "tagline", "why"),
    [
        ("en", "A referee for card games: ", "What happens, step by step."),
        ("it", "Un arbitro per giochi di carte: ", "Che cosa succede, passo per passo."),
        ("fr", "Un arbitre pour jeux de cartes\u00a0: ", "Ce qui se passe, pas à pas."),
        ("de", "Ein Schiedsrichter für Kartenspiele: ", "Was geschieht, Schritt für Schritt."),
    ],
)
def test_the_page_and_its_examples_are_in_the_visitors_language(
    client: FlaskClient, language: str, tagline: str, why: str
) -> None:
    headers = {"Accept-Language": language}
    page, shown = client.get("/", headers=headers), client.get("/playground/examples.json", headers=headers)
    assert page.headers["Content-Language"] == language
    assert language in shown.headers["Content-Language"].split(", ")  # a game may have no words in it
    assert f'<p data-word="tagline">{tagline}' in page.text
    assert f'<html lang="{language}">' in page.text
    assert why in [each["why"].partition(" – ")[2] for each in shown.get_json()["twins"]]


def test_the_game_whose_first_example_shows_the_most_cards_comes_first(client: FlaskClient) -> None:
    """And each first example names its players; of that game nothing is left unseen."""
    shown = examples(client)
    assert next(iter(shown)) == "gin-rummy"
    assert [first["body"]["names"][:2] for first, *_ in shown.values()] == [["Anna", "Bo"]] * len(shown)
    first = client.post("/games/gin-rummy/resolve", json=shown["gin-rummy"][0]["body"]).get_json()
    assert first["unverified"] == []


def test_examples_of_two_games_have_different_titles(client: FlaskClient) -> None:
    titles = [each["why"] for shown in examples(client).values() for each in shown]
    assert len({*titles}) == len(titles)


def data_in_page(client: FlaskClient, page: str, language: str) -> dict[str, Any]:
    """Return the data embedded in a page."""
    text = client.get(page, headers={"Accept-Language": language}).text
    _, _, rest = text.partition('<script type="application/json" id="given">')
    data: dict[str, Any] = json.loads(rest.partition("</script>")[0])
    return data


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_page_embeds_its_first_answer_and_nothing_of_other_games(client: FlaskClient, language: str) -> None:
    data, headers = data_in_page(client, "/", language), {"Accept-Language": language}
    assert data["games"] == client.get("/games", headers=headers).get_json()
    ((game, shown),) = data["examples"].items()
    assert next(iter(client.get("/playground/examples.json", headers=headers).get_json().items())) == (game, shown)
    answer = client.post(f"/games/{game}/{shown[0]['call']}", json=shown[0]["body"], headers=headers).get_json()
    body = {"state": answer["state"], "names": shown[0]["body"]["names"]}
    legal = client.post(f"/games/{game}/legal-moves", json=body, headers=headers).get_json()
    assert data["first"] == {"id": shown[0]["id"], "answer": answer, "legal": legal}


@pytest.mark.parametrize("page", ["index", "play", "settle"])
def test_each_page_has_every_word_that_its_modules_name(client: FlaskClient, page: str) -> None:
    """Its modules are those that it loads first and those that these load later."""
    modules, used = [FILES / f"{page}.html"], set()
    for module in modules:
        text = module.read_text(encoding="utf-8")
        loaded = (FILES / name for name in re.findall(r'"(?:/playground|\.)/([\w-]+\.m?js)"', text))
        modules += [each for each in loaded if each not in modules]
        used |= set(re.findall(r'"([\w-]+)"', " ".join(re.findall(r"\bword\(([^()`]*)", text))))
    assert len(modules) > 5
    assert used - set(data_in_page(client, "/" if page == "index" else f"/{page}", "en")["words"]) == set()


@pytest.mark.parametrize("language", words())
def test_the_page_asks_every_call_in_words_of_its_own(language: str) -> None:
    questions = [words()[language][call.name] for call in CALLS]
    assert len({*questions}) == len(CALLS)


def test_each_page_embeds_its_words_in_the_requested_language(client: FlaskClient) -> None:
    assert {data_in_page(client, page, "fr")["words"]["seat"] for page in ("/", "/play", "/settle")} == {"Place"}
