"""When an answer agrees with a vector, and what of an answer is accounted for."""

from pathlib import Path
from typing import Any

import pytest

from service.conformance import disagreements
from service.seeds import Vector
from tests.conformance.layout import COLUMNS, laid_out
from tests.conformance.recording import Reading

STATE = {"phase": "play", "hands": [[1], [2]], "stock": [3]}
ANSWER: dict[str, Any] = {
    "game": "whist",
    "ruleset": {"name": "long", "version": 1, "options": {"trumps": True}},
    "legal": True,
    "applied": 1,
    "violations": [],
    "unverified": [],
    "undetermined": None,
    "events": [{"rule": "WH-1.1", "code": "drawn", "move": 0, "params": {"seat": 0}, "text": "Seat 0 draws."}],
    "contested": [],
    "state": {
        **STATE,
        "hands": [[1, 3], [2]],
        "stock": [],
        "ruleset": {"name": "long", "options": {"trumps": True}},
        "won": [0, 0],
    },
    "to_act": [1],
    "standings": [{"seat": 0, "score": 0, "rank": 1}, {"seat": 1, "score": 0, "rank": 1}],
    "result": None,
}
WORKED: dict[str, Any] = {
    "legal": True,
    "events": [{"rule": "WH-1.1", "code": "drawn", "move": 0, "params": {"seat": 0}}],
    "state": {"hands": [[1, 3], [2]], "stock": []},
    "to_act": [1],
}
READING = Reading({"short": {}, "long": {"name": "long", "version": 1, "options": {"trumps": False}}})
RECORDED = {"body": {"state": {"won": [0, 0]}, "standings": ANSWER["standings"]}}


def vector(worked: Any = WORKED) -> Vector:
    state = {**STATE, "ruleset": {"name": "long", "options": {"trumps": True}}}
    body = {"game": "whist", "state": state, "moves": [{"type": "draw"}]}
    request = {"method": "POST", "path": "/resolve", "body": body}
    return Vector("whist-draw", ("WH-1.1",), "A draw.", request, {"status": 200, "body": worked}, Path("draw.json"))


def changed(**members: Any) -> Any:
    return {**ANSWER, **members}


def test_an_answer_may_have_more_than_the_vector_shows_and_other_words() -> None:
    events = [{**WORKED["events"][0], "text": "Tira."}]
    assert disagreements(vector(), 200, changed(events=events, more=1, applied=1.0)) == []


@pytest.mark.parametrize(
    ("answer", "difference"),
    [
        (changed(legal=1), "/legal: expected true, got 1"),
        (changed(events=[]), "/events: drawn (WH-1.1) is missing; expected "),
        (changed(contested=[{}]), "/contested: not shown, so it should be []; got [{}]"),
        (changed(undetermined={}), "/undetermined: not shown, so it should be null; got {}"),
        (
            changed(state={**ANSWER["state"], "phase": "over"}),
            '/state/phase: not shown, so it should be as posted; got "over"',
        ),
        ("busy", 'expected an object, got "busy"'),
    ],
)
def test_an_answer_departs(answer: Any, difference: str) -> None:
    (line,) = disagreements(vector(), 200, answer)
    assert line.startswith(difference)


def test_a_vector_that_shows_no_state_leaves_it_free() -> None:
    worked = {name: value for name, value in WORKED.items() if name != "state"}
    assert disagreements(vector(worked), 200, changed(state={"phase": "over"})) == []


def test_what_is_neither_worked_out_nor_follows_is_recorded() -> None:
    assert READING.rest(vector(), ANSWER) == RECORDED


def test_a_part_of_an_event_that_was_not_worked_out_is_recorded() -> None:
    worked = {**WORKED, "events": [{"rule": "WH-1.1", "code": "drawn"}]}
    assert READING.rest(vector(worked), ANSWER)["body"]["events"] == [{"move": 0, "params": {"seat": 0}}]


@pytest.mark.parametrize(
    ("answer", "rest"),
    [
        (changed(more=[]), {"more": []}),
        (changed(applied=0), {"applied": 0}),
        (changed(applied=True), {"applied": True}),
        (changed(ruleset={**ANSWER["ruleset"], "version": 2}), {"ruleset": {**ANSWER["ruleset"], "version": 2}}),
        (changed(state={**ANSWER["state"], "more": None}), {"state": {"won": [0, 0], "more": None}}),
        (changed(state={**ANSWER["state"], "ruleset": {}}), {"state": {"won": [0, 0], "ruleset": {}}}),
    ],
)
def test_what_a_vector_does_not_expect_is_reported(answer: Any, rest: Any) -> None:
    assert READING.rest(vector(), answer) == {"body": {**RECORDED["body"], **rest}}


def test_what_should_follow_and_is_not_there_is_named() -> None:
    answer = {name: value for name, value in ANSWER.items() if name != "contested"}
    answer["state"] = {name: value for name, value in ANSWER["state"].items() if name != "phase"}
    assert READING.rest(vector(), answer) == {**RECORDED, "absent": ["/contested", "/state/phase"]}


def test_the_layout_keeps_to_its_columns_but_for_piles() -> None:
    pile = list(range(60))
    text = laid_out(
        {"rows": [[each] * 9 for each in range(9)], "hands": [pile, pile[:2]], "pile": pile, "a": 1, "b": 2}
    )
    assert text.count("\n") == 13
    assert [line for line in text.splitlines() if len(line) > COLUMNS and "59" not in line] == []


def test_what_an_answer_lacks_or_has_too_much_is_named_by_its_code() -> None:
    drawn = {"rule": "WH-1.1", "code": "drawn"}
    passed = {"rule": "WH-1.2", "code": "passed"}
    lines = disagreements(vector({**WORKED, "events": [drawn, passed]}), 200, changed(events=[drawn]))
    assert [each.partition(" expected")[0] for each in lines] == ["/events: passed (WH-1.2) is missing;"]
    lines = disagreements(vector({**WORKED, "events": [drawn]}), 200, changed(events=[drawn, passed]))
    assert [each.partition(" expected")[0] for each in lines] == ["/events: passed (WH-1.2) is not due;"]
