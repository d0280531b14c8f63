"""The playground as its visitors know it: by labels, roles and words."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from playwright.sync_api import Locator, Page, Route, expect

from service.http.playground import words
from tests.conformance import vectors

WORDS = {"view": "view-as", "go on": "goOn", "moves": "possible"}
"""By what a test calls it, the page's name of a word; others have one name."""

SHOWN = """answer => {
    const same = (text) => text?.replace(/\\s/g, "").replace(/"instance":"[^"]*"/, "");
    return same(document.querySelector("#raw pre")?.textContent) === same(answer);
}"""
"""Whether the page shows an answer; each problem has an instance of its own."""


PLAY = """async ({ seed, most }) => {
    let state = seed;
    const random = (count) => (state = (state * 1103515245 + 12345) % 2147483648, Math.floor(state / 65536) % count);
    const table = document.querySelector("rules-table");
    const settled = () => new Promise((done) => {
        const look = () => table.shadowRoot.querySelector("[aria-busy]") ? setTimeout(look, 5) : done();
        look();
    });
    for (let clicks = 0; clicks < most && table.state.phase !== "game-over"; clicks++) {
        const acts = [...table.shadowRoot.querySelectorAll("button.act:not(.plain, .quiet)")];
        const cards = [...table.shadowRoot.querySelectorAll("button.card.live:not([aria-pressed=true]), button.onto")];
        const claim = table.legal.moves.find(({ move }) => move.type === "claim" && move.hands.length)?.move;
        const touch = claim?.hands.map(({ card }) => table.shadowRoot.querySelector(`[data-key="${card}"]`));
        const open = touch?.find((card) => card.getAttribute("aria-pressed") === "false");
        const goal = open ?? acts.find((each) => /^(Knock|Gin|Big gin|Claim|.* claims? )/.test(each.textContent));
        const held = table.shadowRoot.querySelector("[aria-pressed=true]");
        const some = acts.length && (held || !cards.length || random(2)) ? acts : cards;
        if (!goal && !some.length) throw new Error(`nothing to do: ${table.state.phase}`);
        (goal ?? some[random(some.length)]).click();
        await settled();
    }
    return table.state.phase;
}"""
"""Clicks at random on what is marked, at most so often, and gives the last phase. Knocks and claims come first."""


def _without_game(body: str | None) -> Any:
    """A question without the game, which the page puts into the path; text that is not JSON is unchanged."""
    try:
        return {name: value for name, value in json.loads(body or "").items() if name != "game"}
    except (ValueError, AttributeError):
        return body


def question_of(vector: str) -> Any:
    """The question of a vector, without the game."""
    return _without_game(json.dumps(next(each.request["body"] for each in vectors() if each.id == vector)))


@dataclass
class Visit:
    """One visitor at the page, in one language."""

    page: Page
    language: str = "en"

    def open(self, **chosen: str) -> Self:
        """Opens the page. `chosen`: the members of its address."""
        self.page.goto("/#" + "&".join(f"{name}={value}" for name, value in chosen.items()))
        self.language = chosen.get("language", self.language)
        return self.wait_until_settled().unfold()

    def wait_until_settled(self) -> Self:
        """Waits until all answers are there and drawn."""
        expect(self.page.locator("main:not([aria-busy])")).to_be_attached()
        return self

    def overhang(self) -> Any:
        """How many pixels of the page hang over the edge of the window."""
        return self.page.locator("html").evaluate("page => page.scrollWidth - page.clientWidth")

    def unfold(self) -> Self:
        """Opens the question."""
        self.page.locator("#asked").evaluate("details => { details.open = true }")
        return self

    def word(self, name: str) -> str:
        """A text of the page in its language. `name`: its key in the words of the page, or a short name for it."""
        return words()[self.language][WORDS.get(name, name)].removesuffix(" {id}")

    def choice(self, name: str) -> Locator:
        """The list of choices with this label. `name`: as of `word`."""
        return self.page.get_by_role("combobox", name=self.word(name), exact=True)

    def button(self, name: str) -> Locator:
        """The button of the page with this text. `name`: as of `word`."""
        return self.page.get_by_role("button", name=self.word(name), exact=True)

    @property
    def body(self) -> Locator:
        """The field with the JSON that is sent."""
        return self.page.get_by_role("textbox", name=re.compile(self.word("body")))

    @property
    def verdict(self) -> Locator:
        return self.page.locator("#verdict")

    @property
    def board(self) -> Locator:
        """The drawing itself; it stands in the element's shadow."""
        return self.page.locator("rules-table .board")

    def card(self, key: str | int) -> Locator:
        """A card on the table, by its name."""
        return self.board.locator(f'[data-key="{key}"]')

    def act(self, label: str) -> Locator:
        """A button of the table."""
        return self.board.get_by_role("button", name=label, exact=True)

    @property
    def problem(self) -> Locator:
        """What the table says is wrong."""
        return self.board.locator(".why")

    @property
    def sentences(self) -> Locator:
        """The sentences of the rulings."""
        return self.page.locator("#ruling .rulings .said")

    def clause(self, rule: str) -> Locator:
        """The button that opens a clause."""
        return self.page.get_by_role("button", name=f"{self.word('clause')} {rule}", exact=True)

    @property
    def legal_moves(self) -> Locator:
        """The legal moves, opened."""
        self.wait_until_settled()
        self.page.locator("#moves details").evaluate("details => { details.open = true }")
        return self.page.get_by_role("group", name=self.word("moves"), exact=True).get_by_role("button")

    def choose(self, game: str, call: str = "resolve") -> Self:
        """Choose a game and a call."""
        self.choice("game").select_option(game)
        self.wait_until_settled().choice("call").select_option(call)
        return self

    def ask(self, body: Any = None) -> Self:
        """Asks. `body`: written into the editor first."""
        if body is not None:
            self.body.fill(body if isinstance(body, str) else json.dumps(body))
        question = _without_game(self.body.input_value())
        with self.page.expect_response(lambda each: _without_game(each.request.post_data) == question) as response:
            self.button("ask").click()
        self.page.wait_for_function(SHOWN, arg=response.value.text())
        return self.wait_until_settled()

    def play_on(self, seed: int, most: int, *, ends: bool = True) -> None:
        """Clicks at random until the game is over, on a small page, because drawing takes most of the time.

        `ends`: whether it must be over after `most` clicks.
        """
        self.page.set_viewport_size({"width": 800, "height": 500})
        self.page.locator("#asked").evaluate("details => { details.open = false }")
        phase = self.page.evaluate(PLAY, {"seed": seed, "most": most})
        assert phase == "game-over" or not ends, f"with seed {seed} the game comes to {phase} after {most} clicks"
        self.wait_until_settled().unfold()

    @contextmanager
    def hold_answer(self, url: str) -> Iterator[None]:
        """Holds back the answer of `url` until the block is done, then waits until the page has handled it."""
        routes: list[Route] = []

        def keep(route: Route) -> None:
            routes.append(route)

        self.page.route(url, keep, times=1)
        yield
        while not routes:
            self.page.wait_for_timeout(10)
        routes[0].continue_()
        self.page.unroute(url)
        self.wait_until_settled()

    def question(self) -> Any:
        """What stands in the editor."""
        return json.loads(self.body.input_value())

    def answer(self) -> Any:
        """What came back, as the page shows it."""
        return json.loads(self.page.locator("#raw pre").text_content() or "")
