"""The address of a client, by which its share of bounded resources is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from wsgiref.types import WSGIEnvironment

SUBSCRIBER = 64
"""The first bits of an IPv6 address, which identify a subscriber; the subscriber chooses the others freely."""


class Clients:
    """Distinguishes clients. `proxies`: addresses and networks whose `X-Forwarded-For` is trusted, `*` for any.

    `distrusted`: called once, when another address has sent that header.
    """

    def __init__(self, proxies: Iterable[str], distrusted: Callable[[], object] | None = None) -> None:
        self._distrusted = distrusted
        named = tuple(proxies)
        self._any = "*" in named
        self._networks = [ip_network(each) for each in named if each != "*"]
        self._client = lru_cache(maxsize=4096)(self._address_of)

    def of(self, environ: WSGIEnvironment) -> str:
        """The client's address; in IPv6 its network of 64 bits."""
        return self._client(environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR", ""))

    def _address_of(self, peer: str, forwarded: str) -> str:
        """The last address that is no trusted proxy's. The addresses before it may be the client's invention."""
        if forwarded and self._distrusted and peer and not self.is_proxy(peer):
            self._distrusted()
            self._distrusted = None
        client = peer
        for written in reversed([*forwarded.split(","), peer]):
            try:
                address = ip_address(written.strip())
            except ValueError:
                break
            if isinstance(address, IPv6Address):
                address = address.ipv4_mapped or address
            client = str(address if address.version == 4 else ip_network((address, SUBSCRIBER), strict=False))
            if not self.is_proxy(str(address)):
                break
        return client

    def is_proxy(self, address: str) -> bool:
        """Whether a trusted proxy has this address."""
        return self._any or any(ip_address(address) in network for network in self._networks)
