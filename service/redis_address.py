"""Reads a Redis URL. An error repeats no part of it, because any part may be a secret."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, TypeAlias
from urllib.parse import unquote

Host: TypeAlias = tuple[str, int]
Options: TypeAlias = dict[str, Any]
"""Arguments of redis-py's `Redis`, by name."""
OptionReader: TypeAlias = Callable[[str], str | int]

FORMS = (
    "sqlite:///path, redis://host:port/0, unix:///path?db=0, redis+sentinel://host:port,host:port/service/0 or "
    "redis+cluster://host:port,host:port; rediss://, rediss+sentinel:// and rediss+cluster:// speak TLS; "
    "name:password@ may stand before the hosts, percent-encoded"
)

NAME = r"[\w-]{1,63}(?:\.[\w-]{1,63})*\.?"
HOST = re.compile(rf"(?:\[(?P<literal>[0-9A-Fa-f:.]+)\]|(?P<name>{NAME}))(?::(?P<port>[0-9]{{1,5}}))?", re.ASCII)
NUMBER = re.compile("[0-9]{1,4}", re.ASCII)
PORTS = {"one": 6379, "sentinel": 26379, "cluster": 6379}
REPLICAS = {"one": 0, "sentinel": 1, "cluster": 1}
"""How many replicas must have a change, unless the URL gives a number."""


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


def _number(text: str) -> int:
    if not NUMBER.fullmatch(text):
        raise ValueError("is not a small number")
    return int(text)


def _text(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    return text


ANY: dict[str, OptionReader] = {"replicas": _number, "username": _text, "password": _text}
NUMBERED = {"db": _number}
TLS = {"ssl_ca_certs": _text, "ssl_certfile": _text, "ssl_keyfile": _text}
OPTIONS = {
    "redis": ("one", ANY | NUMBERED),
    "unix": ("one", ANY | NUMBERED),
    "redis+sentinel": ("sentinel", ANY | NUMBERED | {"sentinel_username": _text, "sentinel_password": _text}),
    "redis+cluster": ("cluster", ANY),
}
"""For each scheme: the kind, and the options that may follow `?`."""


def read_address(url: str) -> Address:
    """The address that a URL names. Raises ValueError with a reason that repeats nothing of the URL."""
    scheme, _, rest = url.partition("://")
    tls = scheme.startswith("rediss")
    if (plain := scheme.replace("rediss", "redis", 1)) not in OPTIONS:
        raise ValueError(f"the store is none of {FORMS}")
    kind, known = OPTIONS[plain]
    rest, _, query = rest.partition("?")
    given = _query(query, known | TLS if tls else known)
    authority, slash, path = rest.partition("/")
    credentials, _, hosts = authority.rpartition("@")
    _add(given, _credentials(credentials))
    service = ""
    if scheme == "unix":
        if hosts or not path:
            raise ValueError("a Unix socket is unix:///path")
        given["unix_socket_path"] = unquote(slash + path)
        listed: tuple[Host, ...] = ()
    else:
        listed = _hosts(hosts, kind)
        if kind == "sentinel":
            service, _, path = path.partition("/")
            if not service:
                raise ValueError("with Sentinel the service's name follows the hosts: …/service/0")
        if path:
            if kind == "cluster":
                raise ValueError("a cluster has no numbered databases, and nothing else follows its hosts")
            if not NUMBER.fullmatch(path):
                raise ValueError("what follows the last / is not a database's number")
            _add(given, {"db": int(path)})
    replicas = given.pop("replicas", REPLICAS[kind])
    sentinel_options = {
        name.removeprefix("sentinel_"): given.pop(name) for name in [*given] if name.startswith("sentinel_")
    }
    if tls:
        secured = {name: given[name] for name in TLS if name in given} | {"ssl": True}
        _check_files(secured)
        given |= secured
        sentinel_options |= secured
    return Address(kind, listed, unquote(service), replicas, given, sentinel_options)


def _query(query: str, known: Mapping[str, OptionReader]) -> Options:
    given: Options = {}
    for place, each in enumerate(query.split("&") if query else (), 1):
        name, sign, value = each.partition("=")
        if name not in known or not sign:
            close = get_close_matches(name, known, 1)
            meant = f"; is {close[0]}= meant?" if close else ""
            raise ValueError(f"option {place} of the query is none of {', '.join(known)}{meant}")
        try:
            read = known[name](unquote(value))
        except ValueError as error:
            raise ValueError(f"{name} {error}") from None
        _add(given, {name: read})
    return given


def _add(given: Options, more: Options) -> None:
    for name, value in more.items():
        if name in given:
            raise ValueError(f"{name} is given twice")
        given[name] = value


def _credentials(text: str) -> dict[str, str]:
    name, _, password = text.partition(":")
    given = {"username": unquote(name), "password": unquote(password)}
    return {word: value for word, value in given.items() if value}


def _hosts(text: str, kind: str) -> tuple[Host, ...]:
    read = [HOST.fullmatch(each) for each in text.split(",")]
    if kind == "one" and len(read) > 1:
        raise ValueError("one server has one host; several belong to redis+sentinel:// or redis+cluster://")
    hosts = [(each["literal"] or each["name"], int(each["port"] or PORTS[kind])) for each in read if each]
    if len(hosts) < len(read) or not all(0 < port < 65536 for _, port in hosts):
        raise ValueError("the hosts are not host:port; in a password, @ : / ? # & and % must be percent-encoded")
    return tuple(hosts)


def _check_files(secured: Options) -> None:
    """Raise ValueError for certificates and keys that cannot be read; otherwise only the first call would fail."""
    context = ssl.create_default_context()
    authorities, certificate, key = (secured.get(name) for name in TLS)
    if key and not certificate:
        raise ValueError("ssl_keyfile is the key of ssl_certfile, which is not given")
    try:
        if authorities:
            context.load_verify_locations(authorities)
    except OSError as error:
        raise ValueError(f"ssl_ca_certs: {_reason(error)}") from None
    try:
        if certificate:
            context.load_cert_chain(certificate, key, password=lambda: "")
    except OSError as error:
        raise ValueError(f"ssl_certfile, ssl_keyfile: {_reason(error)}") from None


def _reason(error: OSError) -> str:
    return "not what it should be in PEM" if isinstance(error, ssl.SSLError) else str(error.strerror)
