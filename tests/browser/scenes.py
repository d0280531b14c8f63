"""Scenes: every game in every phase, with as much on the table as comes about, shown on `/play` one after the other.

The page's requests to its session are answered inside it, so that one page shows all scenes without loading again.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

import engines
from engines.core.judge import legal_moves, resolve
from engines.core.records import changed
from engines.core.shuffle import in_order
from service.contract.codec import codecs
from service.judging.calls import answered
from tests.engines.games import random_move
from tests.engines.laws import Turn

LOOKS = Path(__file__).with_name("looks.js")
NAMES = ["Anna", "Bo", "Cy", "Di", "Eva", "Fay"]
TABLES = [
    ("gin-rummy", "standard", 2),
    ("twins", "standard", 4),
    ("twins", "standard", 6),
    ("take-that", "expert", 4),
    ("twin-it", "competitive", 4),
    ("twin-it", "team", 6),
    ("twin-it", "cooperative", 2),
    ("twin-it", "timed", 3),
]
"""Of each a random game is played: the game, the preset, how many play."""
KNOCKS = {"knock_limit": 60}  #: Who plays gin rummy at random hardly ever may knock with 10.
MOST = 300  #: Moves of a game.
LIE = 18  #: Cards on the table of Twin it! where sets are claimed: in three rows.
PILES = ("designs", "stock", "discards", "pile", "piles")  #: Of these the uppermost card is drawn at most.
FOLLOW = """(first) => {
    const ask = window.fetch;
    const json = (body) => new Response(JSON.stringify(body), { headers: { ETag: `"${shown.version}"` } });
    window.shown = { ...first, version: 1 };
    window.fetch = async (address, how) => {
        const path = new URL(address, location.href).pathname;
        if (!path.startsWith("/sessions/")) return ask(address, how);
        return json(path.endsWith("/tickets") ? { ticket: "t" } : shown);
    };
    window.EventSource = class extends EventTarget {
        static OPEN = 1;
        readyState = 1;
        constructor() { super(); window.stream = this; }
        close() {}
    };
}"""
SHOW = """async (scene) => {
    const table = document.querySelector("rules-table");
    const { events, ...session } = scene;
    window.shown = { ...session, version: shown.version + 1 };
    const drawn = new Promise((done) => table.addEventListener("drawn", done, { once: true }));
    const entry = { version: shown.version, moves: [], events };
    stream.dispatchEvent(new MessageEvent("entry", { data: JSON.stringify(entry) }));
    await drawn;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""


@dataclass(frozen=True)
class Scene:
    """A table as seat 0 sees it, and what it may do there: the answers that its page gets of a session."""

    name: str
    session: dict[str, Any]

    @property
    def acts(self) -> bool:
        """Whether seat 0 may do something."""
        return self.name.endswith("acts")

    @property
    def picks(self) -> bool:
        """Whether a card of the own hand is picked before it is played."""
        return any(phase in self.name for phase in ("discard, acts", "trick, acts", "play, acts"))


def _session(game: str, turn: Turn, language: str) -> dict[str, Any]:
    """What `GET /sessions/{id}?legal_moves=true` answers to seat 0 after a move, with the events of that move."""
    codec = codecs(engines.registry()[game])
    before: Any = codec.state.dump(turn.before)
    state = turn.resolution.state
    seats = len(before.get("chips") or before.get("piles") or before["hands"])
    names = NAMES[:seats]
    body = {"state": before, "moves": [codec.move.dump(turn.move)], "names": names, "views": [0], "legal_moves": True}
    seen = answered("resolve", game, json.loads(json.dumps(body)), language)["views"][0]
    return {
        "id": "scene",
        "game": game,
        "names": names,
        "state": seen["state"],
        "to_act": list(engines.registry()[game].to_act(state)),
        "legal_moves": seen["legal_moves"],
        "events": seen["events"],
        "result": None,
        "commitment": "0",
        "gather_ms": 1500 if before["ruleset"]["name"] in ("competitive", "team") else None,
        "taken": [True] * seats,
    }


def _turns(game: str, preset: str, seats: int) -> Iterator[Turn]:
    """The turns of a random game. In Twin it! cards are flipped until many lie on the table."""
    engine, rng = engines.registry()[game], random.Random(7)
    ruleset = changed(engine.rulesets[preset], **(KNOCKS if game == "gin-rummy" else {}))
    setup = engine.setup(seats=seats, ruleset=ruleset)
    state = engine.complete(engine.opening(changed(setup, deck=in_order(engine.cards(setup), "scenes"))))
    for _ in range(MOST):
        if not engine.to_act(state):
            return
        flips = [move for move in legal_moves(engine, state)[0] if type(move).__name__ == "Flip"]
        move = flips[0] if flips and len(state.table) < LIE else random_move(engine, state, rng)
        turn = Turn(state, move, resolve(engine, state, [move]))
        yield turn
        state = turn.resolution.state


def _size(state: Any) -> int:
    """How much there is to draw."""
    return len(json.dumps({name: value for name, value in state.items() if name not in PILES}))


@cache
def scenes(language: str = "en") -> list[Scene]:
    """Of each table the fullest of each phase: where seat 0 may act, and where it may not."""
    return [Scene(name, _session(game, turn, language)) for name, (_full, game, turn) in _fullest().items()]


@cache
def _fullest() -> dict[str, tuple[int, str, Turn]]:
    """By the name of a scene: how much there is to draw, the game, and the turn that leads to it."""
    best: dict[str, tuple[int, str, Turn]] = {}
    for game, preset, seats in TABLES:
        engine = engines.registry()[game]
        for turn in _turns(game, preset, seats):
            after = turn.resolution.state
            state = codecs(engine).state.dump(after)
            may = 0 in engine.to_act(after) or None in engine.to_act(after)
            name = f"{game}, {preset}, {seats} seats, {state['phase']}, {'acts' if may else 'waits'}"
            if preset in ("competitive", "team") and len(after.table) > LIE:
                continue
            if name not in best or _size(state) > best[name][0]:
                best[name] = _size(state), game, turn
    return best


def open_play_page(page: Page, language: str = "en") -> Page:
    """`/play` in a language, which follows a session that `SHOW` sets; its moves are not sent."""
    page.add_init_script(path=LOOKS)
    page.add_init_script(f"({FOLLOW})({json.dumps(scenes(language)[0].session)})")
    page.goto("/")
    page.evaluate("localStorage.setItem('seat scene 0', 'seat-0.x')")
    page.goto("/play#scene/0")
    expect(page.locator("main:not([aria-busy])")).to_be_attached()
    page.locator("rules-table").evaluate("table => table.addEventListener('move', (event) => event.preventDefault())")
    return page
