"""A deal without seed and deck, in a stateless call: nobody sees the cards, and the answer says what shows them."""

from typing import Any

import pytest
from flask.testing import FlaskClient

TWINS = {"phase": "hand-over", "chips": [12, 12, 12], "pot": 0, "dealer": 0}
UNSEEN_CARDS = {
    "en": "Hand 2 is dealt. The cards are unseen: `seed` or `deck` in the move shows them.",
    "it": "Si distribuisce la mano 2. Le carte non si vedono: `seed` o `deck` nella mossa le mostra.",
    "de": (
        "Die Karten für Runde 2 sind gegeben. Die Karten sind nicht zu sehen: mit `seed` oder `deck` im Zug werden sie"
        " sichtbar."
    ),
    "fr": "On distribue la manche 2. Les cartes ne se voient pas\u00a0: `seed` ou `deck` dans le coup les montre.",
}


def resolve_deal(client: FlaskClient, deal: Any, language: str = "en", **more: Any) -> Any:
    """Resolve a deal at a table of Twins; return the answer."""
    body = {"game": "twins", "state": TWINS, "moves": [{"type": "deal", **deal}], **more}
    answer = client.post("/resolve", json=body, headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    return answer.get_json()


@pytest.mark.parametrize("language", UNSEEN_CARDS)
def test_a_bare_deal_says_that_the_cards_are_unseen_and_what_shows_them(client: FlaskClient, language: str) -> None:
    answer = resolve_deal(client, {}, language, views=[0])
    assert [each["text"] for each in answer["events"]] == [UNSEEN_CARDS[language]]
    assert [each["text"] for each in answer["views"][0]["events"]] == [UNSEEN_CARDS[language]]


def test_a_deal_with_a_seed_says_nothing_of_unseen_cards(client: FlaskClient) -> None:
    assert [each["text"] for each in resolve_deal(client, {"seed": "rain"})["events"]] == ["Hand 2 is dealt."]


def test_a_listed_deal_names_what_shows_its_cards(client: FlaskClient) -> None:
    answer = client.post("/legal-moves", json={"game": "twins", "state": TWINS}).get_json()
    assert [each["facts"] for each in answer["moves"]] == [{"takes": ["seed", "deck"]}]
