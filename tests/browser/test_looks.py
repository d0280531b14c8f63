"""The pages fit a phone, can be read by everyone, and bring all they need."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import engines
from tests.browser.visit import Visit

PHONE = {"width": 360, "height": 640}
OVERHANG = "element => element.scrollWidth - element.clientWidth"
COLOURS = """element => {
    const ink = getComputedStyle(element).color;
    for (let behind = element; behind; behind = behind.parentElement) {
        const paper = getComputedStyle(behind).backgroundColor;
        if (paper !== "rgba(0, 0, 0, 0)") return [ink, paper].map(each => each.match(/[\\d.]+/g).map(Number));
    }
}"""
SLOW = 30_000
"""Milliseconds that Swagger UI may need for a large contract on a busy machine."""
READABLE = 4.5
"""The least contrast of text by WCAG 2, level AA."""


def luminance(colour: list[float]) -> float:
    """As WCAG 2 defines it; channels 0 to 255."""
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (each / 255 for each in colour[:3])
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(element: Locator) -> float:
    colours: Any = element.evaluate(COLOURS)
    darker, lighter = sorted(luminance(each) for each in colours)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("game", engines.registry())
def test_no_list_of_moves_hangs_over_the_edge_of_a_phone(page: Page, game: str) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    visit = Visit(page).open(game=game, example="fresh").ask()
    expect(visit.listed.first).to_be_visible()
    assert page.locator("html").evaluate(OVERHANG) == 0


@pytest.mark.parametrize("game", engines.registry())
def test_nothing_of_a_ruling_hangs_over_the_edge_of_a_phone(page: Page, game: str) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    visit = Visit(page).open(game=game)
    assert page.locator("html").evaluate(OVERHANG) == 0
    for example in (
        visit.choice("example").locator("option:not([value=''])").evaluate_all("all => all.map(each => each.value)")
    ):
        visit.choice("example").select_option(example)
        visit.settled()
        assert page.locator("html").evaluate(OVERHANG) == 0, example


def test_the_verdict_is_in_sight_on_a_phone(page: Page) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    visit = Visit(page).open().ask()
    expect(visit.verdict).to_be_in_viewport()


LIGHT = 150_000
"""Bytes as they travel, headers too."""


def test_a_first_verdict_takes_few_bytes(browser: Browser, address: str) -> None:
    travelled: list[int] = []
    page = browser.new_page(base_url=address)  # with nothing kept from before
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", lambda done: travelled.append(done["encodedDataLength"]))
    Visit(page).open()
    page.close()
    assert len(travelled) > 10
    assert sum(travelled) < LIGHT


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("example", ["resolve", "validate", "audit"])
def test_text_stands_out_from_its_ground(page: Page, scheme: Any, example: str) -> None:
    page.emulate_media(color_scheme=scheme)
    visit = Visit(page).open(game="take-that").choose("take-that", example).ask()
    texts = [
        visit.verdict,
        visit.button("ask"),
        visit.choice("game"),
        *(page.locator(f"css:light=.ink {part}").first for part in (".key", ".text", ".value")),
        *page.locator(
            "css:light=h1, h2, h3, p:visible, summary, .said, .clause, .where, .cause, .hint:visible, th, td, a"
        ).all(),
    ]
    assert [text.text_content() for text in texts if contrast(text) < READABLE] == []


def test_everything_that_can_be_used_has_a_name(visit: Visit) -> None:
    visit.choose("twins").ask({"state": {"phase": "hand-over", "chips": [12, 12, 12], "pot": 0}, "moves": []})
    expect(visit.listed.first).to_be_visible()
    unnamed = [
        line
        for line in visit.page.locator("body").aria_snapshot().splitlines()
        if line.strip().rstrip(":") in ("- button", "- combobox", "- textbox", "- link")
    ]
    assert unnamed == []


def test_the_contract_shows_its_operations_and_opens_them(page: Page) -> None:
    page.goto("/docs")
    operation = page.locator("details#games")
    operation.get_by_text("List the games").first.click()
    expect(operation.get_by_role("heading", name="Responses")).to_be_visible(timeout=SLOW)
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.get_by_text("Response body")).to_be_visible(timeout=SLOW)
    expect(operation.locator(".live-responses-table")).to_contain_text("gin-rummy", timeout=SLOW)


def test_the_contract_is_filtered_by_words_and_folds_the_games(page: Page) -> None:
    page.goto("/docs")
    resolve, of_twins = page.locator("details#resolve"), page.locator("details#resolveTwins")
    expect(resolve).to_be_visible()
    expect(of_twins).not_to_be_visible()
    page.get_by_label("Filter").fill("twins apply")
    expect(of_twins).to_be_visible()
    expect(resolve).not_to_be_visible()
    page.get_by_label("Filter").fill("")
    expect(resolve).to_be_visible()
    expect(of_twins).not_to_be_visible()


def test_an_address_names_a_call_of_the_contract(page: Page) -> None:
    page.goto("/docs#resolveTwins")
    operation = page.locator("details#resolveTwins")
    expect(operation.get_by_role("heading", name="Responses")).to_be_visible(timeout=SLOW)


def test_the_contract_is_dark_where_the_visitor_likes_it(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/docs")
    expect(page.locator("html.dark-mode")).to_be_attached()
    page.emulate_media(color_scheme="light")
    expect(page.locator("html.dark-mode")).not_to_be_attached()


def test_the_playground_leads_to_the_contract(visit: Visit) -> None:
    expect(visit.page.get_by_role("link", name="The contract")).to_have_attribute("href", "/docs")
