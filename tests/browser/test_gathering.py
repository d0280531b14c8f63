"""Twin it! as it is played: hands fall from several phones, and are settled together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Windows
from tests.browser.test_several_browsers import NAMES, open_table, press_button

PLAYERS = [*NAMES, "🃏 Di"]
WINDOW_MS = 3000  #: Milliseconds in which hands may fall: enough for all hands of a test on a busy machine.


DECK = [["sun", "moon"], ["moon", "star"], ["star", "tree"], ["tree", "sun"], ["sun", "star"], ["moon", "tree"]]
"""Each design three times, and no two cards alike, so that three that are turned do not turn for ever."""


@dataclass
class FourPages:
    """Four browsers at a table on which two tops match: `pair`. `other`: a top that is not of the pair."""

    pages: list[Page]
    pair: list[str]
    other: str
    tops: list[str]


def open_and_take_seats(pages: list[Page], ruleset: str, **more: Any) -> Any:
    """Opens a table and takes its seats; gives the session."""
    body = {"game": "twin-it", "seats": 4, "ruleset": {"name": ruleset}, "names": PLAYERS, "designs": DECK}
    pair: list[str] = []
    session: Any = {}
    for _ in range(200):
        session = pages[0].request.post("/sessions", data={**body, **more, "invite": True}).json()
        alike: dict[str, list[str]] = {}
        for top in [pile[0] for pile in session["state"]["piles"] if pile] or session["state"]["table"]:
            alike.setdefault(DECK[int(top[:-1])][top.endswith("B")], []).append(top)
        pair = next((cards for cards in alike.values() if len(cards) == 2), [])
        if pair:
            break
    for seat, page in enumerate(pages):
        page.goto("about:blank")
        page.goto(f"/play#{session['id']}/{seat}/{session['invites'][seat]}")
        expect(page.locator("rules-table .card").first).to_be_visible()
    return session | {"pair": pair}


def open_with_a_pair(pages: list[Page], ruleset: str) -> FourPages:
    """Open a table of four with two tops alike, on which hands that fall within `WINDOW_MS` ms are settled together."""
    session = open_and_take_seats(pages, ruleset, gather_ms=WINDOW_MS)
    tops = [pile[0] for pile in session["state"]["piles"]]
    assert session["pair"]
    return FourPages(pages, session["pair"], next(top for top in tops if top not in session["pair"]), tops)


def play_to_the_end(pages: list[Page]) -> None:
    """Lets each player flip in turn, without any hand, until the game is over."""
    for page in pages:
        page.evaluate(
            "setInterval(() => document.querySelector('rules-table').shadowRoot.querySelector('.act')?.click(), 50)"
        )
    for page in pages:
        expect(page.locator("#end h2")).to_be_visible(timeout=60_000)


def touch(page: Page, card: str) -> None:
    """Put this page's hand on a card."""
    page.locator(f'rules-table button.card[data-key="{card}"]').click()


def delay_next_hand(page: Page, milliseconds: int) -> None:
    """Lets the next hand of this page arrive so much later."""

    def late(route: Route) -> None:
        page.wait_for_timeout(milliseconds)
        route.continue_()

    page.route("**/moves", late, times=1)


def test_four_browsers_tie_on_purpose_one_of_them_over_a_slow_connection(windows: Windows) -> None:
    pages = windows(4)
    with pages[0].expect_request(lambda request: request.url.endswith("/sessions")) as opening:
        open_table(pages[0], "twin-it", 4)
    body: Any = opening.value.post_data_json
    assert body["gather_ms"] == 1500
    table = open_with_a_pair(pages, "competitive")
    expect(pages[0].locator("rules-table .badge .token")).to_have_text(["B", "C", "🃏", "A"])  # of the own seat last
    owners = [table.tops.index(card) for card in table.pair]
    one, other = (seat for seat in range(4) if seat not in owners)
    here, far, owner = table.pages[one], table.pages[other], table.pages[owners[0]]
    delay_next_hand(far, 300)
    touch(far, table.pair[1])
    touch(here, table.pair[0])
    touch(owner, table.other)
    for page in table.pages:
        for seat, card in ((one, table.pair[0]), (other, table.pair[1])):
            expect(page.locator(f'rules-table .card[data-key="{card}"] .token')).to_have_text([PLAYERS[seat][0]])
        expect(page.locator("rules-table .window")).to_have_attribute("aria-label", "hands may still fall")
    for page in table.pages:
        expect(page.locator("rules-table .settled")).to_contain_text("A tie: ")
        expect(page.locator("rules-table .settled")).to_contain_text(f"The hand of {PLAYERS[owners[0]]} on")
        expect(page.locator("rules-table .card .token")).to_have_count(0)
    play_to_the_end(table.pages)


def test_partners_win_a_set_with_a_hand_each_in_either_order(windows: Windows) -> None:
    table = open_with_a_pair(windows(4), "team")
    lie = [table.tops.index(card) for card in table.pair]
    here = next(seat for seat in range(4) if lie[0] != seat and lie[1] != (seat + 2) % 4)
    partner = (here + 2) % 4
    touch(table.pages[partner], table.pair[1])
    touch(table.pages[here], table.pair[0])
    for page in table.pages:
        expect(page.locator("rules-table .settled")).to_contain_text("wins the set")
    for seat in (here, partner):
        expect(table.pages[seat].locator("rules-table .own .badge")).to_contain_text("1 / 5")
    play_to_the_end(table.pages)


@pytest.mark.long
def test_the_cooperative_minute_is_seen_by_all_and_ends(windows: Windows) -> None:
    pages = windows(4)
    session = open_and_take_seats(pages, "cooperative")
    anna, bo, *_ = pages
    for page in (anna, bo):
        expect(page.locator("#verdict")).to_have_text("Your turn.")
        expect(page.locator("rules-table .standing")).to_have_text("find two or three equal cards")
    anna.get_by_role("button", name="Start the clock").click()
    for page in pages:
        expect(page.get_by_role("timer")).to_have_text(re.compile("^(1:00|0:[45]\\d)$"))
    for card in session["pair"]:
        touch(bo, card)
    press_button(bo, "These are a group")
    press_button(bo, re.compile("^Hand in the count"))
    for page in pages:
        expect(page.locator("#end h2")).to_have_text(re.compile("^Together: "))
    session = open_and_take_seats(pages, "cooperative")
    token = anna.evaluate(f"localStorage.getItem('seat {session['id']} 0')")
    bearer = {"Authorization": f"Bearer {token}"}
    started = anna.request.post(f"/sessions/{session['id']}/clock", data={"seconds": 1}, headers=bearer)
    assert started.status == 201
    for page in pages:
        expect(page.get_by_role("timer")).to_have_text(re.compile("^Time!"))
    for page in pages:
        expect(page.locator("#end h2")).to_have_text("Together: 0 points", timeout=15_000)


def test_a_table_of_a_timed_game_is_opened_with_a_minute_before_which_nobody_counts(windows: Windows) -> None:
    context = windows(1)[0].context
    for ruleset, seconds in (("timed", 60), ("cooperative", 60), ("competitive", None)):
        page = context.new_page()
        at_rest = page.locator("main:not([aria-busy])")
        page.goto("/play")
        expect(at_rest).to_be_attached()
        page.get_by_role("combobox", name="Game").select_option("twin-it")
        expect(at_rest).to_be_attached()
        page.locator("#ruleset").select_option(ruleset)
        with page.expect_request(lambda request: request.url.endswith("/sessions")) as opening:
            page.get_by_role("button", name="Open the table").click()
        body: Any = opening.value.post_data_json
        assert body.get("clock_seconds") == seconds
        expect(page.locator(".invites a").first).to_be_visible()  # the page reloads itself: see `closed` of conftest.py
        page.close()


def test_counts_are_offered_after_a_clock_that_binds_and_shown_when_handed_in(windows: Windows) -> None:
    pages = windows(4)
    session = open_and_take_seats(pages, "timed", clock_seconds=10)
    anna, bo, *others = pages
    for page in (anna, bo):
        for card in session["pair"]:
            touch(page, card)
        press_button(page, "These are a group")
        expect(page.get_by_role("button", name="Start over")).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("^Hand in"))).to_have_count(0)
    anna.get_by_role("button", name="Start the clock: 0:10").click()
    for page in pages:
        expect(page.get_by_role("timer")).to_have_text(re.compile("^0:0\\d|0:10$"))
    expect(anna.get_by_role("button", name=re.compile("^Hand in"))).to_have_count(0)
    for page in (bo, anna):
        expect(page.get_by_role("timer")).to_have_text(re.compile("^Time!"), timeout=15_000)
        press_button(page, re.compile("^Hand in the count"))
        expect(page.locator("rules-table .standing")).to_have_text("your count is handed in")
        expect(page.get_by_role("button", name="Start over")).to_have_count(0)
        expect(page.locator("rules-table .middle .group")).to_have_count(1)
    expect(others[0].locator("rules-table .standing")).to_have_text("find two or three equal cards")
    for page in pages:
        expect(page.locator("#end h2")).to_have_text("You win!" if page is bo else "Bo wins!", timeout=15_000)


def test_in_a_timed_game_the_first_to_count_a_pair_has_it(windows: Windows) -> None:
    pages = windows(4)
    session = open_and_take_seats(pages, "timed")
    pages[0].get_by_role("button", name="Start the clock").click()
    for page in pages:
        expect(page.get_by_role("timer")).to_be_visible()
        for card in session["pair"]:
            touch(page, card)
        press_button(page, "These are a group")
        press_button(page, re.compile("^Hand in the count"))
    for page, text in zip(pages, ["You win!", *["Anna wins!"] * 3], strict=True):
        expect(page.locator("#end h2")).to_have_text(text)
