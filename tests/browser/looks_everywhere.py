"""The law of looks on screens of all sizes, both ways, at 100 and at 200 %: make table-check. Some minutes."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

import engines
from service.http.playground import words
from tests.browser.scenes import (
    LONG_NAMES,
    LOOKS,
    NAMES,
    SHOW_SCENE,
    ends,
    invitations,
    open_play_page,
    open_table,
    opening_form,
    scenes,
    show_end,
)
from tests.games import OURS

SCREENS = [
    (320, 568),
    (360, 640),
    (375, 667),
    (390, 664),
    (390, 844),
    (412, 915),
    (600, 960),
    (768, 1024),
    (820, 1180),
    (720, 1280),
    (768, 1366),
    (900, 1440),
]
SMALLEST_SCREEN = 320, 256
"""What a page has to fit, by WCAG 1.4.10: at 200 % a smaller screen is drawn as one of this size."""
SIZES = sorted(
    {
        (max(SMALLEST_SCREEN[0], width // zoom), max(SMALLEST_SCREEN[1], height // zoom))
        for screen in SCREENS
        for width, height in (screen, screen[::-1])
        for zoom in (1, 2)
    }
)


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def page(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Page]:
    """A page of each size."""
    width, height = request.param
    size: ViewportSize = {"width": width, "height": height}
    with browser.new_context(base_url=address, locale="en-GB", reduced_motion="reduce", viewport=size) as context:
        yield context.new_page()


@pytest.mark.timeout(300)
def test_every_game_in_every_phase(page: Page) -> None:
    """`looks.picked()` lists what breaks the law of looks (looks.js), also once a card is picked."""
    open_play_page(page)
    wrong = {}
    for scene in scenes():
        page.evaluate(SHOW_SCENE, scene.session)
        if found := page.evaluate("looks.picked()"):
            wrong[scene.name] = found
    assert wrong == {}


def breaches(page: Page, names: list[str] = NAMES, language: str = "en") -> dict[str, list[str]]:
    """What breaks the law before and after a game."""
    wrong = {}
    for pages in (opening_form(page, engines.registry()), invitations(page, names)):
        for name in pages:
            if found := page.evaluate("looks.law()"):
                wrong[name] = found
    open_table(page)
    for scene in ends(language):
        show_end(page, scene, names)
        if found := page.evaluate("looks.law()"):
            wrong[scene.name] = found
    return wrong


@pytest.mark.timeout(300)
def test_the_form_the_invitations_and_the_end_of_every_game(page: Page) -> None:
    assert breaches(open_play_page(page)) == {}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("names", [NAMES, LONG_NAMES], ids=["short", "long"])
@pytest.mark.parametrize("language", words())
def test_every_language_with_short_and_with_long_names(
    browser: Browser, address: str, language: str, names: list[str]
) -> None:
    with browser.new_context(base_url=address, locale=language, reduced_motion="reduce") as context:
        page = open_play_page(context.new_page(), language)
        wrong = {}
        for scene in scenes(language):
            for width, height in ((320, 568), (390, 664), (664, 390), (820, 1180)):
                page.set_viewport_size({"width": width, "height": height})
                seats = len(scene.session["names"])
                page.evaluate(SHOW_SCENE, {**scene.session, "names": names[:seats]})
                if found := page.evaluate("looks.picked()"):
                    wrong[f"{scene.name}, {width}x{height}"] = found
        assert wrong == {}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("language", words())
def test_the_form_the_invitations_and_the_end_in_every_language_with_long_names(
    browser: Browser, address: str, language: str
) -> None:
    with browser.new_context(base_url=address, locale=language, reduced_motion="reduce") as context:
        page = open_play_page(context.new_page(), language)
        for width, height in ((320, 568), (390, 664), (664, 390), (820, 1180)):
            page.set_viewport_size({"width": width, "height": height})
            assert breaches(page, LONG_NAMES, language) == {}, f"{width}x{height}"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("game", OURS)
def test_every_question_of_a_dispute_before_and_while_cards_are_laid(page: Page, game: str) -> None:
    """`looks.law()` lists what breaks the law of looks (looks.js)."""
    page.add_init_script(path=LOOKS)
    page.goto(f"/settle#{game}")
    left = page.locator("#lay .fan button.card.live")
    expect(left.first).to_be_visible()
    for question in page.locator("#question option").all():
        page.locator("#question").select_option(question.get_attribute("value"))
        for _ in range(3):
            expect(page.locator("main:not([aria-busy])")).to_be_attached()
            assert page.evaluate("looks.law()") == []
            left.last.click()
