"""What can be touched can be seen and reached. `looks_everywhere.py` has all sizes (make table-check)."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.scenes import (
    LONG_NAMES,
    LOOKS,
    SHOW_SCENE,
    ends,
    invitations,
    open_play_page,
    open_table,
    opening_form,
    scenes,
    show_end,
)

SIZES: list[ViewportSize] = [
    {"width": 390, "height": 664},
    {"width": 664, "height": 390},
    {"width": 720, "height": 450},  # 1440 x 900 at 200 %
    {"width": 1440, "height": 900},
]
GIN_RUMMY_SCENE = "gin-rummy, standard, 2 seats"
TWIN_IT_SCENE = "twin-it, competitive, 4 seats, play, acts"


def scene_of(name: str) -> dict[str, Any]:
    """The session of a scene, by the scene's name."""
    return next(scene.session for scene in scenes() if scene.name == name)


@pytest.fixture(scope="module")
def table(browser: Browser, address: str) -> Page:
    """`/play` with the scenes. The browser closes it."""
    return open_play_page(browser.new_context(base_url=address, locale="en-GB", reduced_motion="reduce").new_page())


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size['width']}x{size['height']}")
def test_all_that_can_be_touched_is_seen_or_one_scroll_away_and_no_words_leave_their_button(
    table: Page, size: ViewportSize
) -> None:
    """`looks.law()` and `looks.picked()` list what breaks the law of looks (looks.js)."""
    table.set_viewport_size(size)
    wrong = {}
    for scene in scenes():
        if not scene.acts or scene.name.startswith("twins, standard, 4 seats"):  # six are harder to place
            continue
        table.evaluate(SHOW_SCENE, scene.session)
        if found := table.evaluate("looks.picked()" if scene.picks and size["height"] < 700 else "looks.law()"):
            wrong[scene.name] = found
    assert wrong == {}


def test_the_form_the_invitations_and_the_end_hold_long_names_on_every_screen(browser: Browser, address: str) -> None:
    """`looks.law()` lists what breaks the law of looks (looks.js)."""
    with browser.new_context(base_url=address, locale="en-GB", reduced_motion="reduce") as context:
        page = open_play_page(context.new_page())
        wrong = {}

        def look(name: str) -> None:
            for size in SIZES:
                page.set_viewport_size(size)
                if found := page.evaluate("looks.law()"):
                    wrong[f"{name}, {size['width']}x{size['height']}"] = found

        look(next(opening_form(page, ["twin-it"])))
        for name in invitations(page, LONG_NAMES):
            look(name)
        open_table(page)
        for scene in ends()[5:6]:
            show_end(page, scene, LONG_NAMES)
            look(scene.name)
        assert wrong == {}


def test_all_cards_on_the_table_of_twin_it_are_seen_on_a_phone_without_scrolling(table: Page) -> None:
    """Three rows of cards and four players, upright and sideways."""
    table.evaluate(SHOW_SCENE, scene_of(TWIN_IT_SCENE))
    for width, height in ((390, 664), (664, 390), (844, 390)):
        table.set_viewport_size({"width": width, "height": height})
        assert table.evaluate("looks.covered()") == [0, 18], (width, height)


def test_a_dispute_is_laid_out_on_every_screen(page: Page) -> None:
    """`looks.law()` lists what breaks the law of looks (looks.js)."""
    page.add_init_script(path=LOOKS)
    page.goto("/settle#twins")
    expect(page.locator("#lay .card").first).to_be_visible()
    for size in SIZES:
        page.set_viewport_size(size)
        assert page.evaluate("looks.law()") == [], size


def test_the_page_says_what_it_is_on_a_phone_held_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 664, "height": 390})
    page.goto("/")
    expect(page.get_by_text("A referee for card games: it says which moves are legal")).to_be_visible()
    middles = page.locator("header").locator("h1, p, nav").evaluate_all(MIDDLES_IN_PIXELS)
    assert max(middles) - min(middles) < 2  # in one row


def test_the_head_of_a_table_is_one_row_on_a_phone_in_german(browser: Browser, address: str) -> None:
    with browser.new_context(base_url=address, locale="de", viewport={"width": 390, "height": 664}) as context:
        page = open_play_page(context.new_page(), "de")
        places = page.locator("body > header > div, body > header nav > *").evaluate_all(MIDDLES_IN_PIXELS)
        assert max(places) - min(places) < 2


MIDDLES_IN_PIXELS = (
    """all => all.map((each) => each.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2)"""
)


SIGNS_OF_NAMES = """async (names) => (await import("/playground/table/pieces.js")).signs(names)"""


@pytest.mark.parametrize(
    ("names", "signs"),
    [
        (["Anna", "Bo"], ["A", "B"]),
        (["Paul", "Petra"], ["Pa", "Pe"]),
        (["Player 1", "Player 2"], ["P1", "P2"]),
        (["Anna", "Anne", "Bo"], ["A1", "A2", "B3"]),
        (["", "Bo"], ["1", "B2"]),
    ],
)
def test_no_two_players_have_one_sign(table: Page, names: list[str], signs: list[str]) -> None:
    assert table.evaluate(SIGNS_OF_NAMES, names) == signs


def test_the_cards_that_a_sentence_names_are_lit_and_numbered(table: Page) -> None:
    flipped = scene_of(TWIN_IT_SCENE)
    card = flipped["events"][0]["params"]["card"]
    table.evaluate(SHOW_SCENE, flipped)
    named, lit = table.locator("rules-table .row").locator(f'[data-key="{card}"]'), table.locator("rules-table .lit")
    expect(named.locator(".number")).to_have_text(card)
    sentence = table.locator("#log").get_by_role("button", name=flipped["events"][0]["text"]).last
    sentence.click()
    expect(lit).to_have_count(1)
    expect(named).to_have_class(re.compile("lit"))
    sentence.click()
    expect(lit).to_have_count(0)


def test_a_pair_is_offered_once_in_whichever_order_it_is_touched(table: Page) -> None:
    rows = scene_of(TWIN_IT_SCENE)
    pair = rows["state"]["table"][:2]
    claim = {"type": "claim", "hands": [{"seat": 0, "card": card} for card in pair]}
    legal = {"moves": [{"move": claim, "text": "Anna claims a pair", "facts": {}}], "complete": True}
    table.evaluate(SHOW_SCENE, {**rows, "gather_ms": None, "legal_moves": legal})
    acts = table.locator("rules-table .act:not(.plain)")
    for cards in (pair, pair[::-1]):
        for card in cards:
            table.locator(f'rules-table .row [data-key="{card}"]').click()
        expect(acts).to_have_text(["Anna claims a pair"])
        table.locator("rules-table .act.plain").click()


def test_what_the_first_turn_of_gin_rummy_offers_has_a_button_and_a_mark(table: Page) -> None:
    table.evaluate(SHOW_SCENE, scene_of(f"{GIN_RUMMY_SCENE}, upcard, acts"))
    expect(table.locator("rules-table .act")).to_have_text(["Take the upcard", "Pass"])
    expect(table.locator('rules-table [data-key="discards"]')).to_have_class(re.compile("live"))


def test_piles_of_gin_rummy_are_whole_on_a_phone_held_sideways_without_scrolling(table: Page) -> None:
    for width, height in ((664, 390), (844, 390)):
        table.set_viewport_size({"width": width, "height": height})
        table.evaluate(SHOW_SCENE, scene_of(f"{GIN_RUMMY_SCENE}, draw, acts"))
        lowest = table.evaluate("""() => {
            scrollTo(0, 0);
            const { shadowRoot } = document.querySelector("rules-table");
            const box = (each) => each.getBoundingClientRect();
            const bottoms = [...shadowRoot.querySelectorAll(".middle .pile")].map((each) => box(each).bottom);
            return Math.max(...bottoms) - box(shadowRoot.querySelector(".mine")).top;
        }""")
        assert lowest <= 0


def test_piles_of_gin_rummy_that_may_be_touched_are_buttons_with_their_captions(table: Page) -> None:
    for phase, keys in (("upcard", ["discards"]), ("draw", ["stock", "discards"])):
        table.evaluate(SHOW_SCENE, scene_of(f"{GIN_RUMMY_SCENE}, {phase}, acts"))
        piles = table.locator("rules-table .middle .pile")
        shapes = piles.evaluate_all(
            """piles => piles.filter((pile) => getComputedStyle(pile).outlineStyle === "solid").map((pile) => {
                const { left, right, top, bottom } = pile.querySelector("figcaption").getBoundingClientRect();
                return pile.getRootNode().elementFromPoint((left + right) / 2, (top + bottom) / 2).dataset.key;
            })"""
        )
        assert shapes == keys


def test_after_a_card_is_drawn_by_keyboard_the_focus_is_in_the_hand(table: Page) -> None:
    table.evaluate(SHOW_SCENE, scene_of(f"{GIN_RUMMY_SCENE}, draw, acts"))
    table.locator('rules-table [data-key="stock"]').focus()
    table.keyboard.press("Enter")
    table.evaluate(SHOW_SCENE, scene_of(f"{GIN_RUMMY_SCENE}, discard, acts"))
    expect(table.locator("rules-table .own .fan button:focus")).to_have_count(1)


def test_cards_that_are_no_meld_are_refused_at_once_and_it_is_said_what_to_do(table: Page) -> None:
    table.evaluate(SHOW_SCENE, scene_of(f"{GIN_RUMMY_SCENE}, discard, acts"))
    table.get_by_role("button", name="Lay out melds").click()
    expect(table.locator("rules-table .standing")).to_have_text("Touch the cards of a meld, then “These are a meld”")
    hand = table.locator("rules-table .own .fan button.card")
    for at in range(3):
        hand.nth(at * 4).click()
    refusal = table.get_by_role("button", name="No meld: three or more of one rank, or in sequence of one suit")
    expect(refusal).to_be_disabled()
    expect(table.get_by_role("button", name="These are a meld")).to_have_count(0)


def test_an_empty_pot_has_a_place_and_its_caption_stands_on_the_line_of_the_others(table: Page) -> None:
    table.set_viewport_size({"width": 820, "height": 900})
    trick = scene_of("twins, standard, 4 seats, trick, acts")
    table.evaluate(SHOW_SCENE, {**trick, "state": {**trick["state"], "pot": 0}})
    expect(table.locator("rules-table .pot svg .none")).to_have_count(1)
    lines = "captions => captions.map((each) => Math.round(each.getBoundingClientRect().bottom))"
    assert len(set(table.locator("rules-table .middle figcaption").evaluate_all(lines))) == 1
