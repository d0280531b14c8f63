"""Thousands of hands, reckoned by the engine and by an oracle that shares no line with it."""

import random
from collections.abc import Iterable
from itertools import combinations

import pytest

from engines.gin_rummy.deadwood import least_deadwood, least_deadwood_after_discard, points_of
from engines.gin_rummy.lay_off import (
    FEWEST_FOR_CHAINS,
    best_reply,
    knocker_layout,
    least_after_laying_off,
    reachable,
    ways_to_keep,
)
from engines.gin_rummy.melds import (
    CARDS,
    MELDS,
    best_arrangement,
    best_arrangements,
    bits_of,
    in_any_meld,
    meld_of,
    names_of,
    singly,
)
from engines.gin_rummy.unseen import least_possible
from tests.engines.gin_rummy import hands, oracle
from tests.engines.gin_rummy.hands import Kind


def cards_of(melds: Iterable[int]) -> frozenset[frozenset[str]]:
    """Melds of the engine, each a number with a bit for each card, as sets of names of cards."""
    return frozenset(frozenset(names_of(meld)) for meld in melds)


@pytest.mark.parametrize("kind", [hands.random_cards, *hands.STRUCTURED_HANDS])
@pytest.mark.no_cover
def test_engine_and_oracle_find_the_same_least_deadwood_of_a_hand(kind: Kind) -> None:
    """GR-2.3."""
    rng = random.Random(kind.__name__)
    for _ in range(7_000):
        hand = kind(rng, rng.choice([9, 10, 10, 11, 11, 11, rng.randint(0, 8)]))
        assert least_deadwood(bits_of(hand)) == oracle.least_deadwood(frozenset(hand)), hand


@pytest.mark.parametrize("kind", [hands.random_cards, *hands.STRUCTURED_HANDS])
def test_engine_and_oracle_find_the_same_least_deadwood_after_the_best_discard(kind: Kind) -> None:
    rng = random.Random(kind.__name__)
    for _ in range(500):
        hand = kind(rng, 11)
        assert least_deadwood_after_discard(bits_of(hand)) == oracle.least_after_discard(frozenset(hand)), hand


@pytest.mark.parametrize("kind", [hands.random_cards, *hands.STRUCTURED_HANDS])
def test_every_best_arrangement_is_found_in_canonical_order(kind: Kind) -> None:
    rng = random.Random(kind.__name__)
    for _ in range(150):
        hand = kind(rng, rng.choice([10, 11]))
        ways = list(best_arrangements(bits_of(hand)))
        assert {cards_of(melds) for melds in ways} == oracle.best_arrangements(frozenset(hand))
        places = [[MELDS[meld] for meld in melds] for melds in ways]
        assert places == sorted(places)
        assert all(melds == sorted(melds) for melds in places)
        assert len(set(ways)) == len(ways)
        assert best_arrangement(bits_of(hand)) == ways[0]


def test_melds_are_the_sets_and_runs_of_three_or_more() -> None:
    assert len(MELDS) == 13 * 5 + 4 * (11 + 10 + 9 + 8 + 7 + 6 + 5 + 4 + 3 + 2 + 1)
    assert all(oracle.is_meld(names_of(meld)) for meld in MELDS)


@pytest.mark.parametrize("cards", [["9H", "9D", "9D"], ["9H", "9D", "9C", "9D"], []])
def test_a_meld_has_cards_and_none_of_them_twice(cards: list[str]) -> None:
    """GR-2.1."""
    assert meld_of(cards) is None


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.no_cover
def test_the_defenders_best_reply_leaves_the_least_that_own_melds_and_lay_offs_together_can(seed: int) -> None:
    """GR-6.3."""
    rng = random.Random(seed)
    for _ in range(600):
        knocker, defender = hands.knocker_and_defender(rng)
        melds = best_arrangement(bits_of(knocker))
        expected = oracle.least_after_laying_off(frozenset(defender), cards_of(melds))
        assert least_after_laying_off(bits_of(defender), melds) == expected, (melds, defender)
        reply = best_reply(bits_of(defender), melds)
        assert points_of(reply.unmatched) == expected
        laid = sum(card for card, _ in reply.lay_offs)
        assert laid | sum(reply.melds) | reply.unmatched == bits_of(defender)
        table = list(melds)
        for card, index in reply.lay_offs:
            table[index] |= card
            assert table[index] in MELDS


def test_the_ways_to_keep_cards_lead_to_every_set_of_cards_that_can_be_laid_off() -> None:
    """GR-6.1, GR-6.3: the engine tries only some subsets of the cards that may be kept or laid off; here all are tried.

    A run of one suit, three of a rank in the next suits, and perhaps a set; a hand with many cards beside the run.
    """
    rng = random.Random(11)
    many = 0
    for _ in range(400):
        run, first, suit, other = rng.randint(3, 5), rng.randint(1, 7), rng.randint(0, 3), rng.randint(0, 3)
        melds = [(1 << run) - 1 << 13 * suit + first, 0b111 << 13 * ((suit + 1) % 4) + rng.randint(0, 10)]
        if rng.random() < 0.5:
            rank = rng.randint(0, 12)
            melds.append(sum(1 << 13 * each + rank for each in range(4) if each != other))
        free = [1 << card for card in range(52) if not any(meld >> card & 1 for meld in melds)]
        near = [card for card in free if card.bit_length() - 1 in range(13 * suit, 13 * suit + 13)]
        hand = sum({*rng.sample(near, 7), *rng.sample(free, 3)})
        choice = reachable(hand, melds) & in_any_meld(hand)
        every = {reachable(hand ^ held, melds) for held in subsets(choice)}
        assert {reachable(hand ^ held, melds) for held in ways_to_keep(hand, choice, melds)} == every
        many += choice.bit_count() >= FEWEST_FOR_CHAINS
    assert many > 50


def test_the_deadwood_after_laying_off_is_what_fits_no_meld_and_nothing_if_all_cards_fit() -> None:
    """GR-6.1, GR-6.3."""
    assert least_after_laying_off(bits_of(["7S", "8S", "KS", "9S"]), [bits_of(["4S", "5S", "6S"])]) == 10
    assert least_after_laying_off(bits_of(["7S", "8S"]), [bits_of(["4S", "5S", "6S"])]) == 0


def subsets(cards: int) -> Iterable[int]:
    """Every set of some of the cards; cards are bits of a number."""
    single = singly(cards)
    return (sum(chosen) for size in range(len(single) + 1) for chosen in combinations(single, size))


def test_of_the_knockers_best_arrangements_the_layout_is_one_that_leaves_the_defender_the_most() -> None:
    """GR-5.6."""
    rng = random.Random(7)
    for _ in range(120):
        knocker, defender = hands.knocker_and_defender(rng)
        layout = knocker_layout(bits_of(knocker), bits_of(defender))
        left = {
            melds: oracle.least_after_laying_off(frozenset(defender), melds)
            for melds in oracle.best_arrangements(frozenset(knocker))
        }
        assert left[cards_of(layout)] == max(left.values())


def test_the_least_possible_deadwood_with_one_or_two_unseen_cards_is_exact() -> None:
    """GR-5.2."""
    rng = random.Random(1)
    for _ in range(60):
        unseen = rng.choice((1, 1, 2))
        hand = hands.cards_of_near_ranks(rng, 10 - unseen)
        others = [card for card in CARDS if card not in hand and rng.random() < 0.4]
        least = min(oracle.least_deadwood(frozenset((*hand, *more))) for more in combinations(others, unseen))
        points, _unmatched = least_possible(bits_of(hand), unseen, bits_of(others))
        assert points == least


def test_the_least_possible_deadwood_with_more_unseen_cards_is_a_lower_bound() -> None:
    """GR-5.2."""
    rng = random.Random(2)
    for _ in range(40):
        unseen = rng.randint(3, 10)
        whole = rng.sample(CARDS, 40)
        seen, rest = whole[: 10 - unseen], whole[10 - unseen :]
        bound, _unmatched = least_possible(bits_of(seen), unseen, bits_of(rest))
        assert all(bound <= least_deadwood(bits_of((*seen, *rng.sample(rest, unseen)))) for _ in range(50))
