"""The editor of a question: colours, numbers of lines, brackets, what may stand where, and what an answer points to."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import test_playground
from tests.browser.visit import Visit

TOO_DEAR = json.dumps(test_playground.TOO_DEAR, indent=1)


def type_at_mark(visit: Visit, text: str) -> None:
    """Types at the place that `|` marks; the rest stands there already."""
    before, _, after = text.partition("|")
    visit.body.fill(before + after)
    visit.body.evaluate("(field, at) => field.setSelectionRange(at, at)", len(before))


def test_the_text_is_coloured_its_lines_are_numbered_and_brackets_are_matched(page: Page) -> None:
    visit = Visit(page).open(game="twins")
    visit.body.fill(TOO_DEAR)
    assert page.locator(".ink").text_content() == TOO_DEAR + "\n"
    expect(page.locator(".ink .key").first).to_have_text('"state"')
    expect(page.locator(".ink .text")).to_have_text(['"buying"', '"buy"'])
    expect(page.locator(".lines span")).to_have_count(len(TOO_DEAR.splitlines()))
    type_at_mark(visit, '{"state": {"chips": [1, 2]|}}')
    expect(page.locator(".ink .mate")).to_have_text(["[", "]"])
    page.keyboard.press("End")
    expect(page.locator(".ink .mate")).to_have_text(["{", "}"])
    visit.body.fill('{"state": {"pot": ten, "chips": [1}}')  # what is no JSON is underlined
    expect(page.locator(".ink .odd")).to_have_text(["ten", "}", "}"])


def test_colours_and_numbers_follow_the_text(page: Page) -> None:
    visit = Visit(page).open(game="twins")
    long = json.dumps([list(range(9))] * 60, indent=1)
    pasted = "(field, text) => { field.value = text; field.dispatchEvent(new Event('input')); field.scrollTop = 777 }"
    visit.body.evaluate(pasted, long)
    expect(page.locator(".lines span")).to_have_count(len(long.splitlines()))
    seen = "Object.fromEntries(['.ink', '.lines', '#body'].map((each) => [each, document.querySelector(each)]))"
    page.wait_for_function(
        f"() => {{ const at = {seen}; return new Set(Object.values(at).map((each) => each.scrollTop)).size === 1 }}"
    )
    heights = page.evaluate(
        f"(() => {{ const at = {seen}; return [at['.ink'].scrollHeight, at['#body'].scrollHeight] }})()"
    )
    assert heights[0] == pytest.approx(heights[1], abs=24)  # a scrollbar lies over the field alone


def test_what_an_answer_points_to_is_marked_at_its_line(page: Page) -> None:
    visit = Visit(page).open(game="twins").ask(TOO_DEAR)
    expect(page.locator(".ink .wrong")).to_have_text(['"count"', "2"])
    line = 1 + [line.strip() for line in TOO_DEAR.splitlines()].index('"count": 2')
    expect(page.locator(".lines .wrong")).to_have_text([str(line)])
    expect(page.locator(".lines .wrong")).to_have_attribute("title", visit.answer()["violations"][0]["text"])
    visit.body.press("End")
    page.keyboard.type(" ")
    expect(page.locator(".ink .wrong")).to_have_count(0)


@pytest.mark.parametrize(
    ("game", "before", "keys", "offers"),
    [
        ("twins", '{"|}', "sta", ['"state"']),
        ("twins", '{"state": {"ph|"}}', "", ['"phase"']),
        ("twins", '{"state": {"phase": |}}', '"b', ['"buying"']),
        ("twins", '{"moves": [{"type": "|"}]}', "b", ['"buy"']),
        ("twins", '{"moves": [{"type": "buy", "|": 0}]}', "c", ['"count"', '"cards"']),
        ("twins", '{"moves": [{"type": "play", "|": 0}]}', "c", ['"cards"']),
        ("twins", '{"moves": [{"type": "play", "cards": ["blue-1|"]}]}', "", ['"blue-10" blue 10']),
        ("take-that", '{"state": {"hands": [[|]]}}', "9", [re.compile(f"^{card}") for card in range(91, 99)]),
    ],
)
def test_what_may_stand_at_a_place_is_offered(page: Page, game: str, before: str, keys: str, offers: list[Any]) -> None:
    visit = Visit(page).open(game=game)
    type_at_mark(visit, before)
    page.keyboard.type(keys) if keys else page.keyboard.press("Control+Space")
    expect(page.locator(".offers").get_by_role("option")).to_have_text(offers)


def test_an_offer_is_taken_by_keyboard_or_by_touch_and_can_be_undone(page: Page) -> None:
    visit = Visit(page).open(game="twins")
    type_at_mark(visit, '{"state": {"phase": "|"}}')
    page.keyboard.press("Control+Space")
    expect(page.locator(".offers li")).to_have_text(['"buying"', '"trick"', '"hand-over"', '"game-over"'])
    page.keyboard.press("ArrowDown")
    expect(visit.body).to_have_attribute("aria-activedescendant", "offer-1")
    page.keyboard.press("Enter")
    expect(visit.body).to_have_value('{"state": {"phase": "trick"}}')
    expect(page.locator(".offers")).to_be_hidden()
    page.keyboard.press("Control+z")
    expect(visit.body).to_have_value('{"state": {"phase": ""}}')
    type_at_mark(visit, '{"state": {"po|}}')
    page.keyboard.type("t")
    page.locator(".offers li").click()
    expect(visit.body).to_have_value(re.compile('"pot": '))  # a member gets its colon
    expect(visit.body).to_be_focused()
