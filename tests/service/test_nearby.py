"""Under `make serve`, `/play` shows to clients nearby where phones reach it; metrics are for this machine."""

import json
import re
from typing import Any

import pytest

from service.app import create_app
from service.config import Settings

PRIVATE = ["http://192.168.1.5:8000"]


@pytest.fixture(autouse=True)
def _one_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_SHOW_ADDRESSES", "1")
    monkeypatch.setenv("REFEREE_HOST", "0.0.0.0")  # nothing listens
    monkeypatch.setattr("service.http.nearby._of_this_machine", lambda: ["192.168.1.5"])


def shown(*, peer: str = "127.0.0.1", host: str = "127.0.0.1:8000", **headers: str) -> Any:
    """The data in the page, and whether a cache may keep it."""
    client = create_app(Settings(store_url="sqlite:///nowhere.sqlite3")).test_client()
    answer = client.get("/play", environ_base={"REMOTE_ADDR": peer}, headers={"Host": host, **headers})
    (data,) = re.findall('<script type="application/json" id="given">(.*)</script>', answer.text)
    nearby = json.loads(data).get("nearby")
    assert ("no-store" in answer.headers["Cache-Control"]) == (nearby is not None)
    return nearby


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "192.168.1.9", "fd00::1"])
def test_clients_nearby_are_shown_the_addresses(peer: str) -> None:
    assert shown(peer=peer) == PRIVATE


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::1]:8000", "localhost", "LocalHost:8000", "192.168.1.5"])
def test_they_are_shown_by_whatever_address_the_page_was_reached(host: str) -> None:
    assert shown(host=host) == PRIVATE


@pytest.mark.parametrize("host", ["", "[::1", "[::1].evil.example", "127.0.0.1.evil.example:8000", "localhost:evil"])
def test_by_any_other_host_nothing_is_shown(host: str) -> None:
    assert shown(host=host) is None


def test_a_service_on_loopback_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_HOST", "127.0.0.1")
    assert shown() == []


def test_nobody_else_is_shown_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(peer="8.8.8.8") is None
    assert shown(**{"X-Forwarded-For": "8.8.8.8"}) is None  # by a proxy of this machine
    assert shown(host="referee.example") is None  # a name that leads here
    assert shown(Origin="http://evil.example") is None
    monkeypatch.setenv("REFEREE_SHOW_ADDRESSES", "0")
    assert shown() is None


def metrics_for(peer: str = "127.0.0.1", host: str = "localhost:8000", **headers: str) -> int:
    """The status of the metrics for this client."""
    client = create_app(Settings(store_url="sqlite:///nowhere.sqlite3")).test_client()
    return client.get("/metrics", environ_base={"REMOTE_ADDR": peer}, headers={"Host": host, **headers}).status_code


def test_metrics_are_for_this_machine_where_players_come_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """They tell why a move was refused. A page of another site can be open in a browser of this machine."""
    assert [metrics_for(peer) for peer in ("127.0.0.1", "::1", "::ffff:127.0.0.1")] == [200] * 3
    assert [metrics_for(peer) for peer in ("192.168.1.9", "::ffff:192.168.1.9", "fd00::1", "8.8.8.8")] == [403] * 4
    assert metrics_for(host="referee.example") == metrics_for(Origin="http://evil.example") == 403
    assert metrics_for(**{"X-Forwarded-For": "192.168.1.9"}) == 403
    monkeypatch.setenv("REFEREE_SHOW_ADDRESSES", "0")
    assert metrics_for("192.168.1.9") == 200
