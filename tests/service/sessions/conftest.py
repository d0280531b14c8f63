"""Stores to run the tests on: SQLite, one Redis server, a cluster of three."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Settings
from service.sessions.store import Store, open_store
from tests.faults.servers import RedisServer, cluster_url, one_redis, redis_cluster


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    with one_redis() as server:
        yield server


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    with redis_cluster() as servers:
        yield cluster_url(servers, replicas=0)


@pytest.fixture(params=["sqlite", "redis"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/sessions.sqlite3"
    server: RedisServer = request.getfixturevalue("redis_server")
    server.client().flushdb()
    return server.url


@pytest.fixture(params=["sqlite", "redis", "cluster"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/sessions.sqlite3"
    elif request.param == "redis":
        url = request.getfixturevalue("redis_server").url
    else:
        url = request.getfixturevalue("cluster")
    opened = open_store(url)
    yield opened
    opened.close()


@pytest.fixture
def client(store_url: str) -> FlaskClient:
    return create_app(Settings(store_url=store_url)).test_client()
