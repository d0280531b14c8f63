"""The capacity of the store, the shares of clients and seats, and the shorter life of unplayed sessions."""

import random
import time
from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.config import Settings
from service.sessions import capacity, changes, log
from service.sessions.capacity import LOGGED, Capacity, Shares, lifetime
from service.sessions.outcomes import Share
from service.sessions.record import SessionRecord
from service.sessions.stores.protocol import Size
from tests.service.sessions.tables import SECRET, SessionClient, open_session, service_client

OPENING = {"game": "gin-rummy", "seats": 2}


def open_from(client: FlaskClient, address: str, **more: Any) -> TestResponse:
    """Ask for a session from a client's address."""
    return client.post("/sessions", json={**OPENING, **more}, headers={"X-Forwarded-For": address})


def test_a_client_that_has_used_up_its_share_waits_and_others_do_not(store_url: str) -> None:
    client = service_client(store_url, client_openings=2)
    assert [open_from(client, "192.0.2.1").status_code for _ in range(3)] == [201, 201, 429]
    refused = open_from(client, "192.0.2.1")
    assert refused.get_json()["type"] == "/problems/too-many-requests"
    assert 0 < int(refused.headers["Retry-After"]) <= 1800
    assert refused.headers["RateLimit"] == f'"openings";r=0;t={refused.headers["Retry-After"]}'
    assert open_from(client, "192.0.2.2").status_code == 201


def test_a_repeated_opening_uses_none_of_the_share(store_url: str) -> None:
    client = service_client(store_url, client_openings=1)
    again = [client.post("/sessions", json=OPENING, headers={"Idempotency-Key": SECRET}) for _ in range(3)]
    assert [each.status_code for each in again] == [201, 201, 201]


def test_a_full_store_opens_no_session_and_accepts_no_move(store_url: str) -> None:
    table = open_session(service_client(store_url))
    full = service_client(store_url, store_bytes=1)
    refused = open_from(full, "192.0.2.1")
    assert (refused.status_code, refused.get_json()["type"]) == (503, "/problems/store-unavailable")
    assert refused.headers["Retry-After"] == "60"
    there = SessionClient(full, table.id, table.game, table.tokens)
    assert there.get("host").status_code == 200
    assert there.move("host", {"type": "pass", "seat": 0}).status_code == 503


@pytest.mark.parametrize(
    ("settings", "space", "status"), [({"store_bytes": 1}, "full", 503), ({"open_sessions": 1}, "for-play", 200)]
)
def test_readiness_says_what_the_store_refuses_and_the_log_says_it_once(
    store_url: str, settings: dict[str, int], space: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    open_session(service_client(store_url))
    limited = service_client(store_url, **settings)
    answers = [limited.get("/readyz") for _ in range(2)]
    assert [each.status_code for each in answers] == [status] * 2
    assert answers[0].get_json()["checks"]["room"] == space
    assert open_from(limited, "192.0.2.1").status_code == 503
    assert [each for each in caplog.messages if "the store" in each] == [LOGGED[space]]  # type: ignore[index]


def test_a_store_that_accepts_openings_again_is_logged(
    store_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(capacity, "BETWEEN_MEASUREMENTS", 0.0)
    limited = service_client(store_url, open_sessions=1)
    table = open_session(limited)
    assert limited.get("/readyz").get_json()["checks"]["room"] == "for-play"  # no opening more, moves go on
    limited.delete(table.path, headers=table.headers("host"))
    assert "room" not in limited.get("/readyz").get_json()["checks"]
    assert [each for each in caplog.messages if "the store" in each] == [LOGGED["for-play"], LOGGED["ready"]]


def test_a_bucket_drains_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bucket of 10 drains in 100 s. An empty one takes even more than 10, and the next amount waits for it."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    shares = Shares(10, 100.0)
    assert [shares.take("one", 5).wait, shares.take("one", 5).wait, shares.take("one", 1).wait] == [0, 0, 10]
    now = 10.0
    assert shares.take("one", 1) == Share(10, 100, left=0, wait=0, full_in=100)
    assert shares.take("one", 1).wait == 10
    now = 1000.0
    assert [shares.take("one", 50).wait, shares.take("one", 1).wait] == [0, 410]


@pytest.mark.parametrize(
    ("moves", "hours", "seconds"), [(0, {}, 3600), (1, {}, 86_400), (0, {"session_hours": 0.5}, 1800)]
)
def test_a_session_expires_early_until_its_first_move(moves: int, hours: dict[str, float], seconds: float) -> None:
    record = SessionRecord("twins", "", {}, {}, 2, "", moves=moves)
    assert lifetime(record, Settings(**hours)) == seconds  # type: ignore[arg-type]


@pytest.mark.parametrize(("held", "space"), [(89, "ready"), (90, "for-play"), (99, "for-play"), (100, "full")])
def test_the_last_tenth_of_a_store_is_for_moves(held: int, space: str) -> None:
    store: Any = SimpleNamespace(count=lambda: 0, size=lambda: Size(held))
    assert Capacity(Settings(store_bytes=100), store).space() == space


def test_a_store_without_room_for_one_session_more_is_for_play() -> None:
    store: Any = SimpleNamespace(count=lambda: 0, size=lambda: Size(1, opens=False))
    assert Capacity(Settings(store_bytes=100), store).space() == "for-play"


@pytest.mark.parametrize("bounds", [{"session_moves": 9}, {"session_bytes": 2_000}], ids=["moves", "bytes"])
def test_a_seat_cannot_use_up_the_share_of_others(store_url: str, bounds: dict[str, int]) -> None:
    """Each of three seats has a share of the bounds. That of seat 1 is used up after three claims."""
    table = open_session(service_client(store_url, **bounds), "twin-it", seats=3)
    tops = [pile[0] for pile in table.get("host").get_json()["state"]["piles"]]
    claims = [{"type": "claim", "hands": [{"seat": seat, "card": top}]} for seat, top in enumerate(tops)]
    responses = [table.move("seat-1", claims[1]) for _ in range(4)]
    assert [each.status_code for each in responses] == [201, 201, 201, 409]
    assert responses[-1].get_json()["type"] == "/problems/session-full"
    assert table.move("seat-2", claims[2]).status_code == 201
    assert table.move("host", claims[1]).status_code == 201


def test_a_stored_refusal_is_shortened_and_says_so(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = open_session(service_client(store_url))
    illegal = {"type": "knock", "seat": 1, "discard": "KC"}
    full = table.move("host", illegal).get_json()  # without a key it is not stored
    monkeypatch.setattr(changes, "LARGEST_REFUSAL", 1)
    refusals = [table.move("host", illegal, **{"Idempotency-Key": "k"}) for _ in range(2)]
    assert refusals[0].get_data() == refusals[1].get_data()
    assert (refusals[0].get_json()["violations"], refusals[0].get_json()["more"]) == ([], True)
    assert len(full["violations"]) > 0
    assert "more" not in full


def read_in_pages(table: SessionClient, call: str) -> list[Any]:
    """Read a log or a transcript to its end, and return its pages."""
    pages: list[Any] = []
    after: int | None = 0
    while after is not None:
        pages.append(table.get("host", f"{call}?after={after}").get_json())
        after = pages[-1]["next"]
    return pages


@pytest.mark.parametrize("call", ["/moves", "/transcript"])
def test_log_and_transcript_come_in_pages_that_add_up_to_the_whole(
    store_url: str, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    table = open_session(service_client(store_url), "twins")
    chance = random.Random(3)
    for _ in range(40):
        table.move("host", table.choose(chance))
    whole = table.get("host", call).get_json()
    assert whole["next"] is None
    monkeypatch.setattr(log, "MOST_BYTES_OF_A_PAGE", 3_000)
    pages = read_in_pages(table, call)
    assert len(pages) > 3
    for member in {"entries", "moves"} & whole.keys():
        assert [each for page in pages for each in page[member]] == whole[member]
    assert all(len(page["entries"]) > 0 for page in pages)
