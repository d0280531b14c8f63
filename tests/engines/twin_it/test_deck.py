"""The house deck: what the rules say of it. The vector twin-it-deal-house-deck holds every card."""

from collections import Counter

from engines.twin_it.designs import DESIGNS, HOUSE_DECK

FACES = [face for card in HOUSE_DECK for face in card]


def test_the_house_deck_has_135_cards_and_119_designs_no_design_more_than_three_times() -> None:
    """TI-1.1."""
    assert (len(HOUSE_DECK), len(FACES)) == (135, 270)
    assert set(FACES) == set(DESIGNS)
    assert Counter(Counter(FACES).values()) == {3: 50, 2: 51, 1: 18}


def test_no_card_of_the_house_deck_is_like_another_or_has_equal_sides() -> None:
    assert {len(frozenset(card)) for card in HOUSE_DECK} == {2}
    assert len({frozenset(card) for card in HOUSE_DECK}) == 135
