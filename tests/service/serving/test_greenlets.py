"""Work that does not wait is done at once, in a greenlet that is there already; work that waits holds up nobody."""

from __future__ import annotations

from collections.abc import Callable
from socket import socket, socketpair

import gevent
import pytest
from gevent import get_hub
from gevent.event import Event
from greenlet import GreenletExit, getcurrent, greenlet

from service.serving.connection import READ
from service.serving.greenlets import KEPT, PAUSED, Greenlets

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


def at_once(count: int, begin: Callable[[], object]) -> None:
    """Let the hub notice so many sockets that can be read, all in one round."""
    pairs = [socketpair() for _ in range(count)]

    def noticed(reader: socket) -> None:
        reader.recv(1)
        begin()

    watchers = [get_hub().loop.io(reader.fileno(), READ) for reader, _ in pairs]
    for watcher, (reader, writer) in zip(watchers, pairs, strict=True):
        writer.send(b"x")
        watcher.start(noticed, reader)
    gevent.sleep(0.05)
    for watcher, pair in zip(watchers, pairs, strict=True):
        watcher.close()
        for each in pair:
            each.close()


def test_whoever_lets_others_begin_goes_on_after_all_that_came_with_it(greenlets: Greenlets) -> None:
    done: list[str] = []

    def work() -> None:
        done.append("begun")
        greenlets.after_others()
        done.append("ended")

    at_once(10, lambda: greenlets.do(work))
    assert done == [*["begun"] * 10, *["ended"] * 10]


def test_whoever_comes_alone_waits_for_nobody(greenlets: Greenlets) -> None:
    done: list[str] = []

    def asks() -> None:
        greenlets.do(greenlets.after_others)
        done.append("through")

    at_once(1, asks)
    assert (done, len(greenlets.idle)) == (["through"], 1)


def test_no_more_than_some_wait_for_others(greenlets: Greenlets) -> None:
    waiting: list[int] = []

    def work() -> None:
        greenlets.after_others()
        waiting.append(greenlets.paused)

    at_once(2 * PAUSED, lambda: greenlets.do(work))
    assert (max(waiting), greenlets.paused, len(greenlets.idle)) == (PAUSED, 0, PAUSED + 1)


def test_who_is_ended_while_it_waits_for_others_is_not_called_again(greenlets: Greenlets) -> None:
    ended: list[greenlet] = []

    def work() -> None:
        ended.append(getcurrent())
        greenlets.after_others()

    def begin() -> None:
        if not ended:
            greenlets.do(work)
            ended[0].throw(GreenletExit)

    at_once(10, begin)
    assert (FAILURES, greenlets.paused, greenlets.idle) == ([], 0, ended)
