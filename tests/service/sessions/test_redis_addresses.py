"""The options of a Redis URL reach the servers, TLS checks their certificates, and no output shows a secret."""

import http.client
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis

from service.config import Settings
from service.redis_address import read_address
from service.sessions.stores import open_store
from service.sessions.stores.protocol import StoreUnavailable
from service.sessions.stores.redis_servers import _masters
from tests.faults.servers import SENTINELS, SERVICE, RedisServer, SentinelServer, free_port, join_cluster
from tests.faults.tls import Authority, tls_front
from tests.server import Server

SECRET = "tell-nobody"


def ping(url: str) -> None:
    """Open the store at this URL and try whether it can be written."""
    store = open_store(url)
    try:
        store.ping()
    finally:
        store.close()


# --- URLs that are refused at the start ----------------------------------------------------------

WRONG_ADDRESSES = {
    f"redis+sentinal://:{SECRET}@host/service": "the store is none of",
    f"postgresql://:{SECRET}@host/0": "the store is none of",
    "sqlite://relative": "the store is none of",
    "": "the store is none of",
    f"redis://:{SECRET}@host?ssl_ca_certs=/{SECRET}": "option 1 of the query is none of replicas, .*, db$",
    f"rediss://host?db=0&ssl_ca_cert={SECRET}": "option 2 of the query is none of .*; is ssl_ca_certs= meant",
    f"rediss://host?ssl_cert_reqs=none&password={SECRET}": "option 1 of the query is none of ",
    f"redis://:{SECRET}@host?socket_timeout=60": "option 1 of the query is none of ",
    f"redis+cluster://:{SECRET}@host:7000?db=1": "option 1 of the query is none of ",
    f"redis://:{SECRET}@host?db": "option 1 of the query is none of ",
    f"redis://:{SECRET}@host/{SECRET}": "what follows the last / is not a database's number",
    f"redis+cluster://:{SECRET}@host:7000/1": "a cluster has no numbered databases",
    f"redis://:{SECRET}@host/1?db=2": "db is given twice",
    f"redis://:{SECRET}@host?password={SECRET}": "password is given twice",
    f"redis://:{SECRET}@host?replicas=one": "replicas is not a small number",
    "redis://host?password=": "password is empty",
    f"redis://:{SECRET}@host,other": "one server has one host",
    f"redis://:a/{SECRET}@host/0": "the hosts are not host:port",
    f"redis://:a?{SECRET}@host/0": "option 1 of the query is none of ",
    f"redis://:a?b={SECRET}@host/0": "option 1 of the query is none of ",
    f"redis://:{SECRET}@store..example:6379": "the hosts are not host:port",
    f"redis://:{SECRET}@{'a' * 64}.example:6379": "the hosts are not host:port",
    f"redis://:{SECRET}@host:66000": "the hosts are not host:port",
    f"redis://:{SECRET}@/0": "the hosts are not host:port",
    f"redis+sentinel://:{SECRET}@host,other": "the service's name follows the hosts",
    f"unix://:{SECRET}@host/path": "a Unix socket is unix:///path",
    f"rediss://:{SECRET}@host?ssl_ca_certs=/nowhere/{SECRET}": "ssl_ca_certs: No such file or directory",
    f"rediss://:{SECRET}@host?ssl_ca_certs=/dev/null": "ssl_ca_certs: not what it should be in PEM",
    f"rediss://:{SECRET}@host?ssl_certfile=/nowhere": "ssl_certfile, ssl_keyfile: No such file or directory",
    f"rediss://:{SECRET}@host?ssl_keyfile=/nowhere": "ssl_keyfile is the key of ssl_certfile, which is not given",
}


@pytest.mark.parametrize("url", WRONG_ADDRESSES)
def test_a_wrong_url_is_refused_with_a_reason_that_repeats_no_secret(url: str) -> None:
    with pytest.raises(ValueError, match=r"^REFEREE_STORE_URL: ") as refusal:
        open_store(url)
    assert re.search(WRONG_ADDRESSES[url], str(refusal.value))
    assert SECRET not in str(refusal.value)
    assert refusal.value.__cause__ is None


def test_a_percent_encoded_password_is_decoded_once() -> None:
    assert read_address("redis://:a%40%252F+@host").options == {"password": "a@%2F+"}


def test_an_address_is_shown_without_its_secrets() -> None:
    url = f"redis+sentinel://:{SECRET}@host/service?sentinel_password={SECRET}"
    assert SECRET not in repr(read_address(url))
    assert SECRET not in repr(Settings(store_url=url))


# --- options that reach the servers --------------------------------------------------------------

ASKED_FOR = ("username", "password", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
OPTIONS_BY_SCHEME = [
    *[("rediss", name) for name in ASKED_FOR],
    *[("rediss+cluster", name) for name in ASKED_FOR],
    *[("rediss+sentinel", name) for name in (*ASKED_FOR, "sentinel_username", "sentinel_password")],
]


@pytest.fixture(scope="module")
def guarded(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Return hosts and path by scheme. All servers require TLS, a client certificate, a user name and a password."""
    folder = tmp_path_factory.mktemp("guarded")
    context = authority.context(clients=True)
    with ExitStack() as stack:

        def front(folder: Path) -> int:
            return stack.enter_context(tls_front(context, folder / "redis.sock"))

        port, watched, slots = (front(folder / name) for name in ("one", "sentinel", "cluster"))
        require_login(stack.enter_context(RedisServer(folder / "one")), "set")
        sentinel = SentinelServer(folder / "sentinel", free_port(SENTINELS), port, 1)
        require_login(stack.enter_context(sentinel), "sentinel")
        announced = ("--cluster-enabled", "yes", "--cluster-announce-port", str(slots))
        cluster = stack.enter_context(RedisServer(folder / "cluster", free_port(SENTINELS), *announced))
        require_login(cluster, "set")
        join_cluster([cluster], 1)
        yield {
            "rediss": f"127.0.0.1:{port}/3",
            "rediss+cluster": f"127.0.0.1:{slots}",
            "rediss+sentinel": f"127.0.0.1:{watched}/{SERVICE}/3",
        }


def require_login(server: RedisServer, command: str) -> None:
    """Allow clients that do not log in every command but one."""
    client = server.client()
    client.execute_command("ACL", "SETUSER", "referee", "on", f">{SECRET}", "~*", "&*", "+@all")
    client.execute_command("ACL", "SETUSER", "default", f"-{command}")


def guarded_url(scheme: str, guarded: dict[str, str], authority: Authority, without: str = "") -> str:
    """Return the URL of the guarded store of a scheme, with all the options that it needs except `without`."""
    certificate, key = authority.client()
    options = {
        "replicas": "0",
        "username": "referee",
        "password": SECRET,
        "ssl_ca_certs": str(authority.file),
        "ssl_certfile": str(certificate),
        "ssl_keyfile": str(key),
    }
    if scheme == "rediss+sentinel":
        options |= {"sentinel_username": "referee", "sentinel_password": SECRET}
    query = "&".join(f"{name}={value}" for name, value in options.items() if name != without)
    return f"{scheme}://{guarded[scheme]}?{query}"


@pytest.mark.parametrize("scheme", ["rediss", "rediss+cluster", "rediss+sentinel"])
def test_every_option_reaches_the_servers(scheme: str, guarded: dict[str, str], authority: Authority) -> None:
    ping(guarded_url(scheme, guarded, authority))


@pytest.mark.parametrize(("scheme", "name"), OPTIONS_BY_SCHEME)
def test_a_guarded_store_is_unavailable_without_any_one_of_its_options(
    scheme: str, name: str, guarded: dict[str, str], authority: Authority
) -> None:
    with pytest.raises((StoreUnavailable, ValueError)):
        ping(guarded_url(scheme, guarded, authority, without=name))


def test_user_name_and_password_may_come_before_the_host(guarded: dict[str, str], authority: Authority) -> None:
    url = guarded_url("rediss", guarded, authority, without="username").replace(f"&password={SECRET}", "")
    ping(url.replace("://", f"://referee:{SECRET}@"))


@pytest.mark.parametrize("url", ["{url}?db=3", "{url}?db=3&replicas=0"])
def test_the_option_db_chooses_the_database(url: str, redis_server: RedisServer) -> None:
    client = redis.Redis(unix_socket_path=str(redis_server.socket), db=3)
    client.flushdb()
    ping(url.format(url=redis_server.url.partition("?")[0]))
    assert sorted(client.keys()) == [b"referee:format", b"referee:ping"]


@pytest.mark.parametrize("name", [None, b""])
def test_a_cluster_server_without_a_name_is_at_the_address_of_the_connection(name: bytes | None) -> None:
    assert _masters([[0, 16383, [name, 7000, b"id"]]], "10.0.0.7") == [("10.0.0.7", 7000)] * 16384


# --- connections that TLS refuses ----------------------------------------------------------------


def test_a_certificate_of_an_unknown_authority_is_refused(tls: str) -> None:
    with pytest.raises(StoreUnavailable, match="certificate verify failed: unable to get local issuer certificate"):
        ping(tls.partition("?")[0])


def test_a_certificate_for_another_name_is_refused(redis_server: RedisServer, authority: Authority) -> None:
    with (
        tls_front(authority.context("store.example.org"), redis_server.socket) as port,
        pytest.raises(StoreUnavailable, match="IP address mismatch"),
    ):
        ping(f"rediss://127.0.0.1:{port}/0?ssl_ca_certs={authority.file}")


def test_a_server_without_tls_is_refused(authority: Authority, tmp_path: Path) -> None:
    with RedisServer(tmp_path, free_port(SENTINELS)) as server, pytest.raises(StoreUnavailable):
        ping(f"rediss://127.0.0.1:{server.port}/0?ssl_ca_certs={authority.file}")


# --- outputs that could show a secret ------------------------------------------------------------


def test_a_running_service_shows_no_secret_of_an_unavailable_store() -> None:
    url = f"redis://referee:{SECRET}@127.0.0.1:{free_port(SENTINELS)}/0"
    with Server(settings={"REFEREE_WORKERS": "1", "REFEREE_STORE_URL": url, "REFEREE_LOG_LEVEL": "debug"}) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        bodies = []
        for method, path in (("GET", "/readyz"), ("POST", "/sessions"), ("GET", "/metrics")):
            body = '{"game": "twins", "seats": 3}' if method == "POST" else None
            connection.request(method, path, body, {"Content-Type": "application/json"})
            bodies.append(connection.getresponse().read().decode())
        connection.close()
        logs = server.out.read_text("utf-8") + server.err.read_text("utf-8")
    assert "the store is away: Error 111" in logs
    assert SECRET not in logs
    assert SECRET not in "".join(bodies)
