"""Examples for the published contract: requests from the conformance vectors, and what the referee answers to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import engines
from engines.core.engine import Engine
from service import json as strict_json
from service import seeds
from service.referee import Referee
from service.schemas.requests import CALLS, body_of


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
    engine = engines.registry()[game]
    found: dict[tuple[str, bool], Example] = {}
    for vector in seeds.vectors(engine):
        example = _example(engine, vector)
        if example is not None:
            found.setdefault((example.call, example.answer.get("legal", True)), example)
    return tuple(found[call, legal] for call in CALLS for legal in (True, False) if (call, legal) in found)


def _example(engine: Engine[Any], vector: Any) -> Example | None:
    request = vector["request"]
    call = request["path"].rpartition("/")[2]
    body = request.get("body")
    if call not in CALLS or vector["response"]["status"] != 200 or _is_drawn_by_chance(call, body):
        return None
    stripped = {name: value for name, value in body.items() if name != "game"}
    judge = getattr(Referee(engine, "en"), call.replace("-", "_"))
    answer = strict_json.loads(strict_json.dumps(judge(body_of(call, engine.game, stripped)[1])))
    return Example(vector["id"], call, engine.game, vector["why"], stripped, answer)


def _is_drawn_by_chance(call: str, body: Any) -> bool:
    return call == "deal" and not {"seed", "deck"} & set(body)
