"""A table in the hand: what a player needs is on the screen, and large enough to be touched."""

from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from service.http.documents import GUIDES

MOST_SEATS = {"gin-rummy": 2, "take-that": 4, "twin-it": 4, "twins": 4}  #: Seats at the largest tables that are tried.
SIZES: list[ViewportSize] = [
    {"width": 360, "height": 640},
    {"width": 390, "height": 664},
    {"width": 664, "height": 390},
]
SMALL_TARGETS = """() => {
    const board = document.querySelector("rules-table").shadowRoot;
    const small = [];
    const found = (root) => [...root.querySelectorAll("button:not(.card), select, summary")];
    const buttons = [document, board].flatMap(found);
    for (const each of buttons.filter((button) => button.checkVisibility())) {
        const { width, height } = each.getBoundingClientRect();
        if (width < 44 || height < 44) small.push([each.outerHTML.slice(0, 90), width, height]);
    }
    for (const fan of board.querySelectorAll(".fan")) {
        const slots = [...fan.querySelectorAll("button.card")].map((card) => card.parentElement);
        const cards = slots.map((slot) => slot.getBoundingClientRect());
        for (const [at, { left, right, height }] of cards.entries()) {
            const width = (cards[at + 1]?.left ?? right) - left;
            if (width < 24 || height < 44) small.push(["a card", width, height]);
        }
    }
    return small;
}"""
"""Buttons and selects smaller than 44 by 44 pixels, and cards of which less than 24 by 44 can be touched."""


def open_at_seat_0(page: Page, game: str, names: list[str], *, cards: str = ".own", **more: Any) -> list[str]:
    """Sits down at seat 0 of a new table; gives its path and the tokens of the other seats. `cards`: where some lie."""
    body = {"game": game, "seats": len(names), "host": "blind", "invite": True, "names": names, **more}
    session = page.request.post("/sessions", data=body).json()
    path, invites = f"/sessions/{session['id']}", session["invites"]
    tokens = [
        page.request.post(f"{path}/seats/{seat}", data={"invite": invites[seat]}).json()["token"]
        for seat in range(1, len(names))
    ]
    page.goto(f"/play#{session['id']}/0/{invites[0]}")
    expect(page.locator(f"rules-table {cards} .card").first).to_be_visible()
    return [path, *tokens]


@pytest.mark.parametrize("game", MOST_SEATS)
def test_everything_can_be_touched_on_a_small_screen(phone: Page, game: str) -> None:
    open_at_seat_0(phone, game, ["Anna", "Bo", "Cy", "Di"][: MOST_SEATS[game]])
    for size in SIZES:
        phone.set_viewport_size(size)
        assert phone.evaluate(SMALL_TARGETS) == [], size
        assert phone.locator("html").evaluate("page => page.scrollWidth - page.clientWidth") == 0


def test_nothing_hangs_over_the_edge_of_the_narrowest_phone(phone: Page) -> None:
    phone.set_viewport_size({"width": 320, "height": 640})

    def overhang() -> list[Any]:
        """The pixels beyond the edge: with letters twice as large, as a phone can draw them, and as they are."""
        return [
            phone.locator("html").evaluate(
                "(page, size) => { page.style.textSizeAdjust = size; return page.scrollWidth - page.clientWidth; }",
                size,
            )
            for size in ("200%", "100%")
        ]

    for path in ("/", "/play", "/settle", "/docs", *(f"/guides/{guide}" for guide in GUIDES)):
        phone.goto(path)
        expect(phone.locator("main:not([aria-busy])")).to_be_attached()
        assert overhang() == [0, 0], path
    names = ["W" * 40, "M" * 40, "Cy", "W" * 40]
    for game, seats in MOST_SEATS.items():
        open_at_seat_0(phone, game, names[:seats])
        assert overhang() == [0, 0], game
    open_at_seat_0(phone, "twin-it", names, cards=".middle", ruleset={"name": "timed"})
    phone.locator("rules-table .act", has_text="Start the clock").click()
    expect(phone.get_by_role("timer")).to_be_visible()
    assert overhang() == [0, 0]
    body = {"game": "twins", "seats": 4, "host": "blind", "invite": True, "names": names}
    session = phone.request.post("/sessions", data=body).json()
    stored = {"names": names, "invites": session["invites"], "host": session["tokens"]["host"], "at": 9e15}
    phone.evaluate(
        "([id, stored]) => localStorage.setItem(`table ${id}`, JSON.stringify(stored))", [session["id"], stored]
    )
    for path, shown in (("/play", "#running li"), (f"/play#{session['id']}/links", ".invites .sits:not(:empty)")):
        phone.goto("about:blank")
        phone.goto(path)
        expect(phone.locator(shown).first).to_be_visible()
        assert overhang() == [0, 0], path


def test_the_own_hand_and_its_action_are_always_on_the_screen(phone: Page) -> None:
    path, *tokens = open_at_seat_0(phone, "twins", ["Anna", "Bo", "Cy", "Di"])
    act = phone.locator("rules-table .act")
    for size in SIZES:
        phone.set_viewport_size(size)
        expect(act.filter(has_text="Buy no card")).to_be_in_viewport(ratio=1)
    act.filter(has_text="Buy no card").click()
    expect(phone.locator("#log")).to_contain_text("Anna buys no card")
    for seat, token in enumerate(tokens, 1):
        move = {"moves": [{"type": "buy", "seat": seat, "count": 0}]}
        assert phone.request.post(f"{path}/moves", data=move, headers={"Authorization": f"Bearer {token}"}).ok
    expect(phone.locator("rules-table .own .live").first).to_be_visible()
    phone.locator("rules-table .own .card").nth(0).click()
    phone.locator("rules-table .own .card").nth(1).click()
    for size in SIZES:
        phone.set_viewport_size(size)
        expect(act.filter(has_text="Place")).to_be_in_viewport(ratio=1)
        expect(phone.locator("rules-table .own button.card").last).to_be_in_viewport(ratio=1)
        expect(phone.locator("#verdict")).to_be_in_viewport(ratio=1)


def test_the_screen_stays_on_while_it_is_ones_turn(phone: Page) -> None:
    phone.add_init_script(
        """locks = [];
        Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => {
            locks.push(kind);
            return { release: () => locks.push("released") };
        } } });"""
    )
    open_at_seat_0(phone, "gin-rummy", ["Anna", "Bo"])
    phone.wait_for_function("() => String(locks) === 'screen'")
    phone.locator("rules-table .act", has_text="Pass").click()
    phone.wait_for_function("() => String(locks) === 'screen,released'")


def test_a_browser_that_keeps_nothing_shows_the_pages_but_takes_no_seat(phone: Page) -> None:
    phone.add_init_script(
        """Object.defineProperty(window, "localStorage", {
            get() { throw new DOMException("blocked", "SecurityError"); },
        })"""
    )
    for path in ("/", "/settle"):
        phone.goto(path)
        expect(phone.locator("main:not([aria-busy])")).to_be_attached()
        expect(phone.locator("#game option")).not_to_have_count(0)
        expect(phone.locator("rules-table .card").first).to_be_visible()
    phone.goto("/play#abc/0/invite")
    expect(phone.locator("#verdict")).to_contain_text("cookies are blocked")


def test_the_page_can_be_installed(phone: Page) -> None:
    phone.goto("/play")
    manifest = phone.evaluate("async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json()")
    assert (manifest["display"], manifest["start_url"]) == ("standalone", "/play")
    for icon in manifest["icons"]:
        assert phone.request.get(icon["src"]).headers["content-type"].startswith(icon["type"])
    errors = phone.context.new_cdp_session(phone).send("Page.getAppManifest")["errors"]
    assert errors == []
