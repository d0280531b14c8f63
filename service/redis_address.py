"""Reads a Redis URL. An error repeats no part of it, because any part may be a secret."""

from __future__ import annotations

import re
import ssl
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

Host: TypeAlias = tuple[str, int]
Options: TypeAlias = dict[str, Any]  #: Arguments of redis-py's `Redis`, by name.

FORMS = (
    "sqlite:///path, redis://host:port/0, unix:///path?db=0, redis+sentinel://host:port,host:port/service/0 or "
    "redis+cluster://host:port,host:port; rediss://, rediss+sentinel:// and rediss+cluster:// speak TLS; "
    "name:password@ may stand before the hosts, percent-encoded; or it is none, and sessions are off"
)

NAME = r"[\w-]{1,63}(?:\.[\w-]{1,63})*\.?"
HOST = re.compile(rf"(?:\[(?P<literal>[0-9A-Fa-f:.]+)\]|(?P<name>{NAME}))(?::(?P<port>[0-9]{{1,5}}))?", re.ASCII)
UNFIT_HOSTS = "the hosts are not host:port; in a password, @ : / ? # & and % must be percent-encoded"
PORTS = {"one": 6379, "sentinel": 26379, "cluster": 6379}
REPLICAS = {"one": 0, "sentinel": 1, "cluster": 1}
"""How many replicas must have a change, unless the URL gives a number."""

OPTIONS_OF_ALL = ("replicas", "username", "password")
NUMBERS = {"replicas", "db"}
TLS = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
OPTIONS = {
    "redis": ("one", (*OPTIONS_OF_ALL, "db")),
    "unix": ("one", (*OPTIONS_OF_ALL, "db")),
    "redis+sentinel": ("sentinel", (*OPTIONS_OF_ALL, "db", "sentinel_username", "sentinel_password")),
    "redis+cluster": ("cluster", OPTIONS_OF_ALL),
}
"""For each scheme: the kind, and the options that may follow `?`."""


@dataclass(frozen=True)
class Address:
    """Where Redis is. `kind`: "one", "sentinel" or "cluster". `hosts`: servers or Sentinels; none for a Unix socket.

    `options`, `sentinel_options`: arguments of redis-py for a connection to a server, and to a Sentinel.
    """

    kind: str
    hosts: tuple[Host, ...]
    service: str
    replicas: int
    options: Options = field(repr=False)
    sentinel_options: Options = field(repr=False)


def read_address(url: str) -> Address:
    """The address that a URL names. Raises ValueError with a reason that repeats nothing of the URL."""
    parts = _split(url)
    scheme = parts.scheme.replace("rediss", "redis", 1)
    if scheme not in OPTIONS or "://" not in url:
        raise ValueError(f"the store is none of {FORMS}")
    kind, known = OPTIONS[scheme]
    tls = TLS if scheme != parts.scheme else ()
    options = _query(parts.query, (*known, *tls))
    login = {"username": unquote(parts.username or ""), "password": unquote(parts.password or "")}
    _add(options, {name: text for name, text in login.items() if text})
    netloc, path, service = parts.netloc.rpartition("@")[2], parts.path[1:], ""
    hosts = () if scheme == "unix" else _hosts(netloc, kind)
    if scheme == "unix":
        if netloc or not path:
            raise ValueError("a Unix socket is unix:///path")
        options["unix_socket_path"] = unquote(parts.path)
        path = ""
    elif kind == "sentinel":
        service, _, path = path.partition("/")
        if not service:
            raise ValueError("with Sentinel the service's name follows the hosts: …/service/0")
    if path and kind == "cluster":
        raise ValueError("a cluster has no numbered databases, and nothing else follows its hosts")
    if path:
        _add(options, {"db": _number(path, "what follows the last / is not a database's number")})
    if tls:
        _check_files(options)
        options["ssl"] = True
    shared = {name: options[name] for name in (*tls, "ssl") if name in options}
    sentinel = {
        name.removeprefix("sentinel_"): options.pop(name) for name in [*options] if name.startswith("sentinel_")
    }
    replicas = options.pop("replicas", REPLICAS[kind])
    return Address(kind, hosts, unquote(service), replicas, options, sentinel | shared)


def _split(url: str) -> SplitResult:
    """The parts of a URL, without a fragment."""
    try:
        parts = urlsplit(url, allow_fragments=False)
    except ValueError:  # it repeats the hosts
        raise ValueError(UNFIT_HOSTS) from None
    if "://" in url and parts.path[:1] not in {"", "/"}:  # a # ends the hosts, too
        raise ValueError(UNFIT_HOSTS)
    return parts


def _query(query: str, known: Collection[str]) -> Options:
    """The options in the query of a URL; raises ValueError for one that is not `known`, is empty or there twice."""
    options: Options = {}
    for place, each in enumerate(query.split("&") if query else (), 1):
        name, sign, value = each.partition("=")
        if name not in known or not sign:
            close = get_close_matches(name, known, 1)
            meant = f"; is {close[0]}= meant?" if close else ""
            raise ValueError(f"option {place} of the query is none of {', '.join(known)}{meant}")
        if not value:
            raise ValueError(f"{name} is empty")
        number = name in NUMBERS
        _add(options, {name: _number(value, f"{name} is not a small number") if number else unquote(value)})
    return options


def _number(text: str, reason: str) -> int:
    """A number of at most four digits; raises ValueError with this reason for any other text."""
    if not re.fullmatch("[0-9]{1,4}", text, re.ASCII):
        raise ValueError(reason)
    return int(text)


def _add(options: Options, more: Mapping[str, Any]) -> None:
    """Add more options; raises ValueError for one that is there already."""
    for name, value in more.items():
        if name in options:
            raise ValueError(f"{name} is given twice")
        options[name] = value


def _hosts(text: str, kind: str) -> tuple[Host, ...]:
    """The hosts of a URL, each with its port or that of the `kind`; raises ValueError."""
    read = [HOST.fullmatch(each) for each in text.split(",")]
    if kind == "one" and len(read) > 1:
        raise ValueError("one server has one host; several belong to redis+sentinel:// or redis+cluster://")
    hosts = [(each["literal"] or each["name"], int(each["port"] or PORTS[kind])) for each in read if each]
    if len(hosts) < len(read) or not all(0 < port < 65536 for _host, port in hosts):
        raise ValueError(UNFIT_HOSTS)
    return tuple(hosts)


def _check_files(options: Options) -> None:
    """Raise ValueError for certificates and keys that cannot be read; otherwise only the first call would fail."""
    authorities, certificate, key = (options.get(name) for name in TLS)
    if key and not certificate:
        raise ValueError("ssl_keyfile is the key of ssl_certfile, which is not given")
    context, named = ssl.create_default_context(), "ssl_ca_certs"
    try:
        if authorities:
            context.load_verify_locations(authorities)
        named = "ssl_certfile, ssl_keyfile"
        if certificate:
            context.load_cert_chain(certificate, key, password=lambda: "")
    except OSError as error:
        reason = "not what it should be in PEM" if isinstance(error, ssl.SSLError) else error.strerror
        raise ValueError(f"{named}: {reason}") from None
