"""The playground as its visitors know it: by labels, roles and words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from playwright.sync_api import Locator, Page, Route, expect

WORDS = {
    "en": {
        "language": "Language",
        "game": "Game",
        "call": "Call",
        "example": "Example",
        "body": "Body of",
        "ask": "Ask the referee",
        "tidy": "Tidy up",
        "list": "List legal moves",
        "go on": "Go on from here",
        "raw": "The answer as it came",
        "moves": "Legal moves",
        "clause": "Clause",
        "others": "What would the others say?",
    },
    "it": {
        "language": "Lingua",
        "game": "Gioco",
        "call": "Chiamata",
        "example": "Esempio",
        "body": "Corpo di",
        "ask": "Chiedi all’arbitro",
        "tidy": "Riordina",
        "list": "Elenca le mosse ammesse",
        "go on": "Prosegui da qui",
        "raw": "La risposta così com’è arrivata",
        "moves": "Mosse ammesse",
        "clause": "Clausola",
        "others": "Che cosa direbbero gli altri?",
    },
}


@dataclass
class Visit:
    """One visitor at the page, in one language."""

    page: Page
    language: str = "en"

    def open(self, **chosen: str) -> Self:
        """The page; `chosen`: what its address names."""
        self.page.goto("/#" + "&".join(f"{name}={value}" for name, value in chosen.items()))
        self.language = chosen.get("language", self.language)
        expect(self.choice("example").locator("option").first).to_be_attached()
        return self

    def word(self, name: str) -> str:
        return WORDS[self.language][name]

    def choice(self, name: str) -> Locator:
        return self.page.get_by_role("combobox", name=self.word(name), exact=True)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=self.word(name), exact=True)

    @property
    def body(self) -> Locator:
        return self.page.get_by_role("textbox", name=re.compile(self.word("body")))

    @property
    def verdict(self) -> Locator:
        return self.page.get_by_role("status")

    @property
    def sentences(self) -> Locator:
        """What the referee says, ruling by ruling."""
        return self.page.locator("#ruling .rulings .said")

    def clause(self, rule: str) -> Locator:
        return self.page.get_by_role("button", name=f"{self.word('clause')} {rule}", exact=True)

    @property
    def listed(self) -> Locator:
        """The legal moves."""
        return self.page.get_by_role("group", name=self.word("moves"), exact=True).get_by_role("button")

    def choose(self, game: str, call: str = "resolve") -> Self:
        self.choice("game").select_option(game)
        expect(self.page.get_by_text(f"POST /games/{game}/")).to_be_visible()
        self.choice("call").select_option(call)
        return self

    def ask(self, body: Any = None) -> Self:
        """Ask; `body`: what to write into the editor first."""
        if body is not None:
            self.body.fill(body if isinstance(body, str) else json.dumps(body))
        with self.page.expect_response(lambda response: response.request.method == "POST"):
            self.button("ask").click()
        expect(self.page.get_by_text(self.word("raw"))).to_be_visible()
        return self

    @contextmanager
    def held(self, url: str) -> Iterator[None]:
        """What `url` answers arrives after all that is done within, and the page has seen it arrive."""
        asked: list[Route] = []

        def keep(route: Route) -> None:
            asked.append(route)

        self.page.route(url, keep)
        yield
        while not asked:
            self.page.wait_for_timeout(10)
        with self.page.expect_event("requestfinished", lambda request: request == asked[0].request):
            asked[0].continue_()
        self.page.unroute(url)
        self.page.evaluate("new Promise((done) => setTimeout(done, 50))")

    def question(self) -> Any:
        """What stands in the editor."""
        return json.loads(self.body.input_value())

    def answer(self) -> Any:
        """What came back, as the page shows it."""
        return json.loads(self.page.locator("#raw pre").text_content() or "")
