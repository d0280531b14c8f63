"""What a sentence says of numbers that unseen cards may change."""

import pytest
from flask.testing import FlaskClient

TEN_UNSEEN = [None] * 10
ONE_RUN = ["4S", "5S", "6S", "5H", "6D", None, "KC"]
HEAVY_KNOCK = {
    "game": "gin-rummy",
    "state": {"phase": "discard", "turn": 0, "hands": [ONE_RUN, TEN_UNSEEN]},
    "move": {"type": "knock", "seat": 0, "discard": "KC", "melds": [ONE_RUN[:3]]},
}
NO_BIG_GIN = ["4S", "5S", "6S", "7S", "KH", "KD", "KC", "QD", "QH", "2S", None]
BIG_GIN = {
    "game": "gin-rummy",
    "state": {"phase": "discard", "turn": 0, "hands": [NO_BIG_GIN, TEN_UNSEEN]},
    "move": {"type": "knock", "seat": 0, "big": True},
}
SHOWN_KNOCK = {
    "phase": "lay-off",
    "turn": 1,
    "hands": [["4S", "5S", "6S", "KH", "QD", None], TEN_UNSEEN],
    "knock": {"seat": 0, "melds": [ONE_RUN[:3]]},
}


HEAVY_IN_FRENCH = (
    "Il reste ainsi des cartes non assemblées pour au moins 17 points\u00a0; "
    "pour frapper, il peut en rester 10 au plus."
)


@pytest.mark.parametrize(
    ("language", "heavy", "big"),
    [
        (
            "en",
            "This leaves at least 17 points of deadwood; a knock may leave 10 at most.",
            "Big gin melds eleven cards; here 10 at most.",
        ),
        (
            "it",
            "Così restano spaiate carte per almeno 17 punti; per bussare ne possono restare al massimo 10.",
            "Il Big combina undici carte; qui al massimo 10.",
        ),
        (
            "fr",
            HEAVY_IN_FRENCH,
            "Un big gin combine onze cartes\u00a0; ici au plus 10.",
        ),
    ],
)
def test_deadwood_that_unseen_cards_may_raise_is_a_bound(
    client: FlaskClient, language: str, heavy: str, big: str
) -> None:
    texts = []
    for knock in (HEAVY_KNOCK, BIG_GIN):
        answer = client.post("/validate", json=knock, headers={"Accept-Language": language}).get_json()
        texts += [each["text"] for each in answer["violations"]]
    assert texts == [heavy, big]


def test_a_posted_knock_with_unseen_cards_that_is_too_heavy_says_a_bound(client: FlaskClient) -> None:
    answer = client.post("/audit", json={"game": "gin-rummy", "state": SHOWN_KNOCK}).get_json()
    texts = [each["text"] for each in answer["faults"] if each["code"] == "shown-too-heavy"]
    assert texts == ["The melds shown leave at least 26 points of deadwood; a knock may leave 10 at most."]
