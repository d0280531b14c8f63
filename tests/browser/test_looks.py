"""The pages fit a phone, can be read by everyone, and bring all they need."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.visit import Visit

TEXTS = "#verdict, [data-word=ask], #game, .ink > *, h1, h2, h3, p, summary, .said, .clause, .where, .cause, th, td, a"
COLOURS = """texts => [...document.querySelectorAll(texts)].filter(each => each.checkVisibility()).map(element => {
    const style = (each, name) => getComputedStyle(each)[name];
    let behind = element;
    while (style(behind, "backgroundColor") === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    const colours = [style(element, "color"), style(behind, "backgroundColor")];
    return [element.textContent, ...colours.map(each => each.match(/[\\d.]+/g).map(Number))];
})"""
"""Each text that is seen, its colour, and the colour behind it."""
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


def contrast(ink: list[float], paper: list[float]) -> float:
    darker, lighter = sorted(map(luminance, (ink, paper)))
    return (lighter + 0.05) / (darker + 0.05)


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
def test_text_stands_out_from_its_ground(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    visit = Visit(page).open(game="take-that")
    for call in ("resolve", "validate", "audit"):
        visit.choose("take-that", call).ask()
        found = page.evaluate(COLOURS, TEXTS)
        assert [text for text, *colours in found if contrast(*colours) < READABLE] == [], call


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
