"""Chromium with the page of a running server. An error in the page's console fails the test."""

import faulthandler
import os
import sys
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    Route,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.browser import chromium
from tests.browser.visit import Visit
from tests.games import OURS
from tests.server import Server

QUIET = [
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP phones.test 127.0.0.1",  # a host that is not loopback, over plain HTTP
]
REFUSED_REQUEST = "Failed to load resource: the server responded with a status of 4"


LONGEST_TEST = 150
"""Seconds that a test may take, and then its end: many, for a machine on which thirty processes run."""
PATIENCE = 30_000  #: Milliseconds that an action or an expectation may take there.


def pytest_itemcollected(item: pytest.Item) -> None:
    """A browser test may take `LONGEST_TEST` seconds, unless it says how long."""
    if item.get_closest_marker("timeout") is None:
        item.add_marker(pytest.mark.timeout(LONGEST_TEST))


@pytest.hookimpl(tryfirst=True)  # before those that are marked are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as long all games but one of a test that runs for each of ours: one test has this game, the next another.

    A game that an author adds is tried everywhere.
    """
    games: dict[Any, list[str]] = {}
    tests = [each for each in items if isinstance(each, pytest.Function) and game_of(each) in OURS]
    for test in tests:
        games.setdefault(test.function, []).append(game_of(test))
    for test in tests:
        choice = sorted(set(games[test.function]))
        if game_of(test) != choice[crc32(test.originalname.encode()) % len(choice)]:
            test.add_marker(pytest.mark.long)


def game_of(test: pytest.Function) -> str:
    """The game that a test of this folder is run for; empty if it is of no game, or of another folder."""
    here = Path(__file__).parent in test.path.parents and hasattr(test, "callspec")
    return str(test.callspec.params.get("game", "")) if here else ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None]:
    """End the process if a test does not end: a test that has failed by its time has no other limit."""
    faulthandler.dump_traceback_later(LONGEST_TEST, exit=True, file=sys.__stderr__ or sys.stderr)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium. Where none is installed the test is skipped, but not in CI."""
    if chromium.EXECUTABLE is None and not os.environ.get("CI"):
        pytest.skip("there is no chromium on this machine")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium.EXECUTABLE, args=chromium.ARGUMENTS + QUIET)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def address(server: Server) -> str:
    """The address of a running service."""
    return f"http://127.0.0.1:{server.port}"


SIZE: ViewportSize = {"width": 1280, "height": 720}  #: Of the window, unless a test sets another.


@dataclass
class Window:
    """The browser of a visitor who reads English, with one page on which nothing glides.

    Several tests use it, one after the other: to start one takes longer than most tests.
    """

    browser: Browser
    address: str
    complaints: list[str] = field(default_factory=list)
    """Requests to other hosts and errors in the console; an answer with a status of 4xx is none."""

    def __post_init__(self) -> None:
        self.context = self.browser.new_context(
            base_url=self.address, locale="en-GB", viewport=SIZE, reduced_motion="reduce"
        )
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.page.on("request", self.record_request)
        self.page.on("console", self.record_message)
        self.page.on("pageerror", lambda error: self.complaints.append(f"thrown: {error}"))

    def record_request(self, request: Request) -> None:
        """Add a complaint for a request to another host."""
        if not request.url.startswith((self.address, "data:", "blob:", "about:")):
            self.complaints.append(f"asked {request.url}")

    def record_message(self, message: ConsoleMessage) -> None:
        """Add a complaint for an error or a warning in the console."""
        if message.type in ("error", "warning") and not message.text.startswith(REFUSED_REQUEST):
            self.complaints.append(f"{message.type}: {message.text}")

    def reset(self) -> bool:
        """Resets the window for the next test; false if it cannot be used again."""
        try:
            for other in self.context.pages:
                if other is not self.page:
                    close_page(other)
            self.page.unroute_all(behavior="ignoreErrors")
            self.page.set_viewport_size(SIZE)
            self.page.emulate_media(color_scheme="null", forced_colors="null", reduced_motion="reduce")
            if self.page.url.startswith(self.address):
                self.page.evaluate("localStorage.clear()")
            self.page.goto("about:blank")
        except Error:
            return False
        return True


def close_page(page: Page) -> None:
    """Close a page. Raises `Error` if it does not close: Chromium forgets to where it just loads itself again."""
    with page.expect_event("close"):
        page.close(run_before_unload=True)  # which does not wait; the other way waits without a limit


@pytest.fixture(scope="session")
def free_windows() -> list[Window]:
    """The windows that stay open between tests."""
    return []


@pytest.fixture
def take_window(browser: Browser, address: str, free_windows: list[Window]) -> Iterator[Callable[[], Window]]:
    """Gives a window. It is kept for the next test, if it can be reset."""
    windows: list[Window] = []

    def take() -> Window:
        window = free_windows.pop() if free_windows else Window(browser, address)
        window.complaints.clear()
        windows.append(window)
        return window

    yield take
    free_windows += [
        window for window in windows if window.reset()
    ]  # to close another may wait without a limit: the browser does


Windows: TypeAlias = Callable[[int], list[Page]]  #: Gives so many browsers that know nothing of each other.


@pytest.fixture
def windows(take_window: Callable[[], Window]) -> Windows:
    """As `Windows`; they are reset after the test."""
    return lambda count: [take_window().page for _ in range(count)]


@pytest.fixture
def page(take_window: Callable[[], Window]) -> Iterator[Page]:
    """A page that fails its test if it sends a request to another host or writes an error to the console."""
    window = take_window()
    yield window.page
    assert window.complaints == []


@pytest.fixture
def phone(browser: Browser, address: str) -> Iterator[Page]:
    """A page as on a small phone: it is touched, and 360 pixels wide."""
    options: Any = {"locale": "en-GB", "reduced_motion": "reduce", "has_touch": True, "is_mobile": True}
    with browser.new_context(base_url=address, viewport={"width": 360, "height": 640}, **options) as context:
        yield context.new_page()


@pytest.fixture
def visit(page: Page) -> Visit:
    """The playground, opened."""
    return Visit(page).open()


OTHER_HOST = "http://other.example"  #: A host that answers everything with 404.


class ForeignPage:
    """A page without a policy. `bearers`: each token that was sent, and the host it was sent to."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.bearers: set[tuple[str, str]] = set()
        self.complaints: list[str] = []
        page.on("request", self._sent)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.route("**/elsewhere", self._give)
        page.route(f"{OTHER_HOST}/**", lambda route: route.fulfill(status=404))
        self.markup = ""

    def _sent(self, request: Request) -> None:
        """Record the token of a request, if it has one, and the host."""
        if bearer := request.headers.get("authorization"):
            self.bearers.add((bearer, "/".join(request.url.split("/")[:3])))

    def _give(self, route: Route) -> None:
        """Answer with a page of the markup that loads the elements."""
        script = '<script type="module" src="/elements.js"></script>'
        route.fulfill(body=f"<!doctype html>{self.markup}{script}", content_type="text/html")

    def open_session(self, **more: Any) -> Any:
        """Open a session of gin rummy; return the body of the answer."""
        body = {"game": "gin-rummy", "seats": 2, "names": ["Anna", "Bo"], **more}
        return self.page.request.post(f"{self.address}/sessions", data=body).json()

    def show(self, markup: str, script: str = "") -> Page:
        """Opens a page with this markup; the script runs before the element is defined."""
        self.markup = markup + (f"<script>{script}</script>" if script else "")
        self.page.goto(f"{self.address}/elsewhere")
        return self.page


@pytest.fixture
def foreign_page(browser: Browser, address: str) -> Iterator[ForeignPage]:
    """A `ForeignPage` in a context of its own."""
    with browser.new_context(bypass_csp=True, reduced_motion="reduce", locale="en-GB") as context:
        yield ForeignPage(context.new_page(), address)
