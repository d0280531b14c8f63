"""Examples for the published contract: recorded requests with their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import engines
from service import strict_json
from service.problems import KINDS
from service.strict_json import Json

EXCHANGES = Path(__file__).with_name("exchanges.jsonl")
"""Requests with their answers, one a line; `tests/conformance/exchanges.py` records them."""


@dataclass(frozen=True)
class Sample:
    """An example in the contract. `why`: what it shows; `game`: its game, if it is of one game."""

    why: str
    value: object
    game: str | None = None


Examples: TypeAlias = Mapping[str, Sample]  #: By name.


@dataclass(frozen=True)
class Exchange:
    """A request, and its answer.

    `operation`: its id; of a stateless call its path for all games; empty for a refusal that any call may give.
    `name`: of a stateless call, the id of its vector. The body of such a call names no game.
    """

    operation: str
    game: str
    why: str
    status: int
    body: Json | None
    answer: Json | str | None
    name: str = ""

    @property
    def request(self) -> Json:
        """The body of a stateless call where the path names no game."""
        return {"game": self.game, **(self.body or {})}


@cache
def exchanges() -> tuple[Exchange, ...]:
    """The recorded exchanges of the games that are installed."""
    lines = EXCHANGES.read_text(encoding="utf-8").splitlines()
    every = [Exchange(**strict_json.loads(line.encode())) for line in lines]
    return tuple(each for each in every if not each.game or each.game in engines.registry())


def examples(game: str) -> list[Exchange]:
    """For each stateless call of a game, a vector with a legal outcome, and one with an illegal one."""
    return [each for each in exchanges() if each.name and each.game == game]


@cache
def refusals() -> Mapping[str, list[Sample]]:
    """Samples of each kind of problem: one of each game that can meet it, or one of all games from each operation."""
    shown: dict[str, dict[str, Sample]] = {slug: {} for slug in KINDS}
    for exchange in exchanges():
        answer = exchange.answer
        slug = answer["type"].rpartition("/")[2] if exchange.status >= 400 and isinstance(answer, dict) else ""
        if slug in shown:
            shown[slug].setdefault(
                exchange.game or exchange.operation, Sample(exchange.why, answer, exchange.game or None)
            )
    return {slug: list(samples.values()) for slug, samples in shown.items()}
