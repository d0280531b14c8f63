"""Complete vectors that were worked out by hand, file by file.

What a case expects must be so, or nothing is written. Then the rest of each answer is filled in.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from service.app import create_app
from service.config import Settings
from tests.conformance.vectors import differences


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 when the files are complete, 1 when the referee disagrees with one, 2 when one cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.complete", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        client = create_app(Settings(store_url=f"sqlite:///{folder}/sessions.sqlite3")).test_client()
        for file in options.files:
            try:
                cases = json.loads(file.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                parser.error(f"{file}: {error}")
            found = [f"{file.name}: {case['id']}: {each}" for case in cases for each in completed(client, case)]
            wrong += len(found)
            if found:
                sys.stdout.writelines(f"{each}\n" for each in found)
            else:
                file.write_text(written(cases), encoding="utf-8")
    return int(bool(wrong))


def completed(client: FlaskClient, case: dict[str, Any]) -> list[str]:
    """Fill in the answer of a case; where it contradicts what the case expects, leave it and say so."""
    sent, expected = case["request"], case["response"]
    if not expected.get("body"):
        return ["expects nothing: work out what the rules demand"]
    headers = {"Content-Type": "application/json", **sent.get("headers", {})}
    body = json.dumps(sent["body"]) if "body" in sent else None
    answer = client.open(sent["path"], method=sent["method"], data=body, headers=headers)
    if answer.status_code != expected["status"]:
        return [f"expected status {expected['status']}, got {answer.status_code}: {answer.get_data(as_text=True)}"]
    found = list(differences(expected["body"], answer.json, wording=True))
    if not found:
        expected["body"] = answer.json
    return found


def written(cases: list[dict[str, Any]]) -> str:
    return json.dumps(cases, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    sys.exit(main())
