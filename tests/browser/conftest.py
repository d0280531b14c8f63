"""Chromium at the page of a really started server. What a page complains of fails its test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.browser.visit import Visit
from tests.server import Server

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
REFUSED = "Failed to load resource: the server responded with a status of 4"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None and not os.environ.get("CI"):
        pytest.skip("there is no chromium on this machine")
    expect.set_options(timeout=10_000)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def address(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture
def context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """A visitor's browser who reads English, until a test says otherwise."""
    context = browser.new_context(base_url=address, locale="en-GB")
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, address: str) -> Iterator[Page]:
    """A page that may not ask other hosts, nor write errors to the console; a refused call is none."""
    complaints: list[str] = []
    page = context.new_page()

    def asked(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            complaints.append(f"asked {request.url}")

    def wrote(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(REFUSED):
            complaints.append(f"{message.type}: {message.text}")

    page.on("request", asked)
    page.on("console", wrote)
    page.on("pageerror", lambda error: complaints.append(f"thrown: {error}"))
    yield page
    assert complaints == []


@pytest.fixture
def visit(page: Page) -> Visit:
    """The playground, opened."""
    return Visit(page).open()
