"""Scenes: every game in every phase, with as much on the table as comes about, shown on `/play` one after the other.

The page's requests to its session are answered inside it, so that one page shows all scenes without loading again.
Beside them: the form that opens a table, the invitations of one, and the end of a game whose next table is open.
"""

import json
import random
from collections.abc import Iterable, Iterator
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
LONG_NAMES = ["W" * 40, "M" * 40, "Cy", "W" * 40, "Maximilian from the Mountains", "M"]
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
MOST_MOVES = 300  #: Moves of a game.
MOST_TABLE_CARDS = 18  #: Cards on the table of Twin it! where sets are claimed: in three rows.
PILES = ("designs", "stock", "discards", "pile", "piles")  #: Of these the uppermost card is drawn at most.
FAKE_SERVICE = """(first) => {
    const ask = window.fetch;
    const json = (body) => new Response(JSON.stringify(body), { headers: { ETag: `"${shown.version}"` } });
    window.shown = { ...first, version: 1 };
    window.fetch = async (address, how) => {
        const path = new URL(address, location.href).pathname;
        if (!path.startsWith("/sessions/")) return ask(address, how);
        if (path.endsWith("/transcript")) return json(shown.transcript);
        return json(path.endsWith("/tickets") ? { ticket: "t" } : shown);
    };
    window.EventSource = class extends EventTarget {
        static OPEN = 1;
        readyState = 1;
        constructor() { super(); window.stream = this; }
        close() {}
    };
}"""
WAIT_FOR_STREAM = "async () => { while (!window.stream) await new Promise(requestAnimationFrame); }"
SHOW_SCENE = """async (scene) => {
    const table = document.querySelector("rules-table");
    const { events, ...session } = scene;
    window.shown = { ...session, version: shown.version + 1 };
    const drawn = new Promise((done) => table.addEventListener("drawn", done, { once: true }));
    const entry = { version: shown.version, moves: [], events };
    stream.dispatchEvent(new MessageEvent("entry", { data: JSON.stringify(entry) }));
    await drawn;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""
END = f"""async (scene) => {{
    document.querySelector("#end").replaceChildren();
    document.querySelector("#end").hidden = true;
    await ({SHOW_SCENE})(scene);
}}"""
STORE_TABLES_AND_SEATS = """([names, seats]) => {
    const table = { game: "twin-it", names, invites: names.map((_, seat) => `seat-${seat}.${"x".repeat(43)}`) };
    const noted = (more) => JSON.stringify({ ...table, host: "host.x", public: true, at: Date.now(), ...more });
    localStorage.setItem("table scene", noted({}));
    localStorage.setItem("table other", noted({ seat: 1 }));
    for (const seat of seats) localStorage.setItem(`seat scene ${seat}`, `seat-${seat}.x`);
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
    for _ in range(MOST_MOVES):
        if not engine.to_act(state):
            return
        flips = [move for move in legal_moves(engine, state)[0] if type(move).__name__ == "Flip"]
        move = flips[0] if flips and len(state.table) < MOST_TABLE_CARDS else random_move(engine, state, rng)
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
            if preset in ("competitive", "team") and len(after.table) > MOST_TABLE_CARDS:
                continue
            if name not in best or _size(state) > best[name][0]:
                best[name] = _size(state), game, turn
    return best


@cache
def ends(language: str = "en") -> list[Scene]:
    """Of each table the end of its game, with a next table at which all others sit already."""
    return [_end(game, preset, list(_turns(game, preset, seats))[-1], language) for game, preset, seats in TABLES]


def _end(game: str, preset: str, turn: Turn, language: str) -> Scene:
    """The scene of an ended game: its result, its transcript, and the next table, where all but seat 0 sit."""
    codec = codecs(engines.registry()[game])
    session = _session(game, turn, language)
    body = {"state": codec.state.dump(turn.before), "moves": [codec.move.dump(turn.move)], "names": session["names"]}
    ended = answered("resolve", game, json.loads(json.dumps(body)), language)
    seats = len(session["names"])
    shown = {name: ended[name] for name in ("state", "standings", "result")}
    deal = {"game": game, "seats": seats, "ruleset": {"name": preset}, "seed": "end"}
    entries = [{"version": 1, "moves": body["moves"], "events": ended["events"]}]
    transcript = {"id": "scene", "game": game, "names": session["names"], **shown, "deal": deal, "seeds": []}
    transcript |= {"moves": body["moves"], "entries": entries, "next": None}
    rematch = {"id": "next", "by": 1, "seated": list(range(1, seats))}
    ended_session = session | {"result": ended["result"], "rematch": rematch, "transcript": transcript}
    return Scene(f"{game}, {preset}, {seats} seats, end", ended_session)


def show_end(page: Page, scene: Scene, names: list[str] = NAMES) -> None:
    """Shows the end of a game on an open `/play`. The transcript is no true one: what is wrong is listed."""
    named = names[: len(scene.session["names"])]
    page.evaluate(END, scene.session | {"names": named, "transcript": scene.session["transcript"] | {"names": named}})
    expect(page.locator("#end .proof li.bad").first).to_be_visible()


def opening_form(page: Page, games: Iterable[str]) -> Iterator[str]:
    """`/play` as it opens a table, with tables that this browser knows: games with each ruleset and all seats."""
    page.goto("about:blank")
    page.goto("/play")
    page.evaluate(STORE_TABLES_AND_SEATS, [NAMES, []])
    page.reload()
    at_rest, game, rules, seats = (
        page.locator(each) for each in ("main:not([aria-busy])", "#game", "#ruleset", "#seats")
    )
    expect(at_rest).to_be_attached()
    for name in games:
        game.select_option(name)
        expect(at_rest).to_be_attached()
        seats.select_option(index=seats.locator("option").count() - 1)
        for preset in rules.locator("option").evaluate_all("options => options.map(({ value }) => value)"):
            rules.select_option(preset)
            yield f"the form, {name}, {preset}"


def invitations(page: Page, names: list[str] = NAMES) -> Iterator[str]:
    """The invitations of a table of six, half of them taken, one of them here; folded, and with their addresses."""
    page.add_init_script(
        "navigator.share = async () => {}; shown.taken = [0, 1, 0, 1, 0, 1].map((each) => each === 0);"
    )
    page.goto("about:blank")
    page.goto("/play")
    page.evaluate(STORE_TABLES_AND_SEATS, [names, [0]])
    page.goto("about:blank")
    page.goto("/play#scene/links")
    expect(page.locator(".invites .good")).to_have_count(3)
    yield "the invitations"
    page.locator(".invites details").evaluate_all("all => all.forEach((each) => { each.open = true; })")
    yield "the invitations, unfolded"


def open_play_page(page: Page, language: str = "en") -> Page:
    """`/play` in a language, which follows a session that `SHOW_SCENE` sets; its moves are not sent."""
    page.add_init_script(path=LOOKS)
    page.add_init_script(f"({FAKE_SERVICE})({json.dumps(scenes(language)[0].session)})")
    page.goto("/")
    page.evaluate("localStorage.setItem('seat scene 0', 'seat-0.x')")
    open_table(page)
    return page


def open_table(page: Page) -> None:
    """Opens the table of the scenes on an open `/play`."""
    page.goto("about:blank")
    page.goto("/play#scene/0")
    expect(page.locator("main:not([aria-busy])")).to_be_attached()
    page.evaluate(WAIT_FOR_STREAM)
    page.locator("rules-table").evaluate("table => table.addEventListener('move', (event) => event.preventDefault())")
