"""What is otherwise where phones nearby reach this service, under `make serve`.

A page shows to clients that are near at which addresses, and the metrics are for the machine itself.
"""

from __future__ import annotations

import re
import socket
from dataclasses import replace
from ipaddress import IPv4Address, ip_address
from wsgiref.types import WSGIEnvironment

from gunicorn_llhttp.clients import Clients
from service.config import Serving

ANY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - what an operator may have set
ADDRESS_OF_NOBODY = "192.0.2.1"  #: An address of nobody (RFC 5737). To choose a route to it sends nothing.
NEARBY_HOST = re.compile(r"(?:localhost|\[[0-9a-f:.]+\]|[0-9.]+)(?::\d+)?", re.IGNORECASE)
"""A `Host` that no other site's name can stand for."""


def urls(serving: Serving) -> list[str]:
    """The URLs of this service in the networks of this machine, most likely first; none if it serves loopback alone."""
    addresses = _of_this_machine() if serving.host in ANY_ADDRESS else [serving.host]
    return [f"http://{replace(serving, host=each).place}" for each in addresses if not _is_loopback(each)]


def _of_this_machine() -> list[str]:
    """The private addresses (IPv4) of this machine; the one that leads to other networks first."""
    import psutil  # noqa: PLC0415 - loaded only where it is needed

    addresses = [each.address for every in psutil.net_if_addrs().values() for each in every]
    private = [each for each in addresses if _is_private(each) and not _is_loopback(each)]
    first = _of_the_default_route()
    return sorted(private, key=lambda address: address != first)


def _of_the_default_route() -> str | None:
    """This machine's address on the way to the internet; None if there is no such way."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unsent:
        try:
            unsent.connect((ADDRESS_OF_NOBODY, 9))
        except OSError:  # there is none
            return None
        return str(unsent.getsockname()[0])


def _is_private(address: str) -> bool:
    """Whether it is a private address of IPv4. Interfaces have others, too, and none of IP at all."""
    try:
        return IPv4Address(address).is_private
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    """Whether a host, as name or address, is this machine itself."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Nearby:
    """What a client may see of it. `serving`: the settings; `clients`: finds the address of a client."""

    def __init__(self, serving: Serving, clients: Clients) -> None:
        self._serving = serving
        self._clients = clients

    def shown_to(self, environ: WSGIEnvironment) -> list[str] | None:
        """The URLs to show to a client; None where the page shows nothing of it."""
        if not self._serving.show_addresses or _is_of_another_site(environ):
            return None
        client = ip_address(self._clients.of(environ).partition("/")[0])
        return urls(self._serving) if client.is_private else None

    def may_read_metrics(self, environ: WSGIEnvironment) -> bool:
        """Whether a client may read the metrics, which reveal moves: under `make serve`, players come directly."""
        if not self._serving.show_addresses:
            return True
        is_here = _is_loopback(environ.get("REMOTE_ADDR", "").removeprefix("::ffff:"))
        return is_here and "HTTP_X_FORWARDED_FOR" not in environ and not _is_of_another_site(environ)


def _is_of_another_site(environ: WSGIEnvironment) -> bool:
    """Whether a page of another site may have sent a request: by a name of its own that leads here, or by CORS."""
    return "HTTP_ORIGIN" in environ or not NEARBY_HOST.fullmatch(environ.get("HTTP_HOST", ""))
