"""Settings, read from variables of the environment.

A reader turns the text of a variable into a value, or raises ValueError. The message never repeats a secret.
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

from engines.core.shape import Doc

T = TypeVar("T")
Reader = Callable[[str], T]

KIB = 1024
DAY = 86_400
KEY_LENGTH = 32
WORKER = "gunicorn_llhttp.worker.Worker"  #: Our own, in distributions/worker.
NO_STORE = "none"  #: Instead of a store's URL: sessions are off.
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [*range(os.cpu_count() or 1)]


def quota(groups: Path) -> float:
    """The cores that the control groups (version 2 or 1) allow this container; infinite without a limit."""
    version_2, version_1 = groups / "cpu.max", groups / "cpu"
    try:
        if version_2.exists():
            most, period = version_2.read_text().split()
        else:
            most, period = ((version_1 / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        return int(most) / int(period) if int(most) > 0 else inf
    except (OSError, ValueError):  # no control groups, or "max"
        return inf


def default_workers(cores: int, groups: Path = Path("/sys/fs/cgroup")) -> int:
    """One worker for each core, but no more than the quota rounded up."""
    return max(1, ceil(min(quota(groups), cores)))


# --- readers -----------------------------------------------------------------


def only(allowed: str, read: Reader[T], accept: Callable[[T], object] = lambda value: True) -> Reader[T]:
    """A reader that fails with `'text' is not <allowed>` unless `read` succeeds and `accept` is true of the value."""

    def reader(text: str) -> T:
        try:
            if accept(value := read(text)):
                return value
        except (ValueError, KeyError, OSError):
            pass
        raise ValueError(f"{text!r} is not {allowed}")

    return reader


def whole(most: int = 10**12) -> Reader[int]:
    """A reader of a whole number from 1 to `most`."""
    digits = re.compile("[0-9]{1,20}").fullmatch
    return only(
        f"a whole number from 1 to {most}",
        lambda text: int(text) if digits(text) else 0,
        lambda number: 1 <= number <= most,
    )


def number(most: float) -> Reader[float]:
    """A reader of a number above 0, up to `most`."""
    return only(f"a number above 0 and up to {most:.0f}", float, lambda number: 0 < number <= most)


def matching(allowed: str, pattern: str) -> Reader[str]:
    """A reader of a text that the pattern matches as a whole. `allowed`: such a text, in words."""
    return only(allowed, str, re.compile(pattern).fullmatch)


def one_of(values: Mapping[str, T]) -> Reader[T]:
    """A reader of one of these words, each of which stands for a value."""
    return only(f"one of {', '.join(values)}", values.__getitem__)


def listed(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """A reader of a list with commas between the values."""
    return lambda text: tuple(read(part.strip()) for part in text.split(","))


def key(text: str) -> str:
    """Read a key that signs tokens. The error does not repeat it."""
    if len(text) < KEY_LENGTH:
        raise ValueError(f"a key has fewer than {KEY_LENGTH} characters")
    return text


def store(text: str) -> str:
    """Read the URL of a store, or `NO_STORE`. The error does not repeat it."""
    if text != NO_STORE and not re.match("sqlite:///(?!:memory:$).", text):
        from service.redis_address import read_address  # noqa: PLC0415 - only where it is configured

        read_address(text)
    return text


def _writable(file: Path) -> bool:
    """True; raises OSError for a file that cannot be written to."""
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
    """Settings with one field for each variable `REFEREE_<NAME>`. If that is unset or empty, the field has its default.

    A field's annotation holds its reader, and its text in docs/operations.md; it may also hold words that describe the
    default there.
    """

    @classmethod
    def readers(cls) -> dict[str, Reader[object]]:
        """The reader of each field."""
        hints = get_type_hints(cls, include_extras=True)
        return {each.name: hints[each.name].__metadata__[0] for each in fields(cls)}

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """The defaults, overridden by the variables. Raises ValueError with the name of a variable that is wrong."""
        values = {}
        for name, read in cls.readers().items():
            if text := environment.get(variable(name)):
                try:
                    values[name] = read(text)
                except ValueError as error:
                    raise ValueError(f"{variable(name)}: {error}") from None
        return cls(**values)


@dataclass(frozen=True)
class Settings(Environment):
    """Settings of the application."""

    body_limit: Annotated[Limit, Doc("Bytes of the largest body of any call but `/batch`.")] = 1024 * KIB
    batch_limit: Annotated[Limit, Doc("Bytes of the largest body of `/batch`.")] = 8 * 1024 * KIB
    cors_origins: Annotated[
        tuple[str, ...],
        listed(ORIGIN),
        "none",
        Doc(
            "Origins of web pages that may call from a browser, such as `https://cards.example`, with commas "
            "between; `*` for any."
        ),
    ] = ()
    store_url: Annotated[
        str,
        store,
        Doc("Where sessions are kept: `sqlite:///path` or a Redis address, see below; `none`: sessions are off."),
    ] = field(default="sqlite:///var/sessions.sqlite3", repr=False)
    token_keys: Annotated[
        tuple[str, ...],
        listed(key),
        "none",
        Doc(
            "Keys that sign session tokens, of 32 characters or more, with commas between: the first signs, all are "
            "honoured."
        ),
    ] = field(default=(), repr=False)
    dropped_keys: Annotated[
        tuple[str, ...],
        listed(matching("the id of a key", "[0-9a-f]{12}")),
        "none",
        Doc(
            "Ids of keys, as the log shows them, that were removed on purpose before their tokens had expired, with "
            "commas between."
        ),
    ] = ()
    commit: Annotated[
        str,
        matching("a commit", "[0-9a-f]{7,64}"),
        "none",
        Doc(
            "The commit that runs, which `/readyz`, `/metrics` and `--version` say. The build of an image sets it "
            "(`--build-arg COMMIT=…`); in a checkout it is looked up."
        ),
    ] = ""
    session_hours: Annotated[float, number(1_000_000), Doc("How long a session lives after its last move.")] = 24.0
    unplayed_hours: Annotated[
        float,
        number(1_000_000),
        Doc(
            "How long a session lives before its first move, from its opening or the last seat, commitment or seed. "
            "A next table (`/rematch`) lives as long as after a move."
        ),
    ] = 1.0
    session_moves: Annotated[
        Limit, Doc("How many moves a session may take; each seat has an equal part that no other can use up.")
    ] = 10_000
    session_bytes: Annotated[
        Limit,
        Doc(
            "How large a session may grow: its log and the answers kept under keys, a quarter of it for those of "
            "refused moves."
        ),
    ] = 128 * 1024 * KIB
    open_sessions: Annotated[
        Limit,
        Doc("How many sessions may be open at once; then openings are answered 503."),
    ] = 100_000
    store_bytes: Annotated[
        Limit,
        Doc(
            "How much the store may hold (SQLite: the file; Redis: the memory of a server). The last tenth is kept "
            "for moves; when it is full, they too are answered 503."
        ),
    ] = 4 * 1024 * 1024 * KIB
    client_openings: Annotated[
        Limit,
        Doc(
            "How many sessions one client may open at a worker in `REFEREE_UNPLAYED_HOURS`, by rematches, too; large "
            "ones count for several. Unless set, a tenth of `REFEREE_OPEN_SESSIONS`, divided by the workers."
        ),
    ] = 10_000
    streams: Annotated[
        Limit,
        Doc(
            "How many event streams a worker holds at once; unless set, half of `REFEREE_CONNECTIONS`. When all are "
            "taken, the client with most streams loses one to a client that has fewer; others are answered 429."
        ),
    ] = 1_000
    testing: Annotated[
        bool,
        one_of({"0": False, "1": True}),
        Doc(
            "`1`: for [tests of clients](testing.md#every-problem-from-a-service-of-your-own), never for players. "
            "Every client that opens a session may choose its table and its seed, and `/testing` gives out tokens."
        ),
    ] = False


@dataclass(frozen=True)
class Serving(Environment):
    """Settings of gunicorn and its workers."""

    host: Annotated[
        str,
        matching("the name or the address of a host", r"[\w.:%-]+"),
        Doc("The address to listen on; `referee serve` takes `--host` instead."),
    ] = "127.0.0.1"
    port: Annotated[
        int,
        whole(65_535),
        Doc("The port; `referee serve --port` and `make serve PORT=` set it too."),
    ] = 8000
    workers: Annotated[
        int,
        whole(1_000),
        "the number of cores",
        Doc(
            "How many processes serve. In a container that may not use all cores, the default is its quota, rounded up."
        ),
    ] = default_workers(len(CORES))
    worker: Annotated[
        str,
        one_of({"referee": WORKER, "gevent": "gevent"}),
        "`referee`",
        Doc(
            "What reads HTTP: `referee`, or `gevent` for gunicorn's own worker, which answers the same more slowly. "
            "Its one deadline is `REFEREE_KEEPALIVE_SECONDS`, in whole seconds, which holds until the head of the next "
            "request is here ([why](decisions/0001-worker.md))."
        ),
    ] = WORKER
    connections: Annotated[
        int,
        whole(1_000_000),
        Doc(
            "How many connections a worker holds at once, within the hard limit of descriptors (`ulimit -Hn`, less "
            "512). When all are taken, connections without a request yet are closed first, then those that have "
            "rested longest."
        ),
    ] = 2_000
    pin: Annotated[
        bool,
        one_of({"0": False, "1": True}),
        Doc(
            "`1`: each worker keeps to a core of its own. `0` where other programs want the same cores, as in "
            "Kubernetes."
        ),
    ] = True
    show_addresses: Annotated[
        bool,
        one_of({"0": False, "1": True}),
        Doc(
            "`1`: the start, and `/play` for clients in private networks, show at which addresses of this machine "
            "phones reach the service, and only this machine reads `/metrics`. `make serve` sets it; a public server "
            "leaves it out."
        ),
    ] = False
    proxies: Annotated[
        tuple[str, ...],
        listed(PROXY),
        Doc(
            "Addresses or networks of trusted proxies, with commas between. Their `X-Forwarded-Proto` and "
            "`X-Forwarded-For` are believed, so that what one client may use is counted by its own address."
        ),
    ] = ("127.0.0.1", "::1")
    bytes_in_flight: Annotated[
        Limit,
        Doc(
            "How many bytes of bodies, and of answers that are read slowly, a worker holds at once; of bodies of one "
            "client that are not whole, a quarter, so it is at least four times `REFEREE_BATCH_LIMIT`. Beyond that: "
            "503."
        ),
    ] = 96 * 1024 * KIB
    keepalive_seconds: Annotated[Seconds, Doc("How long a connection may rest between two requests.")] = 15.0
    receive_seconds: Annotated[Seconds, Doc("How long a request may take to arrive, head and body; then 408.")] = 10.0
    send_seconds: Annotated[Seconds, Doc("How long a client may take to read what is sent.")] = 60.0
    stop_seconds: Annotated[
        int, whole(DAY), Doc("How long requests may go on after the server got the signal to stop.")
    ] = 20
    request_log: Annotated[str, LOG, Doc("Where requests are logged: `-` standard output, `off`, or a file.")] = "-"
    log_level: Annotated[
        str,
        one_of({each: each for each in ("debug", "info", "warning", "error")}),
        Doc("What else is logged, on standard error: `debug`, `info`, `warning`, `error`."),
    ] = "warning"

    @property
    def place(self) -> str:
        """Host and port as a URL has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def variable(name: str) -> str:
    """The name of a field's variable."""
    return f"REFEREE_{name.upper()}"


def unknown(environment: Mapping[str, str] = os.environ) -> list[str]:
    """A line for each variable that begins with `REFEREE_` but names no setting."""
    known = {variable(name) for name in (*Settings.readers(), *Serving.readers())}
    wrong = sorted(name for name in environment if name.startswith("REFEREE_") and name not in known)
    return [f"{name}: no setting has this name" for name in wrong]
