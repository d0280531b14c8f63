"""Whole games by random clicks: make browser-games. Some minutes; `make check` plays short ones (test_table.py)."""

from typing import Any

import pytest
from playwright.sync_api import Page

import engines
from tests.browser.visit import Visit

SEATS = {"gin-rummy": 2, "take-that": 3, "twin-it": 4, "twins": 4}
RULES: dict[str, dict[str, Any]] = {"gin-rummy": {"ruleset": {"name": "standard", "options": {"knock_limit": 60}}}}
"""Who plays at random hardly ever has so little deadwood that he may knock with 10."""
MOST_CLICKS = 5_000  #: Clicks, more than any of these games takes.


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("game", engines.registry())
def test_a_whole_game_is_played_from_the_deal_to_its_end_by_clicks_alone(page: Page, game: str, seed: int) -> None:
    visit = Visit(page).open(game=game, example="fresh")
    visit.ask({"seats": SEATS.get(game, 2), "seed": f"long {seed}", **RULES.get(game, {})})
    visit.play_on(seed, MOST_CLICKS)
    assert visit.answer()["result"] is not None
