"""Examples for the published contract: requests of the conformance vectors, and what the referee answers to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import engines
from service import seeds
from service.contract.calls import Calls
from service.web import strict_json
from service.web.phrases import phrase
from service.web.problems import KINDS, Problem
from service.web.strict_json import Json

EXCHANGES = Path(__file__).with_name("exchanges.jsonl")
"""What sessions were asked and answered, an exchange a line; `tests/conformance/exchanges.py` records it."""

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


@dataclass(frozen=True)
class Exchange:
    """A request to a session, and its answer. `operation`: its id, empty for what any call may answer."""

    operation: str
    game: str
    why: str
    status: int
    body: Json | None
    answer: Json | str | None


@dataclass(frozen=True)
class Refusal:
    """A problem document, and what it shows."""

    game: str | None
    why: str
    told: Json


@cache
def examples(calls: Calls, judged: Judge, game: str) -> tuple[Example, ...]:
    """For each call of a game the first vector that is answered, and the first that is not legal."""
    names = [call.name for call in calls]
    first: dict[tuple[str, bool], Example] = {}
    for example in _tried(calls, judged, game)[0]:
        first.setdefault((example.call, example.answer.get("legal", True)), example)
    return tuple(first[call, legal] for call in names for legal in (True, False) if (call, legal) in first)


def refusals(calls: Calls, judged: Judge) -> Mapping[str, list[Refusal]]:
    """For each kind of problem one of each game that can meet it, else a general one."""
    shown: dict[str, list[Refusal]] = {slug: [] for slug in KINDS}
    for exchange in exchanges():
        told, game = exchange.answer, exchange.game or None
        slug = told["type"].rpartition("/")[2] if exchange.status >= 400 and isinstance(told, dict) else ""
        if isinstance(told, dict) and slug in shown and all(each.game != game for each in shown[slug]):
            shown[slug].append(Refusal(game, exchange.why, told))
    for game in engines.registry():
        for slug, refusal in _tried(calls, judged, game)[1].items():
            if all(each.game != game for each in shown[slug]):
                shown[slug].append(refusal)
    for slug, kind in KINDS.items():
        if not shown[slug]:
            told = _written(Problem(slug, phrase("verbatim", text=kind.meaning("en"))).document("/resolve", "en"))
            shown[slug].append(Refusal(None, f"{kind.title('en')}.", told))
    return shown


@cache
def _tried(calls: Calls, judged: Judge, game: str) -> tuple[list[Example], Mapping[str, Refusal]]:
    """The vectors of a game that are answered, and the first of each kind that is refused."""
    answered, refused = list[Example](), dict[str, Refusal]()
    for vector in seeds.vectors(engines.registry()[game]):
        request = vector["request"]
        call = request["path"].rpartition("/")[2]
        if call not in [each.name for each in calls] or "headers" in request:
            continue
        body = {name: value for name, value in request["body"].items() if name != "game"}
        try:
            answer = judged(call, game, body, "en")
        except Problem as problem:
            told = _written(problem.document(f"/games/{game}/{call}", "en"))
            refused.setdefault(problem.kind.slug, Refusal(game, vector["why"], told))
            continue
        answered.append(Example(vector["id"], call, game, vector["why"], body, _written(answer)))
    return answered, refused


@cache
def exchanges() -> tuple[Exchange, ...]:
    """The exchanges that were recorded, of games that are there."""
    lines = EXCHANGES.read_text(encoding="utf-8").splitlines()
    every = [Exchange(**strict_json.loads(line.encode())) for line in lines]
    return tuple(each for each in every if not each.game or each.game in engines.registry())


def _written(answer: object) -> Json:
    written: Json = strict_json.loads(strict_json.dumps(answer))
    return written
