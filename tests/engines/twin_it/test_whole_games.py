"""Whole games by random legal moves end, conserve every card, and keep what the audits ask."""

import random

import pytest

from engines.core.judge import audit, legal_moves, resolve
from engines.core.records import changed
from engines.core.shuffle import in_order
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, Setup
from engines.twin_it.table import ZONES

TABLES = [(name, seats) for name, least in (("competitive", 2), ("team", 4), ("cooperative", 1), ("timed", 2))
          for seats in range(least, 7)]  # fmt: skip


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_random_game_ends_and_keeps_its_cards(name: str, seats: int) -> None:
    rng = random.Random(seats)
    setup = Setup(seats, ruleset=changed(RULESETS[name], sets_to_win=rng.choice((5, 20))))
    state = ENGINE.opening(changed(setup, deck=in_order(ENGINE.cards(setup), f"{name} {seats}")))
    for _ in range(400):
        if not ENGINE.to_act(state):
            break
        assert legal_moves(ENGINE, ENGINE.view(state, 0)) == legal_moves(ENGINE, state)
        state = resolve(ENGINE, state, [rng.choice(legal_moves(ENGINE, state)[0])]).state
        assert audit(ENGINE, state) == ([], [])
        assert ZONES.seen(state) == set(range(135))
    assert state.phase == "game-over"
    assert ENGINE.result(state) is not None


@pytest.mark.parametrize("name", RULESETS)
def test_any_table_can_be_compared_under_any_ruleset(name: str) -> None:
    setup = Setup({"team": 4}.get(name, 2), ruleset=RULESETS[name])
    state = ENGINE.opening(changed(setup, deck=in_order(ENGINE.cards(setup), "compared")))
    for other in RULESETS.values():
        elsewhere = changed(state, ruleset=other)
        for actor in ENGINE.to_act(state):
            moves = ENGINE.candidates(state, actor).moves
            after = resolve(ENGINE, elsewhere, list(moves)[:1]).state
            assert len(ENGINE.standings(after)) > 0
            assert len(ENGINE.standings(changed(after, phase="game-over"))) > 0
