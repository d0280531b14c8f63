"""An argument is settled: cards are laid on an empty table, and one verdict comes back, which can be shared."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import violations_of
from tests.browser.test_phone import TARGETS


def lay(page: Page, cards: str) -> None:
    for card in cards.split():
        page.locator(f'#lay [data-key="{card}"]').click()


def opened(page: Page, game: str) -> None:
    page.goto("about:blank")
    page.goto(f"/settle#{game}")
    expect(page.locator("#lay .card").first).to_be_visible()


def test_a_trick_is_settled_and_its_link_shows_the_same_to_others(page: Page, phone: Page) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.set_viewport_size({"width": 390, "height": 664})
    page.goto("/")
    page.get_by_role("link", name="Settle an argument").click()
    page.get_by_role("combobox", name="Game").select_option("twins")
    page.get_by_role("combobox", name="Trick").select_option("2")
    page.get_by_role("combobox", name="Players").select_option("5")
    page.get_by_role("combobox", name="Chips in the pot").select_option("12")
    bar = page.locator("#lay .standing")
    expect(bar).to_have_text("Anna's two cards: still 2 to lay")
    lay(page, "blue-9 yellow-9 brown-3 blue-3 green-3 yellow-3 pink-3 purple-3 green-4")
    expect(bar).to_have_text("Eva's two cards: still 1 to lay")
    expect(page.locator("#settled")).to_be_hidden()
    lay(page, "blue-1")
    expect(page.locator("#settled > .rulings")).to_contain_text("Anna wins")
    expect(page.locator("#settled > .rulings a.clause").first).to_have_text(re.compile(r"TW-\d"))
    others = page.locator("#settled section")
    expect(others.locator("> ul > li").filter(has_text="the French text")).to_be_visible()
    expect(others).to_contain_text(re.compile("published texts differ|one text, two readings"))
    assert violations_of(page) == []
    assert page.locator("html").evaluate("page => page.scrollWidth - page.clientWidth") == 0
    rulings = page.locator("#settled > .rulings").inner_text()
    assert all("q=" not in url.partition("#")[0] for url in requests)
    phone.goto(page.url)
    expect(phone.locator("#settled > .rulings")).to_have_text(re.compile(re.escape(rulings.split("\n")[0][:40])))
    expect(phone.locator("#table .seat")).to_have_count(5)
    expect(phone.locator("#lay")).to_be_hidden()
    phone.locator("#laying > summary").click()
    assert phone.evaluate(TARGETS.replace('"rules-table"', '"#lay"')) == []
    assert phone.locator("html").evaluate("page => page.scrollWidth - page.clientWidth") == 0


def test_a_verdict_stands_beside_the_cards_on_a_desk_and_can_be_shared_without_a_clipboard(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    opened(page, "take-that")
    page.locator('#lay [data-key="place 1"]').click()
    lay(page, "88")
    expect(page.locator("#settled > .rulings")).to_be_in_viewport(ratio=1)
    expect(page.locator("#lay .card").first).to_be_in_viewport(ratio=1)
    for missing in ("share", "clipboard"):
        page.evaluate(f"Object.defineProperty(navigator, '{missing}', {{ value: undefined }})")
    page.get_by_role("button", name="Share the verdict").click()
    expect(page.get_by_role("button", name="Copy what is marked.")).to_be_visible()
    expect(page.get_by_label("To copy")).to_have_value(page.url)


def test_a_knock_a_laid_card_and_a_set_are_settled(page: Page) -> None:
    opened(page, "gin-rummy")
    lay(page, "3S 4S 5S 5H 5D 9C TC JC 2H 2D KS")
    expect(page.locator("#verdict")).to_have_text("No.")
    expect(page.locator("#settled > .rulings")).to_contain_text("a knock may leave 10 at most. GR-5.2")
    lay(page, "KS AS")
    expect(page.locator("#verdict")).to_have_text("Yes.")
    page.get_by_role("combobox", name="The question").select_option(label="A knock: who scores what?")
    lay(page, "4S 5S 6S 9H 9D 9C AH 2D 3C AD KC QS QH QD 7S 9S KH 5D 2C 8C JD")
    expect(page.locator("#settled > .rulings")).to_contain_text("Anna scores 28 points (difference: 35 ")
    opened(page, "take-that")
    lay(page, "34")
    page.locator('#lay [data-key="place 1"]').click()
    lay(page, "88")
    expect(page.locator("#settled > .rulings")).to_contain_text("a card from 24 to 44 may be laid. TT-3.1")
    opened(page, "twin-it")
    expect(page.locator("#lay .fan button.card")).to_have_count(21)
    pair = [str(page.locator("#lay .fan button.card").nth(at).get_attribute("data-key")) for at in (0, 1)]
    lay(page, " ".join(pair))
    for seat in (2, 1):
        page.locator(f'#lay [data-key="place {seat}"]').click()
        lay(page, " ".join(pair))
    expect(page.locator("#settled > .rulings")).to_contain_text(re.compile("^Bo wins"))


def test_a_forged_link_lays_no_cards(page: Page) -> None:
    opened(page, "twins")
    made_up = page.evaluate(
        """async () => (await import("/playground/address.js")).packed(JSON.stringify({
            question: "toString", seats: 1e9, trick: {}, names: [{ a: "<b>" }],
            order: [[99, "blue-1"], ["x", "<i>"], 7] }))"""
    )
    opened(page, f"game=twins&q={made_up}")
    expect(page.locator("#lay .group .card:not(.empty)")).to_have_count(0)
    expect(page.locator("#settled")).to_be_hidden()
