"""What a ruling says is worked out by hand at least once: else only a recorded answer would hold it."""

from collections import defaultdict
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

import engines
from engines.core.rulings import Decides
from service import seeds
from service.seeds import vectors_in
from tests.conformance.sentences import rulings_of
from tests.games import OURS


@pytest.mark.parametrize("game", OURS)
def test_every_parameter_of_a_ruling_is_worked_out_in_a_vector(game: str) -> None:
    engine, worked = engines.registry()[game], defaultdict(set)
    for vector in vectors_in(seeds.folder(engine)):
        for each in rulings_of(vector.worked):
            worked[each["code"]].update(each.get("params", ()))
    declared = {ruling.code: ruling.params for ruling in engine.rulings if not isinstance(ruling, Decides)}
    lacking = [f"{code}: {name}" for code, params in declared.items() for name in params if name not in worked[code]]
    assert lacking == []


@pytest.mark.parametrize("game", OURS)
def test_every_value_of_an_option_is_that_of_a_worked_vector(game: str) -> None:
    engine, tried = engines.registry()[game], defaultdict(set)
    presets = list(engine.rulesets)
    for vector in vectors_in(seeds.folder(engine)):
        body = vector.request.get("body")
        if vector.response["status"] != 200 or not isinstance(body, dict):
            continue
        for stated in (body.get("ruleset"), body.get("state", {}).get("ruleset")):
            preset = engine.rulesets[(stated or {}).get("name", presets[0])]
            options = (stated or {}).get("options", {})
            for name in engine.options:
                tried[name].add(str(options.get(name, getattr(preset, name))))
    hints = get_type_hints(type(engine.rulesets[presets[0]]))
    closed = {name: get_args(hints[name]) for name in engine.options if get_origin(hints[name]) is Literal}
    closed |= {name: (False, True) for name in engine.options if hints[name] is bool}
    untried = [f"{name}: {each}" for name, values in closed.items() for each in values if str(each) not in tried[name]]
    assert closed
    assert untried == []
