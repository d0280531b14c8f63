"""What only the Redis store does: where replicas are asked for, it acknowledges what one of them has."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis import Redis
from redis.crc import key_slot

from service.sessions.stores.by_url import open_store
from service.sessions.stores.protocol import Change, KeptAnswer, Keyed, Outcome, Store, StoreUnavailable
from tests.faults.servers import RedisServer

LONG = 600.0


@pytest.fixture
def alone(redis_server: RedisServer) -> Iterator[Store]:
    store = open_store(redis_server.url)
    yield store
    store.close()


@pytest.fixture
def vouched(redis_server: RedisServer) -> Iterator[Store]:
    """A store that wants a replica, of which this server has none."""
    store = open_store(f"{redis_server.url}&replicas=1")
    yield store
    store.close()


@pytest.fixture
def session(alone: Store) -> str:
    name = secrets.token_hex(8)
    assert alone.write(name, Change(-1, b"dealt"), LONG) is Outcome.WRITTEN
    return name


def test_a_change_that_no_replica_has_is_not_acknowledged(vouched: Store, session: str) -> None:
    with pytest.raises(StoreUnavailable):
        vouched.write(session, Change(0, b"moved", b"one"), LONG)


def test_a_store_that_lacks_a_replica_is_not_ready(alone: Store, vouched: Store) -> None:
    alone.ping()
    with pytest.raises(StoreUnavailable, match="too few replicas"):
        vouched.ping()


def test_every_master_of_a_cluster_is_tried(cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(cluster)
    servers, tried = store._servers, []  # type: ignore[attr-defined]
    call = servers.call

    def noted(key: str, ask: Callable[[Redis], Any]) -> Any:
        tried.append(servers._member(key_slot(key.encode())).server)
        return call(key, ask)

    monkeypatch.setattr(servers, "call", noted)
    store.ping()
    assert sorted(map(id, tried)) == sorted(map(id, servers.all()))
    store.close()


def test_an_answer_that_no_replica_has_is_not_acknowledged(vouched: Store, session: str) -> None:
    with pytest.raises(StoreUnavailable):
        vouched.keep(session, Keyed("key", KeptAnswer("request", b"answer")), 1000)


def test_a_deletion_that_no_replica_has_is_not_acknowledged(vouched: Store, session: str) -> None:
    with pytest.raises(StoreUnavailable):
        vouched.delete(session)
