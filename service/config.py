"""Settings, read from the environment: what an operator may set, and what each may be.

A reader makes a value of a text. It raises ValueError with what is wrong, and repeats nothing of a secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_network
from math import ceil, inf
from pathlib import Path
from typing import Annotated, Self, TypeVar, get_type_hints

T = TypeVar("T")
Reader = Callable[[str], T]

KIB = 1024
DAY = 86_400
KEY_LENGTH = 32
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [*range(os.cpu_count() or 1)]


def quota(groups: Path) -> float:
    """The cores' worth of time that a container may use, by its control groups (version 2, or 1); infinite without."""
    second = groups / "cpu.max"
    first = groups / "cpu" / "cpu.cfs_quota_us", groups / "cpu" / "cpu.cfs_period_us"
    try:
        most, period = second.read_text().split() if second.exists() else [each.read_text() for each in first]
        return int(most) / int(period) if int(most) > 0 else inf
    except (OSError, ValueError):  # none, or "max"
        return inf


def worth(cores: int, groups: Path = Path("/sys/fs/cgroup")) -> int:
    """How many workers so many cores are worth: no more than the quota, rounded up."""
    return max(1, ceil(min(quota(groups), cores)))


# --- readers -----------------------------------------------------------------


def only(allowed: str, read: Reader[T], accept: Callable[[T], object] = lambda value: True) -> Reader[T]:
    """What `read` makes of the text, if it can and the value is accepted; else the text `is not` what is `allowed`."""

    def reader(text: str) -> T:
        try:
            if accept(value := read(text)):
                return value
        except (ValueError, KeyError, OSError):
            pass
        raise ValueError(f"{text!r} is not {allowed}")

    return reader


def whole(most: int = 10**12) -> Reader[int]:
    digits = re.compile("[0-9]{1,20}").fullmatch
    return only(
        f"a whole number from 1 to {most}",
        lambda text: int(text) if digits(text) else 0,
        lambda number: 1 <= number <= most,
    )


def number(most: float) -> Reader[float]:
    return only(f"a number above 0 and up to {most:.0f}", float, lambda number: 0 < number <= most)


def matching(allowed: str, pattern: str) -> Reader[str]:
    return only(allowed, str, re.compile(pattern).fullmatch)


def one_of(values: Mapping[str, T]) -> Reader[T]:
    return only(f"one of {', '.join(values)}", values.__getitem__)


def listed(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """Several, with commas between."""
    return lambda text: tuple(read(part.strip()) for part in text.split(","))


def key(text: str) -> str:
    if len(text) < KEY_LENGTH:
        raise ValueError(f"a key has fewer than {KEY_LENGTH} characters")
    return text


def store(text: str) -> str:
    if not re.match("sqlite:///.", text):
        from service.redis_address import read_address  # noqa: PLC0415 - only where it is configured

        read_address(text)
    return text


def _writable(file: Path) -> bool:
    file.open("a").close()
    return True


ORIGIN = matching(
    "* or scheme://host[:port] in small letters",
    r"\*|[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?",
)
LOG = only("-, off or a file that can be written", str, lambda text: text in {"-", "off"} or _writable(Path(text)))
PROXY = only("an IP address, a network or *", str, lambda text: text == "*" or ip_network(text))


Limit = Annotated[int, whole()]
Seconds = Annotated[float, number(DAY)]

# --- settings ----------------------------------------------------------------


@dataclass(frozen=True)
class Environment:
    """Every field is a variable `REFEREE_<NAME>`; one that is not set, or empty, has the field's default."""

    @classmethod
    def readers(cls) -> dict[str, Reader[object]]:
        """How each field is read."""
        hints = get_type_hints(cls, include_extras=True)
        return {each.name: hints[each.name].__metadata__[0] for each in fields(cls)}

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """The defaults, overridden by what is set. Raises ValueError by the name of a value that is not allowed."""
        given = {}
        for name, read in cls.readers().items():
            if text := environment.get(variable(name)):
                try:
                    given[name] = read(text)
                except ValueError as error:
                    raise ValueError(f"{variable(name)}: {error}") from None
        return cls(**given)


@dataclass(frozen=True)
class Settings(Environment):
    """What the application goes by."""

    body_limit: Limit = 1024 * KIB
    """The largest request body, in bytes."""
    batch_limit: Limit = 8 * 1024 * KIB
    """The largest body of `/batch`, in bytes."""
    cors_origins: Annotated[tuple[str, ...], listed(ORIGIN)] = ()
    """Origins of web pages that may call from a browser; `*` for any. None by default."""
    store_url: Annotated[str, store] = field(default="sqlite:///var/sessions.sqlite3", repr=False)
    """Where sessions are kept: `sqlite:///relative/path`, `sqlite:////absolute/path`, or a Redis address."""
    token_keys: Annotated[tuple[str, ...], listed(key)] = field(default=(), repr=False)
    """Keys that session tokens are signed with: the first signs, all are honoured. None: made and kept in the store."""
    dropped_keys: Annotated[tuple[str, ...], listed(matching("the id of a key", "[0-9a-f]{12}"))] = ()
    """Ids of keys, as logs tell them, that are gone on purpose: their tokens are void, and nobody misses them."""
    session_hours: Annotated[float, number(1_000_000)] = 24.0
    """How long a session lives after its last move."""
    unplayed_hours: Annotated[float, number(1_000_000)] = 1.0
    """How long it lives after it was opened, or its deal prepared, until the first move."""
    session_moves: Limit = 10_000
    """How many moves a session may take."""
    session_bytes: Limit = 128 * 1024 * KIB
    """How large a session may grow: its log and the answers kept under keys."""
    open_sessions: Limit = 100_000
    """How many sessions may be open at once."""
    store_bytes: Limit = 4 * 1024 * 1024 * KIB
    """How much the store may hold of all sessions together."""
    client_openings: Limit = 10_000
    """How many sessions one client may open at a worker in the time that they live unplayed."""
    streams: Limit = 1_000
    """How many event streams a worker holds at once."""

    @property
    def largest_body(self) -> int:
        """Bytes of the largest body that any call takes."""
        return max(self.body_limit, self.batch_limit)


@dataclass(frozen=True)
class Serving(Environment):
    """What gunicorn and its workers go by."""

    host: Annotated[str, matching("the name or the address of a host", r"[\w.:%-]+")] = "127.0.0.1"
    """Where to listen."""
    port: Annotated[int, whole(65_535)] = 8000
    workers: Annotated[int, whole(1_000)] = worth(len(CORES))
    """How many processes serve."""
    worker: Annotated[str, one_of({"referee": "service.serving.worker.Worker", "gevent": "gevent"})] = (
        "service.serving.worker.Worker"
    )
    """What reads HTTP: our worker, or gunicorn's own on gevent."""
    connections: Annotated[int, whole(1_000_000)] = 2_000
    """How many connections a worker holds at once."""
    pin: Annotated[bool, one_of({"0": False, "1": True})] = True
    """Each worker keeps to a core of its own."""
    proxies: Annotated[tuple[str, ...], listed(PROXY)] = ("127.0.0.1", "::1")
    """Addresses of proxies whose `X-Forwarded-Proto` and `X-Forwarded-For` are believed."""
    keepalive_seconds: Seconds = 15.0
    """How long a connection may rest between two requests."""
    receive_seconds: Seconds = 10.0
    """How long a request may take to arrive."""
    send_seconds: Seconds = 60.0
    """How long a client may take to read what is sent."""
    stop_seconds: Annotated[int, whole(DAY)] = 20
    """How long requests may go on after a stop is asked for."""
    request_log: Annotated[str, LOG] = "-"
    """Where requests are logged: `-` standard output, `off`, or a file."""
    log_level: Annotated[str, one_of({each: each for each in ("debug", "info", "warning", "error")})] = "warning"
    """What else is logged, on standard error."""

    @property
    def place(self) -> str:
        """Host and port as a URL has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def variable(name: str) -> str:
    """The variable of a field."""
    return f"REFEREE_{name.upper()}"


def unknown(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Variables that look like settings but are not."""
    known = {variable(name) for name in (*Settings.readers(), *Serving.readers())}
    return sorted(name for name in environment if name.startswith("REFEREE_") and name not in known)
