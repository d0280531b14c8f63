"""Compares answers with the conformance vectors of `seeds/`, and runs these against any server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from service.seeds import ROOT, Vector, vectors_in

SEEDS = ROOT / "seeds"
SENTENCES = frozenset({"text", "title", "detail"})
"""Members with sentences, which another implementation may word differently."""
UNDERSTOOD: dict[str, Any] = {
    "legal": True,
    "consistent": True,
    "violations": [],
    "faults": [],
    "unverified": [],
    "undetermined": None,
    "contested": [],
    "result": None,
    "complete": True,
}
"""What these members of an answer must be if the vector does not show them."""


def parts() -> list[str]:
    """The parts that can be run alone: every game by its name on the wire, and `http`."""
    return [folder.parent.name.replace("_", "-") for folder in sorted(SEEDS.glob("*/vectors"))]


def vectors_of(part: str) -> Iterator[Vector]:
    """The vectors of one of the `parts`."""
    return vectors_in(SEEDS / part.replace("-", "_"))


def run(url: str, chosen: Iterable[str]) -> Iterator[tuple[Vector, list[str]]]:
    """Send the vectors of these parts to the server at this address, one after the other over one connection.

    Gives each vector with its `disagreements`. Raises OSError if the server does not answer in HTTP.
    """
    address = urlsplit(url)
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    try:
        with closing(kind(address.hostname or "", address.port, timeout=30)) as connection:
            for part in chosen:
                for vector in vectors_of(part):
                    yield vector, disagreements(vector, *_answer(connection, address.path.rstrip("/"), vector))
    except (OSError, HTTPException, ValueError) as error:
        raise OSError(f"{url}: {str(error) or type(error).__name__}") from None


def _answer(connection: HTTPConnection, prefix: str, vector: Vector) -> tuple[int, Any]:
    """Status and body of the server's answer; of a body that is no JSON the beginning."""
    connection.request(vector.request["method"], prefix + vector.request["path"], vector.content, vector.headers)
    answer = connection.getresponse()
    body = answer.read()
    try:
        return answer.status, json.loads(body)
    except ValueError:
        return answer.status, repr(body[:300])


def disagreements(vector: Vector, status: int, body: Any) -> list[str]:
    """The differences between an answer and a vector, by the rules of seeds/README.md."""
    if status != vector.response["status"]:
        return [f"expected status {vector.response['status']}, got {status}: {json.dumps(body)[:300]}"]
    if not isinstance(body, dict):
        return [f"expected an object, got {json.dumps(body)[:300]}"]
    differing = list(differences(vector.worked, body))
    for name, value in UNDERSTOOD.items():
        if name in body and name not in vector.worked and any(differences(value, body[name])):
            differing.append(f"/{name}: not shown, so it should be {json.dumps(value)}; got {json.dumps(body[name])}")
    if (shown := vector.worked.get("state")) is not None:
        left = {name: value for name, value in body.get("state", {}).items() if name not in shown}
        for name, value in vector.request.get("body", {}).get("state", {}).items():
            if name in left and any(differences(value, left[name])):
                differing.append(f"/state/{name}: not shown, so it should be as posted; got {json.dumps(left[name])}")
    return differing


def differences(expected: Any, got: Any, pointer: str = "", *, wording: bool = False) -> Iterator[str]:
    """The differences between an answer and what is expected. Other members are free."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for name, value in expected.items():
            if name in SENTENCES and not wording:
                continue
            if name not in got:
                yield f"{pointer}/{name}: not in the answer, which has {', '.join(got) or 'no members'}"
            else:
                yield from differences(value, got[name], f"{pointer}/{name}", wording=wording)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for index, (one, other) in enumerate(zip(expected, got, strict=True)):
            yield from differences(one, other, f"{pointer}/{index}", wording=wording)
    elif expected != got or isinstance(expected, bool) != isinstance(got, bool):
        yield f"{pointer or '/'}: {_rulings_apart(expected, got)}expected {json.dumps(expected)}, got {json.dumps(got)}"


def _rulings_apart(expected: Any, got: Any) -> str:
    """The rulings that are in only one of two lists, as the beginning of a sentence."""
    due, present = _rulings(expected), _rulings(got)
    missing = [f"{each} is missing; " for each in due if each not in present]
    surplus = [f"{each} is not due; " for each in present if each not in due]
    return "".join(missing + surplus)


def _rulings(listed: Any) -> list[str]:
    """The codes and clauses of the rulings in a list; none if it has no rulings, or is no list."""
    rulings = listed if isinstance(listed, list) else []
    return [
        f"{each['code']} ({each['rule']})" for each in rulings if isinstance(each, dict) and {"code", "rule"} <= {*each}
    ]
