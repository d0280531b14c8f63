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
from tests.conformance.complete import asking


def posted(vector: Vector) -> dict[str, Any]:
    """The ruleset of a request."""
    body = vector.request.get("body", {})
    holder = body.get("state", body)
    return holder.get("ruleset") or {} if isinstance(holder, dict) else {}


def shown(engine: Engine[Any], preset: str, option: str) -> list[Vector]:
    """The vectors under a preset that name the clause of an option."""
    default = next(iter(engine.rulesets))
    return [
        vector
        for vector in vectors_in(seeds.folder(engine))
        if engine.options[option].rule in vector.clauses and posted(vector).get("name", default) == preset
    ]


def value_in(engine: Engine[Any], vector: Vector, option: str, preset: str) -> Any:
    """What the option is in a vector under this preset."""
    value = posted(vector).get("options", {}).get(option, getattr(engine.rulesets[preset], option))
    return tuple(value) if isinstance(value, list) else value


def values(engine: Engine[Any], option: str, own: Any) -> Iterator[Any]:
    """The values beside its own that an option is tried with: each word, the numbers next to it, other lists."""
    (domain,) = [vars(each.values) for each in description(engine, "en").options if each.name == option]
    if "one_of" in domain:
        yield from (value for value in domain["one_of"] if value != own)
    elif "least" in domain:
        yield from (value for value in (own - 1, own + 1) if domain["least"] <= value <= domain["most"])
    else:
        yield (*own[1:], next(word for word in domain["list_of"] if word not in own))


def test_every_option_is_shown_under_every_preset(engine: Engine[Any]) -> None:
    missing = [
        f"no vector of {engine.game} under {preset!r} shows {engine.options[option].rule}, which the option {option!r} "
        "settles: add a case on each side of its boundary"
        for preset in engine.rulesets
        for option in engine.options
        if not shown(engine, preset, option)
    ]
    if missing:
        pytest.fail("\n".join(missing), pytrace=False)


def test_every_value_of_an_option_is_shown(engine: Engine[Any]) -> None:
    missing = []
    for option, declared in engine.options.items():
        own = getattr(next(iter(engine.rulesets.values())), option)
        used = {
            value_in(engine, vector, option, preset)
            for preset in engine.rulesets
            for vector in shown(engine, preset, option)
        }
        words = {own, *declared.published, *(() if type(own) is int else values(engine, option, own))}
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
    ask = asking(client)
    missed = []
    for preset, ruleset in engine.rulesets.items():
        for option in engine.options:
            own = getattr(ruleset, option)
            cases = [each for each in shown(engine, preset, option) if value_in(engine, each, option, preset) == own]
            for other in values(engine, option, own) if cases else ():
                with monkeypatch.context() as patch:
                    patch.setattr(type(ruleset), "__getattribute__", read_as(package, preset, option, own, other))
                    if not any(disagreements(case, *ask(case)) for case in cases):
                        missed.append(f"{option} {other!r} for {own!r} under {preset!r} ({len(cases)} vectors)")
    if missed:
        pytest.fail(f"{engine.game}: no vector notices {missed[0]}; nor {missed[1:]}", pytrace=False)


def read_as(package: str, preset: str, option: str, own: Any, other: Any) -> Any:
    """A `__getattribute__` that shows another value to the modules of a package, and to core where it counts hands."""
    plainly = object.__getattribute__

    def read(ruleset: Any, name: str) -> Any:
        value = plainly(ruleset, name)
        if name != option or value != own or plainly(ruleset, "name") != preset:
            return value
        reader = sys._getframe(1).f_globals.get("__name__", "")
        return other if reader.startswith((f"{package}.", "engines.core.several_hands")) else value

    return read
