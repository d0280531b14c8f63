"""Examples for the published contract: the requests of conformance vectors, and what the service answers to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import engines
from service import seeds
from service.contract.requests import CALLS
from service.judging.calls import judged
from service.web import strict_json


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
def examples(game: str) -> tuple[Example, ...]:
    """For each call of a game the first vector that is answered, and the first that is not legal."""
    found: dict[tuple[str, bool], Any] = {}
    for vector in seeds.vectors(engines.registry()[game]):
        call = vector["request"]["path"].rpartition("/")[2]
        if call in CALLS and vector["response"]["status"] == 200 and "headers" not in vector["request"]:
            found.setdefault((call, vector["response"]["body"].get("legal", True)), vector)
    return tuple(
        _example(game, call, found[call, legal]) for call in CALLS for legal in (True, False) if (call, legal) in found
    )


def _example(game: str, call: str, vector: Any) -> Example:
    body = {name: value for name, value in vector["request"]["body"].items() if name != "game"}
    answer = strict_json.loads(strict_json.dumps(judged(call, game, body, seeds.LANGUAGES[0])))
    return Example(vector["id"], call, game, vector["why"], body, answer)
