"""Random tables of which any part may be unseen, and random moves, legal or not: nothing raises or contradicts."""

import random
from typing import Any

import pytest

from engines.core.judge import audit, legal_moves, resolve
from engines.take_that import ENGINE
from engines.take_that.model import Deal, Lay, Phase, Ruleset, State, Take, Twist
from engines.take_that.row import CARDS


def random_table(rng: random.Random) -> State:
    """A table without fault, more or less of it unseen, in any phase and under any ruleset."""
    while True:
        deck = rng.sample(CARDS, len(CARDS))
        seats = rng.randint(2, 4)
        hidden = rng.choice([0, 0.3, 1])

        def some(most: int, deck: list[int] = deck, hidden: float = hidden) -> tuple[int | None, ...]:
            return tuple(None if rng.random() < hidden else deck.pop() for _ in range(rng.randint(0, most)))

        phase: Phase = rng.choice(["play", "play", "play", "round-over", "game-over"])
        playing = phase == "play"
        state = ENGINE.complete(
            State(
                phase=phase,
                turn=rng.randrange(seats) if playing else None,
                row=some(3) if playing else (),
                hands=tuple(some(4) for _ in range(seats)),
                ruleset=Ruleset(
                    rng.choice(["standard", "expert"]),
                    rng.choice(["allowed", "forced-only"]),
                    rng.choice(["taken-or-emptied", "taken-only"]),
                    rng.randint(1, 3),
                ),
                round=rng.randint(1, 3),
                dealer=rng.choice([None, 0, 1]),
                pile=rng.choice([None, (), some(3) if playing else ()]),
                face_up=tuple((None,) * rng.choice([0, 2]) for _ in range(seats)),
                face_down=tuple(some(3) for _ in range(seats)),
            )
        )
        if not audit(ENGINE, state)[0]:
            return state


def random_move(rng: random.Random) -> Any:
    seat, card = rng.randint(0, 3), rng.choice(CARDS)
    drawn = rng.choice([None, rng.choice(CARDS)])
    return rng.choice(
        [Lay(seat, card, drawn), Twist(seat, card, drawn), Take(seat), Deal(), Deal(seed="any"), Deal(deck=CARDS)]
    )


@pytest.fixture(params=range(3))
def tables(request: pytest.FixtureRequest) -> list[State]:
    rng = random.Random(request.param)
    return [random_table(rng) for _ in range(300)]


def test_every_listed_move_is_applied_or_waits_for_what_is_unseen(tables: list[State]) -> None:
    for state in tables:
        for move in legal_moves(ENGINE, state)[0]:
            resolution = resolve(ENGINE, state, [move])
            assert resolution.legal
            assert (resolution.applied == 1) == (resolution.undetermined is None)


def test_no_move_leads_to_a_table_with_a_fault(tables: list[State]) -> None:
    rng = random.Random(1)
    for state in tables:
        for move in [*legal_moves(ENGINE, state)[0], *(random_move(rng) for _ in range(6))]:
            assert audit(ENGINE, resolve(ENGINE, state, [move]).state)[0] == []


def test_every_view_is_a_table_without_fault(tables: list[State]) -> None:
    for state in tables:
        for seat in (None, *range(len(state.hands))):
            assert audit(ENGINE, ENGINE.view(state, seat))[0] == []
