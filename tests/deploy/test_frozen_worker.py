"""A worker that does not run is replaced within 20 seconds; the log says since when, and an alert fires."""

import os
import re
import signal
from datetime import datetime
from time import monotonic

from tests.deploy.alerting import assert_fires, scrape
from tests.server import Server, until

LONGEST_START = 50  #: Seconds: on a busy machine the successor starts slowly. Where the rule fails it is 181.


def test_a_frozen_worker_is_replaced_within_20_seconds_and_the_log_says_since_when() -> None:
    with Server(settings={"REFEREE_WORKERS": "2"}) as server:
        until(lambda: server.listening() == 2)
        frozen = server.workers()[0]
        before = scrape(server)
        os.kill(frozen, signal.SIGSTOP)
        began = monotonic()
        until(lambda: frozen not in server.workers() and server.listening() == 2)
        assert monotonic() - began < LONGEST_START
        after = scrape(server)
        lines = [each for each in server.errors() if f"pid:{frozen}" in each["message"]]
        silent, killed, stacks = (each["message"] for each in lines)
    since = re.fullmatch(
        rf"The worker \(pid:{frozen}\) has not run since (\S+); it is replaced unless it runs now", silent
    )
    assert since
    elapsed = datetime.fromisoformat(lines[0]["time"]) - datetime.fromisoformat(since[1])
    assert 14 <= elapsed.total_seconds() < LONGEST_START
    assert killed == f"Worker (pid:{frozen}) was sent SIGKILL!"
    assert stacks.startswith((f"What the worker (pid:{frozen}) was doing:", f"The worker (pid:{frozen}) could not say"))
    assert_fires("RefereeWorkerFrozen", before, after)
