"""A visitor at the playground reads the rulings in words, and can go on from there."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, ViewportSize, expect

import engines
from tests.browser.visit import Visit, question_of

TWO_PLAYS = question_of("twins-waiting-for-others")
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
        visit.wait_until_settled()
        answer = visit.answer()
        rulings = [answer.get(part) or [] for part in ("violations", "undetermined", "faults", "events")]
        texts = [each["text"] for part in rulings for each in (part if isinstance(part, list) else [part])]
        assert [text for text in visit.sentences.all_text_contents() if text in texts] == texts, example
        assert visit.overhang() == 0, example
        if "faults" in answer:
            expect(visit.verdict).to_have_text("Questo tavolo è impossibile.")
            expect(visit.problem).not_to_have_count(0)
            expect(visit.board.locator(".seat")).not_to_have_count(0)


SHOWN_ANSWERS: dict[str, tuple[str, Any, str, list[str]]] = {
    "legal": ("en", TWO_PLAYS, "Legal, as far as can be seen. 2 moves made.", [
        "Seat 0 places two cards face down.", "Seat 1 places two cards face down.",
    ]),
    "refused": ("it", TOO_DEAR, "Non ammesso. Mosse applicate: 0 su 1.", [
        "Questo acquisto costa 3 gettoni e chi compra ne ha 2.",
    ]),
    "misfit": ("en", {**TWO_PLAYS, "more": 1}, "The question does not fit the contract.", []),
}  # fmt: skip
"""By what is asked of Twins: the language, the question, the verdict, and the sentences of the rulings."""


@pytest.mark.parametrize("case", SHOWN_ANSWERS)
def test_an_answer_is_shown_as_a_verdict_and_its_rulings(page: Page, case: str) -> None:
    language, question, verdict, sentences = SHOWN_ANSWERS[case]
    visit = Visit(page).open(game="twins", language=language).ask(question)
    expect(visit.verdict).to_have_text(verdict)
    if case == "misfit":
        expect(page.locator("#ruling .where")).to_have_text(["/more"])
    else:
        expect(visit.sentences).to_have_text(sentences)


def test_a_refusal_is_shown_once_above_the_fold_and_its_clause_opens_the_rulebook_at_its_place(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 664})
    visit = Visit(page).open(game="twins", language="it").ask(TOO_DEAR)
    page.evaluate("scrollTo(0, 0)")
    expect(visit.verdict).to_be_in_viewport(ratio=1)
    expect(visit.problem).to_have_count(1)
    expect(page.locator("#caption")).to_be_empty()
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


def test_players_are_called_by_their_names_everywhere(page: Page) -> None:
    """At the table, and in the answer: the standings, who is to act, and whose moves are listed."""
    visit = Visit(page).open(game="take-that").ask({**ROW, "names": ["Anna", "Bo"]})
    expect(visit.board.locator(".standing")).to_have_text("Anna: lay a card, twist a card, take the row")
    standings = page.locator("section", has=page.get_by_role("heading", name="Standings"))
    expect(standings.locator("tbody tr")).to_have_text(["Anna01", "Bo01"])
    expect(page.locator("section", has_text="Next to act").get_by_text("Anna")).to_be_visible()
    expect(visit.legal_moves.first).to_be_visible()
    expect(page.locator("#moves h4")).to_have_text(["Anna"])


def test_what_is_not_json_is_marked_and_not_sent_and_the_rest_is_sent_as_it_was_typed(page: Page) -> None:
    visit = Visit(page).open(game="twins", language="it")
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request))  # noqa: PLW0108 - Playwright keeps notes on its listeners
    visit.body.fill('{"state": {},\n "moves": [}')
    visit.button("ask").click()
    expect(page.locator("#mistake")).to_contain_text("Questo non è ancora JSON: ")
    expect(visit.verdict).to_have_text("Scegli un esempio, cambia quello che vuoi e chiedi.")
    expect(visit.sentences).to_have_count(0)
    expect(visit.body).to_be_focused()
    assert [request for request in sent if request.method == "POST"] == []
    visit.ask('{"state": {}, "state": {}, "moves": []}')
    expect(page.locator("#mistake")).to_be_hidden()
    assert visit.answer()["type"] == "/problems/malformed-json"
    visit.body.fill("null")
    visit.button("ask").click()
    expect(visit.verdict).to_have_text("La domanda non rispetta il contratto.")


def test_listed_moves_are_made_one_after_the_other_and_the_question_continues_from_the_new_table(page: Page) -> None:
    """The first takes the place of one that was refused."""
    hands = [[43, 57] + 7 * [None], [88] + 8 * [None]]
    body = {"state": {**ROW["state"], "hands": hands, "pile": [17, 18]}}
    visit = Visit(page).open(game="take-that", language="it")
    visit.ask({**body, "moves": [{"type": "lay", "seat": 0, "card": 57}]})
    expect(visit.legal_moves).to_have_text(
        ["Posare il 43", "Mostrare il 43 e togliere il 34 dalla fila", "Prendere la fila: \N{MINUS SIGN}1 punto"]
    )
    visit.legal_moves.filter(has_text="Prendere la fila").click()
    expect(visit.verdict).to_have_text("Ammesso. 1 mossa fatta.")
    assert visit.question() == {**body, "moves": [{"type": "take", "seat": 0}], "legal_moves": True}
    expect(visit.legal_moves).to_have_text(["Posare il 43", "Posare il 57"])
    state = visit.answer()["state"]
    visit.button("go on").click()
    assert visit.question() == {"state": state, "moves": []}


@pytest.mark.parametrize("game", engines.registry())
def test_a_fresh_table_of_every_game_can_be_dealt_and_played_by_clicks_on_a_phone(page: Page, game: str) -> None:
    page.set_viewport_size(PHONE)
    visit = Visit(page).open(game=game)
    page.get_by_role("button", name="Play a fresh table").click()
    expect(visit.verdict).to_have_text("The cards are dealt.")
    expect(visit.verdict).to_be_in_viewport()
    expect(visit.legal_moves.first).to_be_visible()
    assert visit.overhang() == 0
    visit.legal_moves.first.click()
    expect(visit.verdict).to_have_text("Legal. 1 move made.")


def test_the_page_is_used_by_keyboard_alone(visit: Visit) -> None:
    visit.choose("take-that").body.fill('{"state": {"phase": "play", "turn": 0, "row": [], "hands": [[43], [88]]}}')
    visit.choice("call").focus()
    visit.page.keyboard.press("ArrowDown")
    visit.page.keyboard.press("ArrowDown")
    visit.body.focus()
    visit.page.keyboard.press("Control+Enter")
    expect(visit.verdict).to_have_text("Legal moves: 1.")
    visit.legal_moves.first.focus()
    visit.page.keyboard.press("Enter")
    expect(visit.verdict).to_have_text("Legal. 1 move made.")
    expect(visit.legal_moves.first).to_be_focused()


def test_another_call_keeps_table_and_moves(visit: Visit) -> None:
    visit.choose("take-that")
    visit.body.fill('{"state": {"phase": "play"}, "moves": [{"type": "take", "seat": 0}]}')
    bodies = []
    for call in ("validate", "audit", "view", "legal-moves", "resolve"):
        visit.choice("call").select_option(call)
        bodies.append(visit.question())
    state = {"phase": "play"}
    assert bodies == [
        {"state": state, "move": {"type": "take", "seat": 0}},
        {"state": state},
        {"state": state, "seat": None},
        {"state": state},
        {"state": state, "moves": [{"type": "take", "seat": 0}]},
    ]


def test_another_language_translates_page_and_ruling(visit: Visit) -> None:
    visit.choose("twins").ask(TOO_DEAR)
    visit.choice("language").select_option("fr")
    expect(visit.verdict).to_have_text("Interdit. Coups joués\u00a0: 0 sur 1.")
    expect(visit.sentences).to_have_text(["Cet achat coûte 3 jetons, et l'acheteur en a 2."])
    expect(visit.page.get_by_role("button", name="Demander à l'arbitre")).to_be_visible()
    expect(visit.page.locator("html")).to_have_attribute("lang", "fr")


def test_the_visitors_language_is_spoken_from_the_start(browser: Browser, address: str) -> None:
    page = browser.new_page(base_url=address, locale="it-IT")
    page.goto("/")
    expect(page.get_by_role("tab", name="La decisione")).to_be_visible()
    page.close()


def test_the_page_begins_with_the_most_telling_example_and_its_address_names_what_was_chosen(visit: Visit) -> None:
    game, (first, *_) = next(iter(visit.page.request.get("/playground/examples.json").json().items()))
    expect(visit.choice("game")).to_have_value(game)
    expect(visit.choice("example")).to_have_value(first["id"])
    assert visit.question() == first["body"]
    with visit.hold_answer("**/playground/examples.json"):
        visit.choice("game").select_option("twin-it")
        expect(visit.choice("example")).to_be_disabled()  # its list is still the other game's
    visit.choice("example").select_option("fresh")
    visit.wait_until_settled().page.reload()
    expect(visit.choice("game")).to_have_value("twin-it")
    expect(visit.choice("example")).to_have_value("fresh")
    visit.unfold().ask(ROW)
    expect(visit.choice("example")).to_have_value("")  # it is no example any more
    visit.page.goto("/#game=take-that&language=en")
    expect(visit.choice("game")).to_have_value("take-that")


def test_an_answer_that_comes_after_another_choice_is_not_shown(visit: Visit) -> None:
    visit.choose("twins")
    with visit.hold_answer("**/games/twins/resolve"):
        visit.button("ask").click()
        visit.choice("example").select_option("fresh")
    expect(visit.verdict).to_have_text("The cards are dealt.")
    assert visit.answer()["seed"] == "playground"


@pytest.mark.parametrize("by", ["ask", "tidy", "call"])
def test_a_game_that_the_question_names_is_chosen_instead(page: Page, by: str) -> None:
    visit = Visit(page).open(game="twins")
    visit.body.fill(json.dumps({"game": "take-that", **ROW}))
    visit.choice("call").select_option("audit") if by == "call" else visit.button(by).click()
    expect(visit.choice("game")).to_have_value("take-that")
    expect(page.get_by_text(f"POST /games/take-that/{'audit' if by == 'call' else 'resolve'}")).to_be_visible()
    expect(visit.choice("example").locator("option[value^=take-that]")).not_to_have_count(0)
    assert visit.question() == ({"state": ROW["state"]} if by == "call" else ROW)
    if by == "ask":
        expect(visit.verdict).to_have_text("Legal.")
        visit.ask({"game": "whist", **ROW})  # no game of this referee: that is the referee's to refuse
        expect(page.locator("#ruling .where")).to_have_text(["/game"])


@pytest.fixture
def unruly(browser: Browser, address: str) -> Iterator[Page]:
    """A page whose console may complain."""
    with browser.new_context(base_url=address, locale="en-GB", reduced_motion="reduce") as context:
        yield context.new_page()


def test_without_the_rulebook_a_ruling_is_shown_and_so_is_a_referee_out_of_reach(unruly: Page) -> None:
    unruly.route("**/rulebook", lambda route: route.fulfill(status=503, json={"status": 503}))
    visit = Visit(unruly).open().choose("twins").ask(TOO_DEAR)
    expect(visit.verdict).to_have_text("Not legal. Moves applied: 0 of 1.")
    visit.clause("TW-2.3").first.click()
    expect(unruly.locator("#book")).to_have_text("The referee cannot be reached; ask again.")
    unruly.unroute("**/rulebook")
    unruly.get_by_role("tab", name="The ruling").click()
    visit.clause("TW-2.3").first.click()
    expect(unruly.locator("#book article[aria-current]")).to_be_focused()
    unruly.route("**/games/**", lambda route: route.abort())
    visit.button("ask").click()
    expect(visit.verdict).to_have_text("The referee cannot be reached; ask again.")


@pytest.mark.parametrize(("away", "typed"), [("**/games", True), ("**/playground/examples.json", False)])
def test_games_that_did_not_load_are_requested_again_and_the_typed_question_is_sent(
    unruly: Page, away: str, typed: bool
) -> None:
    """The page came with the games of its first language; another is chosen, whose games do not load."""
    unruly.route(away, lambda route: route.fulfill(status=503, json={"status": 503}))
    unruly.goto("/#game=take-that&language=it")
    visit = Visit(unruly, "it")
    expect(visit.verdict).to_have_text("L'arbitro non è raggiungibile: chiedi di nuovo.")
    if typed:
        visit.body.fill(json.dumps({"game": "take-that", **ROW}))
    unruly.unroute(away)
    visit.button("ask").click()
    expect(visit.choice("game")).to_have_value("take-that")
    expect(visit.verdict).to_have_text(f"Ammesso.{'' if typed else ' 5 mosse fatte.'}")


@pytest.mark.parametrize("language", ["toString", "__proto__", "nl"])
def test_a_language_that_the_page_does_not_speak_is_passed_over(page: Page, language: str) -> None:
    page.goto(f"/#language={language}")
    expect(page.get_by_role("tab", name="The ruling")).to_be_visible()
    expect(page.get_by_role("combobox", name="Game", exact=True)).to_be_enabled()
