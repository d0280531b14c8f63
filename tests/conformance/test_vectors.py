"""Every vector holds against the service, in its values and sentences."""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient

import engines
from service import seeds
from tests.conformance.vectors import Vector, differences, vectors_in

ALL = [vector for engine in engines.registry().values() for vector in vectors_in(seeds.folder(engine))]

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("vector", ALL, ids=lambda vector: vector.id)
def test_vector(client: FlaskClient, vector: Vector) -> None:
    sent = vector.request
    body = json.dumps(sent["body"]) if "body" in sent else None
    answer = client.open(sent["path"], method=sent["method"], data=body, headers=JSON | sent.get("headers", {}))
    assert answer.status_code == vector.response["status"], answer.get_data(as_text=True)
    assert list(differences(vector.response["body"], answer.json, wording=True)) == []


def test_ids_are_never_used_twice() -> None:
    assert len({vector.id for vector in ALL}) == len(ALL)


def test_every_vector_says_why() -> None:
    assert [vector.id for vector in ALL if len(vector.why) < 15] == []
