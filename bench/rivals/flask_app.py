"""A Flask route that decides nothing."""

from __future__ import annotations

from flask import Flask, Response

ANSWER = b'{"game":"twins","legal":true,"events":[' + b",".join([b'{"rule":"TW-3.5","code":"revealed"}'] * 20) + b"]}"


def create_app() -> Flask:
    app = Flask(__name__, static_folder=None)

    @app.post("/constant")
    def constant() -> Response:
        return Response(ANSWER, mimetype="application/json")

    return app
