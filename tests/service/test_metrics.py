"""The metrics for operators: verdicts by game and ruling, the store, sessions, streams, connections, the build."""

import re
from copy import deepcopy
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from prometheus_client import CollectorRegistry, Histogram, generate_latest

from service import metrics
from service.contract.answers import Checks
from tests.conformance import vectors
from tests.server import until
from tests.service.sessions.tables import service_client
from tests.service.test_http import FOUR_HANDS, RESOLVE, post

PLAY = {"type": "play", "seat": 0, "cards": ["blue-1", "blue-2"]}
OPENING = {"game": "take-that", "seats": 3}
PLAY_OF_FOREIGN_CARDS = {"type": "play", "seat": 0, "cards": ["blue-1", "pink-2"]}


@pytest.fixture
def new_client(tmp_path: Path) -> FlaskClient:
    """A client of an application with an empty store of its own."""
    return service_client(f"sqlite:///{tmp_path}/sessions.sqlite3")


def read_metrics(client: FlaskClient) -> dict[str, float]:
    """Return each figure of `/metrics` by its name and labels."""
    return parsed(client.get("/metrics").get_data(as_text=True))


def parsed(text: str) -> dict[str, float]:
    """Return each number by its name and labels."""
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(number) for name, _, number in lines}


def growth_of(client: FlaskClient, name: str, before: dict[str, float]) -> float:
    """Return by how much a figure has grown since `before`."""
    return read_metrics(client).get(name, 0) - before.get(name, 0)


def name_of_verdicts(verdict: str) -> str:
    """Return the name of the counter of a verdict of Twins."""
    return f'referee_verdicts_total{{game="twins",verdict="{verdict}"}}'


def test_verdicts_are_counted_by_game_and_ruling(new_client: FlaskClient) -> None:
    before = read_metrics(new_client)
    post(new_client, body={**FOUR_HANDS, "moves": [PLAY]})
    post(new_client, "/validate", {**FOUR_HANDS, "move": PLAY_OF_FOREIGN_CARDS})
    broken: Any = deepcopy(FOUR_HANDS)
    broken["state"]["pot"] = 1
    post(new_client, "/audit", broken)
    post(new_client, "/audit", FOUR_HANDS)
    post(new_client, body=next(each.request["body"] for each in vectors() if each.id == "twins-buy-undetermined"))
    post(new_client, "/batch", {"requests": [{"path": "/resolve", "body": RESOLVE["body"]}] * 3})
    post(new_client, "/legal-moves", FOUR_HANDS)
    post(new_client, "/view", {**FOUR_HANDS, "seat": 0})
    after = read_metrics(new_client)
    more = {name: after[name] - before.get(name, 0) for name in after if "verdicts" in name or "rulings" in name}
    assert {name: number for name, number in more.items() if number and "created" not in name} == {
        name_of_verdicts("legal"): 4,
        name_of_verdicts("illegal"): 1,
        name_of_verdicts("inconsistent"): 1,
        name_of_verdicts("consistent"): 1,
        name_of_verdicts("undetermined"): 1,
        'referee_rulings_total{code="not-held",game="twins"}': 1,
        'referee_rulings_total{code="chips-astray",game="twins"}': 1,
    }


def test_sessions_and_the_moves_in_them_are_counted(new_client: FlaskClient) -> None:
    before = read_metrics(new_client)
    opened = post(new_client, "/sessions", {"game": "take-that", "seats": 3}).get_json()
    path, host = f"/sessions/{opened['id']}", f"Bearer {opened['tokens']['host']}"
    offered = new_client.get(f"{path}/legal-moves", headers={"Authorization": host}).get_json()["moves"]
    assert post(new_client, f"{path}/moves", {"moves": [offered[0]["move"]]}, Authorization=host).status_code == 201
    assert post(new_client, f"{path}/moves", {"moves": [offered[0]["move"]] * 2}, Authorization=host).status_code == 422
    assert growth_of(new_client, 'referee_verdicts_total{game="take-that",verdict="legal"}', before) == 1
    assert growth_of(new_client, 'referee_verdicts_total{game="take-that",verdict="illegal"}', before) == 1
    assert read_metrics(new_client)["referee_sessions"] == 1
    assert post(new_client, f"{path}/tickets", None, Authorization=host).status_code == 201
    assert read_metrics(new_client)["referee_tickets"] == 1
    assert growth_of(new_client, 'referee_store_seconds_count{call="write"}', before) == 2
    until(lambda: read_metrics(new_client)["referee_store_answers"] == 1)  # counted at most once a second


@pytest.mark.parametrize(
    ("settings", "failing"), [({}, set()), ({"open_sessions": 1}, {"room"}), ({"store_bytes": 1}, {"room"})]
)
def test_bounds_stand_beside_what_they_bound_and_checks_are_those_of_readyz(
    tmp_path: Path, settings: dict[str, Any], failing: set[str]
) -> None:
    url = f"sqlite:///{tmp_path}/sessions.sqlite3"
    assert post(service_client(url), "/sessions", OPENING).status_code == 201
    client = service_client(url, **settings)
    shown = read_metrics(client)
    checks = [each.name for each in fields(Checks) if each.name != "older_tokens"]
    assert {*client.get("/readyz").get_json()["checks"]} == {"sessions", "token_keys", *failing} <= {*checks}
    assert {name for name in checks if shown[f'referee_check{{check="{name}"}}'] == 0} == failing
    assert shown["referee_sessions"] == 1
    assert shown["referee_sessions_limit"] == settings.get("open_sessions", 100_000)
    assert 0 < shown["referee_store_bytes"] < 1 << 20
    assert shown["referee_store_bytes_limit"] <= settings.get("store_bytes", 1 << 32)


def test_an_unavailable_store_is_reported_and_stops_no_count() -> None:
    away = service_client("sqlite:////dev/null/nowhere")
    before = read_metrics(away)
    assert post(away, "/sessions", OPENING).status_code == 503
    after = read_metrics(away)
    failed = [name for name in after if name.startswith("referee_store_failures_total")]
    assert sum(after[name] - before.get(name, 0) for name in failed) > 1  # reading the metrics has failed as well
    assert after["referee_store_answers"] == 0
    assert "referee_sessions" not in after
    assert after['referee_check{check="sessions"}'] == 0


def test_the_build_is_named(new_client: FlaskClient) -> None:
    (build,) = [name for name in read_metrics(new_client) if name.startswith("referee_build_info")]
    assert re.fullmatch(
        r'referee_build_info\{commit="[0-9a-f]*",python="3\.\d+\.\d+",version="\d+\.\d+\.\d+(\.dev\d+)?"\}', build
    )


def test_durations_are_counted_as_the_library_counts_them(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = CollectorRegistry()
    ours, theirs = (Histogram(name, name, buckets=(0.25, 1), registry=registry) for name in ("ours", "theirs"))
    monkeypatch.setattr(metrics, "perf_counter", lambda: 8.0)
    for seconds in (0.125, 0.25, 0.5, 1.0, 1.5, 4.0):
        metrics.record_duration(ours, 8.0 - seconds)
        theirs.observe(seconds)
    metrics.write()

    def samples(name: str) -> dict[str, float]:
        figures = parsed(generate_latest(registry).decode())
        return {key.removeprefix(name): each for key, each in figures.items()
                if key.startswith(name) and "created" not in key}  # fmt: skip

    assert samples("ours") == samples("theirs")
    assert samples("ours")["_count"] == 6


def test_a_worker_collects_the_figures_once_a_second(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    collections: list[None] = []
    clock = iter((1.0, 1.2, 1.999, 2.001, 2.1, 2.2))
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    monkeypatch.setattr(metrics, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(metrics, "write", lambda: None)
    monkeypatch.setattr(metrics._LastExposition, "text", b"")
    monkeypatch.setattr(metrics._LastExposition, "until", 0.0)

    def now() -> metrics.Now:
        collections.append(None)
        return metrics.Now({}, {}, {})

    texts = [metrics.exposition(now) for _ in range(4)]
    assert len(collections) == 2
    assert texts[0] is texts[1]
    assert b"referee_build_info" in texts[3]
