"""Examples for the published contract: requests of the conformance vectors, and what the referee answers to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import engines
from service import seeds
from service.contract.calls import Calls
from service.web import strict_json
from service.web.problems import Problem

Judge: TypeAlias = Callable[[str, str | None, Any, str], object]
"""(call, the game that the path names, body, language) → the answer; raises `Problem`."""


@dataclass(frozen=True)
class Example:
    """One call and its answer. `body` names no game; `why`: what it shows."""

    name: str
    call: str
    game: str
    why: str
    body: Mapping[str, Any]
    answer: Mapping[str, Any]

    @property
    def request(self) -> dict[str, Any]:
        """The body where the path names no game."""
        return {"game": self.game, **self.body}


@cache
def examples(calls: Calls, judged: Judge, game: str) -> tuple[Example, ...]:
    """For each call of a game the first vector that is answered, and the first that is not legal."""
    names = [call.name for call in calls]
    found: dict[tuple[str, bool], Example] = {}
    for example in _answered(names, judged, game):
        found.setdefault((example.call, example.answer.get("legal", True)), example)
    return tuple(found[call, legal] for call in names for legal in (True, False) if (call, legal) in found)


def _answered(names: list[str], judged: Judge, game: str) -> Iterator[Example]:
    for vector in seeds.vectors(engines.registry()[game]):
        request = vector["request"]
        call = request["path"].rpartition("/")[2]
        if call not in names or "headers" in request:
            continue
        body = {name: value for name, value in request["body"].items() if name != "game"}
        try:
            answer = judged(call, game, body, "en")
        except Problem:
            continue
        yield Example(vector["id"], call, game, vector["why"], body, strict_json.loads(strict_json.dumps(answer)))
