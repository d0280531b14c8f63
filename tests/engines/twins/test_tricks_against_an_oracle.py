"""Thousands of random tricks, judged by the engine and by a second referee that shares no line with it."""

import random

import pytest

from engines.core.judge import audit, resolve
from engines.twins import ENGINE
from engines.twins.combinations import CARDS
from engines.twins.model import Play, Ruleset, State
from tests.engines.twins import oracle


def random_trick(rng: random.Random) -> tuple[State, list[Play]]:
    """A table with a trick to be played, and a play of every seat. Pots are often short, seats poor, and cards tied."""
    players = rng.randint(3, 6)
    number = rng.randint(1, 4)
    bankrupt = [seat for seat in range(players) if rng.random() < 0.1] if number > 1 else []
    bankrupt = bankrupt[: players - 1]
    out = [seat for seat in range(players) if number == 4 and rng.random() < 0.2]
    if len({*bankrupt, *out}) == players:
        out = []
    alive = [seat for seat in range(players) if seat not in bankrupt]
    chips = [0] * players
    pot = rng.choice([0, 0, 1, 2, 3, 4, 5, 6, 7, rng.randint(0, 12)])
    for _ in range(12 * players - pot):
        chips[rng.choice(alive) if rng.random() < 0.3 else alive[0]] += 1
    rng.shuffle(alive)
    deck = [card for card in CARDS if rng.random() < 0.5 or int(card.split("-")[1]) < 4]
    rng.shuffle(deck)
    seats = [seat for seat in range(players) if seat not in bankrupt and (number < 4 or seat not in out)]
    moves = [Play(seat, (deck[2 * index], deck[2 * index + 1])) for index, seat in enumerate(seats)]
    rng.shuffle(moves)
    ruleset = Ruleset(
        white_numerals=tuple(rng.sample(["brown", "green", "pink", "blue", "yellow", "purple"], 3)),
        second_trick_ties=rng.choice(["tied-unpaid", "paid-if-covered"]),
        short_pot_ties=rng.choice(["unpaid", "split"]),
    )
    state = State(
        phase="trick",
        trick=number,
        chips=tuple(chips),
        pot=pot,
        ruleset=ruleset,
        out=tuple(out),
        bankrupt=tuple(bankrupt),
    )
    return ENGINE.complete(state), moves


@pytest.mark.parametrize("seed", range(4))
def test_engine_and_oracle_agree_on_chips_pot_and_who_drops_out(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(1000):
        state, moves = random_trick(rng)
        faults, _unverified = audit(ENGINE, state)
        assert faults == []
        after = resolve(ENGINE, state, moves).state
        assert state.trick is not None
        expected = oracle.trick(
            number=state.trick,
            players=len(state.chips),
            shown={move.seat: move.cards for move in moves},
            before=state.chips,
            pot=state.pot,
            white=state.ruleset.white_numerals,
            ties=state.ruleset.second_trick_ties,
            short=state.ruleset.short_pot_ties,
        )
        assert (after.chips, after.pot) == (expected.chips, expected.pot)
        assert after.bankrupt == tuple(sorted({*state.bankrupt, *expected.bankrupt}))
        assert after.out == (expected.out if state.trick == 3 else state.out)
