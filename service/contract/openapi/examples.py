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
"""Requests to sessions with their answers, one a line; `tests/conformance/exchanges.py` records them."""

Judge: TypeAlias = Callable[[str, str | None, object, str], object]
"""(call, the game that the path names, body, language) → the answer; raises `Problem`."""


@dataclass(frozen=True)
class Sample:
    """An example in the contract. `why`: what it shows; `game`: its game, if it is of one game."""

    why: str
    value: object
    game: str | None = None


Examples: TypeAlias = Mapping[str, Sample]  #: By name.


@dataclass(frozen=True)
class CallExample:
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
    """A request to a session, and its answer. `operation`: its id, empty for an answer that any call may give."""

    operation: str
    game: str
    why: str
    status: int
    body: Json | None
    answer: Json | str | None


@cache
def examples(calls: Calls, judged: Judge, game: str) -> tuple[CallExample, ...]:
    """For each call of a game, the first vector with a legal outcome, and the first with an illegal one."""
    names = [call.name for call in calls]
    first: dict[tuple[str, bool], CallExample] = {}
    for example in _tried(calls, judged, game)[0]:
        first.setdefault((example.call, example.answer.get("legal", True)), example)
    return tuple(first[call, legal] for call in names for legal in (True, False) if (call, legal) in first)


def refusals(calls: Calls, judged: Judge) -> Mapping[str, list[Sample]]:
    """Samples of each kind of problem: one of each game that can meet it, or a general one."""
    shown: dict[str, dict[str | None, Sample]] = {slug: {} for slug in KINDS}
    for exchange in exchanges():
        answer, game = exchange.answer, exchange.game or None
        slug = answer["type"].rpartition("/")[2] if exchange.status >= 400 and isinstance(answer, dict) else ""
        if slug in shown:
            shown[slug].setdefault(game, Sample(exchange.why, answer, game))
    for game in engines.registry():
        for slug, refusal in _tried(calls, judged, game)[1].items():
            shown[slug].setdefault(game, refusal)
    for slug, kind in KINDS.items():
        if not shown[slug]:
            problem = Problem(slug, phrase("verbatim", text=kind.meaning("en")))
            shown[slug][None] = Sample(f"{kind.title('en')}.", strict_json.plain(problem.document("/resolve", "en")))
    return {slug: list(samples.values()) for slug, samples in shown.items()}


@cache
def _tried(calls: Calls, judged: Judge, game: str) -> tuple[list[CallExample], Mapping[str, Sample]]:
    """The vectors of a game that are answered, and the first refusal with each kind of problem."""
    answered, refused = list[CallExample](), dict[str, Sample]()
    names = {each.name for each in calls}
    for vector in seeds.vectors(engines.registry()[game]):
        request = vector["request"]
        call = request["path"].rpartition("/")[2]
        if call not in names or "headers" in request:
            continue
        body = {name: value for name, value in request["body"].items() if name != "game"}
        try:
            answer = judged(call, game, body, "en")
        except Problem as problem:
            document = strict_json.plain(problem.document(f"/games/{game}/{call}", "en"))
            refused.setdefault(problem.kind.slug, Sample(vector["why"], document, game))
            continue
        answered.append(CallExample(vector["id"], call, game, vector["why"], body, strict_json.plain(answer)))
    return answered, refused


@cache
def exchanges() -> tuple[Exchange, ...]:
    """The recorded exchanges of the games that are installed."""
    lines = EXCHANGES.read_text(encoding="utf-8").splitlines()
    every = [Exchange(**strict_json.loads(line.encode())) for line in lines]
    return tuple(each for each in every if not each.game or each.game in engines.registry())
