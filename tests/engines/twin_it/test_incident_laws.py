"""TI-4.6: what holds of every incident, tried on random ones."""

import random
from collections import Counter
from typing import Any

import pytest

from engines.core import judge as core
from engines.core.engine import Resolution
from engines.core.records import changed
from engines.twin_it import ENGINE
from engines.twin_it.model import State
from tests.engines.twin_it.tables import claim
from tests.engines.twin_it.test_against_an_oracle import face, random_hands, random_table, visible_cards

Hands = list[tuple[int, str]]
SEEDS = range(12)


def incidents(seed: int) -> list[tuple[State, Hands]]:
    """Random tables with random hands on their cards."""
    rng = random.Random(seed)
    states = [random_table(rng) for _ in range(25)]
    return [(state, hands) for state in states if (hands := random_hands(state, rng))]


def settled(state: State, hands: Hands) -> Resolution[State]:
    return core.resolve(ENGINE, state, [claim(*hands)])


def told(resolution: Resolution[State], code: str) -> list[Any]:
    return [event.params for _, event in resolution.events if event.ruling.code == code]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_falls_after_the_winning_set_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    for state, hands in incidents(seed):
        for fallen in range(1, len(hands)):
            first = settled(state, hands[:fallen])
            if told(first, "game-over") and any(state.piles) and first.events[-1][1].ruling.rule == "TI-6.1":
                assert settled(state, hands).events == first.events
                rest = hands[fallen:]
                rng.shuffle(rest)
                assert settled(state, hands[:fallen] + rest).state == first.state


@pytest.mark.parametrize("seed", SEEDS)
def test_later_hands_undo_no_set(seed: int) -> None:
    """They may cost its side a set by a mistake, but a set that was won stays won."""
    for state, hands in incidents(seed):
        for fallen in range(1, len(hands)):
            won = told(settled(state, hands[:fallen]), "set-won")
            assert told(settled(state, hands), "set-won")[: len(won)] == won


@pytest.mark.parametrize("seed", SEEDS)
def test_hands_on_cards_that_are_taken_cost_nothing(seed: int) -> None:
    rng = random.Random(seed)
    for state, hands in incidents(seed):
        before = settled(state, hands)
        won = [params["design"] for params in told(before, "set-won")]
        taken = [card for card in visible_cards(state) if face(card) in won]
        free = [seat for seat in range(len(state.piles)) if seat not in [seat for seat, _ in hands]]
        if taken and free:
            more = [(free[0], card) for card in rng.sample(taken, min(2, len(taken)))]
            after = settled(state, hands + more)
            assert after.state == before.state
            assert told(after, "mistake") == told(before, "mistake")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_lone_hand_changes_nothing_else(seed: int) -> None:
    rng = random.Random(seed)
    for state, hands in incidents(seed):
        touched = [face(card) for _, card in hands]
        shown = Counter(face(card) for card in visible_cards(state))
        won = {face(card) for sets in state.sets for cards in sets for card in cards}
        alone = [each for each in visible_cards(state) if face(each) not in touched]
        free = [seat for seat in range(len(state.piles)) if seat not in [seat for seat, _ in hands]]
        alone = [each for each in alone if shown[face(each)] < 3 or face(each) in won]
        if not alone or not free:
            continue
        at = rng.randint(0, len(hands))
        before, after = settled(state, hands), settled(state, [*hands[:at], (free[0], rng.choice(alone)), *hands[at:]])
        assert after.state == before.state
        others = [
            event for _, event in after.events if event.params.get("seat") != free[0] or "because" not in event.params
        ]
        assert others == [event for _, event in before.events]


@pytest.mark.parametrize("seed", SEEDS)
def test_seats_renamed_come_to_the_same(seed: int) -> None:
    """Only the order differs in which cards of several piles come to the table."""
    rng = random.Random(seed)
    for state, hands in incidents(seed):
        names = list(range(len(state.piles)))
        rng.shuffle(names)
        renamed = _renamed(state, names)
        after = settled(renamed, [(names[seat], card) for seat, card in hands]).state
        before = settled(state, hands).state
        expected = changed(_renamed(before, names), turn=None, table=after.table)
        assert (sorted(after.table), changed(after, turn=None)) == (sorted(before.table), expected)


def _renamed(state: State, names: list[int]) -> State:
    """The table with seat n called names[n]; teams keep their names."""
    seats = sorted(range(len(names)), key=names.__getitem__)
    piles = tuple(state.piles[seat] for seat in seats)
    if state.teams is not None:
        return changed(state, piles=piles, teams=tuple(state.teams[seat] for seat in seats))
    sets, beside = (tuple(zone[seat] for seat in seats) for zone in (state.sets, state.forbidden))
    return changed(state, piles=piles, sets=sets, forbidden=beside)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_card_appears_or_disappears(seed: int) -> None:
    for state, hands in incidents(seed):
        after = settled(state, hands).state
        assert Counter(ENGINE.zones.lying(after)) == Counter(ENGINE.zones.lying(state))
