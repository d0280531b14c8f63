"""`referee replay`: moves, or the transcript of a session, one step after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from service.judging.calls import judged
from service.web import strict_json
from service.web.phrases import phrase
from service.web.problems import Problem
from service.web.strict_json import Json

TABLE = {"game", "state", "moves"}
TRANSCRIPT = {"game", "deal", "moves", "entries"}
SHOWN = ("events", "violations", "undetermined", "state", "to_act", "standings", "result")
"""The members of an answer that a step has."""


def answered(call: str, game: str | None, body: Json, language: str) -> Json:
    """The answer to a call as plain JSON values."""
    answer: Json = strict_json.plain(judged(call, game, body, language))
    return answer


def steps(body: Any, language: str) -> Iterator[Json]:
    """The table before the first move, then each move with its events and the table after it.

    The last step has `violations` if its move is not legal. Raises Problem if the body is no series of moves.
    """
    state = _start(body, language)
    names = {"names": body["names"]} if body.get("names") else {}
    for moves in ([], *([move] for move in body["moves"])):
        answer = answered("resolve", None, {"game": body["game"], "state": state, "moves": moves, **names}, language)
        yield {
            "game": body["game"],
            "move": moves[0] if moves else None,
            **{name: answer[name] for name in SHOWN},
        }
        if answer["violations"] or answer["undetermined"]:
            return
        state = answer["state"]


def _start(body: Any, language: str) -> Any:
    """The table before the first move."""
    if isinstance(body, dict) and isinstance(body.get("moves"), list):
        if body.keys() >= TRANSCRIPT and body["deal"] is not None:
            return answered("deal", None, body["deal"], language)["state"]
        if body.keys() >= TABLE:
            return body["state"]
    raise Problem("invalid-request", phrase("no-replay"))
