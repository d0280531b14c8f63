"""The fast path, marshmallow and the published JSON Schema agree on every value."""

from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import engines
from service.contract import Codec, Invalid, codecs
from service.contract.accept import UNSURE
from service.contract.calls import batch_codec, body_codec
from service.contract.fields import ObjectField, UnionField
from service.judging.calls import CALLS, DEAL, RESOLVE
from tests.service.bodies import mutants, valid
from tests.service.test_openapi import exact

GAMES = sorted(engines.registry())
CODECS: dict[str, Codec[Any]] = {
    **{f"{game} state": codecs(engine).state for game, engine in engines.registry().items()},
    **{f"{game} move": codecs(engine).move for game, engine in engines.registry().items()},
    **{f"{game} {call.name}": body_codec(call, game) for game in GAMES for call in (RESOLVE, DEAL)},
    **{call.name: body_codec(call, None) for call in CALLS},
    "batch": batch_codec(CALLS),
}
every_codec = pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
searching = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def verdict(load: Any, value: Any) -> tuple[str, Any]:
    """Return the result of loading. Its repr distinguishes True from 1 and 5.0 from 5."""
    try:
        return "loaded", repr(load(value))
    except Invalid as error:
        return "refused", error.errors


@cache
def published(codec: Codec[Any]) -> Draft202012Validator:
    """Return the published schema of the values that a codec loads."""
    assert isinstance(codec.field, UnionField | ObjectField)
    name = codec.field.union if isinstance(codec.field, UnionField) else codec.field.shape.component
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": exact()["components"]})


@every_codec
@searching
@given(data=st.data())
def test_the_fast_path_accepts_ordinary_valid_values(codec: Codec[Any], data: st.DataObject) -> None:
    value = data.draw(valid(codec.field))
    assert repr(codec._accept(value)) == repr(codec.judged(value))


@every_codec
@searching
@given(data=st.data())
def test_the_fast_path_never_accepts_what_marshmallow_refuses(codec: Codec[Any], data: st.DataObject) -> None:
    value = data.draw(mutants(valid(codec.field)))
    try:
        fast = repr(codec._accept(value))
    except UNSURE:
        return
    assert verdict(codec.judged, value) == ("loaded", fast)


@every_codec
@searching
@given(data=st.data())
def test_the_published_schema_accepts_exactly_what_is_loaded(codec: Codec[Any], data: st.DataObject) -> None:
    value = data.draw(mutants(valid(codec.field)) | valid(codec.field))
    assert published(codec).is_valid(value) == (verdict(codec.load, value)[0] == "loaded"), value
