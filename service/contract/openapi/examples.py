"""Examples for the published contract: requests of the conformance vectors, and what the referee answers to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import engines
from service import seeds
from service.contract.calls import Calls
from service.web import strict_json
from service.web.problems import Problem
from service.web.strict_json import Json

Judge: TypeAlias = Callable[[str, str | None, object, str], object]
"""(call, the game that the path names, body, language) → the answer; raises `Problem`."""


@dataclass(frozen=True)
class Example:
    """One call and its answer. `body` names no game; `why`: what it shows."""

    name: str
    call: str
    game: str
    why: str
    body: Json
    answer: Json

    @property
    def request(self) -> Json:
        """The body where the path names no game."""
        return {"game": self.game, **self.body}


@cache
def examples(calls: Calls, judged: Judge, game: str) -> tuple[Example, ...]:
    """For each call of a game the first vector that is answered, and the first that is not legal."""
    names = [call.name for call in calls]
    first: dict[tuple[str, bool], Example] = {}
    for example in _answered(names, judged, game):
        first.setdefault((example.call, example.answer.get("legal", True)), example)
    return tuple(first[call, legal] for call in names for legal in (True, False) if (call, legal) in first)


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
