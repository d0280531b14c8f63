"""Run every conformance vector against any server: `python -m tests.conformance.run --url http://127.0.0.1:8000`.

Needs nothing but Python. Sentences are not compared, since another implementation words its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from http.client import HTTPConnection, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from tests.conformance import recording
from tests.conformance.recording import Ask
from tests.conformance.vectors import SEEDS, Vector, VectorFault, differences, disagreements, vectors


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 when every vector agrees, 1 when one does not, 2 when there is none to run."""
    games = [in_the_contract(folder.parent.name) for folder in sorted(SEEDS.glob("*/vectors"))]
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.run", description=__doc__)
    parser.add_argument("--url", required=True, help="where the server stands, such as http://127.0.0.1:8000")
    parser.add_argument("--game", type=in_the_contract, choices=games, default="*", help="one; by default all")
    parser.add_argument("--worked", action="store_true", help="compare what was worked out by hand, nothing recorded")
    options = parser.parse_args(arguments)
    url = urlsplit(options.url)
    kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
    connection = kind(url.hostname or "", url.port, timeout=30)
    try:
        differing = compared(options.game.replace("-", "_"), asking(connection, url.path.rstrip("/")), options.worked)
    except OSError as error:
        parser.exit(2, f"{options.url} does not answer: {error}\n")
    except VectorFault as error:
        parser.exit(2, f"{error}\n")
    finally:
        connection.close()
    failed = sum(map(bool, differing))
    print(f"{len(differing) - failed} passed, {failed} failed")
    return 2 if not differing else int(bool(failed))


def in_the_contract(game: str) -> str:
    """A game's name as the contract has it, where folders have an underscore."""
    return game.replace("_", "-")


def asking(connection: HTTPConnection, prefix: str) -> Ask:
    """Requests to the server. An answer that is no JSON is shown as it begins."""

    def ask(vector: Vector) -> tuple[int, Any]:
        sent = vector.request
        content = None if vector.content is None else vector.content.encode()
        connection.request(sent["method"], prefix + sent["path"], content, vector.headers)
        answer = connection.getresponse()
        body = answer.read()
        try:
            return answer.status, json.loads(body)
        except ValueError:
            return answer.status, repr(body[:300])

    return ask


def compared(game: str, ask: Ask, worked: bool) -> list[list[str]]:
    """Run the vectors of a folder of `seeds/`, print every difference, and return those of each vector."""
    rests: dict[str, Any] = {}
    if not worked:
        for file in recording.FOLDER.glob(f"{game}.jsonl"):
            rests |= recording.read(file).rests
    every = []
    for vector in vectors(game):
        status, body = ask(vector)
        found = disagreements(vector, status, body)
        if not found:
            found = list(differences(rests.get(vector.id, {}).get("body", {}), body))
        for difference in found:
            print(f"{vector.file}: {vector.id}: {difference}")
        every.append(found)
    return every


if __name__ == "__main__":
    sys.exit(main())
