"""When an answer agrees with a vector, and what of an answer is accounted for."""

from pathlib import Path
from typing import Any

import pytest

from service.conformance import disagreements
from service.seeds import Vector
from tests.conformance.layout import COLUMNS, as_laid_out_text
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
WORKED_ANSWER: dict[str, Any] = {
    "legal": True,
    "events": [{"rule": "WH-1.1", "code": "drawn", "move": 0, "params": {"seat": 0}}],
    "state": {"hands": [[1, 3], [2]], "stock": []},
    "to_act": [1],
}
READING = Reading({"short": {}, "long": {"name": "long", "version": 1, "options": {"trumps": False}}})
RECORDED_RESPONSE = {"body": {"state": {"won": [0, 0]}, "standings": ANSWER["standings"]}}


def vector(worked: Any = WORKED_ANSWER) -> Vector:
    """Return a vector that posts a draw to `/resolve`, and expects this in the answer."""
    state = {**STATE, "ruleset": {"name": "long", "options": {"trumps": True}}}
    body = {"game": "whist", "state": state, "moves": [{"type": "draw"}]}
    request = {"method": "POST", "path": "/resolve", "body": body}
    return Vector("whist-draw", ("WH-1.1",), "A draw.", request, {"status": 200, "body": worked}, Path("draw.json"))


def answer_with(**members: Any) -> Any:
    """Return the answer with these members in place of its own, or beside them."""
    return {**ANSWER, **members}


def test_an_answer_may_have_more_than_the_vector_shows_and_other_words() -> None:
    events = [{**WORKED_ANSWER["events"][0], "text": "Tira."}]
    assert disagreements(vector(), 200, answer_with(events=events, more=1, applied=1.0)) == []


@pytest.mark.parametrize(
    ("answer", "difference"),
    [
        (answer_with(legal=1), "/legal: expected true, got 1"),
        (answer_with(events=[]), "/events: drawn (WH-1.1) is missing; expected "),
        (answer_with(contested=[{}]), "/contested: not shown, so it should be []; got [{}]"),
        (answer_with(undetermined={}), "/undetermined: not shown, so it should be null; got {}"),
        (
            answer_with(state={**ANSWER["state"], "phase": "over"}),
            '/state/phase: not shown, so it should be as posted; got "over"',
        ),
        ("busy", 'expected an object, got "busy"'),
    ],
)
def test_an_answer_that_disagrees_with_its_vector_is_reported_with_the_difference(answer: Any, difference: str) -> None:
    (line,) = disagreements(vector(), 200, answer)
    assert line.startswith(difference)


def test_a_vector_that_shows_no_state_agrees_with_any_state() -> None:
    worked = {name: value for name, value in WORKED_ANSWER.items() if name != "state"}
    assert disagreements(vector(worked), 200, answer_with(state={"phase": "over"})) == []


def test_a_recording_leaves_out_what_the_vector_shows_and_what_follows_from_its_request() -> None:
    assert READING.rest(vector(), ANSWER) == RECORDED_RESPONSE


def test_a_part_of_an_event_that_the_vector_does_not_show_is_recorded() -> None:
    worked = {**WORKED_ANSWER, "events": [{"rule": "WH-1.1", "code": "drawn"}]}
    assert READING.rest(vector(worked), ANSWER)["body"]["events"] == [{"move": 0, "params": {"seat": 0}}]


@pytest.mark.parametrize(
    ("answer", "rest"),
    [
        (answer_with(more=[]), {"more": []}),
        (answer_with(applied=0), {"applied": 0}),
        (answer_with(applied=True), {"applied": True}),
        (answer_with(ruleset={**ANSWER["ruleset"], "version": 2}), {"ruleset": {**ANSWER["ruleset"], "version": 2}}),
        (answer_with(state={**ANSWER["state"], "more": None}), {"state": {"won": [0, 0], "more": None}}),
        (answer_with(state={**ANSWER["state"], "ruleset": {}}), {"state": {"won": [0, 0], "ruleset": {}}}),
    ],
)
def test_unexpected_members_of_an_answer_are_recorded(answer: Any, rest: Any) -> None:
    assert READING.rest(vector(), answer) == {"body": {**RECORDED_RESPONSE["body"], **rest}}


def test_members_that_the_answer_lacks_though_they_follow_from_the_request_are_recorded_as_absent() -> None:
    answer = {name: value for name, value in ANSWER.items() if name != "contested"}
    answer["state"] = {name: value for name, value in ANSWER["state"].items() if name != "phase"}
    assert READING.rest(vector(), answer) == {**RECORDED_RESPONSE, "absent": ["/contested", "/state/phase"]}


def test_no_line_is_longer_than_the_columns_allow_except_for_piles_of_cards() -> None:
    pile = list(range(60))
    text = as_laid_out_text(
        {"rows": [[each] * 9 for each in range(9)], "hands": [pile, pile[:2]], "pile": pile, "a": 1, "b": 2}
    )
    assert text.count("\n") == 13
    assert [line for line in text.splitlines() if len(line) > COLUMNS and "59" not in line] == []


def test_a_missing_or_unexpected_ruling_is_named_by_its_code() -> None:
    drawn = {"rule": "WH-1.1", "code": "drawn"}
    passed = {"rule": "WH-1.2", "code": "passed"}
    lines = disagreements(vector({**WORKED_ANSWER, "events": [drawn, passed]}), 200, answer_with(events=[drawn]))
    assert [each.partition(" expected")[0] for each in lines] == ["/events: passed (WH-1.2) is missing;"]
    lines = disagreements(vector({**WORKED_ANSWER, "events": [drawn]}), 200, answer_with(events=[drawn, passed]))
    assert [each.partition(" expected")[0] for each in lines] == ["/events: passed (WH-1.2) is not due;"]
