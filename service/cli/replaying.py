"""`referee replay`: moves, or the transcript of a session, one step after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from service.judging.calls import answered
from service.web.phrases import phrase
from service.web.problems import Problem
from service.web.strict_json import Json

TABLE = {"game", "state", "moves"}
TRANSCRIPT = {"game", "deal", "moves", "entries"}
SHOWN = ("events", "violations", "undetermined", "state", "to_act", "standings", "result")
"""The members of an answer that a step has."""


@dataclass(frozen=True)
class Replay:
    """The table before the first move, then each move with its events and the table after it.

    The last step has `violations` if its move is not legal.
    """

    game: str
    steps: list[Json]

    @property
    def legal(self) -> bool:
        """Whether all moves are legal."""
        return not self.steps[-1]["violations"]


def replayed(body: Any, language: str) -> Replay:
    """Make a series of moves one by one. Raises Problem if the body is no series of moves."""
    state, steps = _start(body, language), list[Json]()
    names = {"names": body["names"]} if body.get("names") else {}
    for moves in ([], *([move] for move in body["moves"])):
        answer = answered("resolve", None, {"game": body["game"], "state": state, "moves": moves, **names}, language)
        steps.append({"move": moves[0] if moves else None, **{name: answer[name] for name in SHOWN}})
        if answer["violations"] or answer["undetermined"]:
            break
        state = answer["state"]
    return Replay(body["game"], steps)


def _start(body: Any, language: str) -> Any:
    """The table before the first move."""
    if isinstance(body, dict) and isinstance(body.get("moves"), list):
        if body.keys() >= TRANSCRIPT and body["deal"] is not None:
            return answered("deal", None, body["deal"], language)["state"]
        if body.keys() >= TABLE:
            return body["state"]
    raise Problem("invalid-request", phrase("no-replay"))
