"""Short versions of the runs; `make faults` does them in full and prints the figures."""

from collections.abc import Iterator

import pytest

from tests.faults import clocks, herd, holding, runs
from tests.faults.clients import Verdict
from tests.server import Server

pytestmark = pytest.mark.faults

WRITERS, MOVES = 8, 4


def every_move_once(verdict: Verdict, moves: int = WRITERS * MOVES) -> bool:
    return (verdict.acknowledged, verdict.lost, verdict.doubled, verdict.stuck) == (moves, 0, 0, 0)


@pytest.fixture(scope="module", params=["sqlite", "redis"])
def serving(request: pytest.FixtureRequest) -> Iterator[Server]:
    with runs.stores(request.param) as (url, _), runs.service(url) as started:
        yield started


def test_many_writers_at_one_table_lose_and_double_no_move(serving: Server) -> None:
    assert every_move_once(runs.writing(serving, WRITERS, MOVES))


def test_replies_that_are_cut_off_lose_and_double_no_move(serving: Server) -> None:
    assert every_move_once(runs.writing(serving, WRITERS, MOVES, cut=0.3))


def test_killed_workers_lose_and_double_no_move(serving: Server) -> None:
    assert every_move_once(runs.killed(serving, 2, WRITERS, MOVES))


def test_workers_that_run_out_of_memory_lose_and_double_no_move() -> None:
    assert every_move_once(runs.starved("sqlite", WRITERS, MOVES).verdict)


def test_workers_that_the_system_kills_for_their_memory_lose_and_double_no_move() -> None:
    try:
        found = runs.starved("sqlite", WRITERS, MOVES, spare=80, limited=runs.grouped)
    except PermissionError as error:
        pytest.skip(f"no group can be made here: {error}")
    assert every_move_once(found.verdict)
    assert found.told >= found.replaced


def test_a_killed_and_restarted_redis_loses_and_doubles_no_move() -> None:
    assert every_move_once(runs.restarted_redis(1, WRITERS, MOVES))


def test_a_cluster_that_loses_a_master_loses_and_doubles_no_move() -> None:
    assert every_move_once(runs.broken_cluster(1, tables=3, writers=2, moves=8), 48)


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_killed_workers_and_cut_replies_lose_and_double_no_hand(kind: str) -> None:
    found = runs.hands_and_kills(kind, tables=2, seconds=3, kills=2)
    assert (found.lost, found.doubled, found.stuck) == (0, 0, 0)
    assert found.acknowledged > found.claims > 0


def test_a_cluster_whose_slots_move_loses_and_doubles_no_move() -> None:
    assert every_move_once(runs.moved_slots(1, tables=3, writers=2, moves=8), 48)


@pytest.mark.parametrize("how", ["refused", "frozen", "silent"])
def test_an_unavailable_store_keeps_nobody_waiting(how: str) -> None:
    figures = runs.away(how, 80)
    assert set(figures.first.statuses) == set(figures.later.statuses) == {503}
    assert figures.first.p99 < 600
    assert set(figures.stateless_meanwhile.statuses) == {200}


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_open_streams_keep_nobody_waiting_and_receive_every_move(store: str) -> None:
    figures = runs.open_streams(store, 60, 40)
    assert figures.told == 60
    assert set(figures.beside.statuses) == {200}


def test_listeners_that_reconnect_miss_no_entry_and_receive_none_twice() -> None:
    found = herd.driven("sqlite", listeners=60, tables=6, blows=2)
    assert every_move_once(found.verdict, found.verdict.acknowledged)
    assert (found.missed, found.twice) == (0, 0)
    assert found.came_back >= 60
    assert found.verdict.acknowledged > 12
    assert set(found.stateless.statuses) == {200}


def test_a_clock_that_runs_ahead_for_a_moment_ends_no_session() -> None:
    assert clocks.ahead("sqlite", 5, 0.5) == clocks.Ahead([200] * 5, [201] * 2, [200] * 5)


HARMS = {
    "dripping heads": holding.dripping(),
    "silent sockets": holding.silent(600),
    "heads half sent": holding.half_heads(600),
    "listeners of a busy session": holding.listening(300),
    "a client with all streams": holding.greedy_listener(300),
    "a flood of openings": holding.openings(),
    "dear requests": holding.posting(holding.dear()[:30], 4),
    "dear answers that nobody reads": holding.unread(holding.dear()[0] * 4, 10),
}


@pytest.fixture(scope="module")
def harmed() -> Iterator[Server]:
    """Start one server for all attacks. Calls made here first warm up what is computed once."""
    with holding.server(REFEREE_CONNECTIONS="200") as started:
        holding.good_clients(started, 80)
        yield started


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_greedy_and_stalling_clients_cost_the_others_little(harmed: Server, harm: holding.Harm) -> None:
    """The bounds are loose because the machine may be busy. `make faults` prints the figures."""
    met = holding.met_by(harmed, harm, 120)
    assert set(met.beside.statuses) == {200}
    assert met.beside.p50 < 100
    assert met.after < met.before + 40
    assert met.raw == 0


def test_expensive_requests_leave_no_memory_behind() -> None:
    held = holding.memory_after(1_000)
    assert held.late < held.early + 20


def test_one_client_cannot_take_all_streams() -> None:
    others = holding.others_beside_a_greedy_listener(60, 40)
    assert others.statuses == [200] * 20
    assert others.greedy[200] >= 40


def test_one_client_cannot_take_all_openings() -> None:
    others = holding.others_beside_many_openings(30)
    assert others.statuses == [201] * 20
    assert others.greedy == {201: 30, 429: 30}
