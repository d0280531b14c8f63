"""The runs in short; `make faults` makes them in full and prints the figures."""

from __future__ import annotations

import pytest

from tests.faults import runs
from tests.faults.clients import Verdict

pytestmark = pytest.mark.faults

WRITERS, MOVES = 8, 4


def every_move_once(verdict: Verdict, moves: int = WRITERS * MOVES) -> bool:
    return (verdict.acknowledged, verdict.lost, verdict.doubled, verdict.stuck) == (moves, 0, 0, 0)


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_many_writers_at_one_table(store: str) -> None:
    assert every_move_once(runs.many_writers(store, WRITERS, MOVES))


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_replies_that_are_cut_off(store: str) -> None:
    assert every_move_once(runs.many_writers(store, WRITERS, MOVES, cut=0.3))


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_workers_that_are_killed(store: str) -> None:
    assert every_move_once(runs.killed_workers(store, 2, WRITERS, MOVES))


def test_redis_that_is_killed_and_started_again() -> None:
    assert every_move_once(runs.restarted_redis(1, WRITERS, MOVES))


def test_a_cluster_that_loses_a_master() -> None:
    assert every_move_once(runs.broken_cluster(1, tables=3, writers=2, moves=8), 48)


@pytest.mark.parametrize("how", ["refused", "frozen", "silent"])
def test_a_store_that_is_away_keeps_nobody_waiting(how: str) -> None:
    figures = runs.away(how, 80)
    assert set(figures.first.statuses) == set(figures.later.statuses) == {503}
    assert figures.first.p99 < 600
    assert set(figures.stateless_meanwhile.statuses) == {200}


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_open_streams_keep_nobody_waiting_and_are_told(store: str) -> None:
    figures = runs.open_streams(store, 60, 40)
    assert figures.told == 60
    assert set(figures.beside.statuses) == {200}
