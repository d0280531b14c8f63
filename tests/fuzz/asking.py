"""One request of the fuzz: mutate a vector, send it, and check the answer against the schema."""

import copy
import json
import random

from flask.testing import FlaskClient

from service.conformance import vectors
from tests.mutation import mutated
from tests.service.test_openapi import faults

CALLS = ("/resolve", "/legal-moves", "/audit", "/view")
POSTED = [vector for vector in vectors() if "body" in vector.request]


def departures(client: FlaskClient, seed: str) -> list[str]:
    """Return how the answer to this seed's request departs from the schema, with the request."""
    rng = random.Random(seed)
    asked = copy.deepcopy(rng.choice(POSTED).request)
    path, body = asked["path"], asked["body"]
    if isinstance(body.get("state"), dict):
        body["state"] = mutated(body["state"], rng)
        if path in CALLS and rng.random() < 0.5:
            path, body = rng.choice(("/audit", "/legal-moves")), {"game": body["game"], "state": body["state"]}
    if rng.random() < 0.3:
        body = mutated(body, rng, 1)
    answer = client.post(path, json=body)
    found = faults(path, "post", answer) if answer.status_code < 500 else [f"status {answer.status_code}"]
    return [f"{seed}: {each}; {path} {json.dumps(body)}" for each in found]
