"""A ruleset whose outcomes have changed since the last release has a new version."""

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from engines.core.engine import Engine
from service.seeds import Vector
from tests.baseline.outcomes import changed_outcomes
from tests.conformance.complete import sender_of_vectors


def test_outcomes_are_those_of_the_last_release_or_the_version_is_new(engine: Engine[Any], client: FlaskClient) -> None:
    if lines := changed_outcomes(engine, sender_of_vectors(client)):
        file = engine.state.__module__.rpartition(".")[0].replace(".", "/")
        why = f"version {engine.version} of {engine.game} answered otherwise in the last release: raise it in {file}"
        pytest.fail("\n".join([f"{lines[0]}; {why}/__init__.py", *lines[1:5]]), pytrace=False)


def test_a_changed_outcome_is_reported_until_the_version_rises(client: FlaskClient) -> None:
    engine, ask = replace(engines.registry()["twin-it"], version=2), sender_of_vectors(client)  # as released

    def wrong(vector: Vector) -> tuple[int, Any]:
        status, body = ask(vector)
        return status, {**body, "legal": not body["legal"]} if "legal" in body else body

    lines = changed_outcomes(engine, wrong)
    assert any(line.endswith(": /legal: expected true, got false") for line in lines)
    assert changed_outcomes(replace(engine, version=99), wrong) == []
