"""The table is drawn from its state alone, and played at by touching it."""

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import engines
from service.bounds import MOVES
from service.contract.codec import codecs
from tests.browser.test_playground import ROW
from tests.browser.visit import Visit, question_of
from tests.engines.games import random_game

GAMES = list(engines.registry())
QUICK: dict[str, dict[str, Any]] = {
    "gin-rummy": {"seats": 2, "seed": "9", "ruleset": {"options": {"knock_limit": 99, "target": 1}}},
    "take-that": {
        "state": {
            "phase": "play",
            "turn": 0,
            "row": [34],
            "pile": [17, 18],
            "hands": [[43, 57, 12, 21, 33, 48, 84, 66, 91], [88, 13, 31, 25, 52, 76, 67, 45, 98]],
            "ruleset": {"name": "standard", "options": {"rounds": 1}},
        },
        "moves": [],
    },
    "twin-it": {"seats": 3, "seed": "9", "ruleset": {"name": "competitive", "options": {"sets_to_win": 1}}},
    "twins": {"state": {"phase": "hand-over", "chips": [1, 1, 1], "pot": 33, "dealer": 0}, "moves": []},
}
"""Deals, or tables, of games that are soon over, however they are played."""

KNOCK = question_of("gin-knock-and-lay-off") | {"moves": []}
TRICK: dict[str, Any] = {
    "state": {
        "phase": "trick",
        "trick": 1,
        "chips": [12, 12, 12],
        "pot": 0,
        "hands": [
            ["blue-9", "blue-7", *(f"pink-{rank}" for rank in range(1, 7))],
            *([f"{colour}-{rank}" for rank in range(1, 9)] for colour in ("green", "brown")),
        ],
    },
    "moves": [],
}


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_played_to_its_end_by_clicks_alone(page: Page, game: str) -> None:
    """Games that are soon over; `make browser-games` plays whole ones."""
    body = QUICK.get(game, {"seats": engines.registry()[game].seats[0], "seed": "9"})
    visit = Visit(page).open(game=game, **({"example": "fresh"} if "seats" in body else {})).ask(body)
    visit.play_on(7, most=200, ends=game in QUICK)
    assert visit.answer()["result"] is not None or game not in QUICK


def test_every_design_of_twin_it_is_a_picture_of_its_own(page: Page) -> None:
    page.goto("/#twin-it")
    drawn = page.evaluate(
        """async () => {
            const { default: game } = await import("/playground/table/twin-it.js");
            const { deck } = await (await fetch("/games/twin-it")).json();
            const names = [...new Set(deck.flat())];
            const cards = deck.flatMap((sides, at) => [`${at}A`, `${at}B`]);
            const faces = cards.map((card) => String(game.face(card, { designs: () => deck })));
            const grey = faces.map((face) => face.replace(/#[0-9a-f]{6}/g, "#"));
            return [names.length, new Set(faces).size, new Set(grey).size];
        }"""
    )
    assert drawn == [119, 119, 119]


SHOW_WHIST = """() => {
    const table = document.createElement("rules-table");
    const names = { zones: [{ name: "hands", title: "hands" }], moves: [], facts: [], phases: [], terms: [] };
    const zones = [{ name: "hands", pointer: "/hands/{seat}/{place}" }, { name: "led", pointer: "/led" }];
    const about = { game: "whist", names, zones, cards: [{ card: "7<b>", title: "seven <b>" }] };
    const state = { phase: "play", hands: [["7<b>"], [null]], led: "7<b>" };
    document.body.append(Object.assign(table, { game: "whist", state, about }));
}"""


def test_a_game_without_a_drawing_is_drawn_plainly(page: Page) -> None:
    """Whist, of which the page has no drawing. The name of its card looks like a tag of HTML."""
    page.goto("/#twins")
    page.evaluate(SHOW_WHIST)
    expect(page.locator("rules-table").last.locator(".own").get_by_role("img", name="seven <b>")).to_be_visible()
    expect(page.locator("rules-table").last.locator(".middle").get_by_role("img", name="seven <b>")).to_be_visible()
    expect(page.locator("rules-table").last.get_by_role("region", name="Seat 1")).to_contain_text("hands 1")


def test_a_hand_is_sorted_by_the_referees_melds_and_knocks_if_it_may(page: Page) -> None:
    """Its deadwood is shown, and why a knock is not legal. What was done is undone, also where cards glide."""
    page.emulate_media(reduced_motion="no-preference")
    stock = {"stock": ["JS", "3H", "4H", "5H", "6H"], "discards": []}
    visit = Visit(page).open(game="gin-rummy").ask({"state": {**KNOCK["state"], **stock}, "moves": []})
    own, knocks = visit.board.get_by_role("region", name="Seat 0"), visit.board.get_by_role("button", name="Knock")
    expect(own.locator(".badge")).to_contain_text("deadwood 7", ignore_case=True)
    for label, melds in (("By melds", 2), ("By suits", 0), ("By melds", 2)):
        visit.act(label).click()
        expect(own.locator(".group")).to_have_count(melds)
    visit.card("KC").click()
    visit.act("Discard K♣, keeping 7 points").click()
    expect(visit.verdict).to_have_text("Legal. 1 move made.")
    expect(own.locator(".group")).to_have_count(2)  # what was kept
    expect(own.locator(".badge")).to_contain_text("deadwood 7", ignore_case=True)
    page.get_by_role("button", name="Undo").click()
    visit.act("By suits").click()
    visit.card("4S").click()
    assert visit.question()["moves"] == []
    expect(visit.act("Knock: 28, limit 10")).to_be_disabled()
    expect(knocks).to_have_count(1)
    visit.card("KC").click()
    expect(knocks).to_have_count(1)
    visit.act("Knock, throwing K♣: 7 points").click()
    expect(visit.verdict).to_have_text("Legal. 1 move made.")
    assert visit.question()["moves"] == [{"type": "knock", "seat": 0, "discard": "KC"}]
    visit.choice("view").select_option("0")
    expect(visit.wait_until_settled().board.locator(".standing")).to_have_text("Waiting for Seat 1")
    expect(visit.act("By melds")).to_have_count(0)  # they lie there


HANDS_WITH_STATED_MELDS = {
    "Knock, throwing K♣: 7 points": (KNOCK["state"]["hands"][0], [["4S", "5S", "6S"], ["9H", "9D", "9C"]]),
    "Big gin": (
        ["4S", "5S", "6S", "7S", "9H", "9D", "9C", "AS", "AH", "AD", "AC"],
        [["4S", "5S", "6S", "7S"], ["9H", "9D", "9C"], ["AS", "AH", "AD", "AC"]],
    ),
}
"""By the button: a hand, and the melds that are stated."""


@pytest.mark.parametrize("label", HANDS_WITH_STATED_MELDS)
def test_melds_are_stated_by_touch(page: Page, label: str) -> None:
    hand, melds = HANDS_WITH_STATED_MELDS[label]
    other = ["QS", "QH", "QD", "8S", "9S", "KH", "5D", "2C", "8C", "JD"]
    state = {"phase": "discard", "turn": 0, "hands": [hand, other]}
    visit = Visit(page).open(game="gin-rummy").ask({"state": state, "moves": []})
    visit.act("Lay out melds").click()
    for meld in melds:
        for card in meld:
            visit.card(card).click()
        visit.act("These are a meld").click()
    if label != "Big gin":
        expect(visit.act("Big gin")).to_have_count(0)  # five cards lie in no meld
        visit.card("KC").click()
    visit.act(label).last.click()  # the first big gin leaves the melds to the referee
    expect(visit.verdict).to_have_text("Legal. 1 move made.")
    assert visit.question()["moves"][0]["melds"] == melds


def middle_of_card(page: Page, key: str) -> tuple[float, float]:
    """A place on a card that no other card of its fan covers, as x and y."""
    box = page.locator(f'rules-table [data-key="{key}"]').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 4, box["y"] + box["height"] / 2  # a fan covers the right of a card


def show_whole_table(visit: Visit) -> None:
    """The whole table is in sight, and nothing on it moves by itself."""
    visit.page.locator("rules-table").evaluate("table => table.scrollIntoView()")
    visit.page.wait_for_function("() => document.querySelector('rules-table').shadowRoot.getAnimations().length === 0")


def drag_by_mouse(page: Page, card: str, onto: str) -> None:
    """Drag a card onto another with the mouse."""
    page.mouse.move(*middle_of_card(page, card))
    page.mouse.down()
    page.mouse.move(*middle_of_card(page, onto), steps=4)
    page.mouse.up()


def drag_by_finger(page: Page, card: str, onto: str) -> None:
    """Drag a card onto another by touch."""
    (x, y), (to_x, to_y) = middle_of_card(page, card), middle_of_card(page, onto)
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in (0.3, 0.6, 1):
        point = {"x": x + (to_x - x) * step, "y": y + (to_y - y) * step}
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("drag", [drag_by_mouse, drag_by_finger], ids=["mouse", "finger"])
def test_cards_are_laid_off_by_dragging_and_by_touch(page: Page, drag: Callable[[Page, str, str], None]) -> None:
    visit = Visit(page).open(game="gin-rummy")
    visit.ask({**KNOCK, "moves": [{"type": "knock", "seat": 0, "discard": "KC"}]})
    show_whole_table(visit)
    place = visit.card("9S").bounding_box()
    page.mouse.move(*middle_of_card(page, "9S"))
    page.mouse.down()
    page.mouse.move(3, 3, steps=4)
    expect(visit.board.locator(".goal")).to_have_count(2)
    page.mouse.up()  # elsewhere: it returns
    expect(visit.board.locator(".goal, .dragged")).to_have_count(0)
    page.wait_for_function(
        """([card, x]) => Math.abs(document.querySelector("rules-table").shadowRoot
            .querySelector(`[data-key="${card}"]`).getBoundingClientRect().x - x) < 1""",
        arg=["9S", place and place["x"]],
    )
    drag(page, "9S", "meld 0")
    visit.card("7S").click()
    expect(visit.act("Discard 7♠")).to_have_count(0)
    visit.card("meld 1").click()
    visit.board.get_by_role("button", name=re.compile("^Lay off 2 cards")).click()
    expect(visit.verdict).to_have_text("Legal. 2 moves made.")
    assert visit.question()["moves"][1]["lay_offs"] == [{"card": "9S", "meld": 0}, {"card": "7S", "meld": 1}]


def test_a_card_is_twisted_by_dragging_it_onto_its_partner(page: Page) -> None:
    visit = Visit(page).open(game="take-that").ask(ROW)
    show_whole_table(visit)
    drag_by_mouse(page, "43", "34")
    expect(visit.verdict).to_have_text("Legal. 1 move made.")
    assert visit.question()["moves"] == [{"type": "twist", "seat": 0, "card": 43}]


def test_two_cards_of_a_hand_are_placed(page: Page) -> None:
    visit = Visit(page).open(game="twins").ask(TRICK)
    for one, other in (("blue-7", "blue-9"), ("blue-9", "blue-7")):
        visit.card(one).click()
        visit.card(other).click()
        expect(visit.board.get_by_role("button", name=re.compile("^Place"))).to_have_count(1)  # in either order
        visit.act("Cancel").click()
    visit.card("blue-9").click()
    visit.card("blue-7").click()
    visit.act("Place blue 7 and blue 9: Colour 16 · Seat 0").click()
    expect(visit.verdict).to_have_text("Legal. 1 move made.")


DRAWN_TOO_LATE = [KNOCK["state"]["hands"][0][:10], KNOCK["state"]["hands"][1]]


@pytest.mark.parametrize(
    ("game", "state", "card"),
    [
        ("take-that", {**ROW["state"], "hands": [[91], [88]]}, 91),
        ("take-that", {**ROW["state"], "hands": [[43], [35]]}, 35),
        ("gin-rummy", {"phase": "draw", "turn": 0, "hands": DRAWN_TOO_LATE}, "AD"),
    ],
)
def test_an_illegal_attempt_is_explained_at_its_card(
    page: Page, game: str, state: dict[str, Any], card: str | int
) -> None:
    visit = Visit(page).open(game=game).ask({"state": state, "moves": []})
    visit.card(card).click()
    expect(visit.verdict).to_have_text("Not legal. Moves applied: 0 of 1.")
    expect(visit.card(card)).to_have_class(re.compile("wrong"))
    expect(visit.problem).to_contain_text(visit.answer()["violations"][0]["text"])


def test_an_unseen_card_is_drawn_face_down(page: Page) -> None:
    visit = Visit(page).open(game="gin-rummy").ask(KNOCK)
    visit.choice("view").select_option("1")
    expect(visit.board.get_by_role("region", name="Seat 0").locator(".back")).to_have_count(11)
    expect(visit.board.get_by_role("group", name="Hand of Seat 0: 11 face down")).to_be_visible()


def test_a_fault_is_marked_at_its_cards(page: Page) -> None:
    """A fault of cards in the middle is written beside no seat."""
    hands = [["4S", *["5S", "6S", "9H", "9D", "9C", "AH", "2D", "3C", "AD"]], ["4S", *KNOCK["state"]["hands"][1][:9]]]
    visit = Visit(page).open(game="gin-rummy").ask({"state": {"phase": "draw", "turn": 0, "hands": hands}, "moves": []})
    expect(visit.board.locator('.wrong[data-key="4S"]')).to_have_count(2)
    expect(visit.problem.first).to_contain_text(visit.answer()["faults"][0]["text"])
    state = {"phase": "play", "piles": [["0A"], ["1A"]], "table": ["2A", "2A"]}
    visit.choose("twin-it").ask({"state": state, "moves": []})
    expect(visit.board.locator(".bar .why")).to_contain_text("Card 2 is there more than once.")
    expect(visit.problem).to_have_count(1)


def test_steps_back_and_forth_give_the_same_tables_which_can_be_taken_along(page: Page) -> None:
    """By buttons and by keys. What is copied is the table at the step that is shown."""
    Visit(page).open(game="gin-rummy")
    state, count = "document.querySelector('rules-table').state", page.locator("#count")
    seen = []
    for step in range(4, 0, -1):
        expect(count).to_have_text(f"{step} / 4")
        seen.append(page.evaluate(state))
        page.get_by_role("button", name="Back", exact=True).click()
        expect(page.locator("#step")).not_to_have_attribute("aria-valuetext", "")
    expect(count).to_have_text("0 / 4")
    page.wait_for_function(f"() => {state}.phase === 'discard'")
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("button", name="The table shown").click()
    assert json.loads(page.locator("#share textarea").input_value())["phase"] == "discard"
    for table in reversed(seen):
        page.get_by_role("button", name="On", exact=True).click()
        page.wait_for_function(f"table => JSON.stringify({state}) === JSON.stringify(table)", arg=table)
    page.get_by_role("button", name="The table shown").click()
    assert json.loads(page.locator("#share textarea").input_value())["phase"] == "hand-over"
    page.locator("#count").click()
    for key, there in (("Home", "0 / 4"), ("ArrowRight", "1 / 4"), ("End", "4 / 4"), ("ArrowLeft", "3 / 4")):
        page.keyboard.press(key)
        expect(count).to_have_text(there)


FOCUSED = """() => {
    const { activeElement: at } = document.querySelector("rules-table").shadowRoot;
    return at && (at.dataset.key ?? at.textContent);
}"""


def test_each_zone_is_one_stop_of_the_keyboard_and_focus_goes_to_the_next_act(page: Page) -> None:
    visit = Visit(page).open(game="twins").ask(TRICK)
    visit.card("green-1").focus()
    for key, focused in (("ArrowRight", "green-2"), ("End", "green-8"), ("ArrowRight", "green-1"), ("Home", "green-1")):
        page.keyboard.press(key)
        assert page.evaluate(FOCUSED) == focused
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED).startswith("brown-")  # the next hand
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED).startswith("Place")  # two cards are picked: the button is next
    page.keyboard.press("Enter")
    expect(visit.verdict).to_have_text("Legal. 1 move made.")
    page.wait_for_function("() => document.querySelector('rules-table').state.plays[0]")
    expect(visit.board.locator(":focus")).to_have_class(re.compile("live"))


def test_a_long_game_is_stepped_through_to_its_end(page: Page) -> None:
    """More moves than the referee takes at once."""
    engine = engines.registry()["gin-rummy"]
    turns = list(random_game(engine, random.Random(7), most=520, ruleset=engine.rulesets["standard"]))
    state = codecs(engine).state.dump(turns[0].before)
    moves = [codecs(engine).move.dump(turn.move) for turn in turns]
    assert len(moves) > MOVES
    visit = Visit(page).open(game="gin-rummy")
    visit.body.fill(json.dumps({"state": state, "moves": moves}))
    visit.button("ask").click()
    expect(visit.wait_until_settled().verdict).to_have_text(f"Legal. {len(moves)} moves made.")
    events = len(visit.answer()["events"])
    expect(page.locator("#count")).to_have_text(f"{events} / {events}")
    page.get_by_role("button", name="Back", exact=True).click()
    visit.wait_until_settled()
    expect(page.locator("#count")).to_have_text(f"{events - 1} / {events}")
    assert visit.answer()["events"][-1]["move"] == len(moves) - 1


def test_a_deal_of_the_page_has_a_seed(page: Page) -> None:
    over = {"phase": "hand-over", "chips": [12, 12, 12], "pot": 0, "dealer": 0}
    visit = Visit(page).open(game="twins").ask({"state": over, "moves": []})
    visit.act("Deal the next hand").click()
    expect(visit.verdict).to_contain_text("1 move made.")
    expect(visit.board.get_by_role("group", name="Hand of Seat 0").locator(".card:not(.back)")).to_have_count(8)
    assert len(visit.question()["moves"][0]["seed"]) > 0


def test_an_address_shows_the_same_in_another_browser(page: Page, address: str) -> None:
    visit = Visit(page).open(game="gin-rummy").ask(KNOCK)
    page.wait_for_function("() => location.hash.includes('q=')")
    page.reload()
    expect(visit.wait_until_settled().unfold().choice("view")).to_have_value("host")
    expect(visit.board.locator("[data-key]")).to_have_count(21)
    visit.card("KC").click()
    visit.act("Knock, throwing K♣: 7 points").click()
    expect(visit.verdict).to_have_text("Legal. 1 move made.")
    expect(visit.board.locator(".back")).to_have_count(0)
    visit.choice("view").select_option("1")
    page.wait_for_function("() => location.hash.includes('view=1')")
    other = page.context.new_page()
    other.goto(page.url)
    foreign_page = Visit(other).unfold()
    expect(foreign_page.verdict).to_have_text("Legal. 1 move made.")
    expect(foreign_page.choice("view")).to_have_value("1")
    assert foreign_page.question() == visit.question()
    other.close()


def test_back_leads_to_the_question_before_and_a_draft_survives_a_reload(page: Page) -> None:
    visit = Visit(page).open(game="twins")
    visit.choice("game").select_option("take-that")
    page.wait_for_function("() => location.hash.startsWith('#game=take-that')")
    page.go_back()
    expect(visit.choice("game")).to_have_value("twins")
    visit.wait_until_settled().body.fill('{"state": {')
    page.wait_for_function("() => location.hash.includes('q=')")
    page.reload()
    visit.unfold()
    expect(visit.body).to_have_value('{"state": {')


def test_an_option_and_a_deal_are_chosen_by_controls(page: Page) -> None:
    visit = Visit(page).open(game="gin-rummy", language="it")
    page.locator("#rules summary").click()
    limit, controls = page.get_by_role("spinbutton", name="Limite per bussare"), page.locator("#controls")
    expect(limit).to_have_value("10")
    limit.fill("5")
    limit.press("Enter")
    expect(visit.verdict).to_contain_text("Non ammesso.")
    assert visit.question()["state"]["ruleset"] == {"name": "standard", "options": {"knock_limit": 5}}
    visit.choice("game").select_option("twins")
    visit.wait_until_settled().choice("example").select_option("fresh")
    controls.get_by_role("combobox", name="Giocatori").select_option("5")
    expect(page.locator("rules-table .seat")).to_have_count(5)
    controls.get_by_role("textbox", name="Seed").fill("rain")
    page.keyboard.press("Enter")
    expect(visit.body).to_have_value(re.compile('"seed": "rain"'))
    assert visit.question() == {"seats": 5, "seed": "rain", "names": ["Anna", "Bo", "Cy", "Di", "Eva"]}


def test_a_court_card_has_the_letter_that_the_sentences_have(page: Page) -> None:
    for language, letter in (("en", "Q"), ("de", "D")):
        page.goto("about:blank")
        queen = Visit(page).open(game="gin-rummy", language=language).board.locator('[data-key^="Q"] svg text')
        expect(queen.first).to_have_text(letter)
