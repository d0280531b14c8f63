"""`/play` where phones are: how they come here, and what a page over plain HTTP can still do."""

from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.test_several_browsers import open_table
from tests.server import Server


def test_a_page_that_phones_do_not_reach_says_what_to_start(browser: Browser) -> None:
    with (
        Server(settings={"REFEREE_SHOW_ADDRESSES": "1"}) as server,
        browser.new_context(base_url=f"http://127.0.0.1:{server.port}", locale="en-GB") as context,
    ):
        page = context.new_page()
        page.goto("/play")
        expect(page.locator("#nearby code")).to_have_text("make serve HOST=0.0.0.0")
        expect(page.locator("#nearby .qr")).to_have_count(0)


def test_the_addresses_of_this_machine_are_links_and_one_is_a_qr_code(page: Page) -> None:
    def with_addresses(route: Route) -> None:
        answer = route.fetch()
        listed = '"nearby":["http://192.168.1.5:8000","http://10.0.0.7:8000"],"words":'
        route.fulfill(response=answer, body=answer.text().replace('"words":', listed, 1))

    page.goto("/play")
    expect(page.locator("main:not([aria-busy])")).to_be_attached()
    expect(page.locator("#nearby")).to_be_hidden()  # this server does not run under make serve
    page.route("**/play", with_addresses)
    page.goto("/play")
    expect(page.locator("#nearby a")).to_have_text(["http://192.168.1.5:8000/play", "http://10.0.0.7:8000/play"])
    expect(page.locator("#nearby .qr")).to_have_count(1)


def test_without_clipboard_and_share_sheet_a_link_is_marked_to_be_copied(browser: Browser, address: str) -> None:
    with browser.new_context(base_url=address.replace("127.0.0.1", "phones.test"), locale="en-GB") as context:
        page = context.new_page()
        open_table(page, "gin-rummy", 2)
        assert page.evaluate("[isSecureContext, Boolean(navigator.clipboard), Boolean(navigator.share)]") == [False] * 3
        page.get_by_role("button", name="Copy the link").first.click()
        marked = page.evaluate("String(getSelection())")
        assert marked == page.locator(".invites code").first.text_content()
        expect(page.get_by_role("button", name="Copy the link")).to_have_count(1)
