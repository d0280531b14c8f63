"""The pages fit a phone, can be read by everyone, and bring all they need."""

from functools import partial
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


LIGHT = 60_000
"""Bytes as they travel, headers too, until the first verdict is drawn; the editor is loaded after it."""
WATCH = """() => {
    window.shifted = 0;
    const moved = ({ value, hadRecentInput }) => (shifted += hadRecentInput ? 0 : value);
    const add = (list) => list.getEntries().forEach(moved);
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
    const seen = ({ target }) => (window.drawn ||= target.shadowRoot.querySelector(".card"));
    document.addEventListener("drawn", seen, true);
}"""
STEADY = 0.05
"""Of layout shift, as web vitals count it."""


def _noted(found: dict[str, Any], sent: dict[str, Any]) -> None:
    """Notes the address or the bytes of a request."""
    found[sent["requestId"]] = sent["request"]["url"] if "request" in sent else sent["encodedDataLength"]


def test_a_first_verdict_takes_few_bytes_and_nothing_shifts(browser: Browser, address: str) -> None:
    for path, width in (("/", 390), ("/", 1440), ("/settle", 390), ("/play", 390)):
        page = browser.new_page(base_url=address, viewport={"width": width, "height": 800})  # nothing kept from before
        page.add_init_script(f"({WATCH})()")
        asked: dict[str, str] = {}
        travelled: dict[str, float] = {}
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.requestWillBeSent", partial(_noted, asked))
        network.on("Network.loadingFinished", partial(_noted, travelled))
        page.goto(path)
        if path != "/play":
            page.wait_for_function("() => window.drawn")
            early = [size for request, size in travelled.items() if not asked[request].endswith("editor.js")]
            assert len(early) > 10
            assert sum(early) < LIGHT
        expect(page.locator("main:not([aria-busy])")).to_be_attached()
        assert page.evaluate("shifted") <= STEADY, (path, width)
        page.close()


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
