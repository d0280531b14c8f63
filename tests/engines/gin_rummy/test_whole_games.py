"""What whole games must keep, beyond the laws of every game."""

import random
from collections import Counter
from functools import cache
from typing import Any

import pytest

from engines.core.engine import Resolution
from engines.core.judge import audit, legal_moves, resolve
from engines.core.records import changed
from engines.core.shuffle import shuffled
from engines.gin_rummy import ENGINE
from engines.gin_rummy.melds import CARDS
from engines.gin_rummy.model import RULESETS, Deal, Discard, Knock, LayOff, Setup, State
from tests.engines.gin_rummy.mirror import mirrored_move, mirrored_params, mirrored_state

pytestmark = pytest.mark.no_cover  # the same lines again and again: to measure them doubles the time


def choose_move(state: State, rng: random.Random) -> Any:
    """The move of a player who mostly knocks where that is allowed, and otherwise discards for the least deadwood."""
    moves, complete = legal_moves(ENGINE, state)
    assert complete
    if isinstance(moves[0], Deal):
        return changed(moves[0], seed=str(rng.random()))
    knocks = [move for move in moves if isinstance(move, Knock)]
    if knocks and rng.random() < 0.8:
        return rng.choice(knocks)
    discards = [move for move in moves if isinstance(move, Discard)]
    if discards:
        return min(discards, key=lambda move: (ENGINE.facts(state, move)["deadwood"], rng.random()))
    return rng.choice(moves)


@cache
def game_of(seed: int) -> list[tuple[State, Any, Resolution[State]]]:
    """A whole game under random rules, move by move: the table before the move, the move, its resolution."""
    rng = random.Random(seed)
    ruleset = rng.choice(list(RULESETS.values()))
    ruleset = changed(
        ruleset,
        oklahoma=rng.random() < 0.4,
        oklahoma_ace=rng.choice(["one", "gin"]),
        oklahoma_spades=rng.choice(["off", "double"]),
        stock_end=rng.choice(["void-at-two", "void-at-zero", "last-discard"]),
        next_dealer=rng.choice(["alternate", "winner", "loser"]),
        equal_deadwood=rng.choice(["undercut", "nobody"]),
    )
    state = ENGINE.opening(Setup(2, ruleset, None, shuffled(CARDS, str(seed))))
    course = []
    while state.phase != "game-over":
        move = choose_move(state, rng)
        resolution = resolve(ENGINE, state, [move])
        course.append((state, move, resolution))
        state = resolution.state
    return course


@pytest.mark.parametrize("seed", range(8))
def test_scores_add_up_the_scored_events_of_hands_and_standings_those_of_the_game_too(seed: int) -> None:
    """GR-8.2: bonuses for the game count only in the standings. They come after the events of the last hand."""
    sums = Counter({0: 0, 1: 0})
    hand_points = Counter({0: 0, 1: 0})
    after = None
    for _before, move, resolution in game_of(seed):
        assert resolution.legal
        faults, _unverified = audit(ENGINE, resolution.state)
        assert faults == []
        lines = [event for _move, event in resolution.events if event.ruling.code == "scored"]
        assert all(line.params["points"] > 0 for line in lines)
        bonuses = [line for line in lines if line.ruling.rule == "GR-8.2"]
        for line in lines:
            sums[line.params["seat"]] += line.params["points"]
        for line in lines if not bonuses else lines[: len(lines) - len(bonuses)]:
            hand_points[line.params["seat"]] += line.params["points"]
        after = resolution.state
        assert after.scores == (hand_points[0], hand_points[1])
        assert isinstance(move, Knock | LayOff) or not lines
    assert after is not None
    assert [standing.score for standing in ENGINE.standings(after)] == [sums[0], sums[1]]


@pytest.mark.parametrize("seed", range(4))
def test_a_game_with_its_seats_exchanged_is_judged_alike(seed: int) -> None:
    for state, move, resolution in game_of(seed):
        other = resolve(ENGINE, mirrored_state(state), [mirrored_move(move)])
        assert other.state == mirrored_state(resolution.state)
        events = [(event.ruling.rule, event.params) for _move, event in resolution.events]
        other_events = [(event.ruling.rule, mirrored_params(event.params)) for _move, event in other.events]
        assert sorted(map(str, other_events)) == sorted(map(str, events))
        assert other.contested == resolution.contested
        moves, _complete = legal_moves(ENGINE, state)
        other_moves, _complete = legal_moves(ENGINE, mirrored_state(state))
        assert other_moves == [mirrored_move(each) for each in moves]
