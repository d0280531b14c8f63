"""What an application may ask of the worker: a record that `post_worker_init` in gunicorn's configuration sets."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from wsgiref.types import WSGIEnvironment

from gunicorn_llhttp.refusals import RefusalAnswer, plain_answer

MIB = 1 << 20


def _nothing() -> None:
    """What is called where the application wants to know nothing."""


@dataclass(frozen=True)
class Options:
    """Limits, and functions of the application that the worker calls. The defaults suit any WSGI application."""

    refusal: RefusalAnswer = plain_answer
    """Answers a request that the application does not get. The environment has what could be read of the request."""
    body_limit: Callable[[str, str], int] = lambda method, path: MIB
    """Bytes of the largest body, by method and path. Not called for a body of at most `reading.SMALL_BODY` bytes."""
    keepalive_seconds: float | None = None
    """How long a connection may rest between two requests; None: gunicorn's setting `keepalive`."""
    receive_seconds: float = 10.0
    """How long a request may take to arrive, head and body."""
    send_seconds: float = 60.0
    """How long a client may take to read what is sent at once."""
    bytes_in_flight: int = 96 * MIB
    """Bytes of bodies, and of answers that are read slowly, that the worker holds; of bodies of one client that are
    not whole, a quarter.
    """
    probes: Collection[str] = ()
    """Paths that are answered however busy the worker is."""
    log: Callable[[WSGIEnvironment, int, int, float], object] | None = None
    """Logs a request by its environment, its status (0 if there was no answer), the bytes of the answer's body and
    the seconds it took; None: gunicorn's access log.
    """
    opened: Callable[[], object] = _nothing
    """Called when a client has connected."""
    closed: Callable[[], object] = _nothing
    """Called when a connection is closed."""
    tick: Callable[[], object] = _nothing
    """Called four times a second."""
