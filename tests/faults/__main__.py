"""Every run in full: `make faults`, or `python -m tests.faults [calm | workers | redis | cut | away | cluster]`."""

from __future__ import annotations

import sys

from tests.faults import runs


def calm() -> None:
    for kind in ("sqlite", "redis"):
        print(f"50 writers x 20 moves, {kind}: {runs.many_writers(kind)}", flush=True)


def workers() -> None:
    for kind in ("sqlite", "redis"):
        print(f"the same, 8 workers killed, {kind}: {runs.killed_workers(kind)}", flush=True)


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


def cluster() -> None:
    print(f"20,000 moves in a cluster, 4 masters cut off and killed: {runs.broken_cluster()}", flush=True)


EVERYTHING = {"calm": calm, "workers": workers, "redis": redis, "cut": cut, "away": away, "cluster": cluster}

if __name__ == "__main__":
    for chosen in sys.argv[1:] or EVERYTHING:
        EVERYTHING[chosen]()
