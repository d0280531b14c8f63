"""What the master and its workers share: which workers serve, how many clients each may have."""

import pytest

from gunicorn_llhttp.processes import Handover, connections_within


@pytest.fixture
def handover() -> Handover:
    """Two workers serve and are about to be replaced by two others."""
    handover = Handover()
    for slot in (0, 1):
        handover.serve(slot, handover.generation)
    handover.start_generation(2)
    return handover


def test_without_a_reload_no_worker_has_to_wait_for_successors() -> None:
    handover = Handover()
    assert not handover.is_needed(handover.generation)


def test_old_workers_are_needed_until_all_their_successors_serve(handover: Handover) -> None:
    new = handover.generation
    needed = [handover.is_needed(new - 1)]
    for slot in (2, 3):
        handover.serve(slot, new)
        needed.append(handover.is_needed(new - 1))
    assert needed == [True, True, False]
    assert not handover.is_needed(new)


def test_after_two_reloads_workers_are_needed_until_the_successors_of_the_later_one_serve(handover: Handover) -> None:
    for slot in (2, 3):
        handover.serve(slot, handover.generation)
    handover.start_generation(1)
    assert handover.is_needed(handover.generation - 1)
    handover.serve(0, handover.generation)
    assert not handover.is_needed(handover.generation - 1)


def test_a_successor_that_was_replaced_before_the_handover_no_longer_counts(handover: Handover) -> None:
    """A worker that starts in a slot has generation 0 until it serves."""
    for slot in (2, 3):
        handover.serve(slot, handover.generation)
    handover.serve(2, 0)
    assert handover.is_needed(handover.generation - 1)


@pytest.mark.parametrize(("limit", "asked", "held"), [(20_000, 2_000, 2_000), (1_024, 2_000, 512), (256, 2_000, 85)])
def test_connections_keep_within_the_limit_of_descriptors(limit: int, asked: int, held: int) -> None:
    assert connections_within(limit, asked) == held
