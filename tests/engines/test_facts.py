"""The law of facts, which `test_laws` holds in every game, finds each wrong fact that is planted here."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import engines
from engines.core.engine import Applied, Engine
from engines.gin_rummy.model import Discard
from engines.take_that.row import TOADS
from tests.engines import fishing
from tests.engines.facts import wrong_fact

GAMES = [*engines.registry().values(), fishing.ENGINE]
FACTS = [(engine, name) for engine in GAMES for name in engine.fact_types]


def wrong_value_for(value: Any) -> Any:
    """A wrong value in the place of a fact."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return value + "?" if isinstance(value, str) else value[1:]


def with_facts(engine: Engine[Any], name: str, wrong: Any) -> Engine[Any]:
    """The engine with another fact of this name. `wrong`: (state, move, fact) → the fact."""

    def facts(state: Any, move: Any) -> Mapping[str, Any]:
        sound = engine.facts(state, move)
        return {**sound, name: wrong(state, move, sound[name])} if name in sound else sound

    return replace(engine, facts=facts)


@pytest.mark.no_cover
@pytest.mark.parametrize(("engine", "name"), FACTS, ids=[f"{engine.game}-{name}" for engine, name in FACTS])
def test_a_wrong_fact_is_found(engine: Engine[Any], name: str) -> None:
    wrong = with_facts(engine, name, lambda state, move, fact: wrong_value_for(fact))
    assert (wrong_fact(wrong) or "").startswith(f"{engine.game}: the fact "), name


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("engine", "name", "wrong"),
    [
        (
            engines.registry()["take-that"],
            "points",
            lambda state, move, fact: -len(state.row) - 3 * len(TOADS.intersection(state.row)),
        ),
        (
            engines.registry()["twins"],
            "price",
            lambda state, move, fact: 4 if fact == 3 and state.ruleset.buying == "first-hand" else fact,
        ),
        (
            engines.registry()["gin-rummy"],
            "deadwood",
            lambda state, move, fact: max(fact, 1) if getattr(move, "big", None) else fact,
        ),
        (
            engines.registry()["twin-it"],
            "from",
            lambda state, move, fact: "robbery" if fact == "own-pair" else fact,
        ),
        (
            fishing.ENGINE,
            "sweep",
            lambda state, move, fact: fact and state.ruleset.one_first == "yes",
        ),
    ],
)  # fmt: skip
def test_a_fact_that_is_wrong_of_some_moves_is_found(engine: Engine[Any], name: str, wrong: Any) -> None:
    message = wrong_fact(with_facts(engine, name, wrong))
    assert message is not None
    assert message.startswith(f"{engine.game}: the fact {name!r} of {{")
    assert "comes of it; table: {" in message


@pytest.mark.parametrize("engine", GAMES, ids=lambda engine: engine.game)
def test_a_fact_without_evidence_breaks_the_law(engine: Engine[Any]) -> None:
    if not engine.fact_types:
        pytest.skip("the game has no facts")
    first, *others = engine.fact_types
    without = replace(engine, evidence={name: engine.evidence[name] for name in others})
    assert wrong_fact(without) == (
        f"{engine.game}: the fact {first!r} is compared with nothing: say in `evidence` what comes of it"
    )


def test_melds_that_a_hand_does_not_have_are_no_evidence() -> None:
    """GR-4.4, GR-5.6."""
    engine = engines.registry()["gin-rummy"]
    state = engine.state("discard", 0, (("AS", "2S", "9D"), ()))
    applied = Applied(state, Discard(0, "9D"), {"melds": (("KS", "KH", "KD"),)}, state, [])
    assert engine.evidence["melds"](applied) == "the melds are none, by discard_and_melds_are_held"


@pytest.mark.no_cover
def test_evidence_that_is_never_there_breaks_the_law() -> None:
    blind = replace(fishing.ENGINE, evidence={**fishing.EVIDENCE, "sweep": lambda applied: None})
    assert wrong_fact(blind) == (
        "fishing: no table shows what comes of the fact 'sweep': its evidence is None everywhere"
    )
