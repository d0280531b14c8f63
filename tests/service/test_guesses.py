"""What was probably meant by a value that does not fit."""

import dataclasses
from typing import Any

import pytest

import engines
from service.contract import Invalid, guesses
from service.contract.rows import body_codec, body_fields
from service.judging.calls import CALLS, NAMED

CARDS = {game: engine.cards(engine.setup(seats=max(engine.seats))) for game, engine in engines.registry().items()}
SIDES = [side for card in CARDS["twin-it"] for side in card]


@pytest.mark.parametrize("spelled", ["kc", "CK", "K♣", "♣K", "K-C", "c k", "K♣\ufe0e"])
def test_a_card_is_guessed_in_any_case_order_and_with_signs_of_suits(spelled: str) -> None:
    assert guesses.meant(spelled, CARDS["gin-rummy"]) == "KC"


@pytest.mark.parametrize(
    ("spelled", "card"), [("10S", "TS"), ("s10", "TS"), ("10♠", "TS"), ("1h", "AH"), ("11H", None)]
)
def test_a_ten_and_an_ace_are_guessed_by_their_numbers(spelled: str, card: str | None) -> None:
    assert guesses.meant(spelled, CARDS["gin-rummy"]) == card


@pytest.mark.parametrize("spelled", ["Blue-10", "blue 10", "10-blue", "blue_10", "BLUE10", "blue-010"])
def test_a_card_of_twins_is_guessed_whatever_separates_its_parts(spelled: str) -> None:
    assert guesses.meant(spelled, CARDS["twins"]) == "blue-10"


@pytest.mark.parametrize(
    ("spelled", "side"), [("17a", "17A"), ("b17", "17B"), ("17", "17A"), ("71A", "71A"), ("999", None)]
)
def test_a_side_is_guessed_and_its_number_is_never_turned_round(spelled: str, side: str | None) -> None:
    assert guesses.meant(spelled, SIDES) == side


@pytest.mark.parametrize("spelled", ["king of clubs", "K of Clubs", "clubs king", "♣ king"])
def test_a_card_is_guessed_by_its_english_words(spelled: str) -> None:
    assert guesses.meant(spelled, CARDS["gin-rummy"]) == "KC"


@pytest.mark.parametrize(
    ("value", "text"),
    [({"rank": 10, "suit": "S"}, "10 S"), ({"rank": "K"}, {"rank": "K"}), ({"a": [], "b": 1}, {"a": [], "b": 1})],
)
def test_a_small_object_of_texts_and_numbers_is_one_text(value: object, text: object) -> None:
    assert guesses.in_one_text(value) == text


def test_a_text_that_is_like_nothing_is_not_guessed() -> None:
    for spelled in ("", "?", "joker", "x" * (guesses.LONGEST_GUESSED + 1)):
        assert guesses.meant(spelled, CARDS["gin-rummy"]) is None


@pytest.mark.parametrize(
    ("name", "member"),
    [("layOffs", "lay_offs"), ("lay-offs", "lay_offs"), ("LAY_OFFS", "lay_offs"), ("player", "seat")],
)
def test_a_member_is_guessed_in_other_spellings_and_by_another_services_name(name: str, member: str) -> None:
    assert guesses.member_meant(name, ["type", "seat", "melds", "lay_offs"]) == member


def test_another_name_is_guessed_only_where_its_member_is_known() -> None:
    assert guesses.member_meant("player", ["type", "cards"]) is None


@pytest.mark.parametrize(("number", "between"), [(20, (19, 21)), (11, None), (99, None), ("20", None), (True, None)])
def test_a_number_that_is_missing_among_cards_has_two_next_to_it(number: object, between: Any) -> None:
    assert guesses.nearest(number, CARDS["take-that"]) == between


def test_members_that_only_answers_have_are_those_of_answers() -> None:
    of_answers = {each.name for call in CALLS for each in dataclasses.fields(call.gives)}
    of_requests = {name for call in CALLS for name in body_fields(call, "twins")}
    assert of_answers - of_requests - {"game", "ruleset"} == guesses.OF_ANSWERS


def test_a_body_may_not_repeat_the_game_that_its_path_names() -> None:
    with pytest.raises(Invalid) as invalid:
        body_codec(NAMED["audit"], "twins").load({"game": "twins", "state": 1})
    (game,) = [str(each["detail"]) for each in invalid.value.errors if each["pointer"] == "/game"]
    assert game == 'The path names the game, twins: leave "game" out of the body.'
