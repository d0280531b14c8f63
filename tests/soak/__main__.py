"""`make soak`, or `python -m tests.soak --minutes 60 [--redis]`. The exit status is 1 if something has grown."""

import argparse
import sys

from tests.soak.watching import run_soak


def main() -> int:
    """Run the soak, print the figures, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--redis", action="store_true", help="keep sessions in a Redis instead of SQLite")
    options = parser.parse_args()
    outcome = run_soak(options.minutes * 60, redis=options.redis, say=lambda line: print(line, flush=True))
    print(outcome)
    return 1 if outcome.grown or outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
