"""A visitor at the playground reads the rulings in words, and can go on from there."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, ViewportSize, expect

import engines
from tests.browser.visit import Visit

FOUR_CHIPS = {"chips": [12, 12, 12, 12], "pot": 0}
TWO_PLAYS = {
    "state": {"phase": "trick", "trick": 1, **FOUR_CHIPS},
    "moves": [
        {"type": "play", "seat": 0, "cards": ["blue-9", "blue-7"]},
        {"type": "play", "seat": 1, "cards": ["blue-3", "green-4"]},
    ],
}
TOO_DEAR = {
    "state": {"phase": "buying", "chips": [2, 12, 12, 12], "pot": 10, "dealer": 3, "bought": [None] * 4},
    "moves": [{"type": "buy", "seat": 0, "count": 2}],
}
TIED = {
    "state": {"phase": "trick", "trick": 2, "chips": [10, 10, 10, 9, 9], "pot": 12},
    "moves": [
        {"type": "play", "seat": 0, "cards": ["blue-9", "yellow-9"]},
        {"type": "play", "seat": 1, "cards": ["brown-3", "blue-3"]},
        {"type": "play", "seat": 2, "cards": ["green-3", "yellow-3"]},
        {"type": "play", "seat": 3, "cards": ["pink-3", "purple-3"]},
        {"type": "play", "seat": 4, "cards": ["green-4", "blue-1"]},
    ],
}
ASTRAY = {"state": {"phase": "trick", "trick": 1, "chips": [12, 12, 12, 11], "pot": 0}, "moves": []}
ROW: dict[str, Any] = {
    "state": {"phase": "play", "turn": 0, "row": [34], "hands": [[43, 57], [88]], "pile": []},
    "moves": [],
}

PHONE: ViewportSize = {"width": 360, "height": 640}


@pytest.mark.parametrize("game", engines.registry())
def test_every_example_is_answered_in_the_referees_own_sentences_on_a_phone(page: Page, game: str) -> None:
    page.set_viewport_size(PHONE)
    visit = Visit(page).open(game=game, language="it")
    options = visit.choice("example").locator("option:not([value=''])")
    for example in options.evaluate_all("all => all.map(each => each.value)"):
        visit.choice("example").select_option(example)
        visit.settled()
        answer = visit.answer()
        found = [answer.get(part) or [] for part in ("violations", "undetermined", "faults", "events")]
        texts = [each["text"] for part in found for each in (part if isinstance(part, list) else [part])]
        assert [said for said in visit.sentences.all_text_contents() if said in texts] == texts, example
        assert visit.overhang() == 0, example


def test_legal_moves_are_told_in_order(page: Page) -> None:
    visit = Visit(page).open(game="twins").ask(TWO_PLAYS)
    expect(visit.verdict).to_have_text("Legal, as far as can be seen. Moves applied: 2 of 2.")
    expect(visit.sentences).to_have_text(["Seat 0 places two cards face down.", "Seat 1 places two cards face down."])


def test_a_refused_move_is_told_with_its_reason(page: Page) -> None:
    visit = Visit(page).open(game="twins", language="it").ask(TOO_DEAR)
    expect(visit.verdict).to_have_text("Non ammesso. Mosse applicate: 0 su 1.")
    expect(visit.sentences).to_have_text(["Questo acquisto costa 3 gettoni e chi compra ne ha 2."])


def test_a_clause_opens_the_rulebook_at_its_place(page: Page) -> None:
    visit = Visit(page).open(game="twins", language="it").ask(TOO_DEAR)
    book = page.request.get("/games/twins/rulebook", headers={"Accept-Language": "it"}).json()
    text = next(clause["text"] for clause in book["clauses"] if clause["id"] == "TW-2.3")
    visit.clause("TW-2.3").first.click()
    expect(page.locator("#book article")).to_have_count(len(book["clauses"]))
    expect(page.locator("#book article[aria-current]")).to_contain_text(text)
    expect(page.locator("#book article[aria-current]")).to_be_focused()


def test_other_readings_of_a_contested_rule_are_shown_on_request(page: Page) -> None:
    visit = Visit(page).open(game="twins", language="it").ask(TIED)
    visit.button("others").click()
    scores = page.locator(".outcome table tbody tr")
    expect(scores).to_have_text(["Posto 01313", "Posto 11013", "Posto 21013", "Posto 3912", "Posto 499"])


def test_an_impossible_table_is_told_with_its_fault(visit: Visit) -> None:
    visit.choose("twins").ask(ASTRAY)
    expect(visit.verdict).to_have_text("This table is impossible.")
    expect(visit.sentences).to_have_text([visit.answer()["faults"][0]["text"]])


def test_a_question_that_does_not_fit_is_told_place_by_place(visit: Visit) -> None:
    visit.choose("twins").ask({"state": {"phase": "tea", **FOUR_CHIPS}, "moves": [], "more": 1})
    expect(visit.verdict).to_have_text("The question does not fit the contract.")
    assert sorted(visit.page.locator("#ruling .where").all_text_contents()) == ["/more", "/state/phase"]


def test_standings_and_who_is_next_stand_in_the_ruling(visit: Visit) -> None:
    visit.choose("take-that").ask(ROW)
    standings = visit.page.locator("section", has=visit.page.get_by_role("heading", name="Standings"))
    expect(standings.locator("tbody tr")).to_have_text(["Seat 001", "Seat 101"])
    expect(visit.page.locator("section", has_text="Next to act").get_by_text("Seat 0")).to_be_visible()


def test_what_is_not_json_is_told_and_not_sent(page: Page) -> None:
    visit = Visit(page).open(language="it")
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request))  # noqa: PLW0108 - Playwright keeps notes on its listeners
    visit.body.fill('{"state": {},\n "moves": [}')
    visit.button("ask").click()
    expect(visit.mistake).to_contain_text("Questo non è ancora JSON: ")
    expect(visit.verdict).to_have_text("Scegli un esempio, cambia quello che vuoi e chiedi.")
    expect(visit.sentences).to_have_count(0)
    expect(visit.body).to_be_focused()
    assert [request for request in sent if request.method == "POST"] == []
    visit.body.fill("{}")
    expect(visit.mistake).to_be_hidden()


def test_the_body_is_sent_as_it_was_typed(visit: Visit) -> None:
    visit.choose("twins").ask('{"state": {}, "state": {}, "moves": []}')
    assert visit.answer()["type"] == "/problems/malformed-json"


def test_going_on_makes_the_table_the_next_question(page: Page) -> None:
    visit = Visit(page).open(game="twins").ask(TWO_PLAYS)
    state = visit.answer()["state"]
    visit.button("go on").click()
    assert visit.question() == {"state": state, "moves": []}


def test_a_listed_move_is_added_and_judged(page: Page) -> None:
    visit = Visit(page).open(game="take-that", language="it").ask(ROW)
    moves = ["posare una carta · 43", "invertire una carta · 43", "prendere la fila"]
    expect(visit.listed).to_have_text(list(map(re.compile, moves)))
    visit.listed.first.click()
    expect(visit.verdict).to_have_text("Ammesso. Mosse applicate: 1 su 1.")
    assert visit.question() == {**ROW, "moves": [{"type": "lay", "seat": 0, "card": 43}]}


def test_a_listed_move_takes_the_place_of_a_refused_one(visit: Visit) -> None:
    visit.choose("take-that").ask({**ROW, "moves": [{"type": "lay", "seat": 0, "card": 57}]})
    visit.listed.filter(has_text="lay a card · 43").click()
    expect(visit.verdict).to_have_text("Legal. Moves applied: 1 of 1.")


def test_moves_are_listed_again_after_each(visit: Visit) -> None:
    hands = [[43, 57] + 7 * [None], [88] + 8 * [None]]
    visit.choose("take-that").ask({"state": {**ROW["state"], "hands": hands, "pile": [17, 18]}, "moves": []})
    visit.listed.filter(has_text="take the row").click()
    expect(visit.listed).to_have_text([re.compile("lay a card · 43"), re.compile("lay a card · 57")])


@pytest.mark.parametrize("game", engines.registry())
def test_a_fresh_table_of_every_game_can_be_dealt_and_played_by_clicks_on_a_phone(page: Page, game: str) -> None:
    page.set_viewport_size(PHONE)
    visit = Visit(page).open(game=game, example="fresh").ask()
    expect(visit.verdict).to_have_text("The cards are dealt.")
    expect(visit.verdict).to_be_in_viewport()
    expect(visit.listed.first).to_be_visible()
    assert visit.overhang() == 0
    visit.listed.first.click()
    expect(visit.verdict).to_have_text("Legal. Moves applied: 1 of 1.")


def test_the_page_is_used_by_keyboard_alone(visit: Visit) -> None:
    visit.choose("take-that").body.fill('{"state": {"phase": "play", "turn": 0, "row": [], "hands": [[43], [88]]}}')
    visit.choice("call").focus()
    visit.page.keyboard.press("ArrowDown")
    visit.page.keyboard.press("ArrowDown")
    visit.body.focus()
    visit.page.keyboard.press("Control+Enter")
    expect(visit.verdict).to_have_text("Legal moves: 1.")
    visit.listed.first.focus()
    visit.page.keyboard.press("Enter")
    expect(visit.verdict).to_have_text("Legal. Moves applied: 1 of 1.")
    expect(visit.listed.first).to_be_focused()


def test_another_call_keeps_table_and_moves(visit: Visit) -> None:
    visit.choose("take-that")
    visit.body.fill('{"state": {"phase": "play"}, "moves": [{"type": "take", "seat": 0}]}')
    asked = []
    for call in ("validate", "audit", "view", "legal-moves", "resolve"):
        visit.choice("call").select_option(call)
        asked.append(visit.question())
    state = {"phase": "play"}
    assert asked == [
        {"state": state, "move": {"type": "take", "seat": 0}},
        {"state": state},
        {"state": state, "seat": None},
        {"state": state},
        {"state": state, "moves": [{"type": "take", "seat": 0}]},
    ]


def test_another_language_translates_page_and_ruling(visit: Visit) -> None:
    visit.choose("twins").ask(TOO_DEAR)
    visit.choice("language").select_option("fr")
    expect(visit.verdict).to_have_text("Interdit. Coups joués : 0 sur 1.")
    expect(visit.sentences).to_have_text(["Cet achat coûte 3 jetons, et l'acheteur en a 2."])
    expect(visit.page.get_by_role("button", name="Demander à l'arbitre")).to_be_visible()
    expect(visit.page.locator("html")).to_have_attribute("lang", "fr")


def test_every_word_of_the_page_and_of_the_table_exists_in_every_language(visit: Visit) -> None:
    words: dict[str, dict[str, Any]] = visit.page.evaluate(
        """async () => {
            const { WORDS } = await import("/playground/words.js");
            const said = await Promise.all(Object.keys(WORDS).map(async (language) => {
                const { default: drawn } = await import(`/playground/table/words/${language}.js`);
                return [language, [...Object.keys(WORDS[language]), ...Object.keys(drawn)].sort()];
            }));
            return Object.fromEntries(said);
        }"""
    )
    assert set(words) == {"en", "it", "fr"}
    assert words["it"] == words["en"]
    assert words["fr"] == words["en"]


def test_the_visitors_language_is_spoken_from_the_start(browser: Browser, address: str) -> None:
    page = browser.new_page(base_url=address, locale="it-IT")
    page.goto("/")
    expect(page.get_by_role("tab", name="La decisione")).to_be_visible()
    page.close()


def test_the_address_names_what_was_chosen(visit: Visit) -> None:
    visit.choice("game").select_option("twin-it")
    visit.choice("example").select_option("fresh")
    visit.page.reload()
    expect(visit.choice("game")).to_have_value("twin-it")
    expect(visit.choice("example")).to_have_value("fresh")


def test_a_fresh_table_is_played_at_after_one_touch(visit: Visit) -> None:
    visit.choose("take-that")
    visit.page.get_by_role("button", name="Play a fresh table").click()
    expect(visit.verdict).to_have_text("The cards are dealt.")
    visit.board.locator(".own .live").first.click()
    expect(visit.verdict).to_have_text("Legal. Moves applied: 1 of 1.")


def test_each_example_has_a_name_of_its_own(visit: Visit) -> None:
    for game in ("gin-rummy", "take-that", "twin-it", "twins"):
        visit.choice("game").select_option(game)
        visit.settled()
        names = visit.choice("example").locator("option").all_text_contents()
        assert len(set(names)) == len(names)


def test_an_impossible_example_shows_an_impossible_table(page: Page) -> None:
    examples = page.request.get("/playground/examples.json").json()
    for game, shown in examples.items():
        for example in shown:
            if "A table that is impossible." in example["why"]:
                visit = Visit(page).open(game=game, example=example["id"])
                expect(visit.verdict).to_have_text("This table is impossible.")
                expect(visit.why).not_to_have_count(0)
                expect(visit.board.locator(".seat")).not_to_have_count(0)


def test_the_verdict_is_above_the_fold_on_a_phone_and_a_refusal_is_told_once(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 664})
    visit.choose("twins").ask(TOO_DEAR)
    visit.page.evaluate("scrollTo(0, 0)")
    expect(visit.verdict).to_be_in_viewport(ratio=1)
    expect(visit.why).to_have_count(1)
    expect(visit.page.locator("#caption")).to_be_empty()


def test_the_table_says_what_is_to_be_done(page: Page) -> None:
    state = {"phase": "play", "turn": 0, "row": [34], "hands": [[43, 57], [88]], "pile": []}
    visit = Visit(page).open(game="take-that").ask({"state": state, "moves": [], "names": ["Anna", "Bo"]})
    expect(visit.board.locator(".standing")).to_have_text("Anna: lay a card, twist a card, take the row")


def test_a_question_that_was_changed_is_no_example_any_more(visit: Visit) -> None:
    visit.choose("take-that")
    expect(visit.choice("example")).not_to_have_value("")
    visit.ask(ROW)
    expect(visit.choice("example")).to_have_value("")


def test_an_answer_that_comes_after_another_choice_is_not_shown(visit: Visit) -> None:
    visit.choose("twins")
    with visit.held("**/games/twins/resolve"):
        visit.button("ask").click()
        visit.choice("example").select_option("fresh")
    expect(visit.verdict).to_have_text("The cards are dealt.")
    assert visit.answer()["seed"] == "playground"


def test_the_page_begins_with_the_most_telling_example(visit: Visit) -> None:
    examples = visit.page.request.get("/playground/examples.json").json()
    game, (first, *_) = next(iter(examples.items()))
    expect(visit.choice("game")).to_have_value(game)
    expect(visit.choice("example")).to_have_value(first["id"])
    assert visit.question() == first["body"]


@pytest.mark.parametrize("button", ["ask", "tidy"])
def test_a_game_that_the_question_names_is_chosen_instead(page: Page, button: str) -> None:
    visit = Visit(page).open(game="twins")
    visit.body.fill(json.dumps({"game": "take-that", **ROW}))
    visit.button(button).click()
    expect(visit.choice("game")).to_have_value("take-that")
    expect(visit.page.get_by_text("POST /games/take-that/resolve")).to_be_visible()
    expect(visit.choice("example").locator("option[value^=take-that]")).not_to_have_count(0)
    assert visit.question() == ROW
    if button == "ask":
        expect(visit.verdict).to_have_text("Legal. Moves applied: 0 of 0.")


def test_another_call_keeps_the_game_that_the_question_names(page: Page) -> None:
    visit = Visit(page).open(game="twins")
    visit.body.fill(json.dumps({"game": "take-that", "state": ROW["state"], "move": {"type": "take", "seat": 0}}))
    visit.choice("call").select_option("validate")
    expect(visit.choice("game")).to_have_value("take-that")
    assert visit.question() == {"state": ROW["state"], "move": {"type": "take", "seat": 0}}


def test_a_game_that_nobody_referees_is_the_referees_to_refuse(visit: Visit) -> None:
    visit.choose("take-that").ask({"game": "whist", **ROW})
    assert visit.page.locator("#ruling .where").all_text_contents() == ["/game"]


@pytest.fixture
def unruly(browser: Browser, address: str) -> Iterator[Page]:
    """A page whose console may complain."""
    with browser.new_context(base_url=address, locale="en-GB", reduced_motion="reduce") as context:
        yield context.new_page()


def test_without_the_rulebook_a_ruling_is_told_all_the_same(unruly: Page) -> None:
    page = unruly
    page.route("**/rulebook", lambda route: route.fulfill(status=503, json={"status": 503}))
    visit = Visit(page).open().choose("twins").ask(TOO_DEAR)
    expect(visit.verdict).to_have_text("Not legal. Moves applied: 0 of 1.")
    visit.clause("TW-2.3").first.click()
    expect(page.locator("#book")).to_have_text("The referee cannot be reached; ask again.")
    page.unroute("**/rulebook")
    page.get_by_role("tab", name="The ruling").click()
    visit.clause("TW-2.3").first.click()
    expect(page.locator("#book article[aria-current]")).to_be_focused()


@pytest.mark.parametrize("away", ["**/games", "**/playground/examples.json"])
def test_games_that_did_not_come_are_asked_for_again(unruly: Page, away: str) -> None:
    """Those of another language than that in which the page came, which brought its own."""
    page = unruly
    page.route(away, lambda route: route.fulfill(status=503, json={"status": 503}))
    page.goto("/#game=take-that&language=it")
    visit = Visit(page, "it")
    expect(visit.verdict).to_have_text("L'arbitro non è raggiungibile: chiedi di nuovo.")
    page.unroute(away)
    visit.button("ask").click()
    expect(visit.choice("game")).to_have_value("take-that")
    expect(visit.verdict).to_have_text("Ammesso. Mosse applicate: 2 su 2.")


def test_what_was_typed_before_the_games_came_is_asked(unruly: Page) -> None:
    page = unruly
    page.route("**/games", lambda route: route.abort())
    page.goto("/#language=it")
    visit = Visit(page, "it")
    visit.body.fill(json.dumps({"game": "take-that", **ROW}))
    page.unroute("**/games")
    visit.button("ask").click()
    expect(visit.verdict).to_have_text("Ammesso. Mosse applicate: 0 su 0.")


def test_another_link_to_the_page_is_followed(visit: Visit) -> None:
    visit.page.goto("/#game=take-that&language=en")
    expect(visit.choice("game")).to_have_value("take-that")


@pytest.mark.parametrize("language", ["toString", "__proto__", "de"])
def test_a_language_that_the_page_does_not_speak_is_passed_over(page: Page, language: str) -> None:
    page.goto(f"/#language={language}")
    expect(page.get_by_role("tab", name="The ruling")).to_be_visible()
    expect(page.get_by_role("combobox", name="Game", exact=True)).to_be_enabled()


def test_a_referee_out_of_reach_is_told(unruly: Page) -> None:
    page = unruly
    visit = Visit(page).open()
    page.route("**/games/**", lambda route: route.abort())
    visit.button("ask").click()
    expect(visit.verdict).to_have_text("The referee cannot be reached; ask again.")
