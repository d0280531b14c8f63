"""Stores for the tests: SQLite, a Redis server, the same behind Sentinels, over TLS, and a cluster of three."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.sessions import service
from service.sessions.stores import open_store, redis, redis_servers, sqlite
from service.sessions.stores.protocol import Store
from tests.faults.servers import RedisServer, Watched, cluster_url, one_redis, redis_cluster, until, watched_redis
from tests.faults.tls import Authority, tls_front
from tests.server import Server
from tests.service.sessions.clocks import Time
from tests.service.sessions.tables import SessionClient, open_session, service_client


@pytest.fixture(scope="session")
def referee_address(server: Server) -> str:
    """The address of a running service."""
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="session")
def running_redis() -> Iterator[RedisServer]:
    """The Redis server of this process. Take `redis_server`, which is empty."""
    with one_redis() as server:
        yield server


@pytest.fixture
def redis_server(running_redis: RedisServer) -> RedisServer:
    """The Redis server of this process, emptied: earlier tests leave sessions and signing keys in it."""
    until(running_redis.client().flushall)
    return running_redis


@pytest.fixture(scope="session")
def running_cluster() -> Iterator[list[RedisServer]]:
    with redis_cluster() as servers:
        yield servers


@pytest.fixture
def cluster(running_cluster: list[RedisServer]) -> str:
    """The URL of a Redis cluster of three masters, which is emptied."""
    for server in running_cluster:
        until(server.client().flushall)
    return cluster_url(running_cluster, replicas=0)


@pytest.fixture(scope="session")
def running_sentinel() -> Iterator[Watched]:
    with watched_redis() as watched:
        yield watched


@pytest.fixture
def sentinel(running_sentinel: Watched) -> str:
    """The URL of a Redis master and its replica behind a Sentinel. They are emptied."""
    until(running_sentinel.followed_master().client().flushall)
    return running_sentinel.url(replicas=1)


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """A certificate authority whose certificate is in a file."""
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def tls(redis_server: RedisServer, authority: Authority) -> Iterator[str]:
    """The URL of the Redis server behind TLS, which clients trust by the authority's certificate."""
    with tls_front(authority.context(), redis_server.socket) as port:
        yield f"rediss://127.0.0.1:{port}/0?ssl_ca_certs={authority.file}"


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer than the service does: on a busy machine a store, a lock or a replica may take more than 0.4 s."""
    monkeypatch.setattr(sqlite, "PATIENCE", 10.0)
    monkeypatch.setattr(service, "PATIENCE", 60.0)
    monkeypatch.setattr(redis, "REPLICATION", 2000)
    for options in (redis_servers.STORING, redis_servers.ASKING):
        monkeypatch.setitem(options, "socket_timeout", 10.0)
        monkeypatch.setitem(options, "socket_connect_timeout", 10.0)


def store_of(request: pytest.FixtureRequest, folder: Path) -> str:
    """Return the URL of a store of the kind `request.param`: a file in the folder, or that of the fixture so named."""
    if request.param == "sqlite":
        return f"sqlite:///{folder}/sessions.sqlite3"
    target: RedisServer | str = request.getfixturevalue("redis_server" if request.param == "redis" else request.param)
    return target if isinstance(target, str) else target.url


@pytest.fixture(params=["sqlite", "redis"])
def store_url(patience: None, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store of each kind that every test can afford."""
    return store_of(request, tmp_path)


@pytest.fixture(params=["sqlite", "redis", "cluster", "sentinel", "tls"])
def store(patience: None, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind, opened."""
    opened = open_store(store_of(request, tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def time() -> Iterator[Time]:
    """A clock of stores; the stores are closed at the end."""
    clock = Time()
    yield clock
    for client in clock.clients:
        client.application.extensions["sessions"].store.close()


@pytest.fixture
def client(store_url: str) -> FlaskClient:
    """A client of an application with an empty store, of each kind of `store_url`."""
    return service_client(store_url)


@pytest.fixture
def table(client: FlaskClient) -> SessionClient:
    """A public session of gin rummy."""
    return open_session(client, public=True)
