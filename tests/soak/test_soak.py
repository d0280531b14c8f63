"""A short soak: it does everything once and would notice growth."""

import pytest

from tests.soak.watching import BOUNDS, SoakOutcome, run_soak

UNCHANGED_SAMPLES = dict.fromkeys(BOUNDS, (100.0, 100.0))


@pytest.mark.parametrize("name", BOUNDS)
def test_growth_is_noticed(name: str) -> None:
    assert SoakOutcome(UNCHANGED_SAMPLES, {}).grown == []
    assert SoakOutcome(UNCHANGED_SAMPLES | {name: (100.0, 120.0)}, {}).grown == [name]


def test_a_server_under_every_kind_of_load_shows_no_fault() -> None:
    required = {"batch", "opening", "move", "closing", "events", "rude", "not JSON", "/resolve"}
    assert run_soak(1.5, required=required).faults == []
