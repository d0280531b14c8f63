"""Every preset is tried by itself: its vectors show the clause of each option, and notice if its value were another."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from engines.core.engine import Engine
from service import seeds
from service.conformance import disagreements
from service.judging.games import description
from service.seeds import Vector, vectors_in
from tests.conformance.complete import sender_of_vectors


def ruleset_of(vector: Vector) -> dict[str, Any]:
    """Return the ruleset in a vector's request, or {} where it has none, which means the default."""
    body = vector.request.get("body", {})
    holder = body.get("state", body)
    return holder.get("ruleset") or {} if isinstance(holder, dict) else {}


def vectors_of_option(engine: Engine[Any], preset: str, option: str) -> list[Vector]:
    """Return the vectors under a preset that name the clause of an option."""
    default = next(iter(engine.rulesets))
    return [
        vector
        for vector in vectors_in(seeds.folder(engine))
        if engine.options[option].rule in vector.clauses and ruleset_of(vector).get("name", default) == preset
    ]


def value_in(engine: Engine[Any], vector: Vector, option: str, preset: str) -> Any:
    """Return the value of an option in a vector under this preset: that of the request, or else that of the preset."""
    value = ruleset_of(vector).get("options", {}).get(option, getattr(engine.rulesets[preset], option))
    return tuple(value) if isinstance(value, list) else value


def other_values(engine: Engine[Any], option: str, own: Any) -> Iterator[Any]:
    """Yield the values other than its own that an option is tried with: each word, the next numbers, another list."""
    (domain,) = [vars(each.values) for each in description(engine, "en").options if each.name == option]
    if "one_of" in domain:
        yield from (value for value in domain["one_of"] if value != own)
    elif "least" in domain:
        yield from (value for value in (own - 1, own + 1) if domain["least"] <= value <= domain["most"])
    else:
        yield (*own[1:], next(word for word in domain["list_of"] if word not in own))


def test_every_option_has_a_vector_of_its_clause_under_every_preset(engine: Engine[Any]) -> None:
    missing = [
        f"no vector of {engine.game} under {preset!r} shows {engine.options[option].rule}, which the option {option!r} "
        "settles: add a case on each side of its boundary"
        for preset in engine.rulesets
        for option in engine.options
        if not vectors_of_option(engine, preset, option)
    ]
    if missing:
        pytest.fail("\n".join(missing), pytrace=False)


def test_every_value_of_an_option_that_is_a_word_has_a_vector_and_so_has_another_number(engine: Engine[Any]) -> None:
    missing = []
    for option, declared in engine.options.items():
        own = getattr(next(iter(engine.rulesets.values())), option)
        used = {
            value_in(engine, vector, option, preset)
            for preset in engine.rulesets
            for vector in vectors_of_option(engine, preset, option)
        }
        others = () if type(own) is int else other_values(engine, option, own)  # not every number can have a vector
        words = {own, *declared.published, *others}
        missing += [f"{option!r} as {value!r}" for value in words - used if not isinstance(value, tuple)]
        if used <= {own}:
            missing.append(f"{option!r} as anything but {own!r}")
    if missing:
        pytest.fail(f"no vector of {engine.game} shows {', nor '.join(missing)}, with its clause", pytrace=False)


def test_a_preset_with_another_value_is_noticed_by_its_vectors(
    engine: Engine[Any], client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game's own code reads each option of each preset one off, or as another word: some vector must fail."""
    package = engine.state.__module__.rpartition(".")[0]
    ask = sender_of_vectors(client)
    missed = []
    for preset, ruleset in engine.rulesets.items():
        for option in engine.options:
            own = getattr(ruleset, option)
            cases = [
                each
                for each in vectors_of_option(engine, preset, option)
                if value_in(engine, each, option, preset) == own
            ]
            for other in other_values(engine, option, own) if cases else ():
                reads_other = getattribute_with(package=package, preset=preset, option=option, own=own, other=other)
                with monkeypatch.context() as patch:
                    patch.setattr(type(ruleset), "__getattribute__", reads_other)
                    if not any(disagreements(case, *ask(case)) for case in cases):
                        missed.append(f"{option} {other!r} for {own!r} under {preset!r} ({len(cases)} vectors)")
    if missed:
        pytest.fail("\n".join(f"{engine.game}: no vector notices {each}" for each in missed), pytrace=False)


def getattribute_with(*, package: str, preset: str, option: str, own: Any, other: Any) -> Any:
    """Return a `__getattribute__` for rulesets that gives `other` where an option of a preset has its `own` value.

    Only the modules of the game's package are given the other value, and core where it counts hands: the service reads
    the preset as it is.
    """
    get = object.__getattribute__

    def read(ruleset: Any, name: str) -> Any:
        value = get(ruleset, name)
        if name != option or value != own or get(ruleset, "name") != preset:
            return value
        reader = sys._getframe(1).f_globals.get("__name__", "")
        return other if reader.startswith((f"{package}.", "engines.core.several_hands")) else value

    return read
