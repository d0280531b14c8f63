"""Flask routes that decide nothing: the service over HTTP is compared with them."""

from __future__ import annotations

import time
from collections.abc import Iterator

from flask import Flask, Response

ANSWER = b'{"game":"twins","legal":true,"events":[' + b",".join([b'{"rule":"TW-3.5","code":"revealed"}'] * 20) + b"]}"


def create_app() -> Flask:
    app = Flask(__name__, static_folder=None)

    @app.post("/constant")
    def constant() -> Response:
        return Response(ANSWER, mimetype="application/json")

    @app.get("/events")
    def events() -> Response:
        return Response(beats(), mimetype="text/event-stream")

    return app


def beats() -> Iterator[bytes]:
    """An event each second, as from a session with a move each second."""
    while True:
        yield b"event: entry\ndata: {}\n\n"
        time.sleep(1)
