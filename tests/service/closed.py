"""The contract with its answers closed: what this version answers, and nothing that a later one may add."""

import copy
from functools import cache
from typing import Any

import engines
from engines.core.rulings import Decides, Forbids, Happens, LeavesUndetermined, Refutes, Ruling
from service.contract.openapi import document
from service.contract.shapes import title
from service.judging.calls import CALLS
from service.problems import KINDS

RULINGS: dict[str, type[Ruling]] = {
    "Event": Happens,
    "Violation": Forbids,
    "Fault": Refutes,
    "Undetermined": LeavesUndetermined,
}
OF_ALL = ("type", "title", "status", "detail", "instance")  #: The members of every problem.
OWN_MEMBERS: dict[str, tuple[str, ...]] = {
    "invalid-request": ("errors", "more?"),
    "invalid-state": ("faults", "errors?", "more?"),
    "illegal-move": ("violations", "more?"),
    "version-mismatch": ("version", "view"),
    "incident-open": ("closes_in_ms",),
    "time-running": ("ends_in_ms",),
}
"""The members of a kind of problem beside those of all; those with a question mark may be left out."""


@cache
def closed_contract() -> dict[str, Any]:
    """The contract, in whose answers every member and every ruling is one of this version."""
    contract = copy.deepcopy(document(CALLS))
    schemas = contract["components"]["schemas"]
    for schema in schemas.values():
        if "properties" in schema:
            schema["additionalProperties"] = False
    for game, engine in engines.registry().items():
        for kind, ruling in RULINGS.items():
            every = [each for each in engine.rulings if isinstance(each, ruling) and not isinstance(each, Decides)]
            if every:
                schemas[f"{title(game)}{kind}"]["oneOf"] = _codes(every)
    schemas["Problem"]["oneOf"] = [_problem(slug) for slug in KINDS]
    return contract


def _codes(rulings: list[Ruling]) -> list[dict[str, Any]]:
    """What each code brings: its clauses, and exactly its parameters."""
    params = {ruling.code: [*ruling.params] for ruling in rulings}
    return [
        {
            "properties": {
                "code": {"const": code},
                "rule": {"enum": [ruling.rule for ruling in rulings if ruling.code == code]},
                "params": {"required": names, "maxProperties": len(names)},
            }
        }
        for code, names in params.items()
    ]


def _problem(slug: str) -> dict[str, Any]:
    """What a kind of problem brings."""
    own = OWN_MEMBERS.get(slug, ())
    return {
        "properties": {"type": {"const": f"/problems/{slug}"}, "status": {"const": KINDS[slug].status}},
        "required": [*OF_ALL, *(name for name in own if not name.endswith("?"))],
        "propertyNames": {"enum": [*OF_ALL, *(name.rstrip("?") for name in own)]},
    }
