"""Mistakes that a model makes with the tools: each is answered with what is wrong, and what to do instead."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import pytest

from service.agents import Tools

Json: TypeAlias = dict[str, Any]
TWINS, GIN = {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0}, "gin-rummy"
HANDLE = "<a handle of Twins>"
PLAY = {"type": "play", "seat": 0, "cards": ["blue-1", "blue-2"]}

REFUSED_CALLS: list[tuple[str, str, Json, str]] = [
    # tool, what the model does, arguments, part of the refusal
    ("resolve", "nothing is passed", {}, "`state` is missing."),
    ("validate", "nothing is passed", {}, "`state` is missing."),
    ("legal_moves", "nothing is passed", {}, "`state` is missing."),
    ("audit", "nothing is passed", {}, "`state` is missing."),
    ("view", "nothing is passed", {}, "`state` is missing."),
    ("resolve", "the state is null", {"state": None, "moves": []}, "`state` is missing."),
    (
        "resolve",
        "the handle is called as older versions did",
        {"table": HANDLE, "moves": []},
        "There is no argument `table`.",
    ),
    ("legal_moves", "a shown table is passed as `table`", {"table": TWINS}, "There is no argument `table`."),
    (
        "resolve",
        "the game is another than the handle's",
        {"state": HANDLE, "game": GIN, "moves": []},
        "is one of twins, not of",
    ),
    (
        "view",
        "the game beside a handle is null",
        {"state": HANDLE, "game": None, "seat": 0},
        "is one of twins, not of null",
    ),
    ("view", "a handle is made up", {"state": "state-1", "seat": 0}, 'There is no table "state-1".'),
    ("view", "a table is passed as text", {"state": json.dumps(TWINS), "seat": 0}, "There is no table"),
    ("deal", "no game is named", {"seats": 3}, "No game is named."),
    ("audit", "no game is named beside a table", {"state": TWINS}, "No game is named."),
    ("rulebook", "no game is named", {}, "No game is named."),
    ("rulebook", "the clauses are a text", {"game": "twins", "clauses": "TW-5.2"}, "`clauses` is no list of ids."),
    ("games", "a game has its title", {"game": "Twins"}, 'There is no game "Twins".'),
    ("deal", "a game is not here", {"game": "poker", "seats": 2}, 'There is no game "poker".'),
    ("deal", "the game is a list", {"game": ["twins"], "seats": 3}, "There is no game"),
    ("shuffle", "there is no such tool", {}, "There is no tool 'shuffle'."),
    ("legal-moves", "a tool is called by its path", {"state": HANDLE}, "There is no tool 'legal-moves'."),
    ("deal", "seats are left out", {"game": "twins"}, "/seats"),
    ("deal", "seats are too many", {"game": "twins", "seats": 30}, "/seats"),
    ("deal", "seats are a text", {"game": "twins", "seats": "3"}, "/seats"),
    ("deal", "players are named instead of seats", {"game": "twins", "players": 3}, "/players"),
    ("deal", "the ruleset is a text", {"game": "twins", "seats": 3, "ruleset": "french"}, '{"name": "french"}'),
    ("deal", "the ruleset is not there", {"game": "twins", "seats": 3, "ruleset": {"name": "german"}}, "/ruleset/name"),
    ("deal", "seed and deck are both passed", {"game": "twins", "seats": 3, "seed": "s", "deck": []}, "/deck"),
    ("resolve", "the move is no list", {"state": HANDLE, "moves": PLAY}, "/moves"),
    ("resolve", "one move is called `move`", {"state": HANDLE, "move": PLAY}, "/move"),
    ("resolve", "the move is a text", {"state": HANDLE, "moves": ["play"]}, "/moves/0"),
    ("resolve", "the move has no type", {"state": HANDLE, "moves": [{"seat": 0}]}, "/moves/0/type"),
    (
        "resolve",
        "the type is none of the game",
        {"state": HANDLE, "moves": [{"type": "knock", "seat": 0}]},
        "/moves/0/type",
    ),
    (
        "resolve",
        "the listed entry is passed whole",
        {"state": HANDLE, "moves": [{"move": PLAY, "text": "Play"}]},
        "/moves/0",
    ),
    (
        "resolve",
        "a card is nearly one",
        {"state": HANDLE, "moves": [{**PLAY, "cards": ["Blue-1", "blue-2"]}]},
        "blue-1",
    ),
    ("resolve", "a seat counts from 1", {"state": HANDLE, "moves": [{**PLAY, "seat": 9}]}, "/moves/0/seat"),
    (
        "resolve",
        "a ruleset to compare is not there",
        {"state": HANDLE, "moves": [], "compare": ["german"]},
        "/compare/0",
    ),
    ("validate", "several moves are passed", {"state": HANDLE, "moves": [PLAY]}, "/moves"),
    ("view", "the seat is left out", {"state": HANDLE}, "/seat"),
    ("view", "the seat is at another table", {"state": HANDLE, "seat": 5}, "seat"),
    (
        "audit",
        "an unseen hand is an empty list",
        {"game": GIN, "state": {"phase": "draw", "turn": 0, "hands": [[], []]}},
        "hand",
    ),
    ("resolve", "the table has faults", {"game": "twins", "state": {**TWINS, "pot": 7}, "moves": []}, "TW-"),
]


@pytest.fixture(scope="module")
def tools() -> Tools:
    """The tools of two games, in English."""
    return Tools(["twins", GIN], "en")


@pytest.mark.parametrize(("tool", "mistake", "arguments", "part"), REFUSED_CALLS, ids=lambda each: str(each)[:40])
def test_a_mistake_is_refused_with_what_is_wrong_and_a_remedy(
    tools: Tools, tool: str, mistake: str, arguments: Json, part: str
) -> None:
    handle = tools.call("deal", {"game": "twins", "seats": 3, "seed": "s"})["state"]
    passed = {name: handle if value == HANDLE else value for name, value in arguments.items()}
    result = tools.call(tool, passed)
    refusal = result if "refused" in result else {"refused": ""} | result
    assert part in json.dumps(refusal, ensure_ascii=False).replace('\\"', '"'), mistake
    assert refusal.get("remedy") or refusal["consistent"] is False, mistake


def test_there_are_forty_mistakes() -> None:
    assert len(REFUSED_CALLS) >= 40
