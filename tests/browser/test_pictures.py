"""The tables look as the pictures in docs/ show them: one picture of each game, and make pictures-check for all."""

import pytest
from playwright.sync_api import Browser, Page

import engines
from tests.browser.pictures import FOLDER, SHOTS, TOLERANCE, Shot, difference, show_example, take_picture

PICTURED = [game for game in engines.registry() if any(FOLDER.glob(f"{game}-*.webp"))]
"""Games whose tables have pictures; one without is complete."""
ONE_OF_EACH_GAME = [[shot for shot in SHOTS if shot.game == game][(at * 7) % 6] for at, game in enumerate(PICTURED)]
"""One of each game, of other widths and colours each."""
HIDE_LAST_CARD = """table => {
    [...table.shadowRoot.querySelectorAll(".card:not(.empty)")].at(-1).style.visibility = "hidden";
}"""


@pytest.mark.parametrize("shot", ONE_OF_EACH_GAME, ids=lambda shot: shot.file.stem)
def test_a_table_looks_as_its_picture_until_a_card_is_missing(page: Page, browser: Browser, shot: Shot) -> None:
    comparing_page = browser.new_page()
    show_example(page, shot)
    picture = shot.file.read_bytes()
    assert difference(comparing_page, picture, take_picture(page)) < TOLERANCE
    page.locator("rules-table").evaluate(HIDE_LAST_CARD)
    assert difference(comparing_page, picture, take_picture(page)) > TOLERANCE
    comparing_page.close()


def test_every_picture_is_committed_and_small() -> None:
    assert {shot.file for shot in SHOTS if shot.game in PICTURED} == set(FOLDER.glob("*.webp"))
    sizes = [file.stat().st_size for file in FOLDER.glob("*.webp")]
    assert max(sizes) < 60_000
    assert sum(sizes) < 1_200_000
