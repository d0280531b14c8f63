"""`make bulk-check`: recorded hands by one process, by all cores and on a Dask LocalCluster, with the same bytes.

`--hands N`: how many (20,000). It prints the rate and the memory of each run; one run is killed and resumed.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import logging
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from service import strict_json
from service.judging import calls

ROOT = Path(__file__).parents[2]
FILE = ROOT / "build/hands.jsonl"
DIFFERENT = 40  #: Different hands of each game; then they come again.
OVER = ("hand-over", "round-over", "game-over")
SEATS = {"twins": 4, "take-that": 4, "twin-it": 3, "gin-rummy": 2}


def ask(call: str, game: str, **body: Any) -> Any:
    """Make a call in this process, and return the answer as it is parsed from JSON."""
    return strict_json.loads(strict_json.dumps(calls.judged(call, game, body, "en")))


def hand(game: str, seed: str) -> dict[str, Any]:
    """Play a hand by random legal moves; returns the request that judges all of it."""
    choose, dealt = random.Random(seed), ask("deal", game, seats=SEATS[game], seed=seed)
    state: Any = dealt["state"]
    moves: list[Any] = []
    while state["phase"] not in OVER and len(moves) < 60:
        listed = ask("legal-moves", game, state=state)["moves"]
        moves.append(choose.choice(listed)["move"])
        state = ask("resolve", game, state=state, moves=moves[-1:])["state"]
    return {"path": f"/games/{game}/resolve", "body": {"state": dealt["state"], "moves": moves}}


def lines(hands: int) -> Iterator[str]:
    """Yield a line for each of so many requests; a few different hands come again and again, each with its own id."""
    different = [json.dumps(hand(game, f"{game} {number}"))[1:] for number in range(DIFFERENT) for game in SEATS]
    for number, line in zip(range(hands), itertools.cycle(different), strict=False):
        yield f'{{"id": {number}, {line}\n'


def run(name: str, hands: int, *options: str) -> tuple[str, float]:
    """Run the command; returns the digest of its answers and the seconds that it took."""
    out = FILE.with_suffix(f".{name}")
    began = time.perf_counter()
    command = [sys.executable, "-m", "service.cli", "judge", str(FILE), "--out", str(out), *options]
    with subprocess.Popen(command, cwd=ROOT) as running:
        _, status, used = os.wait4(running.pid, 0)
    seconds = time.perf_counter() - began
    assert status == 0, f"{name} has ended with {status}"
    cpu = used.ru_utime + used.ru_stime
    print(
        f"{name:<10}{hands / seconds:>8.0f} hands/s {seconds:>8.1f} s {cpu:>8.1f} s CPU {used.ru_maxrss >> 10:>5} MiB"
    )
    with out.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), seconds


def kill_and_resume(hands: int) -> str:
    """Kill a run in the middle and resume it; returns the digest of all answers."""
    out = FILE.with_suffix(".resumed")
    out.unlink(missing_ok=True)
    command = [sys.executable, "-m", "service.cli", "judge", str(FILE), "--out", str(out)]
    with subprocess.Popen(command, cwd=ROOT) as running:
        while not out.exists() or out.stat().st_size < FILE.with_suffix(".one").stat().st_size // 3:
            time.sleep(0.05)
        running.send_signal(signal.SIGKILL)
    return run("resumed", hands, "--resume")[0]


def on_dask(hands: int) -> str | None:
    """Judge on a LocalCluster; returns the digest of all answers, None where Dask is not installed."""
    try:
        from distributed import LocalCluster  # noqa: PLC0415
    except ImportError:
        return None
    with LocalCluster(
        n_workers=os.cpu_count(), threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
    ) as cluster:
        return run("dask", hands, "--dask", cluster.scheduler_address)[0]


def main() -> None:
    reading = argparse.ArgumentParser()
    reading.add_argument("--hands", type=int, default=20_000)
    hands: int = reading.parse_args().hands
    FILE.parent.mkdir(exist_ok=True)
    with FILE.open("w", encoding="utf-8") as file:
        file.writelines(lines(hands))
    print(f"{hands} hands, {FILE.stat().st_size >> 20} MiB, load {os.getloadavg()[0]:.1f}")
    (one, alone), (many, together) = run("one", hands, "--processes", "1"), run("all", hands)
    print(f"all cores: {alone / together:.2f} times one process; load {os.getloadavg()[0]:.1f}")
    digests = {one, many, kill_and_resume(hands), on_dask(hands) or one}
    assert digests == {one}, "the answers differ"
    print("the same bytes each time")
    print(f"children: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MiB at most")


if __name__ == "__main__":
    main()
