"""Fuzz for some minutes: `python -m tests.fuzz --minutes 10`. Each departure is printed with its seed."""

import argparse
import copy
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from flask.testing import FlaskClient

from service.judging.calls import CALLS
from tests.conformance import vectors
from tests.mutation import mutated
from tests.service.sessions.tables import service_client
from tests.service.test_openapi import departures_from_contract

PATHS = [f"/{call.name}" for call in CALLS]
POSTED = [vector for vector in vectors() if "body" in vector.request]


def departures(client: FlaskClient, seed: str) -> list[str]:
    """Return how the answer to this seed's request departs from the schema, with the request."""
    rng = random.Random(seed)
    posted = copy.deepcopy(rng.choice(POSTED).request)
    path, body = posted["path"], posted["body"]
    if isinstance(body.get("state"), dict):
        body["state"] = mutated(body["state"], rng)
        if path in PATHS and rng.random() < 0.5:
            path, body = rng.choice(("/audit", "/legal-moves")), {"game": body["game"], "state": body["state"]}
    if rng.random() < 0.3:
        body = mutated(body, rng, 1)
    answer = client.post(path, json=body)
    differences = (
        departures_from_contract(path, "post", answer) if answer.status_code < 500 else [f"status {answer.status_code}"]
    )
    return [f"{seed}: {each}; {path} {json.dumps(body)}" for each in differences]


def main() -> int:
    """Return the exit status: 0 if every answer fitted its schema, otherwise 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", default=str(time.time_ns()), help="what the seeds of the requests begin with")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    requests = failed = 0
    sys.stdout.write(f"--seed {options.seed}\n")
    with tempfile.TemporaryDirectory() as folder:
        client = service_client(f"sqlite:///{Path(folder)}/sessions.sqlite3")
        while time.monotonic() < end:
            departed = departures(client, f"{options.seed} {requests}")
            failed += bool(departed)
            requests += 1
            sys.stdout.writelines(f"{each}\n" for each in departed)
    sys.stdout.write(f"{requests} requests, {failed} failed\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
