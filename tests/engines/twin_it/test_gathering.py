"""What no stateless call shows: hands from several phones, moves that are owed, claims that are not listed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engines.core.gathering import entries, joined, judge_part, may_gather
from engines.core.judge import judge, resolve
from engines.twin_it import ENGINE
from engines.twin_it.model import Claim, Count, Flip, State
from tests.engines.twin_it.tables import MOONS, SUNS, claim, minute, table
from tests.engines.twin_it.test_against_an_oracle import random_table, visible_cards

SEEDS = range(12)
THREE_TOPS = {"table": ("0A", "1A", "3A")}


def random_claims(state: State, rng: random.Random) -> list[Claim]:
    """Claims of one to three hands each, to be joined into one claim. Neighbours overlap, so that hands are repeated.

    Some name a card that nobody sees, or a seat beyond the table.
    """
    cards = [*visible_cards(state), "15B", "99A"]
    seats = range(len(state.piles) + 1)
    hands = [(rng.choice(seats), rng.choice(cards)) for _ in range(rng.randint(1, 16))]
    sizes = [rng.choice((1, 1, 2, 3)) for _ in hands]
    return [claim(*hands[at : at + size]) for at, size in enumerate(sizes)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_part_is_accepted_exactly_if_it_and_the_joint_claim_are_legal(seed: int) -> None:
    """TI-3.8. The joint claim of all accepted parts is settled."""
    rng = random.Random(seed)
    count = 0
    for state in [random_table(rng) for _ in range(40)]:
        hands: list[Any] = []
        for part in random_claims(state, rng):
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
        count += len(hands)
    assert count > 100


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
def test_a_refused_part_points_to_what_is_wrong(before: Any, part: Any, wrong: Any) -> None:
    state = table(**THREE_TOPS)
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


@pytest.mark.parametrize(("name", "may"), [("competitive", True), ("cooperative", False), ("timed", False)])
def test_only_a_ruleset_with_claims_gathers_hands(name: str, may: bool) -> None:
    """TI-9.3."""
    assert may_gather(ENGINE, minute(name, 3)) is may


@pytest.mark.parametrize(
    ("state", "owed"),
    [
        (table(), []),
        (minute("cooperative", 3), [Count((), None)]),
        (minute("timed", 3), [Count((), 0), Count((), 1), Count((), 2)]),
        (minute("timed", 2, counts=((), None)), [Count((), 1)]),
        (minute("timed", 2, counts=((), ()), phase="game-over"), []),
    ],
)
def test_once_the_time_is_up_a_count_is_owed_by_the_table_or_each_seat_that_has_not_counted(
    state: State, owed: Any
) -> None:
    """TI-9.1, TI-10.1."""
    assert ENGINE.owed(state) == owed
    assert ENGINE.to_act(resolve(ENGINE, state, owed).state) == (() if owed else ENGINE.to_act(state))


@pytest.mark.parametrize(
    ("hands", "facts"),
    [
        ([(0, "4A"), (0, "3A")], {"design": "moon", "from": "table"}),
        ([(0, "3A"), (0, "10A")], {}),
        ([(0, "0A"), (0, "1A")], {}),
        ([(0, "14A"), (0, "3A")], {}),
        ([(0, "3A")], {}),
        ([(0, "3A"), (0, "4A"), (1, "10A")], {}),
    ],
)
def test_only_a_claim_of_two_hands_that_win_is_listed_and_has_facts(hands: list[tuple[int, str]], facts: Any) -> None:
    """TI-3.1."""
    state = table(table=(*MOONS, "10A"), sets=((SUNS[:2],), ()))
    assert (ENGINE.canonical(state, claim(*hands)) is not None) is bool(facts)
    assert ENGINE.facts(state, claim(*hands)) == facts


def test_a_count_of_what_another_has_counted_is_worth_nothing() -> None:
    """TI-10.1."""
    state = minute("timed", 2, table=(*SUNS, *MOONS), counts=(None, (SUNS[:2],)))
    assert ENGINE.facts(state, Count((SUNS, MOONS), 0)) == {"pairs": 1, "trebles": 0, "points": 1}
