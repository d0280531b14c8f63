"""Examples for the published contract: the requests of conformance vectors, and what the service answers to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import engines
from service import seeds
from service.contract.calls import Calls


@dataclass(frozen=True)
class Example:
    """One call and its answer. `body` names no game; `why`: what it shows."""

    name: str
    call: str
    game: str
    why: str
    body: dict[str, Any]
    answer: dict[str, Any]

    @property
    def request(self) -> dict[str, Any]:
        """The body where the path names no game."""
        return {"game": self.game, **self.body}


@cache
def examples(calls: Calls, game: str) -> tuple[Example, ...]:
    """For each call of a game the first vector that is answered, and the first that is not legal."""
    names = [call.name for call in calls]
    found: dict[tuple[str, bool], Example] = {}
    for vector in seeds.vectors(engines.registry()[game]):
        example = _example(game, vector)
        if example is not None and example.call in names:
            found.setdefault((example.call, example.answer.get("legal", True)), example)
    return tuple(found[call, legal] for call in names for legal in (True, False) if (call, legal) in found)


def _example(game: str, vector: Any) -> Example | None:
    request, response = vector["request"], vector["response"]
    call = request["path"].rpartition("/")[2]
    if response["status"] != 200 or "headers" in request:
        return None
    body = {name: value for name, value in request["body"].items() if name != "game"}
    return Example(vector["id"], call, game, vector["why"], body, response["body"])
