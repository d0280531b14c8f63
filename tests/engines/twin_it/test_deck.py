"""The house deck, and what a card shows."""

from collections import Counter

from engines.twin_it.designs import CARDS, DESIGNS, HOUSE_DECK, TURNED, alike, design, designs_of, faces

FACES = [face for card in HOUSE_DECK for face in card]


def test_the_house_deck_has_135_cards_and_119_designs() -> None:
    """TI-1.1."""
    assert (len(HOUSE_DECK), len(set(FACES)), len(FACES)) == (135, 119, 270)
    assert set(FACES) == set(DESIGNS)


def test_no_design_of_the_house_deck_occurs_more_than_three_times() -> None:
    """TI-1.1."""
    assert Counter(Counter(FACES).values()) == {3: 50, 2: 51, 1: 18}


def test_no_card_of_the_house_deck_is_like_another_or_has_equal_sides() -> None:
    assert len({frozenset(card) for card in HOUSE_DECK}) == 135
    assert all(one != other for one, other in HOUSE_DECK)


def test_the_house_deck_never_changes() -> None:
    assert HOUSE_DECK[0] == ("red-anchor", "yellow-cat")
    assert HOUSE_DECK[84] == ("red-moon", "yellow-owl")
    assert HOUSE_DECK[85] == ("orange-moon", "red-anchor")
    assert HOUSE_DECK[118] == ("pink-star", "purple-egg")
    assert HOUSE_DECK[134] == ("orange-cat", "red-hat")


def test_a_card_is_a_number_and_a_side() -> None:
    assert CARDS[:4] == ("0A", "0B", "1A", "1B")
    assert CARDS[-1] == "199B"
    assert (TURNED["17A"], TURNED["17B"]) == ("17B", "17A")


def test_a_side_shows_its_design() -> None:
    deck = (("sun", "moon"), ("moon", "star"))
    assert [design(deck, card) for card in ("0A", "0B", "1A", "1B")] == ["sun", "moon", "moon", "star"]
    assert designs_of(deck, ("1B", "0A")) == ["star", "sun"]
    assert list(faces(deck, "moon")) == ["0B", "1A"]


def test_cards_are_alike_when_all_show_one_design() -> None:
    deck = (("sun", "moon"), ("moon", "star"))
    assert alike(deck, ("0B", "1A"))
    assert not alike(deck, ("0A", "1A"))
