"""What only the Redis store does: where replicas are asked for, it acknowledges what one of them has."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

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


def test_an_answer_that_no_replica_has_is_not_acknowledged(vouched: Store, session: str) -> None:
    with pytest.raises(StoreUnavailable):
        vouched.keep(session, Keyed("key", KeptAnswer("request", b"answer")), 1000)


def test_a_deletion_that_no_replica_has_is_not_acknowledged(vouched: Store, session: str) -> None:
    with pytest.raises(StoreUnavailable):
        vouched.delete(session)
