"""Run every conformance vector against any server: `python -m tests.conformance.run --url http://127.0.0.1:8000`.

Needs nothing but Python. Sentences are compared only with `--wording`, since another implementation words its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from http.client import HTTPConnection, HTTPSConnection
from urllib.parse import urlsplit

from tests.conformance.vectors import SEEDS, Vector, differences, vectors


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 when every vector agrees, 1 when one does not, 2 when there is none to run."""
    games = [in_the_contract(folder.parent.name) for folder in sorted(SEEDS.glob("*/vectors"))]
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.run", description=__doc__)
    parser.add_argument("--url", required=True, help="where the server stands, such as http://127.0.0.1:8000")
    parser.add_argument("--game", type=in_the_contract, choices=games, default="*", help="one; by default all")
    parser.add_argument("--wording", action="store_true", help="compare sentences too")
    options = parser.parse_args(arguments)
    url = urlsplit(options.url)
    kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
    connection = kind(url.hostname or "", url.port, timeout=30)
    passed = failed = 0
    for vector in vectors(options.game.replace("-", "_")):
        try:
            found = list(judged(connection, url.path.rstrip("/"), vector, options.wording))
        except OSError as error:
            parser.exit(2, f"{options.url} does not answer: {error}\n")
        passed += not found
        failed += bool(found)
        for difference in found:
            print(f"{vector.file}: {vector.id}: {difference}")
    connection.close()
    print(f"{passed} passed, {failed} failed")
    return 2 if not passed + failed else int(bool(failed))


def in_the_contract(game: str) -> str:
    """A game's name as the contract has it, where folders have an underscore."""
    return game.replace("_", "-")


def judged(connection: HTTPConnection, prefix: str, vector: Vector, wording: bool) -> list[str]:
    """Where the server's answer departs from the vector."""
    sent = vector.request
    body = json.dumps(sent["body"]).encode() if "body" in sent else None
    headers = {"Content-Type": "application/json", **sent.get("headers", {})}
    connection.request(sent["method"], prefix + sent["path"], body, headers)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != vector.response["status"]:
        return [f"expected status {vector.response['status']}, got {answer.status}: {content[:300]!r}"]
    return list(differences(vector.response["body"], json.loads(content), wording=wording))


if __name__ == "__main__":
    sys.exit(main())
