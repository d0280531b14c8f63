"""The client's address, behind trusted proxies and others."""

import pytest

from gunicorn_llhttp.clients import Clients

PROXIES = ("127.0.0.1", "10.0.0.0/8", "fd00::/8")


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "203.0.113.9,198.51.100.7, 10.1.2.3", "198.51.100.7"),
        ("10.9.9.9", "10.1.2.3", "10.1.2.3"),
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.7, ", "127.0.0.1"),
        ("2001:db8:1:2:3::4", "", "2001:db8:1:2::/64"),
        ("fd00::1", "2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "", "192.0.2.1"),
        ("::ffff:127.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("", "", ""),
    ],
)
def test_the_last_address_that_is_no_trusted_proxy_is_the_client(peer: str, forwarded: str, client: str) -> None:
    environ = {"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": forwarded}
    assert Clients(PROXIES).of(environ) == client


def test_if_every_proxy_is_trusted_the_first_address_is_the_client() -> None:
    environ = {"REMOTE_ADDR": "192.0.2.1", "HTTP_X_FORWARDED_FOR": "203.0.113.9, 198.51.100.7"}
    assert Clients(["*"]).of(environ) == "203.0.113.9"


def test_the_first_header_of_an_address_that_is_no_trusted_proxy_is_reported_once() -> None:
    reports: list[str] = []
    clients = Clients(PROXIES, lambda: reports.append("distrusted"))
    for peer in ("127.0.0.1", "10.1.1.1"):
        clients.of({"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": "198.51.100.7"})
    assert reports == []
    for peer in ("192.0.2.1", "192.0.2.2"):
        clients.of({"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": "198.51.100.7"})
    assert reports == ["distrusted"]
