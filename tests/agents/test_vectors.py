"""Every vector goes through the tools, by the SDK's own client: a tool says what the call says, doubts included."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest
from mcp.client.client import Client

import engines
from service import seeds
from service.agents import Tools, server
from service.judging import calls
from service.problems import Problem
from service.seeds import Vector, vectors_in
from tests.loops import run

Json: TypeAlias = dict[str, Any]
GAMES = list(engines.registry())
MEMBERS_OF_RULINGS = ("rule", "code", "pointer", "pointers", "text")
AS_THEY_ARE = (
    "legal",
    "applied",
    "text",
    "consistent",
    "unverified",
    "undetermined",
    "contested",
    "comparison",
    "views",
)
"""The members of an answer that a result has unchanged."""


def vectors_of(game: str) -> list[Vector]:
    """The vectors of a game that ask a stateless call."""
    return [each for each in vectors_in(seeds.folder(engines.registry()[game])) if each.call in calls.NAMED]


def arguments(vector: Vector) -> Json:
    """The arguments of the tool for one game. A deal that would draw a seed gets one, so that it is the same twice."""
    body = {name: value for name, value in vector.request["body"].items() if name != "game"}
    is_open = vector.call == "deal" and "deck" not in body
    return {"seed": "of a test", **body} if is_open else body


def expected_result(vector: Vector) -> Json:
    """The result that the tool has to give, worked out from the answer of the call behind it."""
    try:
        answer = calls.answered(vector.call, vector.game, arguments(vector), "en")
    except Problem as problem:
        return {"refused": problem.document("/", "en")["title"], "detail": problem.document("/", "en")["detail"]}
    result = {name: answer[name] for name in AS_THEY_ARE if name in answer and vector.call != "audit"}
    for name in ("violations", "faults"):
        if answer.get(name):
            result[name] = [{part: each[part] for part in MEMBERS_OF_RULINGS if part in each} for each in answer[name]]
    match vector.call:
        case "resolve":
            result |= {"sentences": [each["text"] for each in answer["events"]], "to_act": answer["to_act"]}
            result |= {name: answer[name] for name in ("standings", "result") if answer["result"]}
        case "legal-moves":
            result |= {"to_act": answer["to_act"], "complete": answer["complete"]}
            result |= {"legal_moves": [{"move": each["move"], "text": each["text"]} for each in answer["moves"][:40]]}
        case "audit":
            result |= {name: answer[name] for name in ("consistent", "unverified")}
        case "view":
            result |= {"table": answer["state"]}
        case "deal":
            result |= {"to_act": answer["to_act"], "seed": answer["seed"]}
    return result


@pytest.mark.parametrize("game", GAMES)
def test_a_tool_answers_every_vector_as_the_call_does(game: str) -> None:
    async def test() -> None:
        async with Client(server([game], "en")) as client:
            for vector in vectors_of(game):
                answer = await client.call_tool(vector.call.replace("-", "_"), arguments(vector))
                result: Any = {"complete": True} | answer.structured_content
                due = expected_result(vector)
                assert answer.is_error == ("refused" in due), vector.id
                assert {name: result.get(name) for name in due} == due, vector.id

    run(test())


def test_the_vectors_have_doubts_of_every_kind() -> None:
    """So that the test above can fail for each."""
    answers = [expected_result(each) for game in GAMES for each in vectors_of(game)]
    assert sum(bool(each.get("contested")) for each in answers) > 100
    assert sum(bool(each.get("unverified")) for each in answers) > 100
    assert sum(bool(each.get("undetermined")) for each in answers) > 20
    assert sum(bool(each.get("comparison")) for each in answers) > 0
    assert sum("refused" in each for each in answers) > 10


def test_a_move_that_unseen_cards_may_forbid_is_called_legal_with_a_caution() -> None:
    hands = [["4S", "5S", "6S", "9H", "9D", "9C", None, None, None, None, None], [None] * 10]
    state = {"phase": "discard", "turn": 0, "hands": hands}
    verdict = Tools(["gin-rummy"], "en").call(
        "validate", {"state": state, "move": {"type": "discard", "seat": 0, "card": "KC"}}
    )
    assert verdict["legal"]
    assert "GR-4.4 could not be checked" in verdict["caution"]
