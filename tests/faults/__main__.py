"""Do every run in full: `make faults`, or `python -m tests.faults NAME ...` with names from `EVERYTHING`."""

import sys
from statistics import median

from tests.faults import clocks, herd, runs
from tests.faults import holding as holding_run


def calm() -> None:
    for kind in ("sqlite", "redis"):
        print(f"50 writers x 20 moves, {kind}: {runs.many_writers(kind)}", flush=True)


def workers() -> None:
    for kind in ("sqlite", "redis"):
        print(f"the same, 8 workers killed, {kind}: {runs.killed_workers(kind)}", flush=True)


def memory() -> None:
    # A worker needs less memory with Redis. A group that small would leave a new worker no memory to start.
    for kind, spare, limited in (("sqlite", 40, runs.narrow), ("sqlite", 80, runs.grouped), ("redis", 12, runs.narrow)):
        found = runs.starved(kind, spare=spare, limited=limited)
        print(f"20 writers x 20 moves, memory {limited.__name__}, {kind}: {found.verdict}", flush=True)
        print(f"    {found.replaced} workers replaced, {found.told} lines", flush=True)


def redis() -> None:
    print(f"the same, Redis killed and restarted 3 times: {runs.restarted_redis()}", flush=True)


def cut() -> None:
    for kind in ("sqlite", "redis"):
        print(f"the same, 30 % of replies cut, {kind}: {runs.many_writers(kind, cut=0.3)}", flush=True)


def away() -> None:
    for how in ("refused", "frozen", "silent"):
        figures = runs.away(how)
        print(f"Redis {how}:")
        for name, latency in figures._asdict().items():
            print(f"    {name.replace('_', ' '):20} {latency}", flush=True)


def beside() -> None:
    for how in ("refused", "frozen", "silent"):
        found = runs.stateless_beside(how)
        ratios, count = found.ratios, len(found.ratios)
        slowest = sorted(each.session.p99 for each in found.away)
        print(f"Redis {how}, {count} rounds by turns with Redis there:")
        print(f"    stateless p99, away / there: median {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
        print(f"    session p99 once it is known: median {median(slowest):.1f} ms, worst round {slowest[-1]:.1f} ms")
        print(f"    stateless there, last round: {found.there[-1].stateless}")
        print(f"    stateless away, last round:  {found.away[-1].stateless}", flush=True)


def streams() -> None:
    for kind in ("sqlite", "redis"):
        figures = runs.open_streams(kind)
        print(f"500 open streams on two workers, {kind}: {figures.told} received a move")
        print(f"    /resolve alone       {figures.alone}")
        print(f"    /resolve beside them {figures.beside}", flush=True)


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
        print(
            f"8 tables of Twin it!, 8 workers killed, 10 % of replies cut, {kind}: {runs.hands_and_kills(kind)}",
            flush=True,
        )
    print(f"8 tables of Twin it!, 3 failovers by Sentinel: {runs.hands_and_failovers()}", flush=True)


def slots() -> None:
    print(f"4,800 moves in a cluster whose slots go round: {runs.moved_slots()}", flush=True)


def clock() -> None:
    for kind in ("sqlite", "redis"):
        print(f"a clock 25 h ahead for 90 s, and a start meanwhile, {kind}: {clocks.ahead(kind, 20, 90)}", flush=True)


def holding_on() -> None:
    """Measure good clients beside greedy, stalling and expensive ones."""
    harms = {
        "20 clients drip heads of 480 kB": holding_run.dripping(),
        "3,000 silent sockets": holding_run.silent(3_000),
        "2,000 heads half sent": holding_run.half_heads(2_000),
        "4,500 heads half sent": holding_run.half_heads(4_500),
        "1,900 listeners of one busy session": holding_run.listening(1_900),
        "one client with all streams": holding_run.greedy_listener(),
        "one client opens sessions": holding_run.openings(),
        "8 clients ask for all that is dear": holding_run.posting(holding_run.dear()),
        "30 dear answers that nobody reads": holding_run.unread(holding_run.dear()[0] * 8),
    }
    for name, harm in harms.items():
        print(f"{name}: {holding_run.beside(harm, 800, 4)}", flush=True)
    print(f"10,000 requests, an eighth of them dear: {holding_run.memory_after()}", flush=True)
    print(f"others' streams, where one client has all: {holding_run.others_beside_a_greedy_listener()}", flush=True)
    print(f"others' openings, where one has its share: {holding_run.others_beside_many_openings()}", flush=True)


EVERYTHING = {
    "holding": holding_on,
    "calm": calm,
    "workers": workers,
    "memory": memory,
    "redis": redis,
    "cut": cut,
    "away": away,
    "beside": beside,
    "streams": streams,
    "herd": driven,
    "cluster": cluster,
    "planned": planned,
    "gathered": gathered,
    "slots": slots,
    "clock": clock,
}

if __name__ == "__main__":
    for chosen in sys.argv[1:] or EVERYTHING:
        EVERYTHING[chosen]()
