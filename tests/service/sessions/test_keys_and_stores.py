"""Readiness and the log warn of keys that differ between servers, and of stores that may lose sessions."""

import logging
from collections.abc import Iterator
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient

from service.sessions.service import MARKING
from service.sessions.tokens import key_id
from tests.faults.servers import RedisServer, one_redis
from tests.server import until
from tests.service.sessions.tables import SessionClient, open_session, service_client

PASS_0 = {"type": "pass", "seat": 0}
PASS_1 = {"type": "pass", "seat": 1}
DAY = 24 * 3600  #: Seconds that a session lives after its last move.
OLD, NEW = "an old key of more than 32 characters", "a new key of more than 32 characters"


def with_keys(store_url: str, *keys: str, **more: tuple[str, ...]) -> FlaskClient:
    """Return a client of a new server with these token keys. It signs with the first."""
    return service_client(store_url, token_keys=keys, **more)


def readiness_of_keys(client: FlaskClient) -> tuple[int, str]:
    """Return the status of `/readyz`, and its word on the token keys."""
    answer = client.get("/readyz")
    return answer.status_code, answer.get_json()["checks"]["token_keys"]


def status_of_host_at(client: FlaskClient, table: SessionClient) -> int:
    """Return the status that a server answers to a table's host."""
    return client.get(table.path, headers=table.headers("host")).status_code


def test_a_rotation_in_three_steps_accepts_every_token_throughout(store_url: str) -> None:
    """The first key signs, the others are taken as well. Tried are the steps that add and that promote the new key."""
    steps = [((OLD,), (OLD, NEW)), ((OLD, NEW), (NEW, OLD))]
    for keys in steps:
        first, second = (with_keys(store_url, *each) for each in keys)
        for one, other in ((first, second), (second, first)):
            assert status_of_host_at(other, open_session(one)) == 200
            assert readiness_of_keys(one) == (200, "ready")


def older_tokens(client: FlaskClient) -> tuple[int | None, float]:
    """Return the seconds until tokens of older keys end, by `/readyz` and by the metric."""
    name = "referee_older_tokens_seconds "
    figures = client.get("/metrics").text.splitlines()
    (figure,) = (line.removeprefix(name) for line in figures if line.startswith(name))
    return client.get("/readyz").get_json()["checks"].get("older_tokens"), float(figure)


def test_readiness_and_a_metric_say_until_when_tokens_of_an_older_key_are_in_use(store_url: str) -> None:
    old = with_keys(store_url, OLD, NEW)
    assert older_tokens(old) == (None, 0)
    table = open_session(old)
    assert older_tokens(old) == (None, 0)
    promoted = with_keys(store_url, NEW, OLD)
    seconds, figure = older_tokens(promoted)
    assert seconds is not None
    assert DAY - 600 < seconds <= DAY + MARKING
    assert DAY - 600 < figure <= DAY + MARKING
    assert status_of_host_at(promoted, table) == 200
    assert 'referee_check{check="older_tokens"}' not in promoted.get("/metrics").text


def test_readiness_reads_the_keys_in_use_once(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = with_keys(store_url, OLD)
    open_session(client)
    store = client.application.extensions["sessions"].store
    monkeypatch.setattr(store, "keys_in_use", reading := Mock(wraps=store.keys_in_use))
    assert readiness_of_keys(client) == (200, "ready")
    assert reading.call_count == 1


def test_a_key_is_older_until_a_session_has_ended_since_its_last_token_was_sent(store_url: str) -> None:
    promoted = with_keys(store_url, NEW, OLD)
    open_session(promoted)
    store = promoted.application.extensions["sessions"].store
    store.mark_in_use(key_id(OLD.encode()), 1000)
    seconds, _ = older_tokens(promoted)
    assert seconds is not None
    assert 0 < seconds <= 1000
    store.mark_in_use(key_id(OLD.encode()), -1)
    assert older_tokens(promoted) == (None, 0)
    assert readiness_of_keys(with_keys(store_url, NEW)) == (200, "ready")


def test_a_token_of_a_key_removed_too_early_is_refused_until_the_key_is_back(store_url: str) -> None:
    table = open_session(with_keys(store_url, OLD))
    open_session(with_keys(store_url, NEW, OLD))
    early = with_keys(store_url, NEW)
    assert status_of_host_at(early, table) == 401
    assert readiness_of_keys(early) == (200, "missing")
    assert older_tokens(early)[0] is not None
    assert status_of_host_at(with_keys(store_url, NEW, OLD), table) == 200


def test_a_key_that_is_removed_while_its_tokens_are_valid_is_reported_missing(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    both = with_keys(store_url, NEW, OLD)
    open_session(with_keys(store_url, OLD))
    open_session(both)
    early = with_keys(store_url, NEW)
    with caplog.at_level(logging.WARNING):
        assert [readiness_of_keys(early) for _ in range(3)] == [(200, "missing")] * 3
    assert [key_id(OLD.encode()) in each.getMessage() for each in caplog.records] == [True]
    assert readiness_of_keys(both) == (200, "ready")


def test_the_key_that_signs_is_marked_in_the_store_for_as_long_as_its_last_token_may_be_valid(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token is valid as long as its session, 24 hours here. A request renews a mark that is `MARKING` seconds old."""
    client, lifetimes = with_keys(store_url, OLD), list[float]()
    store = client.application.extensions["sessions"].store
    monkeypatch.setattr(store, "mark_in_use", lambda _, lifetime: lifetimes.append(lifetime))
    table = open_session(client)
    assert status_of_host_at(client, table) == 200
    assert lifetimes == [24 * 3600 + MARKING]
    monkeypatch.setattr("service.sessions.service.MARKING", 0.0)
    assert status_of_host_at(client, table) == 200
    assert lifetimes[1:] == [24 * 3600]


def test_a_server_with_an_unknown_key_is_not_ready_and_opens_nothing(store_url: str) -> None:
    open_session(with_keys(store_url, OLD))
    stranger = with_keys(store_url, NEW)
    assert readiness_of_keys(stranger) == (503, "differ")
    refused = stranger.post("/sessions", json={"game": "gin-rummy", "seats": 2})
    assert refused.status_code == 503
    assert "a key that the other servers do not know" in refused.get_json()["detail"]


def test_a_key_that_was_dropped_on_purpose_is_not_reported_missing(store_url: str) -> None:
    open_session(with_keys(store_url, OLD))
    after = with_keys(store_url, NEW, dropped_keys=(key_id(OLD.encode()),))
    assert readiness_of_keys(after) == (200, "ready")
    open_session(after)


def test_a_key_id_does_not_contain_the_key() -> None:
    assert key_id(OLD.encode()) != key_id(NEW.encode())
    assert len(key_id(OLD.encode())) == 12


@pytest.fixture
def redis(patience: None) -> Iterator[RedisServer]:
    """A Redis server of this test alone."""
    with one_redis() as started:
        yield started


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
def test_a_redis_that_may_drop_sessions_is_not_ready(
    redis: RedisServer, policy: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = service_client(redis.url)
    assert client.get("/readyz").status_code == 200
    redis.client().config_set("maxmemory-policy", policy)
    with caplog.at_level(logging.WARNING):
        answers = [client.get("/readyz") for _ in range(3)]
    assert [each.status_code for each in answers] == [503] * 3
    assert answers[0].get_json()["checks"]["eviction"] == "may-drop"
    assert len([each for each in caplog.records if "noeviction" in each.getMessage()]) == 1
    redis.client().config_set("maxmemory-policy", "noeviction")
    assert client.get("/readyz").status_code == 200


def test_a_redis_without_a_file_is_ready_and_says_so(redis: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    redis.client().config_set("appendonly", "no")
    client = service_client(redis.url)
    with caplog.at_level(logging.WARNING):
        answers = [client.get("/readyz") for _ in range(2)]
    assert [each.status_code for each in answers] == [200, 200]
    assert answers[0].get_json()["checks"]["durability"] == "in-memory"
    assert len([each for each in caplog.records if "append-only" in each.getMessage()]) == 1


def test_a_redis_without_memory_is_not_ready_and_the_log_says_when_it_starts_and_ends(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    client = service_client(redis.url)
    open_session(client)
    redis.client().config_set("maxmemory", 1)
    with caplog.at_level(logging.WARNING):
        answers = [client.get("/readyz") for _ in range(3)]
        assert client.post("/sessions", json={"game": "gin-rummy", "seats": 2}).status_code == 503
        redis.client().config_set("maxmemory", 0)
        until(lambda: "the store is back" in caplog.messages)
    assert [(each.status_code, each.get_json()["checks"]["sessions"]) for each in answers] == [(503, "away")] * 3
    assert client.get("/readyz").status_code == 200
    lines = [each for each in caplog.messages if each.startswith("the store")]
    assert (len(lines), "OOM" in lines[0], lines[1]) == (2, True, "the store is back")


@pytest.mark.parametrize("is_cached", [True, False])
def test_a_move_in_a_session_whose_log_was_lost_is_refused_and_logged_once(
    redis: RedisServer, is_cached: bool, caplog: pytest.LogCaptureFixture
) -> None:
    table = open_session(service_client(redis.url))
    assert table.move("host", PASS_0).status_code == 201
    redis.client().delete(f"referee:{{{table.id}}}:log")
    if not is_cached:  # another worker, whose cache lacks the table
        table.client = service_client(redis.url)
    with caplog.at_level(logging.WARNING):
        refused = table.move("host", PASS_1)
    assert (refused.status_code, redis.client().exists(f"referee:{{{table.id}}}:log")) == (404, 0)
    assert refused.get_json()["detail"] == "What happened in this session has been lost; it cannot go on."
    assert len([each for each in caplog.records if table.id in each.getMessage()]) == 1
