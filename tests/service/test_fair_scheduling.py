"""Whoever works long lets the others go on, one after the other in the order in which they gave way."""

from __future__ import annotations

import threading
import time

import pytest

from service.web import fair_scheduling
from tests.server import until


@pytest.fixture(autouse=True)
def _nobody_has_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_scheduling._Share, "left", 0)


def test_those_who_give_way_go_on_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[int] = []
    held = threading.Event()
    monkeypatch.setattr("service.web.fair_scheduling.time.sleep", lambda seconds: held.wait())

    def work(number: int) -> None:
        fair_scheduling.yield_now()
        went.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for number, thread in enumerate(threads, 1):
        thread.start()
        until_queued(number)
    assert went == []
    held.set()
    for thread in threads:
        thread.join()
    assert sorted(went) == [0, 1, 2, 3, 4]
    assert not fair_scheduling._queue


def until_queued(count: int) -> None:
    limit = threading.Event()
    while len(fair_scheduling._queue) < count:
        limit.wait(0.001)


def test_who_is_stopped_while_waiting_keeps_nobody_else_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(seconds: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("service.web.fair_scheduling.time.sleep", stopped)
        with pytest.raises(KeyboardInterrupt):
            fair_scheduling.yield_now()
    fair_scheduling.yield_now()
    assert until(lambda: not fair_scheduling._queue)


def test_short_work_does_not_give_way_and_long_work_does(monkeypatch: pytest.MonkeyPatch) -> None:
    gave: list[float] = []
    monkeypatch.setattr(fair_scheduling, "yield_now", lambda: gave.append(time.perf_counter()))
    fair_scheduling.start_slice()
    fair_scheduling.yield_if_due()
    assert gave == []
    monkeypatch.setattr(fair_scheduling, "TIME_SLICE", 0.0)
    fair_scheduling.yield_if_due()
    assert len(gave) == 1


def test_who_goes_on_while_another_gives_way_has_a_stretch_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else, where one has gone on for long, all that go on after it would give way as well, each at a cost."""
    gave: list[str] = []

    def yield_now() -> None:
        gave.append("first")
        monkeypatch.setattr(fair_scheduling, "yield_now", lambda: gave.append("other"))
        fair_scheduling.yield_if_due()

    monkeypatch.setattr(fair_scheduling, "yield_now", yield_now)
    fair_scheduling.start_slice()
    fair_scheduling._Slice.began -= 2 * fair_scheduling.TIME_SLICE
    fair_scheduling.yield_if_due()
    assert gave == ["first"]


@pytest.fixture
def gave(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often somebody gives way from here on; the share is ours, and each stretch is over at once."""
    noted: list[str] = []
    fair_scheduling.yield_now()
    monkeypatch.setattr(fair_scheduling, "yield_now", lambda: noted.append("way"))
    monkeypatch.setattr(fair_scheduling, "TIME_SLICE", 0.0)
    return noted


def test_who_has_gone_on_keeps_its_turn_for_a_share_of_stretches(gave: list[str]) -> None:
    for _ in range(fair_scheduling.SLICES - 1):
        fair_scheduling.yield_if_due()
    assert gave == []
    fair_scheduling.yield_if_due()
    assert gave == ["way"]


def test_a_share_is_nobody_elses(gave: list[str]) -> None:
    other = threading.Thread(target=fair_scheduling.yield_if_due)
    other.start()
    other.join()
    assert gave == ["way"]


def test_another_who_works_long_does_not_go_on_before_a_share_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[str] = []
    rounds: list[float] = []

    def work() -> None:
        fair_scheduling.yield_now()
        went.append("other")

    other = threading.Thread(target=work)

    def sleep(seconds: float) -> None:
        if threading.current_thread() is other:
            rounds.append(seconds)
            if len(rounds) > fair_scheduling.ROUNDS:
                waited.set()
        else:
            other.start()
            assert waited.wait(60)
            assert went == []

    waited = threading.Event()
    fair_scheduling.yield_now()
    monkeypatch.setattr(fair_scheduling, "TIME_SLICE", 0.0)
    monkeypatch.setattr("service.web.fair_scheduling.time.sleep", sleep)
    fair_scheduling.yield_if_due()
    other.join()
    assert went == ["other"]
