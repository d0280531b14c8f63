"""Short versions of the runs; `make faults` does them in full and prints the figures."""

from collections.abc import Iterator

import pytest

from tests.faults import counting, greedy_clients, reconnecting_listeners, rematches, runs
from tests.faults.clients import Verdict
from tests.long import long
from tests.server import Server

pytestmark = pytest.mark.faults

WRITERS, MOVES = 6, 4


def every_move_once(verdict: Verdict, moves: int = WRITERS * MOVES) -> bool:
    """Whether so many moves were acknowledged, each is in the log once, and no writer gave up."""
    return (verdict.acknowledged, verdict.lost, verdict.doubled, verdict.stuck) == (moves, 0, 0, 0)


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_killed_workers_and_cut_replies_lose_and_double_no_move(kind: str) -> None:
    assert every_move_once(runs.kill_workers(kind, 2, WRITERS, MOVES))


def test_workers_that_run_out_of_memory_lose_and_double_no_move() -> None:
    assert every_move_once(runs.starve_workers("sqlite", WRITERS, MOVES))


def test_a_killed_and_restarted_redis_loses_and_doubles_no_move() -> None:
    assert every_move_once(runs.restart_redis(1, WRITERS, MOVES))


def test_half_open_connections_to_redis_lose_and_double_no_move() -> None:
    assert every_move_once(runs.make_connections_half_open(times=2, tables=1, writers=WRITERS, moves=16), WRITERS * 16)


def test_killed_workers_and_cut_replies_lose_and_double_no_hand() -> None:
    run = runs.let_hands_fall_while_workers_are_killed("redis", tables=2, seconds=3, kills=2)
    assert (run.lost, run.doubled, run.stuck) == (0, 0, 0)
    assert run.acknowledged > run.claims > 0


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_killed_workers_and_cut_replies_lose_no_count(kind: str) -> None:
    run = counting.count_while_workers_are_killed(kind, tables=4, kills=4)
    assert (run.lost, run.unlike, run.stuck) == (0, 0, 0)
    assert run.acknowledged > 0  # 14 on a machine that is not busy; on a busy one most come too late


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sentinel", "cluster"])
def test_a_killed_master_of_the_store_loses_no_count(kind: str) -> None:
    run = counting.count_while_masters_are_killed(kind, tables=4, rounds=1)
    assert (run.lost, run.unlike, run.stuck) == (0, 0, 0)
    assert run.acknowledged > 0


@pytest.mark.parametrize("kind", ["sqlite", *long("redis")])
def test_callers_of_a_rematch_come_to_one_table_though_workers_are_killed(kind: str) -> None:
    run = rematches.call_rematches(kind, tables=2, callers=9)
    assert (run.acknowledged, run.several, run.foreign, run.unlike, run.stuck) == (18, 0, 0, 0, 0)


@pytest.fixture(scope="module", params=["sqlite", *long("redis")])
def fatal_service(request: pytest.FixtureRequest) -> Iterator[rematches.FatalService]:
    """A service of one worker, for all moments at which the worker is killed."""
    with rematches.run_store(request.param) as url, rematches.run_service(url, workers=1) as (server, fatal):
        yield rematches.FatalService(url, server, fatal)


@pytest.mark.parametrize(
    ("moment", "key", "outcome"),
    [
        ("before", None, rematches.OutcomeOfKill(201, next_tables=2, by=1, seated=[1], version=1)),
        ("before", "a-secret-of-a-client", rematches.OutcomeOfKill(201, next_tables=2, by=1, seated=[1], version=1)),
        ("after", None, rematches.OutcomeOfKill(200, next_tables=1, by=1, seated=[1], version=1)),
        ("after", "a-secret-of-a-client", rematches.OutcomeOfKill(201, next_tables=1, by=1, seated=[1], version=1)),
    ],
)
def test_a_worker_killed_between_opening_a_next_table_and_answering_changes_nothing_for_its_caller(
    fatal_service: rematches.FatalService, moment: str, key: str | None, outcome: rematches.OutcomeOfKill
) -> None:
    """Killed before the table is named, it leaves an orphan. Killed after it, the answer is made or read again."""
    assert rematches.kill_once(fatal_service, moment, key) == outcome


def test_an_unavailable_store_is_answered_at_once() -> None:
    for figures in runs.measure_outages(16).values():
        assert set(figures.first.statuses) == set(figures.later.statuses) == {503}
        assert figures.first.p99 < 3_000  # 400 on a machine that is not busy
        assert set(figures.stateless_meanwhile.statuses) == {200}


@pytest.mark.long
def test_listeners_that_reconnect_miss_no_entry_and_receive_none_twice() -> None:
    run = reconnecting_listeners.run_listeners("sqlite", listeners=16, tables=2, blows=2)
    assert every_move_once(run.verdict, run.verdict.acknowledged)
    assert (run.missed, run.twice) == (0, 0)
    assert run.came_back >= 16
    assert run.verdict.acknowledged > 0
    assert set(run.stateless.statuses) == {200}


ATTACKS = {
    "dear requests": greedy_clients.posting_clients(greedy_clients.expensive_requests()[:30], 4),
    "heads half sent": greedy_clients.clients_with_half_heads(600),
    "listeners of a busy session": greedy_clients.listening_clients(300),
    "dear answers that nobody reads": greedy_clients.stalling_clients(10, greedy_clients.expensive_requests()[0] * 4),
}
DEAREST, *OTHERS = ATTACKS


@pytest.fixture(scope="module")
def attacked_server() -> Iterator[Server]:
    """One server for all attacks. The calls that are made here warm up what is computed once."""
    with greedy_clients.small_server(REFEREE_CONNECTIONS="200") as started:
        greedy_clients.measure_good_clients(started, 80)
        yield started


@pytest.mark.parametrize("attack", [DEAREST, *long(*OTHERS)])
def test_greedy_and_stalling_clients_cost_the_others_little(attacked_server: Server, attack: str) -> None:
    """The bounds are loose because the machine may be busy. `make faults` prints the figures."""
    report = greedy_clients.measure_under_attack(attacked_server, ATTACKS[attack], 60)
    assert set(report.attacked.statuses) == {200}
    assert report.attacked.p50 < 1_000
    assert report.mib_after < report.mib_before + 40
    assert report.raw_lines == 0


def test_one_client_cannot_take_all_streams() -> None:
    statuses = greedy_clients.open_streams_beside_a_greedy_listener(60, 40)
    assert statuses.statuses == [200] * 20
    assert statuses.greedy[200] >= 40
