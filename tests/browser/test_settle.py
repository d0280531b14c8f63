"""An argument is settled: cards are laid on an empty table, and one verdict comes back, which can be shared."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import violations_of
from tests.browser.test_phone import SMALL_TARGETS


def lay_cards(page: Page, cards: str) -> None:
    """Touch these cards, named with spaces between: each goes to the place that is marked."""
    for card in cards.split():
        page.locator(f'#lay [data-key="{card}"]').click()


def open_settle_page(page: Page, game: str) -> None:
    """Open the page on which a table of this game is laid by hand."""
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
    lay_cards(page, "blue-9 yellow-9 brown-3 blue-3 green-3 yellow-3 pink-3 purple-3 green-4")
    expect(bar).to_have_text("Eva's two cards: still 1 to lay")
    expect(page.locator("#settled")).to_be_hidden()
    lay_cards(page, "blue-1")
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
    assert phone.evaluate(SMALL_TARGETS.replace('"rules-table"', '"#lay"')) == []
    assert phone.locator("html").evaluate("page => page.scrollWidth - page.clientWidth") == 0


def test_a_verdict_stands_beside_the_cards_on_a_desk_and_can_be_shared_without_a_clipboard(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    open_settle_page(page, "take-that")
    page.locator('#lay [data-key="place 1"]').click()
    lay_cards(page, "88")
    expect(page.locator("#settled > .rulings")).to_be_in_viewport(ratio=1)
    expect(page.locator("#lay .card").first).to_be_in_viewport(ratio=1)
    for missing in ("share", "clipboard"):
        page.evaluate(f"Object.defineProperty(navigator, '{missing}', {{ value: undefined }})")
    page.get_by_role("button", name="Share the verdict").click()
    expect(page.get_by_role("button", name="Copy what is marked.")).to_be_visible()
    expect(page.get_by_label("To copy")).to_have_value(page.url)


def test_a_knock_is_judged_and_scored(page: Page) -> None:
    open_settle_page(page, "gin-rummy")
    lay_cards(page, "3S 4S 5S 5H 5D 9C TC JC 2H 2D KS")
    expect(page.locator("#lay .standing")).to_have_text("Anna's discard: touch it in the hand")
    expect(page.locator("#settled")).to_be_hidden()
    lay_cards(page, "2H")
    expect(page.locator("#verdict")).to_have_text("No.")
    expect(page.locator("#settled > .rulings")).to_contain_text("a knock may leave 10 at most. GR-5.2")
    lay_cards(page, "KS")
    page.get_by_role("button", name="Take back K♠").click()
    lay_cards(page, "AS")
    expect(page.locator("#verdict")).to_have_text("Yes.")
    expect(page.locator("#settled > .rulings")).to_contain_text("10 points of deadwood")
    page.get_by_role("combobox", name="The question").select_option(label="A knock: who scores what?")
    lay_cards(page, "4S 5S 6S 9H 9D 9C AH 2D 3C AD KC KC QS QH QD 7S 9S KH 5D 2C 8C JD")
    expect(page.locator("#settled > .rulings")).to_contain_text("Anna scores 28 points (difference: 35 ")


def test_a_card_laid_beside_another_is_judged(page: Page) -> None:
    open_settle_page(page, "take-that")
    lay_cards(page, "34")
    page.locator('#lay [data-key="place 1"]').click()
    lay_cards(page, "88")
    expect(page.locator("#settled > .rulings")).to_contain_text("a card from 24 to 44 may be laid. TT-3.1")


def test_who_wins_a_set_is_the_first_who_put_both_hands_on_it(page: Page) -> None:
    """Two cards are laid on the table. Then the hands on them, in the order in which they fell: first Bo's, seat 2."""
    open_settle_page(page, "twin-it")
    expect(page.locator("#lay .fan button.card")).to_have_count(21)
    pair = [str(page.locator("#lay .fan button.card").nth(at).get_attribute("data-key")) for at in (0, 1)]
    lay_cards(page, " ".join(pair))
    for seat in (2, 1):
        page.locator(f'#lay [data-key="place {seat}"]').click()
        lay_cards(page, " ".join(pair))
    expect(page.locator("#settled > .rulings")).to_contain_text(re.compile("^Bo wins"))


def test_a_forged_link_lays_no_cards(page: Page) -> None:
    """The link holds a question, seats, names and an order as no page packs them."""
    open_settle_page(page, "twins")
    made_up = page.evaluate(
        """async () => (await import("/playground/address.js")).packed(JSON.stringify({
            question: "toString", seats: 1e9, trick: {}, names: [{ a: "<b>" }],
            order: [[99, "blue-1"], ["x", "<i>"], 7] }))"""
    )
    open_settle_page(page, f"game=twins&q={made_up}")
    expect(page.locator("#lay .group .card:not(.empty)")).to_have_count(0)
    expect(page.locator("#settled")).to_be_hidden()


def wait_until_at_rest(page: Page) -> None:
    """Wait until the page is not busy."""
    expect(page.locator("main:not([aria-busy])")).to_be_attached()


GAMES = {"twins": 1, "gin-rummy": 2, "take-that": 2, "twin-it": 1}
"""How many questions each game has."""


ROBOT = """async () => {
    const shadow = document.querySelector("#lay").shadowRoot;
    const all = (some) => [...shadow.querySelectorAll(some)];
    const atRest = () => new Promise((done) => {
        const look = () => document.querySelector("main[aria-busy]") ? setTimeout(look, 5) : done();
        setTimeout(look);
    });
    const wrong = [];
    const check = () => {
        const marked = all(".onto[aria-current=true]").map((each) => each.innerText);
        const sentence = all(".standing")[0].textContent;
        const place = marked[0]?.replace("▸ ", "").split(" (")[0];
        if (all(".onto").filter((each) => each.textContent.includes("▸")).length !== 1 || marked.length !== 1
            || sentence.split(/: | \\(/)[0] !== place) wrong.push([sentence, marked]);
    };
    const goOn = () => all(".act").find((each) => each.textContent.startsWith("Go on"));
    let steps = 0;
    for (check(); steps < 40 && (document.querySelector("#settled").hidden || goOn()); steps++) {
        const laid = all(".group .card:not(.empty)").length;
        const live = all(".fan button.card.live");
        const first = live.find((each) => each.closest(".group")) ?? live[0];
        (goOn() && (laid > 1 || !first) ? goOn() : first).click();
        await atRest();
        check();
    }
    for (const place of all(".onto").map((each) => each.dataset.key)) {
        all(`[data-key="${place}"]`)[0].click();
        await atRest();
        check();
    }
    return { wrong, steps, settled: !document.querySelector("#settled").hidden };
}"""
"""Does what the sentence says, one touch a step, until there is a verdict and nothing to go on to; then touches each
place. `wrong`: each sentence that did not begin with the place marked ▸, with the places that were marked."""


@pytest.mark.parametrize(("game", "least"), {"twins": 8, "gin-rummy": 12, "take-that": 2, "twin-it": 4}.items())
def test_the_sentence_and_the_mark_name_one_place_at_every_step(page: Page, game: str, least: int) -> None:
    open_settle_page(page, game)
    walked = page.evaluate(ROBOT)
    assert walked["wrong"] == []
    assert walked["settled"]
    assert walked["steps"] >= least


def test_a_touch_of_a_card_that_lies_offers_to_take_it_back(page: Page) -> None:
    open_settle_page(page, "twin-it")
    pair = [str(page.locator("#lay .fan button.card").nth(at).get_attribute("data-key")) for at in (0, 1)]
    lay_cards(page, f"{pair[0]} {pair[1]} {pair[0]}")
    back = page.locator("#lay .act", has_text="Take back")
    expect(back).to_have_count(1)
    expect(page.locator("#lay .group .card:not(.empty)")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(back).to_have_count(0)
    lay_cards(page, pair[0])
    back.click()
    expect(page.locator("#lay .group .card:not(.empty)")).to_have_count(1)
    lay_cards(page, pair[0])
    page.locator("#lay .act", has_text="Go on: Anna's hands on cards").click()
    lay_cards(page, f"{pair[0]} {pair[0]}")
    expect(page.locator("#lay .act", has_text="Anna's hands on cards: take back from")).to_have_count(1)
    page.locator("#lay .act", has_text="Anna's hands on cards: take back from").click()
    expect(page.locator("#lay .group .tag")).to_have_count(0)
    expect(page.locator("#lay .group .card:not(.empty)")).to_have_count(2)


def test_a_verdict_is_given_under_the_rules_that_are_chosen_and_a_link_keeps_them(page: Page) -> None:
    open_settle_page(page, "gin-rummy")
    page.get_by_role("button", name="See an example").click()
    expect(page.locator("#verdict")).to_have_text("Yes.")
    offered = page.locator("#ruleset label span")
    assert "Gin bonus (25, 20)" in offered.all_text_contents()
    assert not any(text.startswith("Knock limit") for text in offered.all_text_contents())  # no text contests it
    page.get_by_role("combobox", name="The question").select_option(label="A knock: who scores what?")
    lay_cards(page, "4S 5S 6S 9H 9D 9C AH AD AC AS 2D 2D QS QH QD 7S 8D KH 5D 2C 8C JD")
    expect(page.locator("#settled > .rulings")).to_contain_text("Anna scores 75 points")
    page.locator("#laying summary", has_text="Rules").click()
    with page.expect_response("**/resolve"):
        page.locator("#ruleset select").first.select_option(label="Pagat rules")
    wait_until_at_rest(page)
    expect(page.locator("#settled section b", has_text="Pagat rules")).to_have_count(0)
    expect(page.locator("#settled section b", has_text="standard rules")).to_have_count(1)
    page.get_by_label("Gin bonus (25, 20)").fill("33")
    page.get_by_label("Gin bonus (25, 20)").blur()
    expect(page.locator("#settled > .rulings")).to_contain_text("Anna scores 83 points")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#settled > .rulings")).to_contain_text("Anna scores 83 points")


@pytest.mark.parametrize(("game", "questions"), GAMES.items())
def test_an_example_of_each_question_is_settled_and_its_verdict_seen_at_once(
    page: Page, game: str, questions: int
) -> None:
    """On a small phone, without a touch of the scroll bar; and nothing is drawn that nobody has said."""
    page.set_viewport_size({"width": 360, "height": 640})
    open_settle_page(page, game)
    choices = page.locator("#question option")
    expect(choices).to_have_count(questions)
    for at in range(questions):
        page.locator("#question").select_option(index=at)
        page.get_by_role("button", name="See an example").click()
        expect(page.locator("#settled")).to_be_visible()
        wait_until_at_rest(page)
        expect(page.locator("#verdict")).to_be_in_viewport(ratio=1)
        expect(page.locator("#settled > .rulings > li").first).to_be_in_viewport(ratio=1)
        drawn = page.locator("#table .seat")
        expect(drawn).not_to_have_count(0)
        if game != "twin-it":
            expect(page.locator("#table .badge")).not_to_contain_text([re.compile(r"\d+ (points?|won)|^\d+$")])
        if page.locator("#question").input_value() != "may-knock":
            expect(page.locator("#settled > .hint")).to_contain_text("Not said, so assumed: ")


@pytest.mark.parametrize("game", GAMES)
def test_a_screen_reader_hears_each_place_once_and_what_pressing_it_does(page: Page, game: str) -> None:
    open_settle_page(page, game)
    page.get_by_role("button", name="See an example").click()
    expect(page.locator("#settled")).to_be_visible()
    snapshot = [line for line in page.locator("#lay").aria_snapshot().splitlines() if "paragraph" not in line]
    places = [text.partition(" (")[0].removeprefix("▸ ") for text in page.locator("#lay .onto").all_inner_texts()]
    for place in places:
        lines = [line for line in snapshot if place.replace("'", "''") in line and "Go on" not in line]
        assert len(lines) == 1, lines
        assert re.search(r"button .*\(\d+\) ?: (lay cards here|put hands on cards|choose the card)", lines[0])
    laid = page.locator("#lay .group .card:not(.empty)").first
    expect(laid).to_have_accessible_name(re.compile(": take back$"))
    if page.locator("#lay > .fan .card").count():
        expect(page.locator("#lay .middle > .fan .card").first).to_have_accessible_name(re.compile(": lay$"))
