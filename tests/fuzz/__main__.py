"""Fuzz for some minutes: `python -m tests.fuzz --minutes 10`. Each departure is printed with its seed."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from service.app import create_app
from service.config import Settings
from tests.fuzz.asking import departures


def main() -> int:
    """Return the exit status: 0 if every answer fitted its schema, otherwise 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", default=str(time.time_ns()), help="what the seeds of the requests begin with")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    asked = failed = 0
    sys.stdout.write(f"--seed {options.seed}\n")
    with tempfile.TemporaryDirectory() as folder:
        client = create_app(Settings(store_url=f"sqlite:///{Path(folder)}/sessions.sqlite3")).test_client()
        while time.monotonic() < end:
            found = departures(client, f"{options.seed} {asked}")
            failed += bool(found)
            asked += 1
            sys.stdout.writelines(f"{each}\n" for each in found)
    sys.stdout.write(f"{asked} asked, {failed} failed\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
