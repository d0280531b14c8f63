"""Long requests yield to short ones, and run one at a time, in the order in which they yielded."""

import threading
import time
from unittest.mock import Mock

import pytest

from distributions.worker.tests.servers import until
from gunicorn_llhttp import fair_scheduling


@pytest.fixture(autouse=True)
def _no_long_request_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin each test without a long request, whatever the one before has left."""
    monkeypatch.setattr(fair_scheduling._LongRequest, "slices_left", 0)


def yield_in_a_thread() -> None:
    """Yield as a long request of a thread that is about to end.

    Its greenlet must not be remembered longer: greenlet frees the main greenlet of a thread that has ended if it finds
    nothing that refers to it, and does not look into what `gc.freeze` has set aside.
    """
    fair_scheduling.yield_now()
    fair_scheduling._LongRequest.owner = None


def test_requests_that_yield_go_on_in_the_order_in_which_they_came(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[threading.Thread] = []
    resumed: list[int] = []
    may_resume = threading.Event()

    def sleep(seconds: float) -> None:
        assert seconds > 0, "after a sleep of 0 seconds, gevent would not look at any socket"
        turns.append(threading.current_thread())
        may_resume.wait()

    def work(number: int) -> None:
        yield_in_a_thread()
        resumed.append(number)

    monkeypatch.setattr("gunicorn_llhttp.fair_scheduling.time.sleep", sleep)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for number, thread in enumerate(threads, 1):
        thread.start()
        until(lambda queued=number: len(fair_scheduling._queue) >= queued)
    assert until(lambda: turns) == threads[:1], "one at a time"
    assert resumed == []
    may_resume.set()
    for thread in threads:
        thread.join()
    assert turns == threads
    assert sorted(resumed) == [0, 1, 2, 3, 4]
    assert not fair_scheduling._queue


def test_a_request_that_is_stopped_while_it_waits_blocks_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("gunicorn_llhttp.fair_scheduling.time.sleep", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            fair_scheduling.yield_now()
    fair_scheduling.yield_now()
    assert until(lambda: not fair_scheduling._queue)


def test_a_request_yields_after_its_time_slice_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    yielded: list[float] = []
    monkeypatch.setattr(fair_scheduling, "yield_now", lambda: yielded.append(time.perf_counter()))
    fair_scheduling.start_slice()
    fair_scheduling.yield_if_due()
    assert yielded == []
    monkeypatch.setattr(fair_scheduling, "TIME_SLICE", 0.0)
    fair_scheduling.yield_if_due()
    assert len(yielded) == 1


def test_a_request_that_resumes_while_another_yields_has_its_own_time_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise every request that resumes after a long slice would also yield, at a cost."""
    yielded: list[str] = []

    def yield_now() -> None:
        yielded.append("first")
        monkeypatch.setattr(fair_scheduling, "yield_now", lambda: yielded.append("other"))
        fair_scheduling.yield_if_due()

    monkeypatch.setattr(fair_scheduling, "yield_now", yield_now)
    fair_scheduling.start_slice()
    fair_scheduling._Slice.began -= 2 * fair_scheduling.TIME_SLICE
    fair_scheduling.yield_if_due()
    assert yielded == [], "the system ran others: this request had no time of its own"
    fair_scheduling._Slice.began_cpu -= 2 * fair_scheduling.TIME_SLICE
    fair_scheduling.yield_if_due()
    assert yielded == ["first"]


@pytest.fixture
def yielded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list of the full yields of long requests, whose time slices end at once."""
    yields: list[str] = []
    fair_scheduling.yield_now()
    monkeypatch.setattr(fair_scheduling, "yield_now", lambda: yields.append("yielded"))
    monkeypatch.setattr(fair_scheduling, "TIME_SLICE", 0.0)
    return yields


def test_a_long_request_keeps_the_worker_for_several_time_slices(yielded: list[str]) -> None:
    for _ in range(fair_scheduling.SLICES - 1):
        fair_scheduling.yield_if_due()
    assert yielded == []
    fair_scheduling.yield_if_due()
    assert yielded == ["yielded"]


def test_a_request_does_not_use_the_time_slices_of_another(yielded: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_scheduling._Slice, "began_cpu", -1.0)  # greenlets share a thread's clock, threads do not
    other = threading.Thread(target=fair_scheduling.yield_if_due)
    other.start()
    other.join()
    assert yielded == ["yielded"]


def test_another_long_request_waits_until_the_time_slices_are_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    resumed: list[str] = []
    rounds: list[float] = []

    def work() -> None:
        yield_in_a_thread()
        resumed.append("other")

    other = threading.Thread(target=work)

    def sleep(seconds: float) -> None:
        if threading.current_thread() is other:
            rounds.append(seconds)
            if len(rounds) > fair_scheduling.ROUNDS:
                waited.set()
        else:
            other.start()
            assert waited.wait(60)
            assert resumed == []

    waited = threading.Event()
    fair_scheduling.yield_now()
    monkeypatch.setattr(fair_scheduling, "TIME_SLICE", 0.0)
    monkeypatch.setattr("gunicorn_llhttp.fair_scheduling.time.sleep", sleep)
    fair_scheduling.yield_if_due()
    other.join()
    assert resumed == ["other"]
