"""The two pictures of README.md, taken from the pages as they are: `make pictures`."""

import base64
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.browser.pictures import QUALITY, started_browser
from tests.browser.test_phone import open_at_seat_0
from tests.browser.test_settle import lay_cards
from tests.server import ROOT

DOCS = ROOT / "docs"
PHONE: Any = {
    "viewport": {"width": 390, "height": 820},
    "has_touch": True,
    "is_mobile": True,
    "reduced_motion": "reduce",
}


def show_argument(page: Page) -> None:
    """Shows a verdict on the second trick of Twins, where three tie for one prize and the editions disagree."""
    page.goto("/settle#twins")
    page.get_by_role("combobox", name="Trick").select_option("2")
    page.get_by_role("combobox", name="Players").select_option("5")
    page.get_by_role("combobox", name="Chips in the pot").select_option("12")
    lay_cards(page, "blue-9 yellow-9 brown-3 blue-3 green-3 yellow-3 pink-3 purple-3 green-4 blue-1")
    expect(page.locator("#settled section")).to_contain_text("the French text")
    link = page.url
    page.goto("about:blank")
    page.goto(link)  # as somebody sees it to whom the verdict was sent
    expect(page.locator("#lay")).to_be_hidden()
    expect(page.locator("#settled section")).to_contain_text("the French text")


def show_hand(page: Page) -> None:
    """Shows a hand of gin rummy whose player is on turn."""
    open_at_seat_0(page, "gin-rummy", ["Anna", "Bo"])
    page.set_viewport_size({"width": 390, "height": 560})


PICTURES = {DOCS / "settle.webp": show_argument, DOCS / "phone.webp": show_hand}


def take_picture(browser: Browser, address: str, file: Path) -> None:
    """Take a picture on a phone of 390 pixels."""
    with browser.new_context(base_url=address, locale="en-GB", **PHONE) as context:
        page = context.new_page()
        PICTURES[file](page)
        how = {"format": "webp", "quality": QUALITY}
        shot = context.new_cdp_session(page).send("Page.captureScreenshot", how)["data"]
        file.write_bytes(base64.b64decode(shot))


if __name__ == "__main__":
    with started_browser() as (browser, address):
        for file in PICTURES:
            take_picture(browser, address, file)
