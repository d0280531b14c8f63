"""A short fuzz that sends the same requests every time."""

import pytest
from flask.testing import FlaskClient

from tests.fuzz.__main__ import departures


@pytest.mark.parametrize("part", range(4))
def test_answers_to_mutated_requests_fit_the_published_schema(client: FlaskClient, part: int) -> None:
    assert [each for number in range(60) for each in departures(client, f"{part} {number}")] == []
