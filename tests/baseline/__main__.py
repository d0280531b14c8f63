"""`python -m tests.baseline` compares the contract with that of the last release; `--release` records the current one.

It records the outcomes of all vectors too, with which `test_outcomes.py` compares those of a later version.
"""

import argparse
import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from service.contract.openapi import document
from service.judging.calls import CALLS
from tests.baseline import outcomes
from tests.baseline.comparing import Json, differences, what_must_stay
from tests.conformance.complete import sender_of_vectors
from tests.service.sessions.tables import service_client

RELEASED = Path(__file__).with_name("released.json")


def current_contract() -> Json:
    """Return the current contract."""
    return what_must_stay(document(CALLS), version("rules-referee"))


def contract_of_last_release() -> Json | None:
    """Return the contract of the last release, or None before the first."""
    contract: Json | None = json.loads(RELEASED.read_text(encoding="utf-8")) if RELEASED.exists() else None
    return contract


def may_break(old: str, new: str) -> bool:
    """Return whether the version allows breaking changes: a new major version, or a new minor one while major is 0."""
    (major, minor, *_), (new_major, new_minor, *_) = old.split("."), new.split(".")
    return new_major != major or (major == "0" and new_minor != minor)


def as_release_file(contract: Json) -> str:
    """Write a release file with a line for each thing, so that its history is readable."""
    return json.dumps(contract, ensure_ascii=False).replace('}, "', '},\n"') + "\n"


def main() -> int:
    """Return the exit status: 1 if the contract breaks clients and the version does not allow it."""
    parser = argparse.ArgumentParser(prog="python -m tests.baseline", description=__doc__)
    parser.add_argument("--release", action="store_true", help="record this contract as that of the last release")
    if parser.parse_args().release:
        RELEASED.write_text(as_release_file(current_contract()), encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            outcomes.record(sender_of_vectors(service_client(f"sqlite:///{folder}/s.sqlite3")))
        return 0
    old, new = contract_of_last_release(), current_contract()
    if old is None:
        print("Nothing is released yet.")
        return 0
    since = differences(old, new)
    allowed = may_break(old["version"], new["version"])
    print(
        f"Since {old['version']}, for the CHANGELOG:" if since.added else f"Nothing was added since {old['version']}."
    )
    print(*(f"  + {each}" for each in since.added), sep="\n", end="\n" if since.added else "")
    for each in since.broken:
        print(f"  - {each}", file=sys.stdout if allowed else sys.stderr)
    if since.broken and allowed:
        print(f"All of this may change in {new['version']}: nothing of it fails the check.")
    if since.broken and not allowed:
        print(f"This breaks clients of {old['version']}: docs/releases.md says when that may be.", file=sys.stderr)
    return int(bool(since.broken) and not allowed)


if __name__ == "__main__":
    sys.exit(main())
