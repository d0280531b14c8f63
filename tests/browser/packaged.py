"""`clients/table` as it is published, in its example with React 18 and 19; `make table-check` packs and builds both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.server import ROOT, Server

BUILT = ROOT / "build/table"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Writes no line for a request."""


@pytest.fixture(scope="module", params=["react-18", "react-19"])
def example(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the example, at a host of its own, with a service that allows this origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(BUILT / request.param))) as host:
        Thread(target=host.serve_forever).start()
        origin = f"http://127.0.0.1:{host.server_port}"
        with Server(settings={"REFEREE_CORS_ORIGINS": origin}) as server:
            yield f"{origin}/index.html?service=http://127.0.0.1:{server.port}"
        host.shutdown()


def act(side: Locator, name: str | re.Pattern[str]) -> None:
    """Press a button of one side's table."""
    side.locator(".board").get_by_role("button", name=name).first.click()


def test_two_elements_play_a_whole_game(browser: Browser, example: str) -> None:
    with browser.new_context(reduced_motion="reduce") as context:
        page: Page = context.new_page()
        thrown: list[str] = []
        page.on("pageerror", lambda error: thrown.append(str(error)))
        page.goto(example)
        page.get_by_role("button", name="Open a table").click()
        anna, bo = (page.get_by_role("region", name=f"{name}'s side") for name in ("Anna", "Bo"))
        for side in (anna, bo):
            expect(side.locator(".own .card:not(.back)")).to_have_count(10)
        expect(anna.get_by_role("status").first).to_have_text("Your turn.")
        onlooker = page.locator("main > rules-table")
        expect(onlooker.locator(".own .fan.hidden")).to_be_attached()
        act(anna, "Pass")
        act(bo, "Pass")
        anna.locator(".live[data-key=stock]").click()
        anna.locator(".own .live").first.click()
        act(anna, re.compile("^Knock, throwing"))
        act(bo, re.compile("left$"))
        for side in (anna, bo):
            expect(side.get_by_role("status").first).to_have_text("The game is over.")
        expect(onlooker.locator(".told")).to_contain_text("The game is over.")
        ground = anna.locator(".board").evaluate("board => getComputedStyle(board).getPropertyValue('--ground')")
        assert ground == "#123a5c"
        assert page.content().count("seat-0.") == 0  # no token in the markup
        assert thrown == []
