"""Whole games by a real pointer, in Chromium and in Firefox: make browser-games.

Firefox is that of the system (`firefox-esr` in Debian). Where there is none, its games are skipped, which is said.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.bidi import Firefox, firefox

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
GAMES: dict[str, dict[str, Any]] = {
    "gin-rummy": {"seats": 2},
    "take-that": {"seats": 2, "ruleset": {"name": "standard", "options": {"rounds": 1}}},
    "twin-it": {"seats": 2, "ruleset": {"name": "competitive", "options": {"sets_to_win": 1}}},
    "twins": {"seats": 3},
}
"""Short games of each kind; of Twins and gin rummy one hand, which ends with the stock: hardly anybody may knock."""
MOST_TOUCHES = 400  #: Touches.

NEXT_TOUCH = """(async (game) => {
    const rest = () => new Promise((done) => {
        const busy = () => document.querySelector("main[aria-busy]") || table.shadowRoot.querySelector("[aria-busy]");
        const look = () => (busy() ? setTimeout(look, 5) : done());
        look();
    });
    const table = document.querySelector("rules-table");
    await rest();
    const cards = [...table.shadowRoot.querySelectorAll(".card")];
    await Promise.all(cards.flatMap((card) => card.getAnimations()).map(({ finished }) => finished)); // none glides
    const over = ["game-over", "hand-over"].includes(table.state.phase) || (game === "twins" && table.state.hand > 1);
    if (over) return { over: table.state.phase };
    window.seed ??= 7; // of the touches
    const random = (count) => (seed = (seed * 1103515245 + 12345) % 2147483648, Math.floor(seed / 65536) % count);
    const seen = (each) => {
        each.scrollIntoView({ block: "center" });
        const { left, top, width, height } = each.getBoundingClientRect();
        for (const [x, y] of [[.5, .5], [.2, .5], [.12, .3], [.2, .9], [.06, .5]]) {
            const at = [Math.round(left + width * x), Math.round(top + height * y)];
            if (each.contains(table.shadowRoot.elementFromPoint(...at))) return at;
        }
        return null;
    };
    const acts = [...table.shadowRoot.querySelectorAll("button.act:enabled:not(.plain, .quiet)")];
    const live = [...table.shadowRoot.querySelectorAll("button.card.live:not([aria-pressed=true]), button.onto")];
    const claim = table.legal.moves.find(({ move }) => move.type === "claim" && move.hands.length)?.move;
    const touch = claim?.hands.map(({ card }) => table.shadowRoot.querySelector(`[data-key="${card}"]`));
    const open = touch?.find((card) => card.getAttribute("aria-pressed") === "false");
    const goal = open ?? acts.find((each) => /^(Knock|Gin|Big gin|Claim|.* claims? )/.test(each.textContent));
    const held = table.shadowRoot.querySelector("[aria-pressed=true]");
    const some = acts.length && (held || !live.length || random(2)) ? acts : live;
    const next = goal ?? some[random(some.length)];
    const at = seen(next);
    if (!at) throw new Error(`hidden: ${next.getAttribute("aria-label") ?? next.textContent}`);
    return { at };
})"""
"""Where the next touch goes: at random on what is marked, knocks and claims first; or `over`, the last phase."""


DEAL = """async (body) => {
    const atRest = () => new Promise((done) => {
        const look = () => (document.querySelector("main[aria-busy]") ? setTimeout(look, 5) : done());
        look();
    });
    await atRest();
    document.querySelector("#call").value = "deal";
    document.querySelector("#call").onchange();
    document.querySelector("#body").value = JSON.stringify(body);
    document.querySelector("#request").requestSubmit();
    await atRest();
}"""
"""Deals a table of the game that the page shows."""


def play_game(
    address: str,
    game: str,
    goto: Callable[[str], Any],
    evaluate: Callable[[str], Any],
    press: Any,
    seed: str = "pointer",
) -> int:
    """Plays a game to its end; gives how many touches it took."""
    goto(f"{address}/#game={game}&language=en")
    evaluate(f"({DEAL})({json.dumps({**GAMES[game], 'seed': seed})})")
    for touches in range(MOST_TOUCHES):
        answer = evaluate(f"{NEXT_TOUCH}({game!r})")
        if "over" in answer:
            return touches
        press(*answer["at"])
    raise AssertionError(f"{game} is not over after {MOST_TOUCHES} touches")


@pytest.fixture(scope="module")
def firefox_page() -> Iterator[Firefox]:
    """A page of an installed Firefox. Without one the test is skipped."""
    if FIREFOX is None:
        pytest.skip("NO FIREFOX HERE: its games were not played (apt-get install firefox-esr)")
    with firefox(FIREFOX) as page:
        yield page


@pytest.mark.timeout(600)
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_a_real_pointer_in_firefox(firefox_page: Firefox, address: str, game: str) -> None:
    firefox_page.complaints.clear()
    assert play_game(address, game, firefox_page.goto, firefox_page.evaluate, firefox_page.press) > 3
    assert firefox_page.complaints == []


@pytest.mark.timeout(600)
@pytest.mark.parametrize("pointer", ["mouse", "touch"])
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_a_real_pointer_in_chromium(browser: Browser, address: str, game: str, pointer: str) -> None:
    with browser.new_context(
        has_touch=pointer == "touch", reduced_motion="reduce", viewport={"width": 1000, "height": 900}
    ) as context:
        page = context.new_page()
        assert play_game(address, game, page.goto, page.evaluate, _press(page, pointer)) > 3


def _press(page: Page, pointer: str) -> Callable[[int, int], None]:
    """A function that presses at a place of the page, by mouse or by touch."""

    def mouse(x: int, y: int) -> None:
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.up()

    return mouse if pointer == "mouse" else page.touchscreen.tap
