"""What a player has at a table of one's own: the page's title, the hand as one sorts it, and the way out."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, expect

OWN_HAND_CARDS = "rules-table .own .sortable .card"


def sit_down(page: Page, game: str = "take-that", **setup: Any) -> str:
    """Sits down on the first seat of a new table; gives its id."""
    body = {"game": game, "seats": 2, "invite": True, "host": "blind", "names": ["Anna", "Bo"], **setup}
    session = page.request.post("/sessions", data=body).json()
    page.goto("about:blank")
    page.goto(f"/play#{session['id']}/0/{session['invites'][0]}")
    expect(page.locator(OWN_HAND_CARDS).first).to_be_visible()
    return str(session["id"])


def cards_of_own_hand(page: Page) -> list[str]:
    """The cards of the own hand, in the order in which they are shown."""
    return [str(card.get_attribute("data-key")) for card in page.locator(OWN_HAND_CARDS).all()]


def test_a_hand_is_sorted_by_dragging_and_by_keyboard_and_stays_so(page: Page) -> None:
    sit_down(page)
    dealt = cards_of_own_hand(page)
    assert len(dealt) > 4
    page.locator(OWN_HAND_CARDS).first.focus()
    page.keyboard.press("Shift+ArrowRight")
    swapped = [dealt[1], dealt[0], *dealt[2:]]
    assert cards_of_own_hand(page) == swapped
    assert page.locator("rules-table").evaluate("table => table.shadowRoot.activeElement.dataset.key") == dealt[0]
    last, first = page.locator(OWN_HAND_CARDS).last.bounding_box(), page.locator(OWN_HAND_CARDS).first.bounding_box()
    assert last is not None
    assert first is not None
    page.mouse.move(last["x"] + 8, last["y"] + 20)
    page.mouse.down()
    page.mouse.move(first["x"] + 40, first["y"] + 30, steps=4)
    page.mouse.move(first["x"] - 6, first["y"] + 30)
    page.mouse.up()
    dragged = [swapped[-1], *swapped[:-1]]
    expect(page.locator(OWN_HAND_CARDS).first).to_have_attribute("data-key", dragged[0])
    assert cards_of_own_hand(page) == dragged
    expect(page.locator(f"{OWN_HAND_CARDS}[aria-pressed=true]")).to_have_count(0)  # a drag is no touch
    page.reload()
    expect(page.locator(OWN_HAND_CARDS).first).to_have_attribute("data-key", dragged[0])
    assert cards_of_own_hand(page) == dragged


def test_a_page_says_which_game_it_is_and_that_it_is_ones_turn_and_every_page_has_a_title_of_its_own(
    page: Page,
) -> None:
    sit_down(page)
    expect(page).to_have_title("● Your turn – Take That")
    expect(page.get_by_role("heading", level=1)).to_have_text("Take That")
    book = page.get_by_role("link", name="Rulebook")
    expect(book).to_have_attribute("href", "/games/take-that/rulebook")
    page.locator("rules-table .own .live").first.click()
    expect(page.locator("#log li").first).to_be_visible()
    expect(page).to_have_title("Take That – Rules Referee")
    expect(page.locator("#log a.clause").first).to_have_attribute("href", re.compile(r"^/#.*clause=TT-\d+\.\d+$"))
    titles = []
    for path in ("/play", "/settle", "/#twins", "/games/twins/rulebook"):
        page.goto("about:blank")
        page.goto(path)
        expect(page).to_have_title(re.compile("–|Twins"))
        titles.append(page.title())
    assert len({*titles}) == len(titles), titles


@pytest.mark.parametrize("opener", [True, False])
def test_leaving_asks_and_forgets_the_seat_here_which_stays_at_the_table(page: Page, opener: bool) -> None:
    """Who opened the table here keeps its invitations."""
    session = sit_down(page)
    token = page.evaluate(f"localStorage.getItem('seat {session} 0')")
    if opener:
        page.evaluate(
            f"import('/playground/keep.js').then(({{ note }}) => note('{session}', {{ invites: ['a', 'b'] }}))"
        )
    stored_names = f"Object.keys(localStorage).filter((name) => name.includes('{session}')).toSorted()"
    messages: list[str] = []

    def answer(dialog: Dialog) -> None:
        messages.append(dialog.message)
        (dialog.accept if len(messages) > 1 else dialog.dismiss)()

    page.on("dialog", answer)
    leave = page.get_by_role("button", name="Leave this table")
    leave.click()
    assert [message.partition("?")[0] for message in messages] == ["Leave this table"]
    assert f"seat {session} 0" in page.evaluate(stored_names)
    leave.click()
    expect(page.locator("#open")).to_be_visible()
    assert page.evaluate(stored_names) == ([f"commitment {session}", f"table {session}"] if opener else [])
    bearer = {"Authorization": f"Bearer {token}"}
    assert page.request.get(f"/sessions/{session}", headers=bearer).json()["taken"] == [True, False]
    page.remove_listener("dialog", answer)


def test_a_player_hands_on_the_link_for_spectators_where_there_may_be_some(page: Page) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    watch, link = page.locator("#watch"), page.locator("#watch-link")
    sit_down(page)
    watch.click()
    expect(watch).to_have_text("This table was opened without spectators.")
    expect(link).to_be_hidden()
    session = sit_down(page, public=True)
    watch.click()
    expect(link).to_have_value(re.compile(rf"/play#{session}$"))
    page.goto("about:blank")
    page.goto(f"/play#{session}")
    expect(page.locator("rules-table .seat")).to_have_count(2)
    expect(page.get_by_role("button", name="Leave this table")).to_be_hidden()
