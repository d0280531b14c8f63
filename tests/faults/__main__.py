"""Do every run in full: `make faults`, or `python -m tests.faults NAME ...` with names from `EVERYTHING`."""

import sys

from tests.faults import herd, runs
from tests.faults import holding as holding_run


def workers() -> None:
    for kind in ("sqlite", "redis"):
        found = runs.killed_workers(kind)
        print(f"50 writers x 20 moves, 8 workers killed, 30 % of replies cut, {kind}: {found}", flush=True)


def memory() -> None:
    for kind, spare in (("sqlite", 40), ("redis", 12)):  # a worker needs less memory with Redis
        print(f"20 writers x 20 moves, no memory, {kind}: {runs.starved(kind, spare=spare)}", flush=True)


def redis() -> None:
    print(f"50 writers x 20 moves, Redis killed and restarted 3 times: {runs.restarted_redis()}", flush=True)


def away() -> None:
    for how, figures in runs.away().items():
        print(f"Redis {how}:")
        for name, latency in figures._asdict().items():
            print(f"    {name.replace('_', ' '):20} {latency}", flush=True)


def driven() -> None:
    for kind in ("sqlite", "redis"):
        found = herd.driven(kind)
        print(f"1,000 listeners of 20 tables, workers exchanged and killed, {kind}: {found.verdict}")
        print(f"    {found.missed} entries missed, {found.twice} twice; {found.came_back} came back, {found.statuses}")
        print(f"    the slowest was back after {found.slowest:.1f} s; /resolve {found.stateless}", flush=True)


def cluster() -> None:
    print(f"20,000 moves in a cluster, 4 masters cut off and killed: {runs.broken_cluster()}", flush=True)


def planned() -> None:
    for at_once in (True, False):
        how = "made to follow at once" if at_once else "left to Sentinel"
        found = runs.planned_failovers(at_once=at_once)
        print(f"8 tables, 4 planned failovers by Sentinel, the former master {how}: {found}", flush=True)


def gathered() -> None:
    for kind in ("sqlite", "redis"):
        found = runs.hands_and_kills(kind)
        print(f"8 tables of Twin it!, 8 workers killed, 10 % of replies cut, {kind}: {found}", flush=True)


def slots() -> None:
    print(f"4,800 moves in a cluster whose slots go round: {runs.moved_slots()}", flush=True)


def holding_on() -> None:
    """Measure good clients beside greedy, stalling and expensive ones."""
    harms = {
        "2,000 heads half sent": holding_run.half_heads(2_000),
        "4,500 heads half sent": holding_run.half_heads(4_500),
        "1,900 listeners of one busy session": holding_run.listening(1_900),
        "8 clients ask for all that is dear": holding_run.posting(holding_run.dear()),
        "30 dear answers that nobody reads": holding_run.waiting(30, holding_run.dear()[0] * 8),
    }
    for name, harm in harms.items():
        print(f"{name}: {holding_run.beside(harm, 800, 4)}", flush=True)
    print(f"others' streams, where one client has all: {holding_run.others_beside_a_greedy_listener()}", flush=True)


EVERYTHING = {
    "holding": holding_on,
    "workers": workers,
    "memory": memory,
    "redis": redis,
    "away": away,
    "herd": driven,
    "cluster": cluster,
    "planned": planned,
    "gathered": gathered,
    "slots": slots,
}

if __name__ == "__main__":
    for chosen in sys.argv[1:] or EVERYTHING:
        EVERYTHING[chosen]()
