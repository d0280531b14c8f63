"""Nothing that a table is given is ever run: on a page of any other site, without a policy that would forbid it."""

import random
from pathlib import Path

import pytest

import engines
from service.contract.codec import codecs
from tests.browser.conftest import ForeignPage
from tests.engines.games import random_game

HIDDEN_ELEMENT = '<rules-table style="display: none"></rules-table>'
"""Its elements are searched, not its pixels: to lay out and paint a thousand tables takes most of the time."""

HOSTILE_SCRIPT = Path(__file__).with_name("hostile.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", engines.registry())
def test_a_script_in_a_state_is_drawn_and_never_run(foreign_page: ForeignPage, game: str) -> None:
    engine = engines.registry()[game]
    turns = list(random_game(engine, random.Random(3), most=40))
    codec = codecs(engine)
    states = [{"state": codec.state.dump(turn.before), "moves": [codec.move.dump(turn.move)]} for turn in turns[9::40]]
    seen = foreign_page.show(HIDDEN_ELEMENT, "hits = []").evaluate(
        HOSTILE_SCRIPT.partition("\n")[2], {"game": game, "states": states}
    )
    assert (seen["found"], seen["hits"]) == ([], ["ours"])
    assert seen["drawn"] > 300
    assert seen["again"] > 2
