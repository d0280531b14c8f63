"""Under `make serve`, `/play` shows to clients nearby where phones reach it; metrics are for this machine."""

import json
import re
from typing import Any

import pytest

from service.app import create_app
from service.config import Settings

PRIVATE = ["http://192.168.1.5:8000"]


@pytest.fixture(autouse=True)
def _machine_with_one_private_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `make serve` run on a machine with one private address."""
    monkeypatch.setenv("REFEREE_SHOW_ADDRESSES", "1")
    monkeypatch.setenv("REFEREE_HOST", "0.0.0.0")  # nothing listens
    monkeypatch.setattr("service.http.nearby._of_this_machine", lambda: ["192.168.1.5"])


def nearby_addresses_on_page(*, peer: str = "127.0.0.1", host: str = "127.0.0.1:8000", **headers: str) -> Any:
    """Return the addresses in the data of `/play` for this client. A page that has them is never cached."""
    client = create_app(Settings(store_url="sqlite:///nowhere.sqlite3")).test_client()
    answer = client.get("/play", environ_base={"REMOTE_ADDR": peer}, headers={"Host": host, **headers})
    (data,) = re.findall('<script type="application/json" id="given">(.*)</script>', answer.text)
    nearby = json.loads(data).get("nearby")
    assert ("no-store" in answer.headers["Cache-Control"]) == (nearby is not None)
    return nearby


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "192.168.1.9", "fd00::1"])
def test_a_client_of_this_network_sees_the_addresses_of_this_machine(peer: str) -> None:
    assert nearby_addresses_on_page(peer=peer) == PRIVATE


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::1]:8000", "localhost", "LocalHost:8000", "192.168.1.5"])
def test_the_addresses_are_shown_on_a_page_of_each_host_of_this_machine(host: str) -> None:
    assert nearby_addresses_on_page(host=host) == PRIVATE


@pytest.mark.parametrize("host", ["", "[::1", "[::1].evil.example", "127.0.0.1.evil.example:8000", "localhost:evil"])
def test_no_addresses_are_shown_on_a_page_of_another_host(host: str) -> None:
    assert nearby_addresses_on_page(host=host) is None


def test_a_service_on_loopback_has_no_addresses_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_HOST", "127.0.0.1")
    assert nearby_addresses_on_page() == []


def test_other_clients_and_proxies_and_origins_are_shown_no_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    assert nearby_addresses_on_page(peer="8.8.8.8") is None
    assert nearby_addresses_on_page(**{"X-Forwarded-For": "8.8.8.8"}) is None  # by a proxy of this machine
    assert nearby_addresses_on_page(host="referee.example") is None  # a name that leads here
    assert nearby_addresses_on_page(Origin="http://evil.example") is None
    monkeypatch.setenv("REFEREE_SHOW_ADDRESSES", "0")
    assert nearby_addresses_on_page() is None


def status_of_metrics_for(peer: str = "127.0.0.1", host: str = "localhost:8000", **headers: str) -> int:
    """The status of the metrics for this client."""
    client = create_app(Settings(store_url="sqlite:///nowhere.sqlite3")).test_client()
    return client.get("/metrics", environ_base={"REMOTE_ADDR": peer}, headers={"Host": host, **headers}).status_code


def test_metrics_are_for_this_machine_where_players_come_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics show why a move was refused. A page of another site can be open in a browser of this machine."""
    assert [status_of_metrics_for(peer) for peer in ("127.0.0.1", "::1", "::ffff:127.0.0.1")] == [200] * 3
    assert [status_of_metrics_for(peer) for peer in ("192.168.1.9", "::ffff:192.168.1.9", "fd00::1", "8.8.8.8")] == [
        403
    ] * 4
    assert status_of_metrics_for(host="referee.example") == status_of_metrics_for(Origin="http://evil.example") == 403
    assert status_of_metrics_for(**{"X-Forwarded-For": "192.168.1.9"}) == 403
    monkeypatch.setenv("REFEREE_SHOW_ADDRESSES", "0")
    assert status_of_metrics_for("192.168.1.9") == 200
