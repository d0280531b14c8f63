"""Random incidents on random tables, settled by the engine and by a second, independent program."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engines.core.judge import audit
from engines.core.judge import resolve as core_resolve
from engines.core.records import changed
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, State
from tests.engines.twin_it.oracle import settle
from tests.engines.twin_it.tables import claim

DESIGNS = tuple(
    (f"d{front}", f"d{back}")
    for front, back in zip([n // 3 for n in range(24)], [8 + n // 2 for n in range(24)], strict=True)
)
"""Eight designs three times in front, twelve designs twice behind: little else but matches."""


def random_table(rng: random.Random) -> State:
    by_team = rng.random() < 0.4
    seats = rng.randint(4, 6) if by_team else rng.randint(2, 6)
    cards = [f"{number}{rng.choice('AAAB')}" for number in rng.sample(range(24), 24)]
    sets: list[list[tuple[str, ...]]] = [[] for _ in range(2 if by_team else seats)]
    for front in range(8):
        if rng.random() < 0.4:
            won = tuple(f"{front * 3 + each}A" for each in range(rng.choice((2, 2, 3))))
            sets[rng.randrange(len(sets))].append(won)
            cards = [card for card in cards if not any(card[:-1] == each[:-1] for each in won)]
    table = tuple(cards.pop() for _ in range(min(rng.randint(2, 8), len(cards))))
    state = State(
        phase="play",
        ruleset=changed(
            RULESETS["team" if by_team else "competitive"], sets_to_win=max(map(len, sets)) + rng.randint(1, 3)
        ),
        designs=DESIGNS,
        turn=0,
        piles=tuple(tuple(cards[seat::seats]) for seat in range(seats)),
        table=table,
        sets=tuple(map(tuple, sets)),
        teams=tuple(seat % 2 for seat in range(seats)) if by_team else None,
    )
    return ENGINE.complete(state)


def random_hands(state: State, rng: random.Random) -> list[tuple[int, str]]:
    """Up to two hands each, mostly on cards that match something."""
    tops = [pile[0] for pile in state.piles if pile]
    visible = [*state.table, *(card for card in tops if card is not None)]
    visible += [card for sets in state.sets for cards in sets for card in cards]
    faces = {card: DESIGNS[int(card[:-1])]["AB".index(card[-1])] for card in visible}
    hands: list[tuple[int, str]] = []
    for seat in range(len(state.piles)):
        first = rng.choice(visible)
        alike = [card for card in visible if faces[card] == faces[first] and card != first]
        second = rng.choice(alike if alike and rng.random() < 0.7 else visible)
        hands += [(seat, card) for card in dict.fromkeys((first, second)) if rng.random() < 0.7]
    rng.shuffle(hands)
    return hands


@pytest.mark.parametrize("seed", range(30))
def test_incidents_are_settled_alike(seed: int) -> None:
    """TI-3.4, TI-4.1, TI-4.2, TI-4.3, TI-4.4, TI-4.5, TI-4.6, TI-5.1, TI-6.1, TI-8.1, TI-8.2, TI-8.5."""
    rng = random.Random(seed)
    for _ in range(20):
        state = random_table(rng)
        assert audit(ENGINE, state)[0] == []
        hands = random_hands(state, rng)
        if not hands:
            continue
        expected = settle(_plain(state), DESIGNS, state.teams, state.ruleset.sets_to_win, hands)
        resolution = core_resolve(ENGINE, state, [claim(*hands)])
        assert resolution.legal
        after = _plain(resolution.state)
        assert after["piles"] == expected["piles"]
        assert after["table"] == expected["table"]
        assert [[sorted(cards) for cards in sets] for sets in after["sets"]] == [
            [sorted(cards) for cards in sets] for sets in expected["sets"]
        ]
        over = expected["winner"] is not None
        assert (resolution.state.phase == "game-over") == over
        if over:
            assert ENGINE.result(resolution.state).winners == (expected["winner"],)  # type: ignore[union-attr]
        elif state.teams is not None:
            assert resolution.state.turn is None
        else:
            assert resolution.state.turn == _with_cards(expected["piles"], expected["turn"])


def _with_cards(piles: list[list[str]], seat: int) -> int:
    while not piles[seat]:
        seat = (seat + 1) % len(piles)
    return seat


def _plain(state: State) -> dict[str, Any]:
    return {
        "table": list(state.table),
        "piles": [list(pile) for pile in state.piles],
        "sets": [[list(cards) for cards in sets] for sets in state.sets],
        "turn": state.turn,
    }
