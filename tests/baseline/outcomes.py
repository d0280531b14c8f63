"""What the last release answered to the vectors: a rule whose outcomes have changed since needs a new version.

An answer may gain members, not lose or change them, while the `version` of its game's engine stays.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import engines
from engines.core.engine import Engine
from service import seeds
from service.conformance import differences
from service.seeds import Vector, vectors_in
from tests.conformance import Ask
from tests.conformance.recording import without_sentences

OUTCOMES = Path(__file__).with_name("outcomes.jsonl")
DECISIVE = (
    "legal", "consistent", "applied", "events", "violations", "faults", "unverified", "undetermined", "state", "moves",
    "result", "standings", "to_act",
)  # fmt: skip
"""The members of an answer that the rules decide."""


def outcomes(engine: Engine[Any], ask: Ask) -> Iterator[dict[str, Any]]:
    """The outcome of each vector of a game; `request`: a digest of its request."""
    for vector in vectors_in(seeds.folder(engine)):
        status, body = ask(vector)
        if status == 200:
            posted = vector.request.get("body", {}).get("state", {})
            answer = {
                name: without_sentences(body[name]) for name in DECISIVE if body.get(name) or body.get(name) is False
            }
            if "state" in answer:  # only the posted members that have changed
                state = answer["state"]
                answer["state"] = {
                    name: state.get(name) for name in posted if state.get(name, posted[name]) != posted[name]
                }
                answer["state"].pop("ruleset", None)
            yield {"id": vector.id, "version": engine.version, "request": digest(vector), "answer": answer}


def digest(vector: Vector) -> str:
    """A digest of a vector's request."""
    return sha256(json.dumps(vector.request, sort_keys=True).encode()).hexdigest()[:12]


def changed_outcomes(engine: Engine[Any], ask: Ask) -> list[str]:
    """Where a game answers otherwise than in the last release, under the same version."""
    before = {row["id"]: row for row in map(json.loads, OUTCOMES.read_text(encoding="utf-8").splitlines())}
    now = (row for row in outcomes(engine, ask) if row["id"] in before)
    return [
        f"{row['id']}: {each}"
        for row in now
        if (row["version"], row["request"]) == (before[row["id"]]["version"], before[row["id"]]["request"])
        for each in differences(before[row["id"]]["answer"], row["answer"])
    ]


def record(ask: Ask) -> None:
    """Write what is answered now."""
    rows = [row for engine in engines.registry().values() for row in outcomes(engine, ask)]
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    OUTCOMES.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
