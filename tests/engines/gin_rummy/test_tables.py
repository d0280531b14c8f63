"""What is worked out once, on import, and every look-up rests on."""

import pytest

from engines.gin_rummy import deadwood, lay_off, melds
from engines.gin_rummy.melds import BITS, MELDS, best_discards, bits_of, names_of
from tests.engines.gin_rummy import oracle


@pytest.mark.parametrize(
    ("held", "in_a_stretch"),
    [
        (0b0, 0b0),
        (0b11, 0b0),
        (0b111, 0b111),
        (0b1110111, 0b1110111),
        (0b1101101110, 0b1110),
        (0b1111111111111, 0b1111111111111),
        (0b1100000000111, 0b111),
        (0b1110000000011, 0b1110000000000),
    ],
)
def test_a_stretch_is_three_or_more_of_a_suit_in_sequence(held: int, in_a_stretch: int) -> None:
    assert deadwood._stretches(held) == in_a_stretch
    assert deadwood._STRETCH[held] == in_a_stretch


def test_every_holding_of_a_suit_has_its_sum() -> None:
    assert deadwood._sums((1, 10, 100)) == [0, 1, 10, 11, 100, 101, 110, 111]


def test_runs_leave_what_is_in_no_stretch() -> None:
    ace_to_three_and_king = 0b1000000000111
    assert deadwood._LEFT[ace_to_three_and_king] == 10
    assert deadwood._LEFT[0b1000000000011] == 13


def test_melds_stand_in_canonical_order() -> None:
    assert tuple(sorted(melds._every_set(), key=melds._by_cards)) == melds.SETS
    assert tuple(sorted(melds._every_run(), key=melds._by_cards)) == melds.RUNS
    assert [names_of(meld) for meld in melds.SETS[:6]] == [
        ("AS", "AH", "AD"),
        ("AS", "AH", "AD", "AC"),
        ("AS", "AH", "AC"),
        ("AS", "AD", "AC"),
        ("2S", "2H", "2D"),
        ("2S", "2H", "2D", "2C"),
    ]
    assert names_of(melds.SETS[-1]) == ("KH", "KD", "KC")
    assert [names_of(meld) for meld in melds.RUNS[:2]] == [("AS", "2S", "3S"), ("AS", "2S", "3S", "4S")]
    assert names_of(melds.RUNS[-1]) == ("JC", "QC", "KC")
    assert melds._by_cards(BITS["AS"] | BITS["KC"]) == [0, 51]
    assert list(MELDS.values()) == list(range(329))


def test_a_meld_opens_what_makes_it_a_longer_meld() -> None:
    for meld, (opens, beyond) in lay_off._OPENS.items():
        cards = names_of(meld)
        fitting = {card for card in BITS if card not in cards and oracle.is_meld({*cards, card})}
        assert opens == bits_of(fitting)
        if meld in melds.SETS:
            assert beyond == 0
        else:
            second = {other for card in fitting for other in BITS if oracle.is_meld({*cards, card, other})}
            assert beyond == bits_of(second - fitting - set(cards))


def test_the_best_discard_is_any_card_unless_one_is_forbidden() -> None:
    hand = bits_of(["AS", "2H", "2D", "2C", "5S", "6S", "7S", "9H", "9D", "9C", "KC"])
    assert best_discards(hand) == {BITS["KC"]: 1}
    assert best_discards(hand, BITS["KC"]) == {BITS["AS"]: 10}
    assert best_discards(bits_of(["AS", "2H", "2D", "2C", "5S", "6S", "7S", "8S", "9H", "9D", "9C"])) == {BITS["AS"]: 0}
