"""A game of somebody else's, installed beside the service: a package without a line of script.

It is Take That under another name, so that its words are there in all languages, and no drawing of ours is its own.
"""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ViewportSize

from service.words.languages import LANGUAGES
from tests.browser.test_table import QUICK
from tests.browser.visit import Visit
from tests.docs.author import install_game
from tests.server import ROOT, Server

GAME = "row-of-toads"

PLAY = """async (most) => {
    const table = document.querySelector("rules-table");
    const settled = () => new Promise((done) => {
        const look = () => table.shadowRoot.querySelector("[aria-busy]") ? setTimeout(look, 5) : done();
        look();
    });
    const steps = [];
    for (let clicks = 0; clicks < most && table.state.phase !== "game-over"; clicks++) {
        const acts = [...table.shadowRoot.querySelectorAll("button.act:not(.plain, .quiet)")];
        const cards = [...table.shadowRoot.querySelectorAll("button.card.live:not([aria-pressed=true])")];
        const [wanted] = acts.length ? acts : cards;
        if (!wanted) throw new Error(`nothing to do: ${table.state.phase}`);
        steps.push({ acts: acts.map((act) => act.textContent), state: table.state });
        wanted.click();
        await settled();
    }
    return { steps, phase: table.state.phase };
}"""
"""Clicks on what the table offers, and gives what its buttons said at each step."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service beside which the package is installed."""
    folder = tmp_path_factory.mktemp("installed")
    package = install_game(ROOT, folder, "take_that", "row_of_toads")
    shutil.rmtree(package / "seeds/vectors")
    for file in (each for each in package.rglob("*") if each.is_file()):
        assert file.suffix in (".py", ".yaml")
        file.write_text(file.read_text("utf-8").replace("take-that", GAME), "utf-8")
    with Server(settings={"PYTHONPATH": str(folder)}) as server:
        yield server


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_installed_game_is_played_by_buttons_with_the_words_of_its_moves(
    browser: Browser, service: Server, language: str
) -> None:
    url, size = f"http://127.0.0.1:{service.port}", ViewportSize(width=800, height=500)
    with browser.new_context(base_url=url, viewport=size, reduced_motion="reduce") as context:
        page = context.new_page()
        Visit(page).open(game=GAME, language=language).choose(GAME).ask(QUICK["take-that"])
        page.locator("#asked").evaluate("details => { details.open = false }")
        played = page.evaluate(PLAY, 200)
        assert played["phase"] == "game-over"
        worded = [step for step in played["steps"] if step["acts"]]
        assert len(worded) >= 5
        for step in worded:
            body, headers = {"state": step["state"]}, {"Accept-Language": language}
            answer = page.request.post(f"/games/{GAME}/legal-moves", data=body, headers=headers)
            assert {*step["acts"]} <= {each["text"] for each in answer.json()["moves"]}
