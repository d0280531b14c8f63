"""Nobody is shut out: axe finds nothing, in light and dark, on a phone and on a desk."""

from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

import engines
from tests.browser.conftest import Windows
from tests.browser.test_playground import ROW, TIED
from tests.browser.test_several_browsers import open_table, play_to_a_knock
from tests.browser.visit import Visit

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
PHONE: ViewportSize = {"width": 390, "height": 800}
DESK: ViewportSize = {"width": 1440, "height": 900}
COLOURS = {"runOnly": ["color-contrast"]}  #: What of axe's rules depends on light and dark.


def violations_of(page: Page, within: str = "html", options: Any = None) -> list[str]:
    """What axe has to say of the page, or a part of it, as it is."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    options = {"resultTypes": ["violations"]} | (options or {})
    run = "async ([within, options]) => (await axe.run(within, options)).violations"
    violations: Any = page.evaluate(run, [within, options])
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in violations
        for node in violation["nodes"]
    ]


def violations_on_phone_and_desk(page: Page, within: str = "html") -> list[str]:
    """Return what axe finds wrong in light on a desk, and of the colours alone in dark on a phone."""
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.set_viewport_size(DESK)
    on_desk = violations_of(page, within)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.set_viewport_size(PHONE)
    return on_desk + violations_of(page, within, COLOURS)


@pytest.mark.parametrize("game", engines.registry())
def test_a_table_with_its_ruling(page: Page, game: str) -> None:
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    visit = Visit(page).open(game=game)
    expect(visit.board.locator(".card").first).to_be_visible()
    page.locator("#rules summary").click()
    page.locator("#moves summary").click() if page.locator("#moves summary").count() else None
    assert violations_of(page) == []
    page.emulate_media(forced_colors="none")
    assert violations_on_phone_and_desk(page) == []


def test_a_rulebook_and_a_question_to_share(page: Page) -> None:
    Visit(page).open(game="twin-it", language="fr")
    page.get_by_role("tab", name="Règles").click()
    expect(page.locator("#book article").first).to_be_visible()
    assert violations_on_phone_and_desk(page, "#right") == []
    page.get_by_role("tab", name="Partager").click()
    page.get_by_role("button", name="La table affichée").click()
    expect(page.locator("#share textarea")).to_be_visible()
    assert violations_of(page, "#right") == []


def test_answers_of_every_kind(page: Page) -> None:
    """The outcomes under other rulesets side by side, an illegal move, and a body that the service refuses."""
    visit = Visit(page).open(game="twins").ask(TIED)
    visit.button("others").click()
    expect(page.locator(".outcome table").first).to_be_visible()
    assert violations_on_phone_and_desk(page) == []
    visit.choose("take-that").ask({**ROW, "moves": [{"type": "lay", "seat": 0, "card": 57}]})
    expect(visit.problem).to_be_visible()
    assert violations_on_phone_and_desk(page) == []
    visit.ask({"state": {"phase": "tea"}, "moves": []})
    assert violations_of(page) == []


def test_a_table_for_several_from_its_invitations_to_its_end(windows: Windows) -> None:
    first, second = windows(2)
    second.goto("/play")
    expect(second.get_by_role("combobox", name="Rules").locator("option")).not_to_have_count(0)
    assert violations_of(second) == []
    links = open_table(second, "gin-rummy", 2, joint=True)
    assert violations_of(second) == []
    first.goto(links[0])
    expect(first.locator("rules-table .parts")).to_be_visible()
    assert violations_of(first) == []
    first.route("**/sessions/**", lambda route: route.abort())
    first.evaluate("window.dispatchEvent(new Event('offline'))")
    expect(first.locator("rules-table .status")).to_have_text("Not connected, trying again.")
    assert violations_on_phone_and_desk(first) == []
    first.unroute_all()
    play_to_a_knock(first, second)
    for page in (first, second):
        expect(page.locator("#end h2")).to_be_visible()
    assert violations_on_phone_and_desk(first) == []
