"""The fast path, marshmallow and the published JSON Schema agree on every body: at each bound, and on random ones.

`make night` draws more random ones, with another seed each night.
"""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

import engines
from service.contract import Codec, Invalid, codecs, session_bodies
from service.contract.accept import UNSURE_ERRORS
from service.contract.fields import ObjectField, UnionField
from service.contract.rows import batch_codec, body_codec
from service.judging.calls import CALLS
from tests.service.bodies import mutants, valid
from tests.service.edges import edges
from tests.service.test_openapi import published_contract as contract

GAMES = engines.registry()
SHARED = (
    session_bodies.SeatCommitment,
    session_bodies.SeatSeed,
    session_bodies.Invited,
    session_bodies.Renewal,
    session_bodies.ClockStart,
)
TABLES: dict[str, Codec[Any]] = {
    **{f"{game} state": codecs(engine).state for game, engine in GAMES.items()},
    **{f"{game} move": codecs(engine).move for game, engine in GAMES.items()},
}
OF_ALL_GAMES: dict[str, Codec[Any]] = {
    **{call.name: body_codec(call, None) for call in CALLS},
    "batch": batch_codec(CALLS),
}
OF_SESSIONS: dict[str, Codec[Any]] = {
    "opening": session_bodies.opening_codec(),
    **{f"{game} moves": session_bodies.moves_codec(engine) for game, engine in GAMES.items()},
}
"""What sessions refuse in these beside the schema, the contract refuses, too: `test_refused_by_the_contract.py`."""
CODECS: dict[str, Codec[Any]] = {
    **TABLES,
    **OF_ALL_GAMES,
    **{f"{game} {call.name}": body_codec(call, game) for game in GAMES for call in CALLS},
    **{body.__name__: session_bodies.codec_of(body) for body in SHARED},
}


def result_of_fast_path(codec: Codec[Any], value: Any) -> str | None:
    """The result of the fast path, or None where it is not sure. The repr distinguishes True from 1 and 5.0 from 5."""
    try:
        return repr(codec._accept(value))
    except UNSURE_ERRORS:
        return None


def result_of_marshmallow(codec: Codec[Any], value: Any) -> str | None:
    """The result of marshmallow, or None where it refuses the value."""
    try:
        return repr(codec.judged(value))
    except Invalid:
        return None


def fits_published_schema(codec: Codec[Any], value: Any) -> bool:
    """Whether the published schema of a codec accepts a value. As in clients, `game` selects the schema."""
    field = codec.field
    if isinstance(field, UnionField) and field.key == "game" and isinstance(value, dict):
        field = field.members.get(str(value.get("game")), field)  # it may be a list, which is no key
    assert isinstance(field, UnionField | ObjectField)
    return validator(str(field.union) if isinstance(field, UnionField) else field.shape.component).is_valid(value)


@cache
def validator(component: str) -> Draft202012Validator:
    """Return a validator of a component of the published contract."""
    return Draft202012Validator({"$ref": f"#/components/schemas/{component}", "components": contract()["components"]})


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
def test_all_three_agree_at_every_bound_and_beside_it(codec: Codec[Any]) -> None:
    for value, fits in edges(codec.field):
        result = result_of_marshmallow(codec, value)
        assert (result is not None, fits_published_schema(codec, value)) == (fits, fits), value
        assert result_of_fast_path(codec, value) == result, value


@pytest.mark.parametrize("codec", OF_SESSIONS.values(), ids=OF_SESSIONS)
def test_both_readers_of_sessions_agree_at_every_bound_and_beside_it(codec: Codec[Any]) -> None:
    for value, fits in edges(codec.field):
        result = result_of_marshmallow(codec, value)
        assert (result is not None, result_of_fast_path(codec, value)) == (fits, result), value


@pytest.mark.parametrize("codec", (TABLES | OF_ALL_GAMES).values(), ids=TABLES | OF_ALL_GAMES)
@settings(max_examples=settings().max_examples // 10)  # for each codec
@given(data=st.data())
def test_all_three_agree_on_random_values(codec: Codec[Any], data: st.DataObject) -> None:
    value = data.draw(valid(codec.field))
    assert result_of_fast_path(codec, value) == result_of_marshmallow(codec, value)
    changed = data.draw(mutants(st.just(value)))
    result = result_of_marshmallow(codec, changed)
    assert result_of_fast_path(codec, changed) in (result, None)
    assert fits_published_schema(codec, changed) == (result is not None)
