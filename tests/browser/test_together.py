"""Several browsers at one table: each in a window of its own, by the link it was sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect


@pytest.fixture
def windows(browser: Browser, address: str) -> Iterator[list[Page]]:
    """Browsers that know nothing of each other."""
    with ExitStack() as stack:
        contexts = [browser.new_context(base_url=address, locale="en-GB") for _ in range(5)]
        for context in contexts:
            context.set_default_timeout(10_000)
            stack.callback(context.close)
        yield [context.new_page() for context in contexts]


def opened(page: Page, game: str, seats: int, *, public: bool = False) -> list[str]:
    """The links of a table that was just opened."""
    page.goto("/play")
    expect(page.get_by_role("combobox", name="Rules").locator("option")).not_to_have_count(0)
    page.get_by_role("combobox", name="Game").select_option(game)
    expect(page.get_by_role("combobox", name="Rules").locator("option")).not_to_have_count(0)
    page.get_by_role("combobox", name="Players").select_option(str(seats))
    for seat, name in zip(range(seats), ["Anna", "Bo", "Cy", "Di"], strict=False):
        page.get_by_label(f"Seat {seat}").fill(name)
    page.get_by_label("Others may look on").set_checked(public)
    page.get_by_role("button", name="Open the table").click()
    links = page.locator(".invites a")
    expect(links).to_have_count(seats + public)
    return [str(link.get_attribute("href")) for link in links.all()]


def act(page: Page, name: str | re.Pattern[str]) -> None:
    page.locator("rules-table .board").get_by_role("button", name=name).click()


def test_four_seats_place_in_secret_and_see_the_trick_at_once(windows: list[Page]) -> None:
    *players, onlooker = windows
    *links, spectators = opened(onlooker, "twins", 4, public=True)
    for page, link in zip(players, links, strict=True):
        page.goto(link)
        expect(page.locator("rules-table .own .card:not(.back)").first).to_be_visible()
    onlooker.goto(spectators)
    expect(onlooker.locator("rules-table .seat")).to_have_count(4)
    expect(onlooker.locator("rules-table .seat .fan:not(.hidden)")).to_have_count(0)
    for page in players:
        act(page, "Buy none")
        expect(page.locator("#log")).to_contain_text("buys no card")
    for page in players:
        hand = page.locator("rules-table .own .lies > .fan .card")
        expect(page.locator("rules-table .own .live").first).to_be_visible()
        hand.nth(0).click()
        hand.nth(1).click()
        if page is not players[-1]:
            page.locator("rules-table .act", has_text="Place").click()
            expect(page.locator("#log")).to_contain_text("places two cards")
    expect(players[3].locator("rules-table .others .group .back")).to_have_count(6)
    players[3].locator("rules-table .act", has_text="Place").click()
    for page in windows:
        expect(page.locator("#log")).to_contain_text("All plays are turned up.")
        expect(page.locator("rules-table .group .card:not(.back, .empty)")).to_have_count(8)


def test_a_seat_is_kept_over_a_reload_and_taken_once(windows: list[Page]) -> None:
    first, second, *_ = windows
    links = opened(second, "gin-rummy", 2)
    first.goto(links[0])
    expect(first.locator("#verdict")).to_have_text("Your turn.")
    first.reload()
    expect(first.locator("#verdict")).to_have_text("Your turn.")
    second.goto(links[0])  # a new link loads the page anew
    expect(second.locator("#verdict")).to_have_class("bad")


def test_the_transcript_is_proved_at_the_end(windows: list[Page], address: str) -> None:
    """Under these options the first knock ends the game, and everybody may knock."""
    first, second, *_ = windows
    ruleset = {"name": "standard", "options": {"knock_limit": 99, "target": 1}}
    asked = {"game": "gin-rummy", "seats": 2, "ruleset": ruleset, "host": "blind", "invite": True}
    session = first.request.post("/sessions", data=asked).json()
    for seat, page in enumerate((first, second)):
        page.goto(f"{address}/play#{session['id']}/{seat}/{session['invites'][seat]}")
        expect(page.locator("rules-table .own .card:not(.back)").first).to_be_visible()
    act(first, "Pass")
    act(second, "Pass")
    first.locator("rules-table [data-key=stock]").click()
    first.locator("rules-table .own .live").first.click()
    first.locator("rules-table .act", has_text="Knock with").click()
    act(second, re.compile("Lay off as is best"))
    for page in (first, second):
        expect(page.locator("#end .proof .good")).to_have_count(3)
    first.get_by_role("link", name="Step through the game").click()
    expect(first.locator("#count")).to_have_text(re.compile("^0 /"))
    expect(first.locator("rules-table .seat")).to_have_count(2)
