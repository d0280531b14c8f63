"""How many calls a game takes: one for each move at the page; at `/play` one to make it, and one to see each table."""

import pytest
from playwright.sync_api import Page, Response, expect

import engines
from tests.browser.conftest import Windows
from tests.browser.test_several_browsers import play_to_a_knock
from tests.browser.test_table import QUICK
from tests.browser.visit import Visit


def answers_at(page: Page, place: str) -> list[Response]:
    """The answers that a page gets from now on, at addresses with this part."""
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer) if place in answer.url else None)
    return answers


@pytest.mark.parametrize("game", engines.registry())
def test_the_page_asks_once_for_each_move(page: Page, game: str) -> None:
    """The answer has the moves that may follow, with their words. A move that is tried and refused is a call, too."""
    body = QUICK.get(game, {"seats": engines.registry()[game].seats[0], "seed": "9"})
    visit = Visit(page).open(game=game, **({"example": "fresh"} if "seats" in body else {})).ask(body)
    answers = answers_at(page, f"/games/{game}/")
    visit.play_on(7, most=25, ends=False)
    assert {answer.url.rpartition("/")[2] for answer in answers} == {"resolve"}
    legal_answers = [answer for answer in answers if answer.json()["legal"]]
    assert len(legal_answers) == len(visit.question()["moves"]) > 0


def test_at_a_shared_table_a_move_is_one_call_and_each_version_is_read_once(windows: Windows) -> None:
    """What is read has the moves that may follow, with their words. No table is read that was read before."""
    first, second = windows(2)
    answers = [answers_at(page, "/sessions/") for page in (first, second)]
    play_to_a_knock(first, second)
    for page in (first, second):
        expect(page.locator("#end .proof li")).to_have_count(3)
    posted = [each for own in answers for each in own if each.request.method == "POST" and each.url.endswith("/moves")]
    assert len(posted) == 5  # two pass, one draws and knocks, the other lays off
    for own in answers:
        reads = [each for each in own if each.url.endswith("?legal_moves=true")]
        assert [each.status for each in reads] == [200] * len(reads)
        assert len({each.headers["etag"] for each in reads}) == len(reads)
        assert [each.url for each in own if each.url.endswith("/legal-moves")] == []
