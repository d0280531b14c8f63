"""Work that does not wait is done at once, in a greenlet that is there already; work that waits holds up nobody."""

from __future__ import annotations

from collections.abc import Callable

import gevent
import pytest
from gevent import get_hub
from gevent.event import Event
from greenlet import getcurrent

from service.serving.greenlets import KEPT, Greenlets

FAILURES: list[str] = []


@pytest.fixture
def greenlets() -> Greenlets:
    FAILURES.clear()
    return Greenlets(lambda: FAILURES.append("failed"))


def from_the_hub(*works: Callable[[], object]) -> None:
    """Where a worker does everything: in callbacks of gevent's hub, one after the other."""
    over = Event()
    for work in (*works, over.set):
        get_hub().loop.run_callback(work)
    over.wait(5)


def test_what_does_not_wait_is_done_when_the_call_returns(greenlets: Greenlets) -> None:
    done: list[object] = []

    def asks() -> None:
        greenlets.do(done.append, 1)
        done.append(2)

    from_the_hub(asks)
    assert done == [1, 2]


def test_one_greenlet_is_enough_for_work_that_does_not_wait(greenlets: Greenlets) -> None:
    used: set[object] = set()
    from_the_hub(*[lambda: greenlets.do(lambda: used.add(getcurrent()))] * 10)
    assert len(used) == 1


def test_work_that_waits_goes_on_later_and_leaves_the_next_a_greenlet(greenlets: Greenlets) -> None:
    done: list[str] = []

    def waits() -> None:
        done.append("begun")
        gevent.sleep(0.01)
        done.append("ended")

    from_the_hub(lambda: greenlets.do(waits), lambda: greenlets.do(done.append, "other"))
    gevent.sleep(0.05)
    assert done == ["begun", "other", "ended"]
    assert len(greenlets.idle) == 2


def test_a_greenlet_outlives_work_that_fails(greenlets: Greenlets) -> None:
    done: list[object] = []
    from_the_hub(lambda: greenlets.do(lambda: 1 // 0), lambda: greenlets.do(done.append, 1))
    assert (FAILURES, done, len(greenlets.idle)) == (["failed"], [1], 1)


def test_no_more_greenlets_are_kept_than_are_of_use(greenlets: Greenlets) -> None:
    goes_on = Event()
    from_the_hub(*[lambda: greenlets.do(goes_on.wait)] * (KEPT + 10))
    assert not greenlets.idle
    goes_on.set()
    gevent.sleep(0.1)
    assert len(greenlets.idle) == KEPT
