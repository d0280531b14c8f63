"""Random positions and whole games, judged by the engine and by a second referee that shares no line with it."""

import random
from typing import Any

import pytest

from engines.core.judge import audit, legal_moves
from engines.take_that import ENGINE
from engines.take_that.model import RULESETS, Ruleset, State
from engines.take_that.row import CARDS, PARTNER
from engines.take_that.table import EACH
from tests.engines.games import random_game
from tests.engines.take_that import oracle


def random_position(rng: random.Random) -> State:
    """A table with a row of none to thirty cards and hands of every length.

    Where the row is one card that has a partner (34 and 43), the partner goes to the seat on turn, which can twist it.
    """
    seats = rng.randint(2, 4)
    deck = rng.sample(CARDS, len(CARDS))
    row = tuple(deck.pop() for _ in range(rng.choice([0, 1, 2, 5, 12, 30])))
    pile = rng.randint(0, 3)
    turn = rng.randrange(seats)
    opens = [seat == turn and not row for seat in range(seats)]
    sizes = [EACH[seats] if pile else rng.randint(int(opens[seat]), 8) for seat in range(seats)]
    if len(row) == 1 and row[0] in PARTNER:
        deck.remove(PARTNER[row[0]])
        deck.insert(len(deck) - sum(sizes[:turn]), PARTNER[row[0]])
    hands = tuple(tuple(deck.pop() for _ in range(size)) for size in sizes)
    down = tuple(tuple(deck.pop() for _ in range(rng.randint(0, 3))) for _ in range(seats))
    return ENGINE.complete(
        State(
            phase="play",
            turn=turn,
            row=row,
            hands=hands,
            pile=tuple(deck[:pile]),
            face_down=down,
            ruleset=Ruleset(
                name=rng.choice(["standard", "expert"]),
                voluntary_take=rng.choice(["allowed", "forced-only"]),
                end_of_round=rng.choice(["taken-or-emptied", "taken-only"]),
            ),
        )
    )


@pytest.mark.parametrize("seed", range(4))
def test_engine_and_oracle_list_the_same_moves(seed: int) -> None:
    """TT-2.1, TT-2.4, TT-3.1, TT-3.2, TT-4.1, TT-4.2, TT-5.1, TT-5.2, TT-5.4."""
    rng = random.Random(seed)
    for _ in range(500):
        state = random_position(rng)
        faults, _unverified = audit(ENGINE, state)
        assert faults == []
        listed, complete = legal_moves(ENGINE, state)
        assert state.turn is not None
        row, hand = ([card for card in cards if card is not None] for cards in (state.row, state.hands[state.turn]))
        expected = oracle.moves(row, hand, state.ruleset.voluntary_take == "allowed")
        assert complete
        assert [move.seat for move in listed] == [state.turn] * len(expected)
        assert {(move.type, getattr(move, "card", None)) for move in listed} == expected


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
@pytest.mark.parametrize("seed", range(6))
def test_whole_games_end_conserve_every_card_and_count_as_the_oracle_counts(seed: int, ruleset: Ruleset) -> None:
    """TT-1.2, TT-7.1, TT-7.2, TT-7.3."""
    state: Any = None
    for turn in random_game(ENGINE, random.Random(seed), most=5_000, ruleset=ruleset):
        state = turn.resolution.state
        assert ENGINE.zones.seen(state) == set(CARDS)
        zones = [state.row, state.pile, *state.hands, *state.face_up, *state.face_down]
        assert sum(len(zone) for zone in zones) == len(CARDS)
        if state.phase != "play":
            expected = [
                oracle.points(list(up), list(down)) for up, down in zip(state.face_up, state.face_down, strict=True)
            ]
            assert [points[-1] for points in state.scores] == expected
    assert state.phase == "game-over"
    assert [len(points) for points in state.scores] == [ruleset.rounds] * len(state.hands)
