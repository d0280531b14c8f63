"""`schemathesis run http://…/openapi.json` against a running service: `python -m tests.by_url`, with several seeds.

Its only setting: 422 may answer what fits the schema.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.server import Server

ALLOWED = '["2xx", "401", "403", "404", "409", "422", "5xx"]'  #: What schemathesis allows by itself, and 422.
CONFIG = f"[checks.positive_data_acceptance]\nexpected-statuses = {ALLOWED}\n"


def report(server: Server, *arguments: str) -> tuple[int, str]:
    """The exit status of schemathesis, which is 0 if all is green, and what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "schemathesis.toml").write_text(CONFIG, encoding="utf-8")
        command = (
            Path(sys.executable).with_name("schemathesis"),
            "run",
            f"http://127.0.0.1:{server.port}/openapi.json",
        )
        done = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main() -> int:
    """Return the exit status: 0 if every seed was green, otherwise 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.by_url", description=__doc__)
    parser.add_argument("--examples", default="25", help="requests of each kind for each operation")
    parser.add_argument("--seeds", nargs="*", default=["1", "2", "3"])
    options = parser.parse_args()
    failed = 0
    with Server() as server:
        for seed in options.seeds:
            status, text = report(server, "--max-examples", options.examples, "--seed", seed)
            failed += bool(status)
            sys.stdout.write(f"{text}\nseed {seed}: {'green' if status == 0 else 'failed'}\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
