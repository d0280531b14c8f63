"""A small application with routes that wait, compute, stream or fail, to test the worker."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask, Response, request

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

GATE = "SUBJECT_GATE"  #: The variable that names a file. While the file exists, no worker completes its start.
LARGE = 32 * 1024 * 1024


def create_app() -> WSGIApplication:
    while GATE in os.environ and Path(os.environ[GATE]).exists():
        time.sleep(0.02)
    app = Flask(__name__, static_folder=None)

    @app.get("/livez")
    def livez() -> str:
        return "alive"

    @app.post("/length")
    def length() -> str:
        return f"{request.content_length} announced, {len(request.get_data())} read"

    @app.get("/wait/<float:seconds>")
    def wait(seconds: float) -> str:
        time.sleep(seconds)
        return "waited"

    @app.get("/busy/<float:seconds>")
    def busy(seconds: float) -> str:
        until = time.monotonic() + seconds
        while time.monotonic() < until:  # without yielding to another greenlet
            pass
        return "done"

    @app.get("/large")
    def large() -> Response:
        return Response(b"x" * LARGE)

    @app.get("/stream/<float:pause>")
    def stream(pause: float) -> Response:
        return Response(beats(pause), mimetype="text/event-stream")

    @app.get("/flood")
    def flood() -> Response:
        return Response(itertools.repeat(b"data: " + 100_000 * b"x" + b"\n\n"), mimetype="text/event-stream")

    @app.get("/breaks-off")
    def breaks_off() -> Response:
        return Response(broken(), mimetype="text/plain")

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/fails":
            raise RuntimeError("a secret of ours")
        return app(environ, start_response)

    return application


def beats(pause: float) -> Iterator[bytes]:
    while True:
        yield b"data: beat\n\n"
        time.sleep(pause)


def broken() -> Iterator[bytes]:
    yield b"begun"
    raise RuntimeError("a secret of ours")
