"""The pages fit a phone, can be read by everyone, and bring all they need."""

from functools import partial
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.browser.visit import Visit

SWAGGER_TIMEOUT = 30_000  #: Milliseconds that Swagger UI may need for a large contract on a busy machine.
MOST_BYTES_OF_A_VISIT = 70_000
"""Bytes as they travel, headers too, until the first verdict is drawn; the editor is loaded after it."""
WATCH_LAYOUT = """() => {
    window.shifted = 0;
    const moved = ({ value, hadRecentInput }) => (shifted += hadRecentInput ? 0 : value);
    const add = (list) => list.getEntries().forEach(moved);
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
    const seen = ({ target }) => (window.drawn ||= target.shadowRoot.querySelector(".card"));
    document.addEventListener("drawn", seen, true);
}"""
MOST_LAYOUT_SHIFT = 0.05  #: Of layout shift, as web vitals count it.


def _record(values: dict[str, Any], sent: dict[str, Any]) -> None:
    """Records the address or the bytes of a request."""
    values[sent["requestId"]] = sent["request"]["url"] if "request" in sent else sent["encodedDataLength"]


def test_a_first_verdict_takes_few_bytes_and_nothing_shifts(browser: Browser, address: str) -> None:
    for path, width in (("/", 390), ("/", 1440), ("/settle", 390), ("/play", 390)):
        page = browser.new_page(base_url=address, viewport={"width": width, "height": 800})  # nothing kept from before
        page.add_init_script(f"({WATCH_LAYOUT})()")
        addresses: dict[str, str] = {}
        travelled: dict[str, float] = {}
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.requestWillBeSent", partial(_record, addresses))
        network.on("Network.loadingFinished", partial(_record, travelled))
        page.goto(path)
        if path != "/play":
            page.wait_for_function("() => window.drawn")
            early = [size for request, size in travelled.items() if not addresses[request].endswith("editor.js")]
            assert len(early) > 10
            assert sum(early) < MOST_BYTES_OF_A_VISIT
        expect(page.locator("main:not([aria-busy])")).to_be_attached()
        assert page.evaluate("shifted") <= MOST_LAYOUT_SHIFT, (path, width)
        page.close()


def test_the_contract_opens_at_an_operation_can_be_filtered_and_tried(page: Page) -> None:
    """The playground leads to it. It is dark where the visitor likes it."""
    page.emulate_media(color_scheme="dark")
    Visit(page).open()
    page.get_by_role("link", name="The contract").click()
    expect(page.locator("html.dark-mode")).to_be_attached()
    page.emulate_media(color_scheme="light")
    expect(page.locator("html.dark-mode")).not_to_be_attached()
    resolve, of_twins, games = (page.locator(f"details#{name}") for name in ("resolve", "resolveTwins", "games"))
    expect(resolve).to_be_visible(timeout=SWAGGER_TIMEOUT)
    expect(of_twins).not_to_be_visible()  # the games are folded
    page.get_by_label("Filter").fill("twins apply")
    expect(of_twins).to_be_visible()
    expect(resolve).not_to_be_visible()
    page.get_by_label("Filter").fill("")
    expect(resolve).to_be_visible()
    expect(of_twins).not_to_be_visible()
    games.get_by_text("List the games").first.click()
    games.get_by_role("button", name="Try it out").click(timeout=SWAGGER_TIMEOUT)
    games.get_by_role("button", name="Execute").click()
    expect(games.locator(".live-responses-table")).to_contain_text("gin-rummy", timeout=SWAGGER_TIMEOUT)
    page.goto("/docs#resolveTwins")
    page.reload()
    expect(of_twins.get_by_role("heading", name="Responses")).to_be_visible(timeout=SWAGGER_TIMEOUT)
