"""Work runs in idle greenlets: at once if it does not wait, and without blocking other work if it does."""

from collections.abc import Callable
from socket import socket, socketpair

import gevent
import pytest
from gevent import get_hub
from gevent.event import Event
from greenlet import GreenletExit, getcurrent, greenlet

from gunicorn_llhttp.connection import WAITS_FOR_INPUT
from gunicorn_llhttp.greenlets import MOST_IDLE, MOST_PAUSED, Greenlets

FAILURES: list[str] = []


@pytest.fixture
def greenlets() -> Greenlets:
    """Greenlets whose failures are listed in `FAILURES`, which is emptied."""
    FAILURES.clear()
    return Greenlets(lambda: FAILURES.append("failed"))


def call_from_the_hub(*works: Callable[[], object]) -> None:
    """Call them one after another in gevent's hub, as a worker does."""
    over = Event()
    for work in (*works, over.set):
        get_hub().loop.run_callback(work)
    over.wait(5)


def test_work_that_does_not_wait_is_done_when_the_call_returns_and_always_by_the_same_greenlet(
    greenlets: Greenlets,
) -> None:
    done: list[object] = []

    def work() -> None:
        greenlets.run(lambda: done.append(getcurrent()))
        done.append("returned")

    call_from_the_hub(*[work] * 10)
    assert done == [done[0], "returned"] * 10


def test_other_work_continues_while_some_waits(greenlets: Greenlets) -> None:
    done: list[str] = []
    may_go_on = Event()

    def waits() -> None:
        done.append("begun")
        may_go_on.wait()
        done.append("ended")

    call_from_the_hub(lambda: greenlets.run(waits), lambda: greenlets.run(lambda: done.append("other")))
    may_go_on.set()
    gevent.sleep(0)  # the hub switches to the waiting greenlets
    assert done == ["begun", "other", "ended"]
    assert len(greenlets.idle) == 2


def test_a_greenlet_outlives_work_that_fails(greenlets: Greenlets) -> None:
    done: list[object] = []
    call_from_the_hub(lambda: greenlets.run(lambda: 1 // 0), lambda: greenlets.run(lambda: done.append(1)))
    assert (FAILURES, done, len(greenlets.idle)) == (["failed"], [1], 1)


def test_the_number_of_idle_greenlets_is_limited(greenlets: Greenlets) -> None:
    may_go_on = Event()
    call_from_the_hub(*[lambda: greenlets.run(may_go_on.wait)] * (MOST_IDLE + 10))
    assert not greenlets.idle
    may_go_on.set()
    gevent.sleep(0)
    assert len(greenlets.idle) == MOST_IDLE


def at_once(count: int, work: Callable[[], object]) -> None:
    """Make `count` sockets readable in one round of the hub, and do the work for each."""
    pairs = [socketpair() for _ in range(count)]

    def readable(reader: socket) -> None:
        reader.recv(1)
        work()

    watchers = [get_hub().loop.io(reader.fileno(), WAITS_FOR_INPUT) for reader, _ in pairs]
    for watcher, (reader, writer) in zip(watchers, pairs, strict=True):
        writer.send(b"x")
        watcher.start(readable, reader)
    gevent.sleep(0.05)
    for watcher, pair in zip(watchers, pairs, strict=True):
        watcher.close()
        for each in pair:
            each.close()


def test_paused_work_continues_after_all_work_of_the_same_round_has_started(greenlets: Greenlets) -> None:
    done: list[str] = []

    def work() -> None:
        done.append("begun")
        greenlets.let_others_start()
        done.append("ended")

    at_once(10, lambda: greenlets.run(work))
    assert done == [*["begun"] * 10, *["ended"] * 10]


def test_the_number_of_paused_greenlets_is_limited(greenlets: Greenlets) -> None:
    waiting: list[int] = []

    def work() -> None:
        greenlets.let_others_start()
        waiting.append(greenlets.paused)

    at_once(2 * MOST_PAUSED, lambda: greenlets.run(work))
    assert (max(waiting), greenlets.paused, len(greenlets.idle)) == (MOST_PAUSED, 0, MOST_PAUSED + 1)


def test_work_that_is_killed_while_paused_is_not_resumed(greenlets: Greenlets) -> None:
    ended: list[greenlet] = []

    def work() -> None:
        ended.append(getcurrent())
        greenlets.let_others_start()

    def begin() -> None:
        if not ended:
            greenlets.run(work)
            ended[0].throw(GreenletExit)

    at_once(10, begin)
    assert (FAILURES, greenlets.paused, greenlets.idle) == ([], 0, ended)
