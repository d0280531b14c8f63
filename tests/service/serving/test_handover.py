"""Workers of before are needed until all of their successors serve."""

from __future__ import annotations

import pytest

from service.serving.handover import PLACES, Handover


@pytest.fixture
def handover() -> Handover:
    """Two workers serve, and are about to be exchanged for two others."""
    handover = Handover()
    for place in (0, 1):
        handover.serves(place, handover.round)
    handover.begins(2)
    return handover


def test_without_an_exchange_nobody_is_needed() -> None:
    handover = Handover()
    assert not handover.needed(handover.round)


def test_workers_are_needed_until_all_of_their_successors_serve(handover: Handover) -> None:
    before, now = handover.round - 1, handover.round
    needed = [handover.needed(before)]
    for place in (2, 3):
        handover.serves(place, now)
        needed.append(handover.needed(before))
    assert needed == [True, True, False]


def test_a_successor_is_not_held_back(handover: Handover) -> None:
    assert not handover.needed(handover.round)


def test_of_two_exchanges_the_later_counts(handover: Handover) -> None:
    for place in (2, 3):
        handover.serves(place, handover.round)
    handover.begins(1)
    assert handover.needed(handover.round - 1)
    handover.serves(0, handover.round)
    assert not handover.needed(handover.round - 1)


def test_a_place_is_served_from_when_its_worker_says_so_until_another_starts_there(handover: Handover) -> None:
    served = [handover.is_served(0)]
    handover.starts(0)
    served.append(handover.is_served(0))
    handover.serves(0, handover.round)
    served.append(handover.is_served(0))
    assert served == [True, False, True]


def test_a_worker_beyond_all_places_does_no_harm(handover: Handover) -> None:
    handover.serves(PLACES, handover.round)
    assert handover.needed(handover.round - 1)
