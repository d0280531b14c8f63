"""A small WSGI application with paths that wait, compute, stream or fail, to test the worker."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from gunicorn_llhttp.fair_scheduling import yield_if_due

GATE = "SUBJECT_GATE"  #: The variable that names a file. While the file exists, no worker completes its start.
LARGE = 32 * 1024 * 1024
TEXT = "text/plain"


def create() -> WSGIApplication:
    """Return the application once the gate does not exist."""
    while GATE in os.environ and Path(os.environ[GATE]).exists():
        time.sleep(0.02)
    return application


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Answer by the first part of the path; the second part is a number of seconds."""
    _, name, seconds, *_ = f"{environ['PATH_INFO']}//".split("/")
    method = environ["REQUEST_METHOD"]
    if name in STREAMS:
        start_response("200 OK", [("Content-Type", "text/event-stream")])
        return STREAMS[name](float(seconds or 0))
    if name == "breaks-off":
        start_response("200 OK", [("Content-Type", TEXT)])
        return broken()
    if name not in BODIES:
        status, body = "404 Not Found", b"nothing is here"
    elif method not in {"GET", "HEAD", "POST"}:
        status, body = "405 Method Not Allowed", b"another method"
    else:
        status, body = "200 OK", BODIES[name](environ, float(seconds or 0))
    headers = [("Content-Type", TEXT), ("Content-Length", str(len(body)))]
    if "HTTP_X_DATE" in environ:
        headers.append(("Date", environ["HTTP_X_DATE"]))
    start_response(status, headers)
    return [body]


def length(environ: WSGIEnvironment, _: float) -> bytes:
    """Say how many bytes of body were announced, and how many could be read."""
    return f"{environ.get('CONTENT_LENGTH')} announced, {len(environ['wsgi.input'].read())} read".encode()


def wait(_: WSGIEnvironment, seconds: float) -> bytes:
    """Sleep, so that other greenlets go on."""
    time.sleep(seconds)
    return b"waited"


def busy(_: WSGIEnvironment, seconds: float) -> bytes:
    """Compute without yielding to another greenlet."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
    return b"done"


def long(_: WSGIEnvironment, seconds: float) -> bytes:
    """Compute, and yield to other requests whenever a time slice is used up."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield_if_due()
    return b"done"


def fails(_: WSGIEnvironment, __: float) -> bytes:
    raise RuntimeError("a secret of ours")


BODIES: dict[str, Callable[[WSGIEnvironment, float], bytes]] = {
    "livez": lambda environ, seconds: b"alive",
    "scheme": lambda environ, seconds: environ["wsgi.url_scheme"].encode(),
    "large": lambda environ, seconds: b"x" * LARGE,
    "length": length,
    "wait": wait,
    "busy": busy,
    "long": long,
    "fails": fails,
}


def beats(pause: float) -> Iterator[bytes]:
    """Stream events without end, with a pause after each."""
    while True:
        yield b"data: beat\n\n"
        time.sleep(pause)


STREAMS: dict[str, Callable[[float], Iterable[bytes]]] = {
    "stream": beats,
    "flood": lambda pause: itertools.repeat(b"data: " + 100_000 * b"x" + b"\n\n"),
}


def broken() -> Iterator[bytes]:
    """Stream one piece, then fail."""
    yield b"begun"
    raise RuntimeError("a secret of ours")
