"""Several browsers at one table: each in a window of its own, by the link it was sent."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Windows
from tests.browser.visit import Visit

NAMES = ["Anna", "Bo", "Cy"]


def open_table(page: Page, game: str, seats: int, *, public: bool = False, joint: bool = False) -> list[str]:
    """Opens a table by the form of the page; gives its links."""
    page.goto("/play")
    at_rest = page.locator("main:not([aria-busy])")
    expect(at_rest).to_be_attached()
    page.get_by_role("combobox", name="Game").select_option(game)
    expect(at_rest).to_be_attached()
    page.get_by_role("combobox", name="Players").select_option(str(seats))
    for seat, name in zip(range(seats), NAMES, strict=False):
        page.get_by_label(f"Player {seat + 1}").fill(name)
    page.get_by_label("Others may look on").set_checked(public)
    page.get_by_label("Everybody has a hand in the shuffle").set_checked(joint)
    page.get_by_role("button", name="Open the table").click()
    links = page.locator(".invites a")
    expect(links).to_have_count(seats + public)
    return [str(link.get_attribute("href")) for link in links.all()]


def press_button(page: Page, name: str | re.Pattern[str]) -> None:
    """Press a button of the table."""
    page.locator("rules-table .board").get_by_role("button", name=name).click()


def take_seats_of_twins(players: list[Page], links: list[str]) -> None:
    """Lets each player take a seat of Twins by a link and buy no card."""
    for page, link in zip(players, links, strict=True):
        page.goto(link)
        expect(page.locator("rules-table .own .card:not(.back)").first).to_be_visible()
    for name, page in zip(NAMES, players, strict=True):
        press_button(page, "Buy no card")
        expect(page.locator("#log")).to_contain_text(f"{name} buys no card")


def pick_two(page: Page) -> None:
    """Pick the first two cards of the own hand."""
    expect(page.locator("rules-table .own .live").first).to_be_visible()
    hand = page.locator("rules-table .own .lies > .fan .card")
    hand.nth(0).click()
    hand.nth(1).click()


def place_cards(page: Page) -> None:
    """Press the button that places the picked cards."""
    page.locator("rules-table .act", has_text="Place").click()


def test_all_place_in_secret_see_the_trick_at_once_and_keep_what_they_have_picked(windows: Windows) -> None:
    anna, bo, cy, onlooker = everybody = windows(4)
    *links, spectators = open_table(onlooker, "twins", 3, public=True)
    onlooker.goto(spectators)
    expect(onlooker.locator("rules-table .seat")).to_have_count(3)
    expect(onlooker.locator("rules-table .seat .fan:not(.hidden)")).to_have_count(0)
    take_seats_of_twins([anna, bo, cy], links)
    pick_two(anna)
    for name, page in (("Bo", bo), ("Cy", cy)):
        pick_two(page)
        place_cards(page)
        expect(anna.locator("#log")).to_contain_text(f"{name} places two cards")
    expect(cy.locator("rules-table .standing")).to_have_text("Waiting for Anna")
    expect(anna.locator("rules-table .others .group .back")).to_have_count(4)
    expect(anna.locator("rules-table .own [aria-pressed=true]")).to_have_count(2)
    place_cards(anna)
    for page in everybody:
        expect(page.locator("#log")).to_contain_text("All plays are turned up.")
        expect(page.locator("rules-table .group .card:not(.back, .empty)")).to_have_count(6)


def test_a_game_that_cannot_be_fetched_leaves_the_one_before_chosen(windows: Windows) -> None:
    (page,) = windows(1)
    page.goto("/play")
    game, seats = page.get_by_role("combobox", name="Game"), page.locator("#seats option")
    expect(seats.first).to_be_attached()
    before, offered = game.input_value(), seats.all_inner_texts()
    page.route("**/games/twin-it", lambda route: route.abort(), times=1)
    game.select_option("twin-it")
    expect(page.locator("#verdict")).to_have_text("The referee cannot be reached; ask again.")
    expect(game).to_have_value(before)
    expect(seats).to_have_text(offered)
    game.select_option("twin-it")
    expect(seats).not_to_have_text(offered)
    expect(page.locator("#verdict")).to_be_empty()


def test_a_link_is_shown_as_a_qr_code_and_sent_to_no_server(page: Page) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url + (request.post_data or "")))
    links = open_table(page, "gin-rummy", 2)
    drawn = page.get_by_role("img", name="QR code of the link for Bo").locator("path").get_attribute("d") or ""
    dark = [[int(x), int(y)] for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", drawn)]
    assert dark == page.evaluate(
        """async (link) => {
            const { qrcode } = await import("/playground/vendor/qrcode.mjs");
            const code = qrcode(0, "M");
            code.addData(link);
            code.make();
            const places = [...Array(code.getModuleCount()).keys()];
            return places.flatMap((y) => places.filter((x) => code.isDark(y, x)).map((x) => [x, y]));
        }""",
        links[1],
    )
    invite = links[1].rpartition("/")[2]
    assert [each for each in requests if invite in each] == []


def test_a_link_that_cannot_be_copied_is_marked(page: Page) -> None:
    """The browser refuses, or knows no clipboard."""
    links = open_table(page, "gin-rummy", 2)
    for link, clipboard in zip(links, ("{ writeText: () => Promise.reject(new Error()) }", "undefined"), strict=True):
        page.evaluate(f"Object.defineProperty(navigator, 'clipboard', {{ value: {clipboard}, configurable: true }})")
        page.get_by_role("button", name="Copy the link").first.click()
        expect(page.get_by_role("button", name="Copy what is marked.").last).to_be_visible()
        assert page.evaluate("String(getSelection())") == link


def test_the_host_of_a_table_finds_its_invitations_again_and_sees_who_sits(windows: Windows) -> None:
    """The page changes nothing for that. With the host's token it only reads, and takes tickets to open streams."""
    host, guest = windows(2)
    requests: list[tuple[str, str]] = []
    host.on(
        "request", lambda each: requests.append((each.headers.get("authorization", ""), f"{each.method} {each.url}"))
    )
    links = open_table(host, "gin-rummy", 2)
    sits = host.locator(".invites .sits")
    expect(sits).to_have_text(["has not sat down yet"] * 2)
    guest.goto(links[1])
    expect(sits).to_have_text(["has not sat down yet", "has sat down"])
    host.reload()
    expect(sits).to_have_text(["has not sat down yet", "has sat down"])
    for of_a_free_seat in (".qr", "a", "summary"):
        expect(host.locator(f".invites {of_a_free_seat}").filter(visible=True)).to_have_count(1)
    expect(host.locator(".invites code").filter(visible=True)).to_have_count(0)  # folded
    assert [each.get_attribute("href") for each in host.locator(".invites a").all()] == links
    changes = [sent for bearer, sent in requests if bearer.startswith("Bearer host.") and not sent.startswith("GET ")]
    assert {sent.rpartition("/")[2] for sent in changes} == {"tickets"}


@pytest.mark.parametrize(("looks_on", "status"), [(True, "This table was closed."), (False, "This table is gone.")])
def test_a_table_that_is_gone_is_forgotten_by_its_host(page: Page, looks_on: bool, status: str) -> None:
    with page.expect_response("**/events?*"):  # what is closed before the stream is open is read, not told
        open_table(page, "gin-rummy", 2)
    links, session = page.url, page.url.partition("#")[2].split("/")[0]
    stored = page.evaluate(f"JSON.parse(localStorage.getItem('table {session}'))")
    if not looks_on:
        page.goto("about:blank")
    page.request.delete(f"/sessions/{session}", headers={"Authorization": f"Bearer {stored['host']}"})
    if not looks_on:
        page.goto(links)
    expect(page.locator("#verdict")).to_have_text(f"{status} Your tables and a new one")
    expect(page.locator("#links")).to_be_hidden()
    page.locator("#verdict a").click()
    expect(page.locator("#open")).to_be_visible()
    expect(page.locator("main:not([aria-busy])")).to_be_attached()
    expect(page.locator("#running")).to_be_hidden()


@pytest.mark.parametrize(("ruleset", "hands"), [("competitive", 2), ("team", 1)])
def test_a_claim_by_a_seat_names_only_its_own_hands(page: Page, ruleset: str, hands: int) -> None:
    """Touching two tops is a claim by itself; in team play one hand is claimed by a button."""
    body = {"game": "twin-it", "seats": 4, "ruleset": {"name": ruleset}, "host": "blind", "invite": True}
    session = page.request.post("/sessions", data=body).json()
    page.goto(f"/play#{session['id']}/0/{session['invites'][0]}")
    with page.expect_response("**/moves") as came:
        for top, *_ in session["state"]["piles"][1 : 1 + hands]:
            page.locator(f'rules-table [data-key="{top}"]').click()
        if hands == 1:
            press_button(page, "Claim")
    sent: Any = came.value.request.post_data_json
    assert [each["seat"] for each in sent["moves"][0]["hands"]] == [0] * hands
    assert came.value.status == 201


def test_a_seat_is_taken_once_kept_over_a_reload_and_listed_until_its_table_is_gone(windows: Windows) -> None:
    host, guest = windows(2)
    links = open_table(host, "gin-rummy", 2)
    guest.goto(links[0])
    expect(guest.locator("#verdict")).to_have_text("Your turn.")
    guest.reload()
    expect(guest.locator("#verdict")).to_have_text("Your turn.")
    guest.goto("/play")
    expect(guest.locator("#running li")).to_contain_text(["Gin rummy Anna, Bo"])
    with guest.expect_response("**/events?*"):  # what is closed before the stream is open is read, not told
        guest.get_by_role("link", name="Back to the table").click()
    expect(guest.locator("#verdict")).to_have_text("Your turn.")
    session = links[0].partition("#")[2].split("/")[0]
    stored = host.evaluate(f"JSON.parse(localStorage.getItem('table {session}'))")
    host.goto(links[0])  # somebody else sits there
    expect(host.locator("rules-table .status")).to_have_class("status bad")
    host.request.delete(f"/sessions/{session}", headers={"Authorization": f"Bearer {stored['host']}"})
    expect(guest.locator("rules-table .status")).to_have_text("This table was closed.")
    guest.goto("/play")
    expect(guest.locator("#open")).to_be_visible()
    expect(guest.locator("#running")).to_be_hidden()


def test_a_table_that_was_closed_offers_no_moves(page: Page) -> None:
    """A player whose move was on its way sees none either."""
    session = page.request.post("/sessions", data={"game": "gin-rummy", "seats": 2, "invite": True}).json()
    with page.expect_response("**/events?*"):
        page.goto(f"/play#{session['id']}/0/{session['invites'][0]}")
    status, offered = page.locator("rules-table .status"), page.locator("rules-table").locator(".live, .act")
    expect(offered).not_to_have_count(0)
    page.route("**/moves", lambda route: None)
    press_button(page, "Pass")
    expect(status).to_have_text("Your move is on its way …")
    page.request.delete(f"/sessions/{session['id']}", headers={"Authorization": f"Bearer {session['tokens']['host']}"})
    expect(status).to_have_text("This table was closed.")
    expect(offered).to_have_count(0)
    expect(page.locator("rules-table .own .card:not(.back)")).to_have_count(10)


def test_a_page_whose_token_was_renewed_elsewhere_says_so(windows: Windows) -> None:
    (page,) = windows(1)
    links = open_table(page, "gin-rummy", 2)
    page.goto("about:blank")  # a change of the part after # alone would load the page twice
    with page.expect_response("**/events?*"):
        page.goto(links[0])
    session = links[0].partition("#")[2].split("/")[0]
    token = page.evaluate(f"localStorage.getItem('seat {session} 0')")
    page.request.post(f"/sessions/{session}/tokens", data={}, headers={"Authorization": f"Bearer {token}"})
    status = page.locator("rules-table .status")
    expect(status).to_have_text("This seat has a new token, and this page has the old one.")
    expect(status).to_be_visible()
    expect(page.locator("rules-table").locator(".live, .act")).to_have_count(0)
    assert page.evaluate(f"localStorage.getItem('table {session}')")
    page.reload()
    expect(page.locator("#verdict")).to_contain_text("another page has taken over the seat")


def test_a_link_that_leads_to_no_table_says_so_to_players(windows: Windows) -> None:
    (page,) = windows(1)
    seat, _other_seat, spectators = open_table(page, "gin-rummy", 2, public=True)
    session = seat.partition("#")[2].split("/")[0]
    stored = page.evaluate(f"JSON.parse(localStorage.getItem('table {session}'))")

    def status_at(link: str) -> str:
        page.goto("about:blank")
        page.goto(link)
        expect(page.get_by_role("link", name="Your tables and a new one")).to_have_attribute("href", "/play")
        status = page.locator("rules-table .status")
        return status.inner_text() if status.is_visible() else page.locator("#verdict").inner_text().split(" Your")[0]

    for cut in (seat.rpartition("/")[0], seat.partition("/0/")[0] + "/lin"):
        assert status_at(cut) == "This link is not complete."
    assert (
        status_at(seat[:-3]) == "This table is gone, its link is not complete, or another page has taken over the seat."
    )
    page.request.delete(f"/sessions/{session}", headers={"Authorization": f"Bearer {stored['host']}"})
    assert (
        status_at(spectators)
        == "This table is gone, its link is not complete, or another page has taken over the seat."
    )
    assert status_at(seat) == "This table is gone."
    page.goto("/play")
    expect(page.locator("#open")).to_be_visible()
    expect(page.locator("main:not([aria-busy])")).to_be_attached()
    expect(page.locator("#running")).to_be_hidden()


def play_to_a_knock(first: Page, second: Page, fair: str = "committed", target: int = 1) -> None:
    """A game of gin rummy in two windows, over at its first knock, which anybody may make, unless it goes on."""
    ruleset = {"name": "standard", "options": {"knock_limit": 99, "target": target}}
    body = {"game": "gin-rummy", "seats": 2, "ruleset": ruleset, "host": "blind", "invite": True, "fair": fair}
    session = first.request.post("/sessions", data=body).json()
    for seat, page in enumerate((first, second)):
        page.goto(f"/play#{session['id']}/{seat}/{session['invites'][seat]}")
    for page in (first, second):
        expect(page.locator("rules-table .own .card:not(.back)").first).to_be_visible()
    press_button(first, "Pass")
    press_button(second, "Pass")
    first.locator("rules-table .live[data-key=stock]").click()
    first.locator("rules-table .own .live").first.click()
    first.locator("rules-table .act", has_text="Knock, throwing").click()
    press_button(second, re.compile("left$"))


def test_whose_turn_it_is_and_a_refusal_are_announced_once(page: Page) -> None:
    """No reading or drawing of the table announces them again, such as after a refused move."""
    session = page.request.post("/sessions", data={"game": "take-that", "seats": 2, "invite": True}).json()
    page.goto(f"/play#{session['id']}/0/{session['invites'][0]}")
    expect(page.locator("#verdict")).to_have_text("Your turn.")
    page.evaluate(
        """said = [];
        new MutationObserver(() => said.push(0)).observe(document.getElementById("verdict"), { childList: true });"""
    )
    page.route("**/moves", lambda route: route.fulfill(status=422, json={"detail": "Not now."}), times=1)
    with page.expect_event("requestfinished", lambda each: each.url.endswith("?legal_moves=true")):
        page.locator("rules-table .own .live").first.click()
    expect(page.locator("rules-table .board:not([aria-busy])")).to_be_attached()
    expect(page.locator("rules-table .why")).to_have_text("Not now. ")
    assert page.evaluate("said.length") == 0
    expect(page.locator("rules-table [aria-live=assertive]")).to_have_text("Not now.")
    page.locator("rules-table .board").evaluate(
        """(board) => new MutationObserver(() => said.push(...board.querySelectorAll("[role=alert]")))
            .observe(board, { childList: true })"""
    )
    page.route("**/moves", lambda route: None)
    page.locator("rules-table .own .live").first.click()
    expect(page.locator("rules-table .status")).to_have_text("Your move is on its way …")
    assert page.evaluate("said.length") == 0


def test_after_a_reload_the_table_says_what_happened_last(page: Page) -> None:
    ruleset = {"name": "standard", "options": {"knock_limit": 99}}
    body = {"game": "gin-rummy", "seats": 2, "ruleset": ruleset, "public": True, "names": NAMES[:2]}
    session = page.request.post("/sessions", data=body).json()
    path, bearer = f"/sessions/{session['id']}", {"Authorization": f"Bearer {session['tokens']['host']}"}
    knock = None
    for kind in ("pass", "pass", "draw", "knock"):
        moves = page.request.get(f"{path}/legal-moves", headers=bearer).json()["moves"]
        knock = next(each for each in moves if each["move"]["type"] == kind)
        assert page.request.post(f"{path}/moves", data={"moves": [knock["move"]]}, headers=bearer).ok
    assert knock is not None
    page.goto(f"/play#{session['id']}")
    expect(page.locator("rules-table .told")).to_contain_text("Anna knocks with")
    expect(page.locator("rules-table .own .lies")).to_contain_text(f"deadwood {knock['facts']['deadwood']}")


def test_a_joint_deal_is_made_of_a_number_from_each_player(windows: Windows) -> None:
    first, second = windows(2)
    links = open_table(second, "gin-rummy", 2, joint=True)
    first.goto(links[0])
    parts = first.locator("rules-table .parts li")
    expect(parts).to_have_text(["Anna is committed to a number.", "Bo has not sat down yet."])
    expect(first.locator("#verdict")).to_have_text("To act: Bo.")
    first.reload()
    expect(parts).to_have_text(["Anna is committed to a number.", "Bo has not sat down yet."])
    second.goto(links[1])
    for page in (first, second):
        expect(page.locator("rules-table .own .card:not(.back)")).to_have_count(10)
        expect(page.locator("rules-table .parts")).to_have_count(0)
    session = links[0].partition("#")[2].split("/")[0]
    own = f"Object.keys(localStorage).filter((key) => key.includes('{session}') && key.endsWith('seed')).length"
    assert [page.evaluate(own) for page in (first, second)] == [1, 1]


def hold_back_numbers(page: Page) -> list[Route]:
    """Holds the requests in which the page gives its number for a joint deal, until the test continues each."""
    held: list[Route] = []
    page.route("**/seeds", lambda route: held.append(route))  # noqa: PLW0108 - Playwright keeps notes on its listeners
    return held


def test_two_pages_of_one_seat_both_see_a_joint_deal(windows: Windows) -> None:
    """Both give the number, and one of them is too late."""
    first, second = windows(2)
    links = open_table(second, "gin-rummy", 2, joint=True)
    tabs = [first, first.context.new_page()]
    for page in tabs:
        page.goto(links[0])
        expect(page.locator("rules-table .parts li")).to_have_count(2)
    late, early = (hold_back_numbers(page) for page in tabs)
    second.goto(links[1])
    while not (late and early):  # a page that sees the deal first sends no number
        first.wait_for_timeout(10)
    early[0].continue_()
    expect(tabs[1].locator("rules-table .own .card:not(.back)")).to_have_count(10)
    late[0].continue_()
    for page in tabs:
        expect(page.locator("rules-table .own .card:not(.back)")).to_have_count(10)
        expect(page.locator("#verdict")).to_have_text("Your turn.")


def test_a_seat_sees_whether_its_seed_made_the_deal(windows: Windows) -> None:
    first, second = windows(2)
    play_to_a_knock(first, second, fair="joint")
    own = first.locator("#end .proof li", has_text="The number that this browser gave")
    expect(own).to_have_class("good")
    expect(first.locator("#end .proof li.good")).to_have_count(4)
    first.evaluate("for (const key in localStorage) if (key.endsWith(' seed')) localStorage.setItem(key, 'another')")
    first.reload()
    expect(own).to_have_class("bad")
    expect(first.locator("#end .proof li.good")).to_have_count(3)


def test_after_a_hand_any_player_may_deal_the_next(windows: Windows) -> None:
    first, second = windows(2)
    play_to_a_knock(first, second, target=500)
    for page in (first, second):
        expect(page.locator("#verdict")).to_have_text("Deal again when everybody is ready.")
        assert page.evaluate("document.querySelector('rules-table').acting") == []  # it is the table's turn
    press_button(second, "Deal the next hand")
    for page in (first, second):
        expect(page.locator("rules-table .own .card:not(.back)")).to_have_count(10)
        expect(page.locator("#verdict")).to_have_text(re.compile("Your turn|To act: "))


def test_the_transcript_is_proved_at_the_end(windows: Windows) -> None:
    """It must agree with its log, the id of its session, and the commitment that this browser saw first."""
    first, second = windows(2)
    play_to_a_knock(first, second)
    for page in (first, second):
        expect(page.locator("#end .proof li.good")).to_have_count(3)
    first.route("**/transcript*", lambda route: route.fulfill(json={**route.fetch().json(), "moves": []}))
    first.reload()
    expect(first.locator("#end .proof li.bad")).to_have_text([re.compile("^The log")])
    first.unroute("**/transcript*")
    first.reload()
    expect(first.locator("#end .proof li.good")).to_have_count(3)
    first.route("**/transcript*", lambda route: route.fulfill(json={**route.fetch().json(), "id": "0" * 32}))
    first.reload()
    expect(first.locator("#end .proof li.bad")).to_have_text([re.compile("^The log")])
    second.evaluate(
        "for (const key in localStorage) if (key.startsWith('commitment ')) localStorage.setItem(key, '0'.repeat(64))"
    )
    second.reload()
    expect(second.locator("#end .proof li.bad")).to_have_text([re.compile("^The seed is the one")])
    expect(second.locator("#end summary")).to_have_text("The check of this game found something wrong")
    second.get_by_role("link", name="Step through the game").click()
    expect(second.locator("#count")).to_have_text(re.compile("^0 /"))
    expect(second.locator("rules-table .seat")).to_have_count(2)
    expect(second.locator("#moves [aria-current]")).to_have_text("Pass")
    second.get_by_role("button", name="On", exact=True).click()
    expect(second.locator("#caption blockquote")).to_contain_text("upcard")
    second.get_by_role("button", name="First", exact=True).click()
    second.locator("#moves").get_by_role("button", name="Take the upcard").click()
    expect(second.locator("#count")).to_have_text("1 / 1")


def test_the_transcript_of_a_test_is_said_to_prove_nothing(windows: Windows) -> None:
    """The page gets its transcript with the members that a service for tests adds."""
    first, second = windows(2)
    play_to_a_knock(first, second)
    of_a_test = {"testing": True, "deal": None}
    first.route("**/transcript*", lambda route: route.fulfill(json=route.fetch().json() | of_a_test))
    first.reload()
    sentence = "This is the game of a test: its table or its seed was chosen, so it proves nothing."
    expect(first.locator("#end summary")).to_have_text(sentence)
    expect(first.locator("#end .proof li.bad")).to_have_text([sentence])


def test_the_end_says_first_who_has_won_and_why_and_the_same_people_play_again(windows: Windows) -> None:
    first, second = windows(2)
    play_to_a_knock(first, second)
    before, *seats = [part for page in (first, second) for part in page.url.partition("#")[2].split("/")[:2]]
    assert (seats[0], seats[2]) == ("0", "1")
    expect(first.locator("#end h2")).to_be_visible()
    state: Any = first.evaluate("document.querySelector('rules-table').state")
    winner = state["last_hand"]["seat"]
    expect((first, second)[winner].locator("#end h2")).to_have_text("You win!")
    expect((second, first)[winner].locator("#end h2")).to_have_text(f"Seat {winner} wins!")
    for page in (first, second):
        expect(page.locator("#end h2 + p")).to_have_text(
            re.compile(
                rf"^The game is over. Seat {winner} has reached the target and wins. "
                rf"Totals by seat, with all bonuses: \d+ and \d+. GR-8.1$"
            )
        )
        expect(page.locator("#end .scores li")).to_have_text([re.compile(rf"^Seat {seat} \d+$") for seat in range(2)])
        expect(page.locator("#end h2")).to_be_in_viewport()
        expect(page.locator("rules-table .bar")).to_have_text("game over")
        expect(page.locator("rules-table .told")).to_have_text(re.compile("^Seat 1 lays .* The game is over"))
        expect(page.locator("#end summary")).to_have_text("The deal was fair, the log is complete")
        expect(page.locator("#end .proof li").first).to_be_hidden()
    for page, name in ((first, "Another game, same people"), (second, "Take my seat")):
        page.get_by_role("button", name=name).click()
        expect(page.locator("rules-table .own .card:not(.back)")).to_have_count(10)
        expect(page.locator("#end")).to_be_hidden()
    tables = [page.url.partition("#")[2].split("/") for page in (first, second)]
    assert tables[0][0] == tables[1][0] != before
    assert [rest for _, *rest in tables] == [["0"], ["1"]]
    expect(first.locator("#verdict")).to_have_text("Your turn.")


def test_who_is_still_at_the_end_is_told_of_the_next_table_and_who_sits_there(windows: Windows) -> None:
    """Nobody has to ask for it: the page follows the old table."""
    first, second = windows(2)
    play_to_a_knock(first, second)
    line, button = second.locator("#end [role=status]"), second.locator("#end button.main")
    expect(button).to_have_text("Another game, same people")
    expect(line).to_have_text("")
    requests: list[str] = []
    for page in (first, second):
        page.on("request", lambda each: requests.append(f"{each.method} {each.url.partition('/sessions')[2]}"))
    old = first.url.partition("#")[2].split("/")[0]
    first.locator("#end button.main").click()
    expect(line).to_have_text("Seat 0 has opened another game. Already there: Seat 0.")
    expect(button).to_have_text("Take my seat")
    second.reload()
    expect(line).to_have_text("Seat 0 has opened another game. Already there: Seat 0.")
    button.click()
    expect(second.locator("#verdict")).to_have_text("To act: Seat 0.")
    changes = {each for each in requests if each.startswith("POST ") and not each.endswith(("/tickets", "/resolve"))}
    assert {each for each in changes if len(each) > len("POST ")} == {f"POST /{old}/rematch"}
    second.goto("about:blank")
    second.goto("/play")
    second.locator("#running a").first.click()  # the latest table
    expect(second.locator("#verdict")).to_have_text("To act: Seat 0.")


def test_who_has_come_to_the_next_table_is_said_there_until_somebody_moves(windows: Windows) -> None:
    first, second = windows(2)
    play_to_a_knock(first, second)
    first.locator("#end button.main").click()
    company = first.locator("#company")
    expect(company).to_have_text("At the table: Seat 0.")
    second.locator("#end button.main").click()
    for page in (first, second):
        expect(page.locator("#company")).to_have_text("At the table: Seat 0, Seat 1.")
    press_button(first, "Pass")
    for page in (first, second):
        expect(page.locator("#company")).to_be_hidden()


def test_a_next_table_that_cannot_be_opened_now_is_said_and_can_be_asked_for_again(windows: Windows) -> None:
    first, second = windows(2)
    play_to_a_knock(first, second)
    problem = {"type": "/problems/too-many-requests", "detail": "Wait a little."}
    first.route("**/rematch", lambda route: route.fulfill(status=429, json=problem), times=1)
    first.locator("#end button.main").click()
    expect(first.locator("#end [role=alert]")).to_have_text("Wait a little.")
    first.locator("#end button.main").click()
    expect(first.locator("rules-table .own .card:not(.back)")).to_have_count(10)


def test_a_spectator_of_a_public_table_may_look_on_at_the_next_one(windows: Windows) -> None:
    (page,) = windows(1)
    ruleset = {"name": "standard", "options": {"knock_limit": 99, "target": 1}}
    body = {"game": "gin-rummy", "seats": 2, "ruleset": ruleset, "public": True, "names": NAMES[:2]}
    session = page.request.post("/sessions", data=body).json()
    path, bearer = f"/sessions/{session['id']}", {"Authorization": f"Bearer {session['tokens']['host']}"}
    while moves := page.request.get(f"{path}/legal-moves", headers=bearer).json()["moves"]:
        move = next((each for each in moves if each["move"]["type"] == "knock"), moves[0])["move"]
        assert page.request.post(f"{path}/moves", data={"moves": [move]}, headers=bearer).ok
    page.goto(f"/play#{session['id']}")
    expect(page.locator("#end summary")).to_have_text("The deal was fair, the log is complete")
    expect(page.locator("#end button.main")).to_be_hidden()
    seat = {"Authorization": f"Bearer {session['tokens']['seats'][1]}"}
    assert page.request.post(f"{path}/rematch", headers=seat).status == 201
    expect(page.locator("#end [role=status]")).to_have_text("Bo has opened another game. Already there: Bo. Look on")
    page.get_by_role("link", name="Look on").click()
    expect(page.locator("rules-table .seat")).to_have_count(2)
    expect(page.locator("#end")).to_be_hidden()


@pytest.mark.parametrize("lost", ["**/playground/end.js", "**/deal"])
def test_the_end_is_shown_though_the_connection_breaks_just_then(windows: Windows, lost: str) -> None:
    first, second = windows(2)
    second.route(lost, lambda route: route.abort(), times=1)
    with second.expect_event("requestfailed", lambda request: bool(re.search("end.js|deal$", request.url))):
        play_to_a_knock(first, second)
    expect(second.locator("#end summary")).to_have_text("The deal was fair, the log is complete")
    expect(second.locator("#end .buttons > *")).to_have_count(2)


def test_a_redraw_waits_until_the_pointer_is_let_go(page: Page) -> None:
    Visit(page).open(game="gin-rummy")
    card = page.locator("rules-table .slot:last-child button.card").first
    expect(card).to_be_visible()
    handle = card.element_handle()
    card.hover()
    page.mouse.down()
    page.evaluate("Object.assign(document.querySelector('rules-table'), { names: ['Anna', 'Bo'] })")
    page.evaluate("new Promise((done) => setTimeout(done))")
    assert handle.evaluate("card => card.isConnected")
    page.mouse.up()
    page.wait_for_function("card => !card.isConnected", arg=handle)
