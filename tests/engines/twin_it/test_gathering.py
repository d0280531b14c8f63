"""Hands from several phones: each part is judged by itself, and the claim of all is legal. What is owed ends a game."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engines.core.gathering import entries, joined, judge_part, may_gather
from engines.core.judge import judge, resolve
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, Claim, Count, Flip, State
from tests.engines.games import random_game, random_opening
from tests.engines.twin_it.tables import claim, match, minute, table, three
from tests.engines.twin_it.test_against_an_oracle import random_table, visible_cards

SEEDS = range(12)
UP = {"table": ("0A", "1A", "3A")}


def parts(state: State, rng: random.Random) -> list[Claim]:
    """Parts of one to three hands each, some of them on cards that nobody sees, or by seats that nobody has."""
    cards = [*visible_cards(state), "15B", "99A"]
    seats = range(len(state.piles) + 1)
    fallen = [(rng.choice(seats), rng.choice(cards)) for _ in range(rng.randint(1, 16))]
    sizes = [rng.choice((1, 1, 2, 3)) for _ in fallen]
    return [claim(*fallen[at : at + size]) for at, size in enumerate(sizes)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_joint_claim_of_legal_parts_is_legal(seed: int) -> None:
    """TI-3.8: and what was refused would have made it illegal, or is illegal by itself."""
    rng = random.Random(seed)
    taken = 0
    for state in [random_table(rng) for _ in range(40)]:
        hands: list[Any] = []
        for part in parts(state, rng):
            judgement, new = judge_part(ENGINE, state, hands, part)
            together = joined(ENGINE, Claim, dict.fromkeys((*hands, *part.hands)))
            legal = not judge(ENGINE, state, part).violations and not judge(ENGINE, state, together).violations
            assert legal == (not judgement.violations)
            if legal:
                assert new == [hand for hand in part.hands if hand not in hands]
                hands += new
        settled = resolve(ENGINE, state, [joined(ENGINE, Claim, hands)] if hands else [])
        assert settled.legal
        assert settled.undetermined is None
        taken += len(hands)
    assert taken > 100


@pytest.mark.parametrize(
    ("before", "part", "wrong"),
    [
        ((), ((0, "0A"), (0, "1A")), []),
        (((0, "0A"),), ((0, "0A"),), []),
        (((0, "0A"),), ((0, "1A"), (1, "1A")), []),
        (((0, "0A"), (0, "1A")), ((0, "3A"),), [("TI-3.8", "/hands/0")]),
        (((0, "0A"),), ((0, "0A"), (0, "1A"), (0, "3A")), [("TI-3.8", "/hands/2")]),
        (((0, "0A"),), ((0, "1A"), (0, "3A")), [("TI-3.8", "/hands/1")]),
        (((0, "0A"), (0, "1A")), ((1, "0A"), (0, "1A"), (0, "3A")), [("TI-3.8", "/hands/2")]),
        (((0, "0A"),), ((1, "2A"),), [("TI-3.2", "/hands/0/card")]),
        (((0, "0A"),), ((5, "0A"),), [("TI-1.3", "/hands/0/seat")]),
    ],
)
def test_a_refused_part_is_told_where_it_is_wrong(before: Any, part: Any, wrong: Any) -> None:
    state = table(**UP)
    judgement, new = judge_part(ENGINE, state, claim(*before).hands, claim(*part))
    assert [(each.ruling.rule, each.pointer) for each in judgement.violations] == wrong
    if not wrong:
        assert new == [hand for hand in claim(*part).hands if hand not in claim(*before).hands]


def test_only_claims_with_hands_are_parts() -> None:
    hands = claim((0, "0A"), (1, "1A"))
    assert entries(ENGINE, hands) == hands.hands
    assert entries(ENGINE, claim()) == ()
    assert entries(ENGINE, Flip(0)) == ()
    assert joined(ENGINE, Claim, hands.hands) == hands


@pytest.mark.parametrize(
    ("state", "may"),
    [(table(), True), (three(), True), (match(), True), (minute("cooperative", 3), False), (minute("timed", 3), False)],
)
def test_hands_are_gathered_where_they_are_claimed(state: State, may: bool) -> None:
    """TI-9.3."""
    assert may_gather(ENGINE, state) is may


@pytest.mark.parametrize(
    ("state", "owed"),
    [
        (table(), []),
        (match(), []),
        (minute("cooperative", 3), [Count((), None)]),
        (minute("timed", 3), [Count((), 0), Count((), 1), Count((), 2)]),
        (minute("timed", 2, counts=((), None)), [Count((), 1)]),
        (minute("timed", 2, counts=((), ()), phase="game-over"), []),
    ],
)
def test_what_is_owed_once_the_time_is_up(state: State, owed: Any) -> None:
    """TI-9.1, TI-10.1."""
    assert ENGINE.owed(state) == owed


@pytest.mark.parametrize("name", RULESETS)
def test_what_is_owed_is_legal_and_ends_the_game(name: str) -> None:
    rng = random.Random(name)
    openings = [random_opening(ENGINE, rng, RULESETS[name]) for _ in range(5)]
    tables = [*openings, *(turn.resolution.state for turn in random_game(ENGINE, rng, 20, RULESETS[name]))]
    for state in tables:
        moves = ENGINE.owed(state)
        resolution = resolve(ENGINE, state, moves)
        assert resolution.legal
        assert bool(moves) == (name in ("cooperative", "timed") and bool(ENGINE.to_act(state)))
        if moves:
            assert ENGINE.to_act(resolution.state) == ()
