"""A table is followed over connections that break, also over those that only seem to be there."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.test_phone import open_at_seat_0
from tests.browser.test_several_browsers import press_button
from tests.browser.tunnel import Tunnel
from tests.long import long
from tests.server import Server

CONNECTION_IS_LOST = "Not connected, trying again."


class PageBehindTunnel:
    """A page at seat 0 of gin rummy, behind a tunnel; what seat 1 does goes past it."""

    def __init__(self, browser: Browser, server: Server) -> None:
        self.tunnel = Tunnel(server.port)
        self.context = browser.new_context(base_url=self.tunnel.address, locale="en-GB", reduced_motion="reduce")
        self.page = self.context.new_page()
        path, token = open_at_seat_0(self.page, "gin-rummy", ["Anna", "Bo"])
        self.moves, self.other = f"http://127.0.0.1:{server.port}{path}/moves", {"Authorization": f"Bearer {token}"}
        expect(self.page.locator("#verdict")).to_have_text("Your turn.")

    def let_bo_move(self, **move: Any) -> None:
        """Make a move for seat 1, past the tunnel."""
        body = {"moves": [{"seat": 1, **move}]}
        assert self.context.request.post(self.moves, data=body, headers=self.other).status == 201


@pytest.fixture
def player(browser: Browser, server: Server) -> Iterator[PageBehindTunnel]:
    """Anna's page at a new table of gin rummy. It is her turn."""
    seat = PageBehindTunnel(browser, server)
    yield seat
    seat.context.close()
    seat.tunnel.close()


def reopen_with_stopped_clock(*pages: Page) -> None:
    """Opens pages of one context again, with a clock that stands still until the test moves it."""
    clock = pages[0].context.clock  # all its pages have this one
    clock.install()
    for page in pages:
        with page.expect_response("**/events?*"):
            page.reload()
    clock.pause_at(pages[0].evaluate("Date.now() / 1000") + 1)


def test_a_dead_connection_is_noticed_within_fifteen_seconds(player: PageBehindTunnel) -> None:
    """By two tabs of one table, which share the browser's six connections: dead ones must not take all of them."""
    tabs = [player.page, player.context.new_page()]
    tabs[1].goto(player.page.url)
    press_button(tabs[1], "Pass")
    for tab in tabs:
        expect(tab.locator("#verdict")).to_have_text("To act: Bo.")
    reopen_with_stopped_clock(*tabs)
    clock = player.context.clock
    player.tunnel.blocked = True
    player.tunnel.silence()
    for tab in tabs:
        expect(tab.locator("rules-table .status")).to_be_hidden()
    clock.run_for(15_000)
    for tab in tabs:
        expect(tab.locator("rules-table .status")).to_have_text(CONNECTION_IS_LOST)
    clock.resume()
    player.let_bo_move(type="pass")
    player.tunnel.blocked = False
    for tab in tabs:
        expect(tab.locator("rules-table .status")).to_be_hidden()
        expect(tab.locator("#log")).to_contain_text("Bo passes")
        expect(tab.locator("#verdict")).to_have_text("Your turn.")


@pytest.mark.parametrize("sign", ["focus", *long("online", "pageshow")])
def test_a_dead_stream_is_opened_anew_when_the_page_is_looked_at_again(player: PageBehindTunnel, sign: str) -> None:
    """What came meanwhile is shown at once, not after the silence."""
    page = player.page
    press_button(page, "Pass")
    expect(page.locator("#verdict")).to_have_text("To act: Bo.")
    player.tunnel.silence()
    player.let_bo_move(type="pass")
    page.evaluate(f"window.dispatchEvent(new Event('{sign}'))")
    expect(page.locator("#verdict")).to_have_text("Your turn.")


def test_being_offline_is_shown_at_once_and_hidden_at_once(player: PageBehindTunnel) -> None:
    press_button(player.page, "Pass")
    expect(player.page.locator("#verdict")).to_have_text("To act: Bo.")
    player.let_bo_move(type="pass")
    expect(player.page.locator("#verdict")).to_have_text("Your turn.")  # the stream said so, and no answer is to come
    player.context.set_offline(True)
    expect(player.page.locator("rules-table .status")).to_be_visible()  # before the silence is noticed
    player.context.set_offline(False)
    expect(player.page.locator("rules-table .status")).to_be_hidden()


def test_a_move_on_its_way_says_so_within_a_second_and_is_sent_again_by_itself(player: PageBehindTunnel) -> None:
    """A second of the page's own clock, which stands still until the test moves it."""
    page, keys = player.page, list[str]()

    def lose(route: Route) -> None:
        """The service makes the first move, and its answer is lost; the second request gets through."""
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()
        else:
            route.continue_()

    reopen_with_stopped_clock(page)
    clock = player.context.clock
    page.route("**/moves", lose)
    press_button(page, "Pass")
    clock.run_for(500)
    expect(page.locator("rules-table .status")).to_be_hidden()
    clock.run_for(499)
    expect(page.locator("rules-table .status")).to_have_text("Your move is on its way …")
    clock.resume()
    expect(page.locator("rules-table .status")).to_be_empty(timeout=15_000)
    expect(page.locator("#verdict")).to_have_text("To act: Bo.")
    expect(page.locator("#log li")).to_have_count(1)
    assert len(set(keys)) == 1 < len(keys)
