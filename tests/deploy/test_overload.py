"""A request that waits too long for its turn is refused: 503."""

from dataclasses import fields
from unittest.mock import Mock

import pytest
from flask import Flask
from greenlet import getcurrent

from gunicorn_llhttp import fair_scheduling
from service.contract.fields import PAUSES
from service.scheduling import SCHEDULER, Overloaded
from service.serving.options import use_scheduler


def test_a_batch_that_waits_too_long_for_its_place_between_entries_is_refused_as_a_whole(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some entries the batch yields the processor, and gets no place at it again in time."""
    monkeypatch.setattr(SCHEDULER, "yield_if_due", Mock(side_effect=[None, None, None, Overloaded]))
    deal = {"path": "/games/twins/deal", "body": {"seats": 4}}
    answer = app.test_client().post("/batch", json={"requests": [deal] * 10})
    assert (answer.status_code, answer.get_json()["type"]) == (503, "/problems/overloaded")
    assert answer.headers["Retry-After"] == "5"


def test_a_yield_raises_the_services_own_error_if_the_worker_gives_no_place_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for each in fields(SCHEDULER):
        monkeypatch.setattr(SCHEDULER, each.name, None)  # so that monkeypatch undoes what `use_scheduler` sets
    monkeypatch.setattr(PAUSES, "pause", None)
    use_scheduler()
    monkeypatch.setattr(fair_scheduling, "PATIENCE", 0.01)
    monkeypatch.setattr(fair_scheduling, "_places", Mock(acquire=lambda timeout: False))
    monkeypatch.setattr(fair_scheduling, "_has_place", dict.fromkeys([getcurrent()], False))
    with pytest.raises(Overloaded):
        SCHEDULER.yield_now()
