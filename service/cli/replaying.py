"""`referee replay`: a series of moves, or the transcript of a session, one move after the other."""

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


def steps(asked: Any, language: str) -> Iterator[Json]:
    """The table before the first move, then each move with the events and the table that it came to.

    The last step has `violations` where its move is not legal. Raises Problem for what is no series of moves.
    """
    state = _start(asked, language)
    names = {"names": asked["names"]} if asked.get("names") else {}
    yield {"game": asked["game"], "move": None, **_resolved(asked["game"], state, [], names, language)}
    for move in asked["moves"]:
        step = _resolved(asked["game"], state, [move], names, language)
        yield {"game": asked["game"], "move": move, **step}
        if step["violations"] or step["undetermined"]:
            return
        state = step["state"]


def _start(asked: Any, language: str) -> Json:
    if not isinstance(asked, dict) or not isinstance(asked.get("moves"), list):
        raise Problem("invalid-request", phrase("no-replay"))
    if asked.keys() >= TRANSCRIPT and asked["deal"] is not None:
        state: Json = _plain(judged("deal", None, asked["deal"], language))["state"]
        return state
    if asked.keys() >= TABLE:
        return asked["state"]  # type: ignore[no-any-return]
    raise Problem("invalid-request", phrase("no-replay"))


def _resolved(game: str, state: Json, moves: list[Json], names: Json, language: str) -> Json:
    answer = _plain(judged("resolve", None, {"game": game, "state": state, "moves": moves, **names}, language))
    kept = ("events", "violations", "undetermined", "state", "to_act", "standings", "result")
    return {name: answer[name] for name in kept}


def _plain(answer: object) -> Any:
    return strict_json.loads(strict_json.dumps(answer), 1 << 40)
