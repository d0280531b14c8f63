"""Do every run in full: `make faults`, or `python -m tests.faults NAME ...` with names from `ALL_RUNS`."""

import sys
from collections.abc import Callable
from functools import partial

from tests.faults import counting, full_volume, greedy_clients, reconnecting_listeners, rematches, runs

Runs = dict[str, Callable[[], object]]  #: By what is printed before the outcome of each.


def on_both_stores(description: str, run: Callable[[str], object]) -> Runs:
    """The same run on SQLite and on Redis. `run` takes the kind of store."""
    return {f"{description}, {kind}": partial(run, kind) for kind in ("sqlite", "redis")}


def report_of_outages() -> str:
    """A line for each kind of outage and each kind of call during it."""
    outages = runs.measure_outages().items()
    figures = [(outage, *figure) for outage, latencies in outages for figure in latencies._asdict().items()]
    return "".join(f"\n    {outage:8} {calls.replace('_', ' '):20} {latency}" for outage, calls, latency in figures)


def measure_attack(harm: greedy_clients.Attack) -> greedy_clients.AttackReport:
    """Measure good clients at a new server, alone and during an attack, with the figures of a full run."""
    return greedy_clients.measure_at_new_server(harm, 800, 4)


ALL_RUNS: dict[str, Runs] = {
    "greedy": {
        "2,000 heads half sent": lambda: measure_attack(greedy_clients.clients_with_half_heads(2_000)),
        "4,500 heads half sent": lambda: measure_attack(greedy_clients.clients_with_half_heads(4_500)),
        "1,900 listeners of one busy session": lambda: measure_attack(greedy_clients.listening_clients(1_900)),
        "8 clients ask for all that is dear": lambda: measure_attack(
            greedy_clients.posting_clients(greedy_clients.expensive_requests())
        ),
        "30 dear answers that nobody reads": lambda: measure_attack(
            greedy_clients.stalling_clients(30, greedy_clients.expensive_requests()[0] * 8)
        ),
        "others' streams, where one client has all": greedy_clients.open_streams_beside_a_greedy_listener,
    },
    "workers": on_both_stores("50 writers x 20 moves, 8 workers killed, 30 % of replies cut", runs.kill_workers),
    "memory": {
        "20 writers x 20 moves, no memory, sqlite": lambda: runs.starve_workers("sqlite", spare=40),
        "20 writers x 20 moves, no memory, redis": lambda: runs.starve_workers("redis", spare=12),  # which needs less
    },
    "redis": {"50 writers x 20 moves, Redis killed and restarted 3 times": runs.restart_redis},
    "away": {"Redis": report_of_outages},
    "herd": on_both_stores(
        "1,000 listeners of 20 tables, workers exchanged and killed", reconnecting_listeners.run_listeners
    ),
    "cluster": {
        "20,000 moves in a cluster, 4 masters cut off and killed": runs.break_cluster,
        "12 tables in a cluster, slots moved to 4 masters that are cut off and killed at once": (
            runs.move_slots_and_break_cluster
        ),
    },
    "planned": {
        "8 tables, 4 planned failovers by Sentinel, the former master made to follow at once": runs.fail_over,
        "8 tables, 4 planned failovers by Sentinel, the former master left to Sentinel": (
            lambda: runs.fail_over(at_once=False)
        ),
        "8 tables, 12 planned failovers by Sentinel, each as soon as all follow the master": (
            lambda: runs.fail_over(times=12, seconds=0)
        ),
    },
    "half-open": {
        "3,200 moves, all connections to Redis half-open 10 times": runs.make_connections_half_open,
        "8 tables, the master that Sentinel watches frozen and woken 3 times": runs.freeze_masters,
    },
    "gathered": on_both_stores(
        "8 tables of Twin it!, 8 workers killed, 10 % of replies cut", runs.let_hands_fall_while_workers_are_killed
    ),
    "counted": on_both_stores(
        "20 tables of Twin it! after the minute, 12 workers killed", counting.count_while_workers_are_killed
    ),
    "counted-stores": {
        f"20 tables of Twin it! after the minute, a master killed in each of 4 rounds, {kind}": partial(
            counting.count_while_masters_are_killed, kind
        )
        for kind in ("redis", "sentinel", "cluster")
    },
    "rematches": {
        f"20 callers of a rematch at each of 20 tables, workers killed beside the write, {kind}": partial(
            rematches.call_rematches, kind, tables=20, chance=0.3
        )
        for kind in ("sqlite", "redis", "sentinel", "cluster")
    },
    "volume": {
        f"a volume of {size} MiB filled by {'eight clients' if heavy else 'one client'}, {last}": partial(
            full_volume.fill_and_recover, size, heavy=heavy, stranger=last != "the last byte taken by sessions"
        )
        for size in (24, 64, 100, 256, 1024)
        for heavy in (False, True)
        for last in ("the last byte taken by sessions", "the last byte taken by another program")
    },
    "slots": {"4,800 moves in a cluster whose slots go round": runs.move_slots},
}

if __name__ == "__main__":
    bad = []
    for chosen in sys.argv[1:] or ALL_RUNS:
        for what, run in ALL_RUNS[chosen].items():
            outcome = run()
            print(f"{what}: {outcome}", flush=True)
            if isinstance(outcome, full_volume.Outcome) and not outcome.good:
                bad.append(what)
    sys.exit("".join(f"NOT GOOD: {each}\n" for each in bad) or 0)
