"""With the largest allowed numbers, an answer still fits the contract, and its table can be posted again."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service import strict_json
from service.contract import codecs
from service.contract.answers import EncodedResolution
from service.contract.fields import IntegerField, ListField, ObjectField, StrictField
from tests.engines.games import random_game
from tests.engines.laws import AnyEngine

GAMES = 4


def numbers_in(field: StrictField, value: Any) -> Iterator[tuple[Any, Any, IntegerField]]:
    """Yield every number in a value: its container, its key and its field."""
    parts: list[tuple[Any, StrictField]] = []
    if isinstance(field, ObjectField) and isinstance(value, dict):
        parts = [(name, field.shape.declared()[name]) for name in value]
    elif isinstance(field, ListField) and isinstance(value, list):
        parts = [(place, field.item) for place in range(len(value))]
    for key, part in parts:
        if isinstance(part, IntegerField) and type(value[key]) is int:
            yield value, key, part
        else:
            yield from numbers_in(part, value[key])


def with_largest_numbers(engine: AnyEngine, state: Any) -> Iterator[Any]:
    """Yield copies of the table as JSON, each with one number at its maximum or one less."""
    field = codecs(engine).state.field
    count = len(list(numbers_in(field, state)))
    for place in range(count):
        for less in (0, 1):
            changed = copy.deepcopy(state)
            container, key, number_field = list(numbers_in(field, changed))[place]
            container[key] = number_field.most - less
            yield changed


@pytest.mark.parametrize("game", engines.registry())
def test_an_answer_at_the_largest_numbers_fits_and_can_be_posted_again(client: FlaskClient, game: str) -> None:
    engine = engines.registry()[game]
    resolution = ObjectField(codecs(engine).shapes.record(EncodedResolution))
    of_moves, of_states = codecs(engine).move, codecs(engine).state
    judged = 0
    for seed in range(GAMES):
        turns = list(random_game(engine, random.Random(seed), 120))
        for turn in random.Random(seed).sample(turns, min(4, len(turns))) + turns[-1:]:
            move = of_moves.dump(turn.move)
            for state in with_largest_numbers(engine, strict_json.plain(of_states.dump(turn.before))):
                answer = client.post("/resolve", json={"game": game, "state": state, "moves": [move]})
                if answer.status_code == 200:
                    resolution.deserialize(answer.json)  # raises if the answer does not fit the contract
                    again = client.post("/audit", json={"game": game, "state": answer.get_json()["state"]})
                    assert (again.status_code, again.get_json()["faults"]) == (200, []), state
                    judged += 1
                else:
                    assert answer.status_code in (400, 422)
    assert judged
